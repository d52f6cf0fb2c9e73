//! Texts that can be headings.

use crate::structure::numbering::{Kind, Numbering};
use crate::text::han::in_simplified;
use crate::text::{is_wide, lists};

/// Titles of boxes, which look like headings.
const BOX_TITLES: &str = "note notes warning tip caution important example hint danger attention 注意 警告 提示 注 \
    重要 小心 说明 示例 例 anmerkung hinweis hinweise warnung achtung wichtig tipp vorsicht beispiel remarque remarques \
    avertissement astuce exemple";

pub fn ends_like_a_sentence(text: &str) -> bool {
    text.ends_with(['.', '。', ',', '，', ';', '；', ':', '：', '、', '!', '！'])
}

/// Whether a text can be a title. Captions, formulas, code, page references and quotations cannot.
pub fn could_be_title(text: &str, number: Option<&Numbering>) -> bool {
    let rest = number.map_or(text, |number| &text[number.length..]);
    let letters = rest.chars().filter(|c| c.is_alphabetic()).count();
    let others = rest.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    if number.is_some_and(|number| rest.trim().is_empty() && number.kind <= Kind::Appendix) {
        return true;
    }
    let whole = in_simplified(rest).trim().trim_end_matches([':', '：', '!', '！', ' ']).to_lowercase();
    let is_box_title = lists(BOX_TITLES, &whole) || (number.is_none() && begins_a_box(rest));
    // Behind a number, a name in a program may begin with a sign that begins no other title: `3.5.1.2 __data`.
    let begins_title = |c: char| {
        c.is_alphanumeric() || "“\"‘„‚«»‹›《「\\$<⟨（(【[.¿¡@".contains(c) || (number.is_some() && "_{".contains(c))
    };
    let starts_well = !is_box_title && rest.trim_start().starts_with(begins_title);
    // Three points with spaces between them are an ellipsis, and so are two of the signs in Chinese.
    let before_page = rest.trim_end().trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let leads_to_page = before_page.len() < rest.trim_end().len() && before_page.ends_with("……");
    let leaders = [". . . .", "....", "………"].iter().any(|leaders| rest.contains(leaders)) || leads_to_page;
    // `A C` and `[a] and [b]` are labels in a drawing.
    let word = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() >= 2 || word.contains(is_wide);
    let has_word = rest.split_whitespace().any(word);
    has_word
        && !(number.is_none() && (is_identifier(rest) || is_in_brackets(rest) || is_reference(rest)))
        && others <= letters.max(3)
        && starts_well
        && !leaders
        && (number.is_some_and(|number| number.kind == Kind::Note) || !is_caption(text))
        && !text.ends_with([',', '，', ';', '；', '、'])
}

/// `NOTE Spare disks`: the word of a box in capitals before the title of the box.
fn begins_a_box(text: &str) -> bool {
    text.trim().split_once(char::is_whitespace).is_some_and(|(word, title)| {
        let word = word.trim_end_matches(':');
        word.chars().all(char::is_uppercase)
            && lists(BOX_TITLES, &word.to_lowercase())
            && title.contains(char::is_lowercase)
    })
}

/// `basic_concepts/creation.rb`, `doc.alignment`: a name in a program.
fn is_identifier(text: &str) -> bool {
    let text = text.trim();
    let inside = text.trim_matches(|c: char| !c.is_alphanumeric());
    !text.contains(char::is_whitespace) && text.is_ascii() && inside.contains(['_', '/', '.', '\\'])
}

/// `[12] Knuth`, an entry of a bibliography.
fn is_reference(text: &str) -> bool {
    let inside = text.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inside.is_some_and(|(inside, _)| !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `(in millions, unaudited)`
fn is_in_brackets(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['(', '（']) && text.ends_with([')', '）']) && text.matches(['(', '（']).count() == 1
}

/// `Figure 3`, `图 2-1`, `Table 4:`
fn is_caption(text: &str) -> bool {
    const WORDS: &str = "figure fig. fig table tab. listing algorithm equation example theorem lemma proof \
        definition corollary proposition remark note abbildung abb. tabelle beispiel tableau exemple 图 表 续表 算法 代码 \
        例 定理 引理 定义 公式 注";
    let lower = in_simplified(text).to_lowercase();
    WORDS.split_whitespace().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == ':' || c == '：'))
    })
}

/// What may stand before the first numbered heading: `Abstract`, `前言`.
pub(super) fn is_front_matter(text: &str) -> bool {
    const WORDS: &str = "abstract summary preface foreword introduction overview acknowledgements acknowledgments \
        contents 摘要 前言 序 序言 引言 简介 概述 目录 致谢";
    lists(WORDS, &in_simplified(text).trim().to_lowercase())
}

/// `A`, `Symbols`, `符号`
pub(super) fn is_index_letter(text: &str) -> bool {
    (text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
        || matches!(text, "Symbols" | "Numbers" | "符号" | "数字")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_drawings_and_box_titles_are_not_titles() {
        let texts = ["A C", "ˆ ˆ ˆ", "Note", "警告：", "Figure 3 Pumps", "图 2-1 泵站", "x = 1, 2,"];
        let names = ["basic_concepts/creation.rb", "doc.alignment", "(in millions, unaudited)", "[12] Knuth, 1984"];
        let boxes = ["WARNUNG", "Hinweis:", "Remarque", "Avertissement !", "NOTE Spare pumps", "TIPP: Ein Ventil"];
        let captions = ["Beispiel 6.1. Eingabe", "Tabelle 2: Pumpen", "Exemple 8.2 Une pompe", "Tableau 3"];
        for text in texts.into_iter().chain(names).chain(boxes).chain(captions) {
            assert!(!could_be_title(text, None), "{text}");
        }
        let titles = ["Scope", "A pump", "概述", "“Quoted” words", "„Pumpen“ umbenennen", "« Pompes » et vannes"];
        for text in titles.into_iter().chain(["NOTES ON PUMPS", "Notes on pumps", "DNS Settings"]) {
            assert!(could_be_title(text, None), "{text}");
        }
    }

    #[test]
    fn an_ellipsis_is_no_leader() {
        assert!(could_be_title("How do I . . . ? Questions", None));
        assert!(!could_be_title("How do I . . . . 3", None));
        assert!(could_be_title("我知道什么是水泵了……什么是阀门？", None));
        assert!(!could_be_title("水泵………3", None) && !could_be_title("水泵……3", None));
    }

    #[test]
    fn names_in_programs_are_titles_behind_a_number() {
        for text in ["3.5.1 __data / __near", "5.14 {pre,post}{inst,rm}"] {
            let number = crate::structure::numbering::parse(text);
            assert!(could_be_title(text, number.as_ref()), "{text}");
        }
        assert!(!could_be_title("{ BB", None), "a bracket in a drawing");
    }
}
