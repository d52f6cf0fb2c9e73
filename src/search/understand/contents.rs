//! Tells whether a question asks for a table of contents: "what chapters does the manual have", "目录". Questions for a
//! part of it are in [`part`](super::part).
//!
//! Ambiguous words do not count (`chapter` of a club, 目录 for a folder, the structure of an atom): answering a question
//! about the text with a list of titles is worse than answering one about titles with text.

use serde::Serialize;

use super::part::{AskedPart, UNITS, english_words, is_mark, part};
use super::words::WORDS;

/// The part of a table of contents that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    Whole,
    /// One entry with its subsections.
    Part(AskedPart),
}

/// How sure an unmistakable question is, and a likely one.
const CLEAR: f32 = 0.95;
const LIKELY: f32 = 0.8;

/// The part of the table of contents that a question asks for, and how sure that is; `None` for questions about the
/// text.
pub(super) fn wanted(query: &str) -> Option<(Wanted, f32)> {
    if let Some(part) = part(query) {
        return Some((Wanted::Part(part), CLEAR));
    }
    let lower = query.trim().to_lowercase();
    english_whole(&english_words(&lower)).or_else(|| chinese_whole(&lower)).map(|sure| (Wanted::Whole, sure))
}

/// A word for a document, or the name of a file.
fn is_document(word: &str) -> bool {
    let file = word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && (2..=5).contains(&end.len()));
    file || WORDS.documents.iter().any(|known| known == word)
}

fn english_whole(words: &[&str]) -> Option<f32> {
    let has = |sequence: &[&str]| words.windows(sequence.len()).any(|window| window == sequence);
    if has(&["table", "of", "contents"]) || words.contains(&"toc") {
        return Some(CLEAR);
    }
    // "show the outline of the manual"; "show the contents of a file" is about the text.
    if let Some(of) = words.windows(2).position(|two| matches!(two, ["contents" | "outline", "of"]))
        && let [between @ .., last] = &words[of + 2..]
        && words[..of].iter().all(|word| ASKING_FOR_CONTENTS.contains(word))
        && WORDS.documents.iter().any(|known| known == last)
        && *last != "file"
        && !between.iter().any(|word| ["a", "an"].contains(word))
    {
        return Some(LIKELY);
    }
    let unit = words.iter().position(|word| UNITS.contains(word))?;
    // Beams have sections too, and wings.
    if words[unit] != "chapters" && words.len() > unit + 1 && !words[unit + 1..].iter().any(|word| is_document(word)) {
        return None;
    }
    // "what chapters does X have", "which sections are in X", "how many chapters has X".
    let asked = unit > 0 && ["what", "which", "many"].contains(&words[unit - 1]) && unit <= 2;
    let verb = words.get(unit + 1).is_some_and(|verb| ["does", "do", "are", "is", "has", "there"].contains(verb));
    let contained = match words.last() {
        Some(&("have" | "has" | "contain" | "include")) => true,
        _ => words[unit + 1..].windows(2).any(|two| matches!(two, ["are", "in" | "there"] | ["is", "in"])),
    };
    if asked && (unit + 1 == words.len() || (verb && contained)) {
        return Some(CLEAR);
    }
    // "list the chapters of X", "chapters of manual.pdf".
    let ordered = ["list", "show", "give", "name"].contains(&words[0]) && unit <= 4;
    let of = words.get(unit + 1).is_none_or(|word| ["of", "in"].contains(word));
    // "list the sections that mention X" is about the text.
    (of && (ordered || unit == 0)).then_some(LIKELY)
}

/// What may stand before "contents of" and "outline of".
const ASKING_FOR_CONTENTS: [&str; 10] = ["show", "give", "list", "print", "me", "the", "what", "is", "are", "please"];

/// The name in "contents of NAME", "outline of NAME", "NAME 目录": a question about structure if a document has that
/// name, and about the text if none has.
pub(in crate::search) fn contents_of(query: &str) -> Option<String> {
    let lower = query.trim_matches(is_mark).to_lowercase();
    let english = || {
        let phrases = ["contents of ", "outline of ", "chapters of ", "sections of "];
        let (before, name) = phrases.iter().find_map(|phrase| lower.split_once(phrase))?;
        before.split_whitespace().all(|word| ASKING_FOR_CONTENTS.contains(&word)).then_some(name)
    };
    let tails = ["目录", "目錄", "大纲", "大綱", "章节", "章節"];
    // 安装目录 is a folder.
    let is_set_off = |name: &&str| name.ends_with(|c: char| c.is_ascii() || c == '的' || c == '》');
    let chinese = tails.iter().find_map(|tail| {
        let name = lower.strip_suffix(tail)?;
        (!tail.starts_with('目') || is_set_off(&name)).then(|| name.trim_end_matches('的'))
    });
    bare_name(chinese.or_else(english)?)
}

/// What a question about structure names at its end: "what is chapter 3 of NAME about".
pub(in crate::search) fn document_named(query: &str) -> Option<String> {
    let lower = query.trim_matches(is_mark).to_lowercase();
    let name =
        [" of ", " in "].iter().filter_map(|word| Some(lower.rsplit_once(word)?.1)).min_by_key(|name| name.len())?;
    bare_name(name.strip_suffix(" about").unwrap_or(name))
}

/// A name without an article and the marks around it.
fn bare_name(name: &str) -> Option<String> {
    let name = name.trim_matches(is_mark);
    let name = name.strip_prefix("the ").unwrap_or(name).trim_matches(is_mark);
    (!name.is_empty()).then(|| name.to_owned())
}

fn chinese_whole(lower: &str) -> Option<f32> {
    let text: String = lower.chars().filter(|c| !c.is_whitespace() && !"？?。！!，,".contains(*c)).collect();
    if text == "目录" || text == "章节" || text == "大纲" {
        return Some(CLEAR);
    }
    // A folder is a 目录 too: only of a document, and nothing done to it.
    let tail =
        ["目录", "目录是什么", "目录有哪些", "目录有什么", "大纲", "大纲是什么", "章节列表", "章节目录", "章节结构"];
    let head = ["的", "》", "文档", "手册", "指南", "报告", "说明书", "书", ".pdf", ".docx", ".epub", ".md", ".html"];
    let act =
        ["如何", "怎么", "怎样", "创建", "删除", "修改", "切换", "安装", "根目录", "工作", "当前", "文件夹", "路径"];
    let acted = act.iter().any(|word| text.contains(word));
    let ends =
        tail.iter().any(|tail| text.strip_suffix(tail).is_some_and(|rest| head.iter().any(|h| rest.ends_with(h))));
    if ends && !acted {
        return Some(LIKELY);
    }
    // "哪些章节提到了水泵" is about the text.
    let about = ["提到", "讲", "介绍", "涉及", "说明了", "描述"].iter().any(|word| text.contains(word));
    let asks = WORDS.asks_for_contents.iter().any(|asking| text.contains(asking));
    (asks && !about).then_some(CLEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_that_of_a_document() {
        for (query, name) in [
            ("contents of debian-faq", "debian-faq"),
            ("Show me the outline of the \"Policy\"?", "policy"),
            ("what are the chapters of policy", "policy"),
            ("policy 目录", "policy"),
            ("《运行规程》的大纲", "运行规程"),
        ] {
            assert_eq!(contents_of(query).as_deref(), Some(name), "{query}");
        }
        assert_eq!(document_named("What is chapter 3 of the policy about?").as_deref(), Some("policy"));
        assert_eq!(document_named("what is in chapter 3 of policy").as_deref(), Some("policy"));
        for query in ["how to print the contents of a file", "目录", "the discontents of winter", "outline the policy"]
        {
            assert_eq!(contents_of(query), None, "{query}");
        }
    }
}
