//! Which documents a question about structure names: "chapter 2 of the handbook".

use std::collections::HashSet;

use rayon::prelude::*;

use super::confidence::is_year;
use super::joined_words::joined_words;
use super::understand::{AskedPart, Wanted, is_of_any_document};
use crate::store::{DocumentName, file_name, stem};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, TokenKind, tokenize};

/// A question whose words fit the titles of more documents equally well names none of them.
pub(super) const MOST_DOCUMENTS: usize = 3;

/// A document and the place of its namespace among the searched ones.
pub(super) type PlacedDocument = (usize, DocumentName);

/// The weight of a year among the words that name documents: the least.
const YEAR: usize = 1;

/// The documents that a question names: by file name or title, otherwise those whose titles have most of its words, by
/// their rarity, otherwise the only one that is called after its kind. For a whole table of contents, words that fit
/// too many documents name none; a part may tell these apart.
pub(super) fn named(query: &str, wanted: &Wanted, documents: &[PlacedDocument]) -> Vec<PlacedDocument> {
    let naming = Naming::of(query, wanted);
    let whole = naming.by_whole_name(query, documents);
    if !whole.is_empty() {
        return whole;
    }
    let found = naming.by_rarity(query, documents);
    match found.len() {
        0 => naming.only_one_of_its_kind(documents),
        many if many > MOST_DOCUMENTS && *wanted == Wanted::Whole => Vec::new(),
        _ => found,
    }
}

/// The words of a question that may name documents.
struct Naming {
    words: HashSet<String>,
    /// Those of them that fit any document: `manual`.
    kinds: HashSet<String>,
    /// Whether "manual" names a document: only in "chapters of the manual", which says nothing else.
    kinds_may_name: bool,
}

impl Naming {
    fn of(query: &str, wanted: &Wanted) -> Self {
        let mut words = naming_words(query);
        if let Wanted::Part(AskedPart { name, .. }) = wanted {
            let part = naming_words(name);
            words.retain(|word| !part.contains(word));
        }
        let kinds: HashSet<String> = words.iter().filter(|word| is_of_any_document(word)).cloned().collect();
        let kinds_may_name = *wanted == Wanted::Whole && kinds.len() == words.len();
        Naming { words, kinds, kinds_may_name }
    }

    fn may_name(&self, word: &str) -> bool {
        self.kinds_may_name || !is_of_any_document(word)
    }

    /// The documents whose source, file name or title stands in the question, in this order.
    fn by_whole_name(&self, query: &str, documents: &[PlacedDocument]) -> Vec<PlacedDocument> {
        let lower = query.to_lowercase();
        // The address of a website may end in a slash, with no file name after it.
        let is_telling = |name: &str| {
            let words = naming_words(name);
            words.is_empty() || words.iter().any(|word| self.may_name(word))
        };
        let has = |name: &str| name.chars().count() > 2 && lower.contains(&name.to_lowercase()) && is_telling(name);
        let names: [fn(&DocumentName) -> &str; 3] = [
            |document| document.source.as_str(),
            |document| file_name(&document.source),
            |document| document.title.as_str(),
        ];
        let found = names.map(|name| matching(documents, |document| has(name(document))));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The documents whose title and file name have the rarest word of the question, and of these the ones with most of
    /// the others.
    fn by_rarity(&self, query: &str, documents: &[PlacedDocument]) -> Vec<PlacedDocument> {
        let mut asked: HashSet<String> = self.words.iter().filter(|word| self.may_name(word)).cloned().collect();
        // A year only tells documents of one name apart.
        let least = if asked.iter().all(|word| is_year(word)) { YEAR } else { YEAR + 1 };
        asked.extend(joined_words(query).into_iter().map(|name| name.word));
        let own: Vec<HashSet<String>> = documents.par_iter().map(|(_, document)| words_of(document)).collect();
        let weight = |word: &String| {
            let having = own.iter().filter(|own| own.contains(word)).count().max(1);
            if is_year(word) { YEAR } else { (YEAR + 1) * own.len() / having }
        };
        let weights: Vec<(&String, usize)> = asked.iter().map(|word| (word, weight(word))).collect();
        let matched = |own: &HashSet<String>| -> (usize, usize) {
            let weights = || weights.iter().filter(|(word, _)| own.contains(*word)).map(|(_, weight)| *weight);
            (weights().max().unwrap_or(0), weights().sum())
        };
        let matched: Vec<(usize, usize)> = own.iter().map(matched).collect();
        let most = matched.iter().copied().max().unwrap_or_default();
        let best = documents.iter().zip(&matched).filter(|(_, own)| most.0 >= least && **own == most);
        best.map(|(document, _)| document.clone()).collect()
    }

    /// "Chapter 2 of the handbook" is that of handbook.md, if no other document is called so.
    fn only_one_of_its_kind(&self, documents: &[PlacedDocument]) -> Vec<PlacedDocument> {
        let is_kind = |name: &str| {
            let words = naming_words(name);
            !words.is_empty() && words.is_subset(&self.kinds)
        };
        let found = matching(documents, |document| is_kind(stem(&document.source)) || is_kind(&document.title));
        if found.len() == 1 { found } else { Vec::new() }
    }
}

/// The names of owners in a question, such as "Tesla's", that no name of a document has.
pub(super) fn names_of_others(query: &str, documents: &[PlacedDocument]) -> Vec<String> {
    let words = naming_words(query);
    let is_name = |token: &Token| {
        let after = query[token.start..].trim_start_matches(char::is_alphanumeric);
        let owns = ["'s ", "’s "].iter().any(|ending| after.starts_with(ending));
        owns && query[token.start..].starts_with(char::is_uppercase)
            && words.contains(&token.text)
            && !is_of_any_document(&token.text)
    };
    let names = tokenize(query).into_iter().filter(is_name).map(|token| token.text);
    names.filter(|name| !documents.iter().any(|(_, document)| words_of(document).contains(name))).collect()
}

fn words_of(document: &DocumentName) -> HashSet<String> {
    naming_words(&format!("{} {}", document.title, file_name(&document.source)))
}

fn matching(documents: &[PlacedDocument], is: impl Fn(&DocumentName) -> bool) -> Vec<PlacedDocument> {
    documents.iter().filter(|(_, document)| is(document)).cloned().collect()
}

/// The words that may name a document: all but those that questions about structure share, and numbers that are no
/// year.
fn naming_words(text: &str) -> HashSet<String> {
    const ASKING: [&str; 41] = [
        "chapter", "section", "subsect", "item", "say", "discuss", "head", "tabl", "content", "toc", "list", "show",
        "give", "name", "outlin", "mani", "part", "appendic", "appendix", "cover", "describ", "contain", "includ",
        "explain", "overview", "summar", "summari", "summaris", "tell", "pleas", "目录", "章节", "哪些", "有哪",
        "些章", "几章", "大纲", "内容", "什么", "讲什", "多少",
    ];
    let may_name = |word: &String| {
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        !is_stopword(word) && !ASKING.contains(&word.as_str()) && (!is_number || is_year(word))
    };
    let words = tokenize(text).into_iter().filter(|token| token.kind != TokenKind::Single).map(|token| token.text);
    words.filter(may_name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::hit::sample;
    use super::*;

    fn document(source: &str, title: &str) -> DocumentName {
        DocumentName::from(&sample::document("d", source, title))
    }

    fn places(query: &str, wanted: &Wanted, documents: &[PlacedDocument]) -> Vec<usize> {
        named(query, wanted, documents).into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn an_address_names_its_document() {
        let documents =
            [(0, document("docs/net.md", "Network Guide")), (1, document("https://example.org/", "Example"))];
        assert_eq!(places("chapters of https://example.org/", &Wanted::Whole, &documents), [1]);
    }

    #[test]
    fn a_year_and_a_name_in_one_word_tell_reports_apart() {
        let names =
            ["ACMEPUMPS_2021_10K", "ACMEPUMPS_2022_10K", "ACMEPUMPS_2023_10K", "ACMEPUMPS_2024_10K", "NORWICK_2022"];
        let documents: Vec<PlacedDocument> =
            names.iter().enumerate().map(|(place, name)| (place, document(&format!("{name}.pdf"), name))).collect();
        let named = |query, wanted: &Wanted| places(query, wanted, &documents);
        let part = Wanted::Part(AskedPart { name: "item 7".to_owned(), says_of_what: true });
        assert_eq!(named("what does item 7 of Acme Pumps 2022 say", &part), [1]);
        assert_eq!(named("what does item 7 of Acme Pumps say", &part), [0, 1, 2, 3], "the part may tell them apart");
        assert_eq!(named("table of contents of Acme Pumps", &Wanted::Whole), [0; 0]);
        assert_eq!(named("what does item 7 say", &part), [0; 0]);
    }

    #[test]
    fn a_kind_of_document_or_a_word_of_many_titles_names_none() {
        let documents = [
            (0, document("PEPSICO_2022_10K.pdf", "PepsiCo 2022 annual report 10-K")),
            (1, document("VERIZON_2021_10K.pdf", "VERIZON_2021_10K")),
            (2, document("boeing.pdf", "Boeing: statements of cash flows")),
            (3, document("ford.pdf", "Statements of cash flows of Ford")),
        ];
        let named = |query, wanted: &Wanted| places(query, wanted, &documents);
        let part = Wanted::Part(AskedPart { name: "item 7".to_owned(), says_of_what: true });
        assert_eq!(named("what does item 7 of Verizon's 10-K say", &part), [1]);
        assert_eq!(named("what does item 7 of the annual report of Verizon say", &part), [1]);
        assert_eq!(named("what does item 7 of Tesla's 10-K say", &part), [0; 0]);
        assert_eq!(named("please summarise item 7 of Tesla's 2022 10-K", &part), [0; 0]);
        assert_eq!(named("please summarise item 7 of the 2022 report", &part), [0]);
        assert_eq!(named("what does item 7 of the 10-K say", &part), [0; 0]);
        assert_eq!(named("what does item 7 of Verizon's cash flows say", &part), [1]);
        assert_eq!(named("what does item 7 of Verizon 2022 say", &part), [1]);
        assert_eq!(named("table of contents of the 10-K", &Wanted::Whole), [0]);
    }

    #[test]
    fn names_that_no_document_has_are_told() {
        let documents = [(0, document("PEPSICO_2022_10K.pdf", "Form 10-K for Pepsico INC"))];
        for (query, names) in [
            ("What is item 7 of Tesla's 10-K about?", &["tesla"][..]),
            ("What is item 7 of Pepsico's 10-K about?", &[]),
            ("Summarise chapter 2 of the Norwick Manual in English", &[]),
            ("What is in the manual's chapter 2?", &[]),
            ("特斯拉年报第七章讲什么", &[]),
        ] {
            assert_eq!(names_of_others(query, &documents), names, "{query}");
        }
    }

    #[test]
    fn a_kind_of_document_names_the_only_one_that_is_called_so() {
        let documents = [
            (0, document("docs/handbook.md", "Working at Norwick")),
            (1, document("policy.md", "Policy")),
            (2, document("手册.md", "泵站维护")),
            (3, document("pump.pdf", "Guide")),
            (4, document("report.md", "Report")),
            (5, document("old/report.md", "Report")),
        ];
        let part = |name: &str| Wanted::Part(AskedPart { name: name.to_owned(), says_of_what: false });
        for (query, name, expected) in [
            ("what does chapter 2 of the handbook say", "chapter 2", &[0][..]),
            ("手册第三章讲什么", "第三章", &[2][..]),
            ("what does chapter 2 of the guide say", "chapter 2", &[3][..]),
            ("what does chapter 2 of the report say", "chapter 2", &[][..]),
            ("what does chapter 2 of the policy handbook say", "chapter 2", &[1][..]),
            ("what does chapter 2 of the book say", "chapter 2", &[][..]),
        ] {
            assert_eq!(places(query, &part(name), &documents), expected, "{query}");
        }
    }
}
