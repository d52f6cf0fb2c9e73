//! Other names for the same thing, as documents define them ("Transport Disconnect Order (TDO)", "以下简称…") and as users
//! list them in `synonyms.txt`.
//!
//! The rules read one parent chunk and prefer precision to recall: a missed name costs some hits, a wrong one spoils
//! the answer to every question with that word. Nothing is stored here. The keyword index asks for the definitions of
//! each parent chunk when it indexes it, so they come and go with the chunk. `words.toml` has the words of the rules.

mod abbreviation;
mod chinese;
mod english;
mod name;
pub mod synonyms;

use std::collections::HashSet;

use name::LISTS;
pub(crate) use name::is_word;
pub use name::{Definition, key};

use crate::text::han::in_simplified;
use crate::text::sentences::sentences;
use crate::text::{is_wide, join_line, squeeze};

/// The most definitions of a parent chunk.
const MOST_DEFINITIONS: usize = 100;

/// The names that a parent chunk defines, each pair once. `titles` are the titles above it, which may announce a list
/// of abbreviations.
pub fn definitions(text: &str, titles: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    if may_define(text) {
        for range in sentences(text) {
            let sentence = unwrapped(&text[range]);
            found.extend(english::definitions(&sentence));
            found.extend(chinese::definitions(&in_simplified(&sentence)));
        }
    }
    found.extend(abbreviation::definitions(text, titles));
    let mut known = HashSet::new();
    found.retain(|definition| known.insert((key(&definition.short), key(&definition.long))));
    found.truncate(MOST_DEFINITIONS);
    found
}

/// Whether a word may abbreviate a name: the name has its letters, or has Chinese characters.
pub(crate) fn abbreviates(word: &str, name: &str) -> bool {
    name.contains(is_wide) || abbreviation::long_form(word, name) == Some(name)
}

/// Whether a text may define names. Most texts do not and need no parsing.
fn may_define(text: &str) -> bool {
    text.contains(['(', '（', '称', '即', '名', '缩', '叫'])
        || LISTS.english.markers.iter().any(|marker| text.contains(marker.as_str()))
}

/// Joins the lines of a sentence.
fn unwrapped(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    for part in sentence.lines() {
        let words = squeeze(part);
        if !words.is_empty() {
            join_line(&mut line, &words);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::name::{LONGEST_NAME, trimmed};
    use super::*;
    use proptest::prelude::*;

    /// Short and long names, as `TDO = Transport Disconnect Order`.
    pub(super) fn pairs(found: Vec<Definition>) -> Vec<String> {
        found.into_iter().map(|found| format!("{} = {}", found.short, found.long)).collect()
    }

    pub(super) fn found(text: &str) -> Vec<String> {
        pairs(definitions(text, ""))
    }

    #[test]
    fn definitions_are_found_across_line_ends_and_once() {
        let text = "A Transport Disconnect\nOrder (TDO) ends it. The Transport Disconnect Order (TDO) is sent.\n\n采用变频\n调速器（VFD）。";
        assert_eq!(found(text), ["TDO = Transport Disconnect Order", "VFD = 变频调速器"]);
    }

    #[test]
    fn text_that_defines_nothing_gives_nothing() {
        for text in [
            "Open the valve (see figure 3). The pump (2 kW) starts.",
            "Prices rose (in 2019) and fell (II).",
            "打开阀门（见图 3）。水泵（备用）应停止，即不得启动。",
            "该方法（如下）称重后即可使用。",
            "",
            // Contract parties, and other uses of the words that define names.
            "Acme Limited (hereinafter the \"Company\") sells pumps.",
            "It is hard to say what is also known as good.",
            "Nobody knows why it was abbreviated so.",
            "北京云泵科技有限公司（以下简称甲方）负责。",
            "本标准（以下简称本标准）适用。",
            "三日内，即周五之前完成。",
            "打开阀门，即可排水。",
            "这是一种很有用而且在各地都常见的设备，又称好用。",
            "该泵的俗称很多。",
            "这里通常又称三角洲。",
            "提供服务提供者接口（见 3.2）。",
            "有三名议员（MEP）出席。",
            "银行的英文（BIDV）见下。",
            "市民简称川医。",
            "用编辑器（ASCII）打开文件。",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn the_definitions_of_a_parent_chunk_are_bounded() {
        let text: String = (0..2000).map(|i| format!("Transport Disconnect Order{i} (TDO{i}). ")).collect();
        assert!(definitions(&text, "").len() <= MOST_DEFINITIONS);
    }

    #[test]
    fn capitals_endings_and_quotes_do_not_count() {
        assert_eq!(key("Transport Disconnect Orders"), key("transport disconnect order"));
        assert_eq!(key("变频调速器").as_deref(), Some("变 频 调 速 器"));
        assert_eq!(key("TDOs"), key("TDO"));
        assert_eq!(trimmed(" the “Main Pump”,"), "Main Pump");
        assert_eq!(trimmed("《办法》"), "办法");
        for none in ["", "A", "12", "...", &"long ".repeat(40)] {
            assert_eq!(key(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn names_are_short_and_from_the_text(
            text in "([A-Z]{2,4}|[Tt]ransport|Order|（|\\(|\\)|）|，|,|以下简称|又称|即|also known as|“|”|水泵|\\||:|\\PC| |\n){0,60}",
        ) {
            // Chinese names are in simplified characters, even if the text is not.
            let unspaced = |text: &str| text.split_whitespace().collect::<String>();
            let (own, simplified) = (unspaced(&text), unspaced(&in_simplified(&text)));
            for found in definitions(&text, "缩略语") {
                for name in [&found.short, &found.long] {
                    prop_assert!(name.chars().count() <= LONGEST_NAME && key(name).is_some());
                    prop_assert!(own.contains(&unspaced(name)) || simplified.contains(&unspaced(name)));
                }
                prop_assert_ne!(key(&found.short), key(&found.long));
            }
        }
    }
}
