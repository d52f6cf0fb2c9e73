//! Of which kind a question is, by the words that people ask with.

use serde::{Deserialize, Serialize};

use crate::text::tokens::{TokenKind, tokenize};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// How something is done
    Procedure,
    /// What something is, or why
    Concept,
    /// A fact: a value, a time, a name
    Reference,
    /// What to do about a fault
    Troubleshooting,
    /// Where a code, a name or a phrase stands
    Lookup,
    /// Which chapters there are: answered from the table of contents
    Structure,
}

impl Kind {
    /// For the trace.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::Procedure => "asks for a procedure",
            Kind::Concept => "asks for a concept",
            Kind::Reference => "asks for a fact (reference)",
            Kind::Troubleshooting => "asks about a fault (troubleshooting)",
            Kind::Lookup => "looks something up by its name (lookup)",
            Kind::Structure => "asks for a table of contents (structure)",
        }
    }
}

/// What in a question names something exactly.
pub(super) struct Named<'a> {
    pub phrases: &'a [String],
    pub identifiers: &'a [String],
    pub keywords: &'a [String],
}

/// How sure words alone, without a question around them, make a kind.
pub(super) const TOPIC: f32 = 0.3;

/// How sure two kinds that are as likely make either.
const UNDECIDED: f32 = 0.35;

/// What speaks for a kind: words that follow each other in English, or any text in Chinese; and how sure it makes.
type Cue = (&'static str, f32);

const PROCEDURE: &[Cue] = &[
    ("how do", 0.9),
    ("how to", 0.9),
    ("how can", 0.9),
    ("how should", 0.9),
    ("how does one", 0.95),
    ("how must", 0.8),
    ("how does", 0.5),
    ("how is", 0.6),
    ("how are", 0.6),
    ("steps to", 0.9),
    ("steps for", 0.9),
    ("step by step", 0.9),
    ("procedure", 0.7),
    ("instructions", 0.7),
    ("set up", 0.5),
    ("install", 0.5),
    ("configure", 0.5),
    ("replace", 0.4),
    ("如何", 0.9),
    ("怎么", 0.8),
    ("怎样", 0.9),
    ("步骤", 0.9),
    ("流程", 0.7),
    ("操作方法", 0.8),
];

const CONCEPT: &[Cue] = &[
    ("what is", 0.6),
    ("what are", 0.6),
    ("what was", 0.5),
    ("what were", 0.5),
    ("mean", 0.7),
    ("meaning of", 0.9),
    ("define", 0.9),
    ("definition", 0.9),
    ("explain", 0.8),
    ("why", 0.7),
    ("difference between", 0.9),
    ("concept of", 0.9),
    ("什么是", 0.9),
    ("是什么", 0.6),
    ("定义", 0.8),
    ("含义", 0.9),
    ("意思", 0.8),
    ("概念", 0.8),
    ("原理", 0.8),
    ("区别", 0.8),
    ("为什么", 0.7),
    ("为何", 0.7),
];

const REFERENCE: &[Cue] = &[
    ("how many", 0.95),
    ("how much", 0.95),
    ("how long", 0.9),
    ("how far", 0.95),
    ("how old", 0.95),
    ("how often", 0.9),
    ("how high", 0.9),
    ("how large", 0.9),
    ("when", 0.65),
    ("who", 0.8),
    ("whose", 0.8),
    ("where", 0.7),
    ("which", 0.65),
    ("what year", 0.9),
    ("what type", 0.7),
    ("maximum", 0.7),
    ("minimum", 0.7),
    ("default", 0.7),
    ("limit", 0.65),
    ("value", 0.65),
    ("多少", 0.9),
    ("几个", 0.8),
    ("几年", 0.9),
    ("多大", 0.9),
    ("多长", 0.9),
    ("多久", 0.9),
    ("哪", 0.7),
    ("谁", 0.8),
    ("何时", 0.9),
    ("什么时候", 0.9),
    ("最大", 0.65),
    ("最小", 0.65),
    ("默认", 0.7),
    ("参数", 0.65),
];

const TROUBLESHOOTING: &[Cue] = &[
    ("not working", 0.95),
    ("doesn't work", 0.95),
    ("does not work", 0.95),
    ("fails to", 0.9),
    ("won't", 0.9),
    ("cannot", 0.8),
    ("can't", 0.8),
    ("troubleshoot", 0.95),
    ("troubleshooting", 0.95),
    ("wrong with", 0.9),
    ("what to do if", 0.85),
    ("what to do when", 0.85),
    ("error", 0.65),
    ("errors", 0.65),
    ("fail", 0.7),
    ("fails", 0.8),
    ("crash", 0.8),
    ("crashes", 0.85),
    ("fault", 0.65),
    ("alarm", 0.6),
    ("故障", 0.8),
    ("怎么办", 0.95),
    ("怎么回事", 0.95),
    ("报错", 0.9),
    ("报警", 0.7),
    ("失败", 0.8),
    ("无法", 0.85),
    ("出错", 0.9),
    ("异常", 0.65),
    ("不工作", 0.95),
];

/// The kind of a question and how sure that is. The surest cue decides; another kind's takes half of its own away.
pub(super) fn kind(query: &str, named: &Named) -> (Kind, f32) {
    let words = words(query);
    let lookup = if names_only(query, named) { 1.0 } else { 0.0 };
    // Of equals the first: who asks how to do something about a fault wants it done.
    let mut found = [
        (Kind::Lookup, lookup),
        (Kind::Procedure, surest(&words, query, PROCEDURE)),
        (Kind::Troubleshooting, surest(&words, query, TROUBLESHOOTING)),
        (Kind::Reference, surest(&words, query, REFERENCE)),
        (Kind::Concept, surest(&words, query, CONCEPT)),
    ];
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(kind, first), (_, second), ..] = found;
    if first <= 0.0 { (Kind::Concept, TOPIC) } else { (kind, (first - second / 2.0).max(UNDECIDED)) }
}

/// Whether a question is nothing but codes, names from programs and phrases.
fn names_only(query: &str, named: &Named) -> bool {
    if named.phrases.is_empty() && named.identifiers.is_empty() {
        return false;
    }
    let exact: Vec<&str> = named.phrases.iter().chain(named.identifiers).map(String::as_str).collect();
    let rest = exact.iter().fold(query.to_owned(), |rest, name| rest.replace(name, " "));
    let said = tokenize(&rest).iter().any(|token| token.kind != TokenKind::Part);
    // What is left may only be what keywords leave out: `the "main pump"`. A question word makes a question of it.
    !said || (named.keywords.iter().all(|word| exact.iter().any(|name| name.contains(word.as_str()))) && !asks(&rest))
}

fn asks(rest: &str) -> bool {
    const ASKING: [&str; 11] = ["what", "how", "why", "who", "when", "where", "which", "whose", "does", "is", "can"];
    words(rest).iter().any(|word| ASKING.contains(&word.as_str())) || rest.chars().any(crate::text::script::is_unspaced)
}

/// The words in small letters, apostrophes kept in them.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn surest(words: &[String], query: &str, cues: &[Cue]) -> f32 {
    let applies = |cue: &str| {
        if cue.is_ascii() {
            let cue: Vec<&str> = cue.split(' ').collect();
            words.windows(cue.len()).any(|window| window.iter().zip(&cue).all(|(a, b)| a == b))
        } else {
            query.contains(cue)
        }
    };
    cues.iter().filter(|(cue, _)| applies(cue)).map(|(_, sure)| *sure).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::super::Understanding;
    use super::*;

    #[test]
    fn kinds_are_told_by_how_people_ask() {
        let expected = [
            ("how do I prime the pump?", Kind::Procedure),
            ("how is the pump primed?", Kind::Procedure),
            ("如何启动水泵？", Kind::Procedure),
            ("更换密封件的步骤", Kind::Procedure),
            ("what is a thrust bearing", Kind::Concept),
            ("什么是推力轴承？", Kind::Concept),
            ("离心泵的工作原理", Kind::Concept),
            ("How many points did the Panthers defense surrender?", Kind::Reference),
            ("which port does the server use", Kind::Reference),
            ("重试次数的默认值是多少", Kind::Reference),
            ("the pump won't start", Kind::Troubleshooting),
            ("推力轴承温度过高怎么办", Kind::Troubleshooting),
            ("E-417", Kind::Lookup),
            ("max_retry_count", Kind::Lookup),
            ("\"prime the pump\"", Kind::Lookup),
            ("“推力轴承”", Kind::Lookup),
            ("RFC 2119 --flag", Kind::Lookup),
        ];
        for (query, kind) in expected {
            let understood = Understanding::of(query);
            assert_eq!(understood.kind, kind, "{query}");
            assert!((0.0..=1.0).contains(&understood.sure) && understood.sure >= TOPIC, "{query}: {}", understood.sure);
        }
    }

    #[test]
    fn a_question_around_a_name_is_a_question() {
        assert_eq!(Understanding::of("what does E-417 mean?").kind, Kind::Concept);
        assert_eq!(Understanding::of("什么是“乡里制”？").kind, Kind::Concept);
        assert_eq!(Understanding::of("prime pump").sure, TOPIC, "words alone say little");
    }
}
