//! The numbers of headings: `1.2`, `A.3`, `Chapter 3`, `Item 7A`, `Note 4`, `§ 4`, `第一章`, `（二）`.

mod forms;

use crate::text::han::half_width;

/// The kind of a number. Kinds nest in this order where one document mixes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `Part II`, `第一编`, `第二部分`.
    Part,
    /// `Chapter 3`, `第三章`.
    Chapter,
    /// `Item 7A` of a report.
    Item,
    /// `Note 4` to the accounts of a report.
    Note,
    /// `第二节`; `Section 4`, `§ 4`.
    Section,
    /// `Article 5`, `第十二条`.
    Article,
    /// `Appendix B`, `附录 B`, `Annex 1`.
    Appendix,
    /// `II`, `II.`
    Roman,
    /// `1`, `1.2`, `A.1`: as deep as it has parts.
    Decimal,
    /// `A`, `A.`
    Letter,
    /// `一、`
    Han,
    /// `（一）`
    HanInBrackets,
    /// `1、`, `1)`
    Listed,
    /// `（1）`, `(a)`
    InBrackets,
}

impl Kind {
    /// Whether such a number may be the place of a section: `Chapter 3` is the third one, `Item 3` and `Note 3` are
    /// not.
    pub fn counts_sections(self) -> bool {
        !matches!(self, Kind::Letter | Kind::Roman | Kind::Appendix | Kind::Item | Kind::Note)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    pub kind: Kind,
    /// Letters count from 1 to 26: `A.3` is `[1, 3]`.
    pub parts: Vec<u32>,
    /// A letter after a section sign: `§ A.1`.
    pub lettered: bool,
    /// Its length in bytes, including the separator before the title.
    pub length: usize,
}

impl Numbering {
    /// The depth in its kind, from 1.
    pub fn depth(&self) -> usize {
        self.parts.len()
    }

    /// Whether this number can follow `before`, which has the same kind: as the next one of its level, the first of a
    /// deeper one, or the next of a higher one.
    pub fn follows(&self, before: &Numbering) -> bool {
        let (new, old) = (&self.parts, &before.parts);
        if self.kind == Kind::Item {
            return new[0] > old[0] && new[0] / ITEM <= old[0] / ITEM + 1;
        }
        let shared = new.iter().zip(old).take_while(|(a, b)| a == b).count();
        if shared == old.len() && new.len() == old.len() + 1 {
            return new[shared] <= 1;
        }
        shared + 1 == new.len() && shared < old.len() && new[shared] == old[shared] + 1
    }
}

/// `Item 7A` is on the level of `Item 7`, so its letter counts as a part of the number: 7 × 32 + 1.
const ITEM: u32 = 32;

/// The number of an item with the place of its letter in the alphabet (0 without one), as [`Kind::Item`] counts it.
pub fn item_number(number: u32, letter: u32) -> Option<u32> {
    number.checked_mul(ITEM)?.checked_add(letter)
}

/// The number that `text` begins with. Its digits and letters may be full-width.
pub fn parse(text: &str) -> Option<Numbering> {
    if text.chars().all(|c| half_width(c) == c) {
        return parse_plain(text);
    }
    let plain: String = text.chars().map(half_width).collect();
    let number = parse_plain(&plain)?;
    let chars = plain[..number.length].chars().count();
    Some(Numbering { length: text.chars().take(chars).map(char::len_utf8).sum(), ..number })
}

fn parse_plain(text: &str) -> Option<Numbering> {
    let trimmed = text.trim_start();
    let (kind, parts, rest) = forms::find(trimmed)?;
    let lettered = trimmed.strip_prefix('§').is_some_and(|rest| rest.trim_start().starts_with(char::is_alphabetic));
    Some(Numbering { kind, parts, lettered, length: text.len() - rest.len() })
}

/// The number printed before a title: `3.2.1`, `Chapter 3`, `第十四章`. A single letter may be a word.
pub fn printed_number(title: &str) -> Option<&str> {
    let number = parse(title).filter(|number| !matches!(number.kind, Kind::Letter | Kind::Roman))?;
    Some(title[..number.length].trim_matches(|c: char| c.is_whitespace() || ".:：、".contains(c)))
}

/// A title without its printed number; the characters that separate them stay.
pub fn without_printed_number(title: &str) -> &str {
    printed_number(title).and_then(|number| title.trim_start().strip_prefix(number)).unwrap_or(title)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Kind, parts and title of a numbered heading.
    fn read(text: &str) -> (Kind, Vec<u32>, &str) {
        let number = parse(text).unwrap_or_else(|| panic!("no number in {text:?}"));
        (number.kind, number.parts, &text[number.length..])
    }

    /// Checks cases such as `第 2 章　·设备 = Chapter 2`; `·` stands before the title.
    fn assert_numbers(cases: &str) {
        for case in cases.split('|') {
            let (text, wanted) = case.split_once(" = ").unwrap();
            let (whole, title) = (text.replace('·', ""), text.split_once('·').unwrap().1);
            let (kind, parts, rest) = read(&whole);
            let parts: Vec<String> = parts.iter().map(u32::to_string).collect();
            assert_eq!((format!("{kind:?} {}", parts.join(".")), rest), (wanted.to_owned(), title), "{case}");
        }
    }

    #[test]
    fn decimal_numbers_are_as_deep_as_they_have_parts() {
        let cases = "1 ·Scope = Decimal 1|1. ·Scope = Decimal 1|1.1 ·Scope = Decimal 1.1|A.2 ·Tools = Decimal 1.2\
            |12.3.4.  ·Scope = Decimal 12.3.4|2.1·概述 = Decimal 2.1";
        assert_numbers(cases);
        assert!(parse("§ A.2 Tools").unwrap().lettered && !parse("A.2 Tools").unwrap().lettered);
        assert_eq!(parse("3.8.10").unwrap().depth(), 3);
        assert_eq!(read("3.8.10Scope").2, "Scope", "narrow contents pages leave out the space");
    }

    #[test]
    fn english_words_give_the_kind() {
        let cases = "Chapter 3 ·Pumps = Chapter 3|CHAPTER IV: ·Pumps = Chapter 4|Part II — ·Water = Part 2|Book 1· = Part 1\
            |Section 4.2 ·Valves = Section 4.2|Note 4. ·Leases = Note 4|Article 5. ·Fees = Article 5\
            |Appendix B ·Tools = Appendix 2|Annex 1 - ·Forms = Appendix 1|Schedule 2· = Appendix 2";
        assert_numbers(cases);
        assert_eq!(parse("Note C – Debt"), None);
    }

    #[test]
    fn german_and_french_words_give_the_kind() {
        let cases = "Kapitel 3 ·Pumpen = Chapter 3|CHAPITRE IV· = Chapter 4|Teil II – ·Wasser = Part 2\
            |Partie 2 : ·Eau = Part 2|Abschnitt 4.2 ·Ventile = Section 4.2|Artikel 5. ·Preise = Article 5\
            |Anhang B ·Werkzeuge = Appendix 2|Annexe A· = Appendix 1";
        assert_numbers(cases);
        assert_eq!(parse("Kapitel und Abschnitte"), None);
        assert_eq!(parse("Teil der Pumpe"), None);
    }

    #[test]
    fn items_of_a_report_count_with_letters_on_one_level() {
        let items = ["Item 1. Business", "Item 1A. Risks", "Item 1B. Comments", "Item 2. Places", "Item 3. Disputes"];
        let numbers: Vec<Numbering> = items.iter().filter_map(|item| parse(item)).collect();
        assert_eq!(numbers.len(), items.len());
        assert!(numbers.iter().all(|number| number.kind == Kind::Item && number.depth() == 1));
        assert!(numbers.windows(2).all(|pair| pair[1].follows(&pair[0]) && !pair[0].follows(&pair[1])));
        assert!(!parse("Item 9").unwrap().follows(&parse("Item 7A").unwrap()));
        assert_eq!(read("Item 7A. Market").2, "Market");
    }

    #[test]
    fn signs_and_brackets() {
        let cases = "§ 4 ·Fees = Section 4|§4.2 ·Fees = Section 4.2|(3) ·a list item = InBrackets 3\
            |(b) ·a list item = InBrackets 2|（2）·条目 = InBrackets 2|1、·条目 = Listed 1|2) ·item = Listed 2";
        assert_numbers(cases);
    }

    #[test]
    fn single_letters_and_roman_numbers() {
        // A hundred chapters are fewer than three.
        assert_numbers("IV. ·Results = Roman 4|II ·Results = Roman 2|B. ·Results = Letter 2|C ·Results = Letter 3");
    }

    #[test]
    fn chinese_numbers() {
        let cases = "第一章 ·概述 = Chapter 1|第 2 章　·设备 = Chapter 2|第三节 ·保养 = Section 3|第兩節· = Section 2\
            |第十二条 ·正文 = Article 12|第一百零三条· = Article 103|第二十条· = Article 20|第一千条· = Article 1000\
            |第一千零七十七条· = Article 1077|第一千二百五十九条· = Article 1259|第參拾陸條 ·罰則 = Article 36\
            |第一编 ·总则 = Part 1|第二部分 ·附则 = Part 2|貳、·範圍 = Han 2|一、·范围 = Han 1|十一、·范围 = Han 11\
            |（一）·范围 = HanInBrackets 1|附录 A ·工具 = Appendix 1|附件二：·表格 = Appendix 2";
        assert_numbers(cases);
    }

    #[test]
    fn digits_and_letters_may_be_full_width() {
        let cases = "第１２章　·概述 = Chapter 12|１．２　·概述 = Decimal 1.2|附录Ａ ·工具Ｂ = Appendix 1\
            |（２）·条目 = InBrackets 2";
        assert_numbers(cases);
    }

    #[test]
    fn lookalikes_are_not_numbers() {
        let texts = "| |Scope|1984 was a year|3rd edition|1.05 litres|2024-06-01|10:30 Coffee|1,000 crowns\
            |chapter 3 says otherwise|Chapters 3|Section of a pipe|第一章的内容|第一章和第二章|第三人|第|一个\
            |（见上文）|()|(+5) volts|Item zz|Item 200000000 Risks|LAMP the quay|§";
        for text in texts.split('|') {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_continue_sideways_down_and_up() {
        let follows = |before: &str, next: &str| parse(next).unwrap().follows(&parse(before).unwrap());
        assert!(follows("1.1", "1.2"));
        assert!(follows("1.1", "1.1.1"));
        assert!(follows("1.2.3", "1.3"));
        assert!(follows("1.2.3", "2"));
        assert!(follows("第九条", "第十条"));
        assert!(!follows("1.1", "1.3"));
        assert!(!follows("1.1", "1.1"));
        assert!(!follows("2", "1"));
        assert!(!follows("1.1", "1.1.2"));
        assert!(!follows("1.1", "3.1"));
    }

    proptest! {
        /// In any text, and in one made of the parts of numbers, so that nearly every one has a number.
        #[test]
        fn a_number_ends_inside_its_text(
            text in "\\PC{0,24}|(Chapter|Item|PART|Appendix|第|附录|§|\\(|（)?[ 　]?[0-9０-９IVXa-c一二十百千零A.．]{0,12}[章节条部、）).:：　 —]{0,3}[A-Za-z的文]{0,4}",
        ) {
            if let Some(number) = parse(&text) {
                prop_assert!(text.is_char_boundary(number.length), "{} in {text:?}", number.length);
                prop_assert!(!number.parts.is_empty());
                prop_assert!(!number.follows(&number), "no number follows itself: {text:?}");
            }
        }
    }
}
