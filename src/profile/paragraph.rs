//! A profile in one dense paragraph, in the language of the document.

use super::good_for;
use super::kind::Kind;
use super::shares::{Share, in_percent};

/// From so much on a document is mainly of a kind …
const MAINLY: f32 = 0.5;
/// … and from so much on nothing else is worth naming.
const THROUGHOUT: f32 = 0.95;
/// What has less than this is not named.
const LEAST: f32 = 0.1;
/// So many kinds are named at most.
const MOST: usize = 3;

/// The paragraph. `language` is BCP 47; what is not Chinese gets English.
pub(super) fn paragraph(language: &str, shares: &[Share], topics: &[String]) -> String {
    let all = || shares.iter().copied().zip(in_percent(shares)).map(|(share, percent)| Named { share, percent });
    let mut named: Vec<Named> = all().filter(|named| named.share.share >= LEAST).take(MOST).collect();
    if named.is_empty() {
        named = all().take(1).collect();
    }
    if language == "zh" { in_chinese(&named, shares, topics) } else { in_english(&named, shares, topics) }
}

/// A share that the paragraph names, with what it says of it.
struct Named {
    share: Share,
    percent: String,
}

fn in_english(named: &[Named], shares: &[Share], topics: &[String]) -> String {
    let tell = |named: &Named| format!("{} ({})", named.share.kind.name(), named.percent);
    let list = |all: &[Named]| {
        let all: Vec<String> = all.iter().map(tell).collect();
        match all.as_slice() {
            [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
            _ => all.join(""),
        }
    };
    let kinds = match named {
        [] => String::new(),
        [first, ..] if first.share.share >= THROUGHOUT => {
            capitalised(&format!("{} throughout. ", first.share.kind.name()))
        }
        [first] => format!("Mainly {}. ", tell(first)),
        [first, rest @ ..] if first.share.share >= MAINLY => format!("Mainly {}, with {}. ", tell(first), list(rest)),
        all => format!("Mixed: {}. ", list(all)),
    };
    let topics = if topics.is_empty() { String::new() } else { format!("Core topics: {}. ", topics.join(", ")) };
    format!("{kinds}{topics}{}.", good_for::in_english(shares))
}

fn in_chinese(named: &[Named], shares: &[Share], topics: &[String]) -> String {
    let name = |named: &Named| chinese_name(named.share.kind);
    let tell = |named: &Named| format!("{}（{}）", name(named), named.percent);
    let list = |all: &[Named]| all.iter().map(tell).collect::<Vec<String>>().join("、");
    let kinds = match named {
        [] => String::new(),
        [first, ..] if first.share.share >= THROUGHOUT => format!("全篇为{}。", name(first)),
        [first] => format!("以{}为主（{}）。", name(first), first.percent),
        [first, rest @ ..] if first.share.share >= MAINLY => {
            format!("以{}为主（{}），兼有{}。", name(first), first.percent, list(rest))
        }
        all => format!("内容多样：{}。", list(all)),
    };
    let topics = if topics.is_empty() { String::new() } else { format!("核心主题：{}。", topics.join("、")) };
    format!("{kinds}{topics}{}。", good_for::in_chinese(shares))
}

/// A kind's name for readers of Chinese.
fn chinese_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Procedure => "操作步骤",
        Kind::Theory => "原理",
        Kind::Reference => "参考资料",
        Kind::Troubleshooting => "故障排除",
        Kind::Policy => "规定",
        Kind::Example => "示例",
        Kind::Narrative => "叙述",
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, share: f32) -> Share {
        Share { kind, share }
    }

    #[test]
    fn a_paragraph_says_kinds_topics_and_use() {
        let topics = ["installation".to_owned(), "API calls".to_owned()];
        let shares = [of(Kind::Procedure, 0.75), of(Kind::Theory, 0.19), of(Kind::Example, 0.06)];
        assert_eq!(
            paragraph("en", &shares, &topics),
            "Mainly procedure (75 %), with theory (19 %). Core topics: installation, API calls. Hands-on: for doing the \
             work step by step, as an operating guide."
        );
        let topics = ["安装".to_owned(), "API 调用".to_owned()];
        assert_eq!(
            paragraph("zh", &shares, &topics),
            "以操作步骤为主（75 %），兼有原理（19 %）。核心主题：安装、API 调用。适合动手时按步骤操作，作为操作指南。"
        );
    }

    #[test]
    fn one_kind_alone_is_throughout_and_many_are_mixed() {
        assert!(paragraph("en", &[of(Kind::Policy, 1.0)], &[]).starts_with("Policy throughout. For knowing"));
        assert!(paragraph("zh", &[of(Kind::Policy, 1.0)], &[]).starts_with("全篇为规定。适合"));
        let mixed = [of(Kind::Theory, 0.4), of(Kind::Policy, 0.35), of(Kind::Example, 0.25)];
        assert!(paragraph("en", &mixed, &[]).starts_with("Mixed: theory (40 %), policy (35 %) and example (25 %). "));
        assert!(paragraph("zh", &mixed, &[]).starts_with("内容多样：原理（40 %）、规定（35 %）、示例（25 %）。"));
    }
}
