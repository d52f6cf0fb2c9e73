//! Which documents a question about structure names: "chapter 2 of the handbook".

use std::collections::{HashMap, HashSet};

use super::confidence::is_year;
use super::glued::glued;
use super::resolve::{file_name, stem};
use super::understand::{AskedPart, Wanted, is_of_any_document};
use crate::store::DocumentRow;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// A question whose words fit the titles of more documents equally well names none of them.
pub(super) const MOST_DOCUMENTS: usize = 3;

/// A document with the place of its namespace.
pub(super) type Placed = (usize, DocumentRow);

/// The weight of a year among the words that name documents: the least.
const YEAR: usize = 1;

/// The documents that a question names: by file name or title, otherwise those whose titles have most of its words, by
/// their rarity. For a whole table of contents, words that fit too many documents name none; a part may tell these apart.
pub(super) fn named(query: &str, wanted: &Wanted, rows: &[Placed]) -> Vec<Placed> {
    let mut asked = naming_words(query);
    if let Wanted::Part(AskedPart { name, .. }) = wanted {
        let part = naming_words(name);
        asked.retain(|word| !part.contains(word));
    }
    let kinds: HashSet<String> = asked.iter().filter(|word| is_of_any_document(word)).cloned().collect();
    // "Manual" names a document only in "chapters of the manual", which says nothing else, or if it is the whole name.
    let kinds_name = *wanted == Wanted::Whole && kinds.len() == asked.len();
    let may_name = |word: &String| kinds_name || !is_of_any_document(word);
    asked.retain(may_name);
    // A year only tells documents of one name apart.
    let least = if asked.iter().all(|word| is_year(word)) { YEAR } else { YEAR + 1 };
    asked.extend(glued(query).into_iter().map(|name| name.word));
    let lower = query.to_lowercase();
    let those = |is: &dyn Fn(&DocumentRow) -> bool| -> Vec<Placed> {
        rows.iter().filter(|(_, row)| is(row)).cloned().collect()
    };
    // The address of a website may end in a slash, with no file name after it.
    let is_telling = |name: &str| {
        let words = naming_words(name);
        words.is_empty() || words.iter().any(may_name)
    };
    let has = |name: &str| name.chars().count() > 2 && lower.contains(&name.to_lowercase()) && is_telling(name);
    let names: [fn(&DocumentRow) -> &str; 3] =
        [|row| row.source.as_str(), |row| file_name(&row.source), |row| row.title.as_str()];
    if let Some(found) = names.map(|name| those(&|row| has(name(row)))).into_iter().find(|found| !found.is_empty()) {
        return found;
    }
    let words_of =
        |document: &DocumentRow| naming_words(&format!("{} {}", document.title, file_name(&document.source)));
    let own: Vec<HashSet<String>> = rows.iter().map(|(_, document)| words_of(document)).collect();
    let mut having: HashMap<&str, usize> = HashMap::new();
    for word in own.iter().flatten().filter(|word| asked.contains(*word)) {
        *having.entry(word.as_str()).or_default() += 1;
    }
    let weight = |word: &String| {
        let having = having.get(word.as_str()).copied().unwrap_or(1);
        if is_year(word) { YEAR } else { (YEAR + 1) * own.len() / having }
    };
    let weights: Vec<(&String, usize)> = asked.iter().map(|word| (word, weight(word))).collect();
    // The rarest word decides, then all of them.
    let matched = |own: &HashSet<String>| -> (usize, usize) {
        let weights = || weights.iter().filter(|(word, _)| own.contains(*word)).map(|(_, weight)| *weight);
        (weights().max().unwrap_or(0), weights().sum())
    };
    let matched: Vec<(usize, usize)> = own.iter().map(matched).collect();
    let most = matched.iter().copied().max().unwrap_or_default();
    let best = rows.iter().zip(&matched).filter(|(_, own)| most.0 >= least && **own == most);
    let found: Vec<Placed> = best.map(|(row, _)| row.clone()).collect();
    if !found.is_empty() {
        return if found.len() > MOST_DOCUMENTS && *wanted == Wanted::Whole { Vec::new() } else { found };
    }
    // "Chapter 2 of the handbook" is that of handbook.md, if no other document is called so.
    let is_kind = |name: &str| {
        let words = naming_words(name);
        !words.is_empty() && words.is_subset(&kinds)
    };
    let found = those(&|row| is_kind(stem(&row.source)) || is_kind(&row.title));
    if found.len() == 1 { found } else { Vec::new() }
}

/// The words that may name a document: all but those that questions about structure share, and numbers that are no year.
fn naming_words(text: &str) -> HashSet<String> {
    const ASKING: [&str; 41] = [
        "chapter", "section", "subsect", "item", "say", "discuss", "head", "tabl", "content", "toc", "list", "show",
        "give", "name", "outlin", "mani", "part", "appendic", "appendix", "cover", "describ", "contain", "includ",
        "explain", "overview", "summar", "summari", "summaris", "tell", "pleas", "目录", "章节", "哪些", "有哪",
        "些章", "几章", "大纲", "内容", "什么", "讲什", "多少",
    ];
    tokenize(text)
        .into_iter()
        .filter(|token| token.kind != TokenKind::Single)
        .map(|token| token.text)
        .filter(|word| {
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            !is_stopword(word) && !ASKING.contains(&word.as_str()) && (!is_number || is_year(word))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::hit::sample;
    use super::*;

    fn document(source: &str, title: &str) -> DocumentRow {
        sample::document("d", source, title)
    }

    #[test]
    fn documents_are_named_by_file_or_title() {
        let rows = [
            (0, document("docs/pump.pdf", "Norwick Pump Station Manual")),
            (1, document("docs/net.md", "Network Guide")),
            (2, document("docs/泵站.pdf", "泵站维护手册")),
            (3, document("https://example.org/", "Example Domain")),
        ];
        let named = |query| named(query, &Wanted::Whole, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(named("what chapters does pump.pdf have?"), [0]);
        assert_eq!(named("table of contents of the network guide"), [1]);
        assert_eq!(named("which chapters are in the Norwick manual"), [0]);
        assert_eq!(named("维护手册有哪些章节"), [2]);
        assert_eq!(named("table of contents"), [0; 0]);
        assert_eq!(named("chapters of https://example.org/"), [3]);
    }

    #[test]
    fn a_year_and_a_glued_name_tell_reports_apart() {
        let names =
            ["ACMEPUMPS_2021_10K", "ACMEPUMPS_2022_10K", "ACMEPUMPS_2023_10K", "ACMEPUMPS_2024_10K", "NORWICK_2022"];
        let rows: Vec<Placed> =
            names.iter().enumerate().map(|(place, name)| (place, document(&format!("{name}.pdf"), name))).collect();
        let named = |query, wanted: &Wanted| {
            named(query, wanted, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        let part = Wanted::Part(AskedPart { name: "item 7".to_owned(), says_of_what: true });
        assert_eq!(named("what does item 7 of Acme Pumps 2022 say", &part), [1]);
        assert_eq!(named("what does item 7 of Acme Pumps say", &part), [0, 1, 2, 3], "the part may tell them apart");
        assert_eq!(named("table of contents of Acme Pumps", &Wanted::Whole), [0; 0]);
        assert_eq!(named("what does item 7 say", &part), [0; 0]);
    }

    #[test]
    fn a_kind_of_document_or_a_word_of_many_titles_names_none() {
        let rows = [
            (0, document("PEPSICO_2022_10K.pdf", "PepsiCo 2022 annual report 10-K")),
            (1, document("VERIZON_2021_10K.pdf", "VERIZON_2021_10K")),
            (2, document("boeing.pdf", "Boeing: statements of cash flows")),
            (3, document("ford.pdf", "Statements of cash flows of Ford")),
        ];
        let named = |query, wanted: &Wanted| {
            named(query, wanted, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
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
    fn a_kind_of_document_names_the_only_one_that_is_called_so() {
        let rows = [
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
            let found: Vec<usize> = named(query, &part(name), &rows).into_iter().map(|(place, _)| place).collect();
            assert_eq!(found, expected, "{query}");
        }
    }
}
