//! Tells the kind of a question by its wording, and whether it asks for the table of contents itself: "what chapters
//! does the manual have", "目录", "第三章讲什么".
//!
//! Ambiguous words do not count (`chapter` of a club, 目录 for a folder, the structure of an atom): answering a question
//! about the text with a list of titles is worse than answering one about titles with text.

use serde::Serialize;

use super::words::WORDS;
use crate::search::request::Kind;
use crate::search::section_number::NUMBERS;
use crate::text::han::{in_simplified, is_han_digit};
use crate::text::tokens::{TokenKind, tokenize};

/// How sure a kind is from words alone, without a question around them.
pub(super) const TOPIC: f32 = 0.3;
/// Two kinds that are equally likely are as sure as this. The kind of a question is open unless it is surer.
pub(super) const UNDECIDED: f32 = 0.35;

/// The kind of a question and how sure that is. The surest cue decides, less half of the second kind's. `exact` are its
/// phrases and identifiers.
pub(super) fn kind(query: &str, exact: &[&str], keywords: &[String]) -> (Kind, f32) {
    let words = words(query);
    let surest = |kind: &str| {
        let cues = WORDS.cues[kind].iter().filter(|(cue, _)| match cue.is_ascii() {
            true => words.contains(&format!(" {cue} ")),
            false => query.contains(cue.as_str()),
        });
        cues.map(|(_, sure)| *sure).fold(0.0, f32::max)
    };
    // The first of equals wins: "how to" about a fault asks for a procedure.
    let mut found = [
        (Kind::Lookup, if names_only(query, exact, keywords) { 1.0 } else { 0.0 }),
        (Kind::Procedure, surest("procedure")),
        (Kind::Troubleshooting, surest("troubleshooting")),
        (Kind::Reference, surest("reference")),
        (Kind::Concept, surest("concept")),
    ];
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(kind, first), (_, second), ..] = found;
    if first <= 0.0 { (Kind::Concept, TOPIC) } else { (kind, (first - second / 2.0).max(UNDECIDED)) }
}

/// Whether a question consists only of codes, names from programs and phrases.
fn names_only(query: &str, exact: &[&str], keywords: &[String]) -> bool {
    if exact.is_empty() {
        return false;
    }
    let rest = exact.iter().fold(query.to_owned(), |rest, name| rest.replace(name, " "));
    let nothing_else = tokenize(&rest).iter().all(|token| token.kind == TokenKind::Part);
    // The rest may only be words that keywords leave out: `the "main pump"`. A question word makes it a question.
    nothing_else || (keywords.iter().all(|word| exact.iter().any(|name| name.contains(word.as_str()))) && !asks(&rest))
}

fn asks(rest: &str) -> bool {
    const ASKING: [&str; 11] = ["what", "how", "why", "who", "when", "where", "which", "whose", "does", "is", "can"];
    words(rest).split(' ').any(|word| ASKING.contains(&word)) || rest.chars().any(crate::text::script::is_unspaced)
}

/// The words in small letters, apostrophes kept, with a space before and after each.
fn words(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

/// Whether a question is a greeting, thanks or a question for the program itself: nothing that documents answer.
pub(super) fn is_greeting(query: &str) -> bool {
    let said = words(query);
    WORDS.greetings.iter().any(|greeting| greeting == said.trim())
}

/// The part of a table of contents that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    Whole,
    /// One entry with its subsections, by its name: `chapter 3`, `第三章`.
    Part(String),
}

/// How sure an unmistakable question is, and a likely one.
const CLEAR: f32 = 0.95;
const LIKELY: f32 = 0.8;

/// The part of the table of contents that a question asks for, and how sure that is; `None` for questions about the
/// text.
pub(super) fn wanted(query: &str) -> Option<(Wanted, f32)> {
    if let Some(part) = part(query) {
        return Some((Wanted::Part(part.name), CLEAR));
    }
    let lower = query.trim().to_lowercase();
    english_whole(&english_words(&lower)).or_else(|| chinese_whole(&lower)).map(|sure| (Wanted::Whole, sure))
}

/// Whether a question for a part says of what: "section 12 of the Clayton Act", "《手册》第三章". Words for any document,
/// as in "chapter 3 of the manual", do not.
pub(in crate::search) fn says_of_what(query: &str) -> bool {
    part(&in_simplified(query)).is_some_and(|part| part.says_of_what)
}

/// A part that a question asks for.
struct Part {
    name: String,
    says_of_what: bool,
}

fn part(query: &str) -> Option<Part> {
    let lower = query.trim().to_lowercase();
    english_part(&english_words(&lower)).or_else(|| chinese_part(query))
}

fn english_words(lower: &str) -> Vec<&str> {
    let words = lower.split(|c: char| !(c.is_alphanumeric() || ".-_/".contains(c)));
    words.map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect()
}

/// What may stand before the number of a part.
const PARTS: [&str; 5] = ["chapter", "section", "part", "appendix", "item"];
const UNITS: [&str; 5] = ["chapters", "sections", "subsections", "headings", "appendices"];

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

/// The section in a query that is its number and no more: `Item 7`, `第三章`. Its text is searched for.
pub(in crate::search) fn section_named(query: &str) -> Option<String> {
    let lower = query.trim_matches(is_mark).to_lowercase();
    let english = || {
        let (unit, number) = lower.split_once(' ')?;
        (PARTS.contains(&unit) && is_number(number)).then(|| lower.clone())
    };
    let chinese = || {
        let rest = lower.strip_prefix('第')?.strip_suffix(['章', '节', '篇', '编'])?.trim();
        let is_number = !rest.is_empty() && rest.chars().all(|c| is_han_digit(c) || c.is_ascii_digit());
        is_number.then(|| lower.clone())
    };
    english().or_else(chinese)
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

fn is_mark(c: char) -> bool {
    "?？.。!！\"'“”《》".contains(c) || c.is_whitespace()
}

/// "what is chapter 3 about", "what does section 2.1 cover", "subsections of chapter 4", "summarise chapter 8".
fn english_part(words: &[&str]) -> Option<Part> {
    let unit = words.iter().position(|word| PARTS.contains(word))?;
    let number = words.get(unit + 1).filter(|word| is_number(word))?;
    let name = format!("{} {number}", words[unit]);
    let rest = &words[unit + 2..];
    // Chapter 2 of part II is another one than that of part I: only the text is searched. There is one section 3.1, that
    // of chapter 3.
    let is_outer = |two: &[&str]| PARTS.contains(&two[0]) && is_number(two[1]);
    if let Some(outer) = rest.windows(2).find(|two| is_outer(two))
        && number.split_once('.').is_none_or(|(first, _)| first != outer[1])
    {
        return None;
    }
    let of_document = rest.first().is_some_and(|word| ["of", "in"].contains(word));
    let asked = match &words[..unit] {
        ["what", "is" | "s", "in"] => rest.is_empty() || of_document,
        ["what", "is" | "s"] => rest == ["about"] || (of_document && rest.last() == Some(&"about")),
        // What follows the verb may only name the document: "what does section 2 say about pumps" is about pumps.
        ["what", "does"] => {
            rest.first().is_some_and(|word| COVERS.contains(word)) && !rest.contains(&"about")
                || (of_document && rest.last().is_some_and(|word| COVERS.contains(word)))
        }
        ["contents", "of"] | ["outline", "of"] => true,
        [.., unit, "of" | "in" | "has" | "does"] if UNITS.contains(unit) => true,
        before => asks_for_summary(before) && (rest.is_empty() || of_document),
    };
    // "in 300 words" and "in plain language" name nothing.
    const OWNERS: [&str; 6] = ["the", "this", "that", "my", "our", "your"];
    let in_what = |two: &[&str]| two[0] == "in" && (OWNERS.contains(&two[1]) || two[1].contains('.'));
    let of = rest.iter().position(|word| *word == "of").or_else(|| rest.windows(2).position(in_what));
    let what = of.map_or(&rest[..0], |of| &rest[of + 1..]);
    let end = what.iter().rposition(|word| *word != "about" && !COVERS.contains(word)).map_or(0, |last| last + 1);
    let is_among = |list: &[String], word: &str| list.iter().any(|own| own == word);
    let is_part = |word: &str| PARTS.contains(&word) || is_number(word);
    let known =
        |word: &str| is_among(&WORDS.documents, word) || is_among(&WORDS.names_no_document, word) || is_part(word);
    // "the user manual" is that of the reader.
    let is_document = what[..end].last().is_some_and(|last| is_among(&WORDS.documents, last));
    let says_of_what = !is_document && what[..end].iter().any(|word| !known(word));
    asked.then_some(Part { name, says_of_what })
}

/// "summarise", "please give me a short summary of", "tell me about".
fn asks_for_summary(words: &[&str]) -> bool {
    const POLITE: [&str; 12] =
        ["please", "can", "could", "you", "give", "show", "me", "a", "an", "the", "short", "brief"];
    let words: Vec<&str> = words.iter().copied().filter(|word| !POLITE.contains(word)).collect();
    matches!(
        words.as_slice(),
        ["summarise" | "summarize" | "explain" | "describe" | "outline"]
            | ["summary" | "overview", "of"]
            | ["tell", "about"]
    )
}

const COVERS: [&str; 6] = ["cover", "say", "describe", "contain", "discuss", "include"];

/// `3`, `3.2`, `7a`, `iv`, `b`, `three`.
fn is_number(word: &str) -> bool {
    let bare = word.strip_suffix(['a', 'b', 'c']).unwrap_or(word);
    let digits = bare.chars().all(|c| c.is_ascii_digit() || c == '.') && bare.starts_with(|c: char| c.is_ascii_digit());
    digits || NUMBERS.contains(&word) || word.len() == 1 || word.chars().all(|c| "ivxlc".contains(c))
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

/// "第三章讲什么", "2.6节的内容是什么", "第4章 插图 讲了什么", "总结第八章". The document may have a 第 in its name too.
fn chinese_part(query: &str) -> Option<Part> {
    let text: String = query.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.trim_start_matches("请问").trim_start_matches('请').trim_end_matches(['？', '?', '。', '！', '!']);
    text.char_indices().find_map(|(start, _)| part_at(text, start))
}

/// Begins a question for a part that has nothing behind it.
const SUMMARISE: [&str; 9] = ["总结一下", "总结", "概括一下", "概括", "概述", "介绍一下", "介绍", "讲讲", "说说"];
/// Stands between a part and what is asked of it, and is no title.
const ADVERBS: [&str; 5] = ["主要", "具体", "大概", "到底", "都"];
/// A title in a question has no more characters.
const LONGEST_TITLE: usize = 30;

/// Whether what stands before 第三章 names no document.
fn names_no_document(before: &str) -> bool {
    let words = || WORDS.names_no_document_in_chinese.iter().map(String::as_str).chain(SUMMARISE);
    let mut rest = before;
    while let Some(next) = words().find_map(|word| rest.strip_prefix(word)) {
        rest = next;
    }
    rest.is_empty()
}

/// What follows the number of a part, and its unit, at the start of a text: 讲什么 in "第三章讲什么".
fn after_number(from: &str) -> Option<&str> {
    let after_ordinal = from.strip_prefix('第');
    let after = after_ordinal.unwrap_or(from);
    let end = after.find(|c: char| !(is_han_digit(c) || c.is_ascii_digit() || c == '.')).filter(|end| *end > 0)?;
    let is_whole = after_ordinal.is_some() && !after[..end].contains('.');
    let units: &[&str] = if is_whole { &["部分", "章", "节", "篇", "编"] } else { &["章", "节"] };
    units.iter().find_map(|unit| after[end..].strip_prefix(*unit))
}

/// The part whose name begins at `start`: a number, and perhaps its title.
fn part_at(text: &str, start: usize) -> Option<Part> {
    let (before, from) = text.split_at(start);
    let is_ordinal = from.starts_with('第');
    // Without 第, "2.6节" is a number, and so is "8章" in front; "这3节" counts, and "v2.6" has another meaning.
    let is_inside = before.ends_with(|c: char| c.is_ascii_digit() || "第.-_vV".contains(c));
    if !is_ordinal && (is_inside || !from.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let rest = after_number(from)?;
    let has_dot = from[..from.len() - rest.len()].contains('.');
    if !is_ordinal && !has_dot && !before.is_empty() {
        return None;
    }
    let verb = SUMMARISE.iter().copied().find(|verb| before.starts_with(*verb));
    let asking = WORDS.asks_for_part.iter().filter(|asking| rest.ends_with(asking.as_str()));
    let title = match asking.max_by_key(|asking| asking.len()) {
        Some(asking) => &rest[..rest.len() - asking.len()],
        None if verb.is_some() && rest.is_empty() => "",
        None => return None,
    };
    let title = if ADVERBS.contains(&title) { "" } else { title };
    // "第三章关于水泵讲什么" is about the text.
    let is_about = ["关于", "有关", "对于", "第"].iter().any(|word| title.contains(*word));
    // 第三章第二节 is another section than that of chapter 1: only the text is searched.
    let is_within = before.match_indices('第').any(|(at, _)| after_number(&before[at..]).is_some());
    let has_part = after_number(title).is_some();
    if is_about || is_within || has_part || title.chars().count() > LONGEST_TITLE {
        return None;
    }
    let name = from[..from.len() - rest.len() + title.len()].to_owned();
    let before = before[verb.map_or(0, str::len)..].trim_end_matches('的');
    Some(Part { name, says_of_what: !names_no_document(before) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_not_questions() {
        for greeting in ["Hello!", "hi there", "Thank you very much.", "你好！", "谢谢", "What can you do?"] {
            assert!(is_greeting(greeting), "{greeting}");
        }
        for question in ["hello world example", "how are pumps primed", "thanks to whom", "你好吗 协议", "hi-fi"] {
            assert!(!is_greeting(question), "{question}");
        }
    }

    #[test]
    fn questions_about_the_whole_table_of_contents() {
        for query in [
            "what chapters does manual.pdf have?",
            "Which sections are in the pump manual",
            "how many chapters are there in the guide",
            "table of contents of the pump manual",
            "toc network-guide.md",
            "list the chapters of manual.pdf",
            "chapters of the manual",
            "show me the outline of the handbook",
            "目录",
            "泵站维护手册的目录",
            "《泵站维护手册》目录",
            "手册有哪些章节？",
            "这本书有几章",
        ] {
            assert_eq!(wanted(query).map(|(wanted, _)| wanted), Some(Wanted::Whole), "{query}");
        }
    }

    #[test]
    fn questions_about_one_part() {
        let part = |query| match wanted(query) {
            Some((Wanted::Part(name), _)) => name,
            other => format!("{other:?}"),
        };
        assert_eq!(part("what is chapter 3 about?"), "chapter 3");
        assert_eq!(part("what is in chapter 3 of policy?"), "chapter 3");
        assert_eq!(part("What's in section 2.1"), "section 2.1");
        assert_eq!(part("What does section 2.1 of the manual cover"), "section 2.1");
        assert_eq!(part("what does section 2.1 cover in manual.pdf"), "section 2.1");
        assert_eq!(part("subsections of chapter 4"), "chapter 4");
        assert_eq!(part("what does Item 7A say?"), "item 7a");
        assert_eq!(part("第三章讲什么"), "第三章");
        assert_eq!(part("手册第 2 节的内容是什么？"), "第2节");
        assert_eq!(part("《第二次世界大战》第三章讲什么"), "第三章");
    }

    #[test]
    fn a_part_may_be_asked_for_in_other_words() {
        for (query, name) in [
            ("summarise chapter 8 of latex-notes", "chapter 8"),
            ("Please give me a short summary of section 2.1", "section 2.1"),
            ("explain Item 7A", "item 7a"),
            ("tell me about part III of the manual", "part iii"),
            ("2.6节讲了什么", "2.6节"),
            ("第 2.6 节讲什么？", "第2.6节"),
            ("listings 2.6节的内容", "2.6节"),
            ("8章讲什么", "8章"),
            ("第4章 插图 讲了什么", "第4章插图"),
            ("第七章 中文的主要内容", "第七章中文"),
            ("第三章具体讲什么", "第三章"),
            ("请总结一下手册第八章", "第八章"),
            ("总结第八章的内容", "第八章"),
        ] {
            assert_eq!(wanted(query), Some((Wanted::Part(name.to_owned()), CLEAR)), "{query}");
        }
        for query in [
            "summarise section 2 findings on pumps",
            "explain part of the plan",
            "describe chapter books",
            "这3节讲了什么",
            "软件v2.6节讲了什么",
            "第三章关于水泵讲了什么",
            "总结第三次会议",
            "手册第三章",
            "what does chapter 2 of part II say",
            "summarise section 2 of the third manual's chapter 3",
            "第三章第二节讲什么",
            "手册第三章的第2节讲什么",
            "第三章3.1节讲什么",
            "第二部分第三章讲什么",
        ] {
            assert_eq!(wanted(query), None, "{query}");
        }
        assert!(says_of_what("总结手册A第八章") && !says_of_what("请总结一下这本书的第八章"));
    }

    #[test]
    fn a_question_for_a_part_may_say_of_what() {
        for query in [
            "what does section 12 of the Clayton Act say",
            "what does section 2.1 cover in manual.pdf",
            "what is in chapter 3 of policy?",
            "《手册》第三章讲什么",
        ] {
            assert!(says_of_what(query), "{query}");
        }
        for query in [
            "what is in chapter 12",
            "what does chapter 3 of the manual say",
            "what is chapter 3 of this book about?",
            "summarise chapter 3 in three sentences",
            "summarise chapter 3 in 300 words",
            "explain chapter 3 in plain language",
            "what does section 3.1 of chapter 3 say",
            "what does item 7 of the annual report say",
            "explain chapter 3 in detail",
            "第20章讲什么",
            "请告诉我第三章讲什么",
            "帮我总结该手册第三章的内容",
            "请问这本书的第三章講什麼？",
            "how do I prime the pump?",
        ] {
            assert!(!says_of_what(query), "{query}");
        }
    }

    #[test]
    fn a_query_may_be_the_number_of_a_section() {
        for (query, name) in [("Item 7A.", "item 7a"), ("chapter three", "chapter three"), ("第三章？", "第三章")]
        {
            assert_eq!(section_named(query).as_deref(), Some(name), "{query}");
        }
        for query in ["item price", "part of it", "第三方", "第一次世界大战章", "chapter 3 pumps"] {
            assert_eq!(section_named(query), None, "{query}");
        }
    }

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

    #[test]
    fn questions_about_the_text_do_not_ask_for_contents() {
        for query in [
            "What chapter of the IPCC report had errors?",
            "which sections of the wing carry the load",
            "what sections are in a beam",
            "sections of the airfoil",
            "list the sections that mention pumps",
            "what is the structure of an atom",
            "how many sections does a beam need to fail",
            "what does section 2 say about pumps",
            "what is part of the pump",
            "contents of the tank",
            "show the contents of a file",
            "how do I print the contents of the file",
            "outline of the plan",
            "what is in section 2 about pumps",
            "what is in chapter books",
            "如何创建目录",
            "安装目录",
            "项目的工作目录",
            "哪些章节提到了水泵",
            "第三章第一句话",
            "第一次世界大战讲什么",
            "how do I prime the pump?",
        ] {
            assert_eq!(wanted(query), None, "{query}");
        }
    }
}
