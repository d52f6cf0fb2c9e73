//! Writes a profile as a paragraph in the language of the document.

use super::kind::{Kind, Share, in_percent};

/// The least share of a kind that a document mainly consists of …
const MAINLY: f32 = 0.5;
/// … and that it consists of throughout, so no other kind is named.
const THROUGHOUT: f32 = 0.95;
/// The least share of a named kind, except the first …
const LEAST_NAMED: f32 = 0.1;
/// … and the most named kinds.
const MOST_NAMED: usize = 3;
/// The least share of a kind whose use is named; the first kind's always is …
const LEAST_USE: f32 = 0.2;
/// … and the most named uses.
const MOST_USES: usize = 2;

struct Texts {
    chinese: &'static str,
    use_in_english: &'static str,
    use_in_chinese: &'static str,
}

fn texts(kind: Kind) -> Texts {
    let (chinese, use_in_english, use_in_chinese) = match kind {
        Kind::Procedure => (
            "操作步骤",
            "hands-on: for doing the work step by step, as an operating guide",
            "动手时按步骤操作，作为操作指南",
        ),
        Kind::Theory => ("原理", "for understanding how and why things are as they are", "用来理解原理与来龙去脉"),
        Kind::Reference => {
            ("参考资料", "for looking up values, parameters and names at work", "随手查阅参数、取值与名称")
        }
        Kind::Troubleshooting => ("故障排除", "for finding out what is wrong and mending it", "用来查找原因、排除故障"),
        Kind::Policy => {
            ("规定", "for knowing what is required, allowed and forbidden", "用来了解必须、可以和不得做的事")
        }
        Kind::Example => ("示例", "for learning from worked examples", "对照实例学习"),
        Kind::Narrative => ("叙述", "for the background: what happened, when and to whom", "用来了解背景与经过"),
    };
    Texts { chinese, use_in_english, use_in_chinese }
}

/// The paragraph. `language` is BCP 47; every language but Chinese gets English.
pub(super) fn summary(language: &str, shares: &[Share], topics: &[String]) -> String {
    let mut named: Vec<(Share, String)> = shares.iter().copied().zip(in_percent(shares)).collect();
    let enough = named.iter().filter(|(share, _)| share.share >= LEAST_NAMED).count();
    named.truncate(enough.clamp(1, MOST_NAMED));
    let first = shares.first().map(|first| first.kind);
    let telling = shares.iter().filter(|share| Some(share.kind) == first || share.share >= LEAST_USE);
    let uses: Vec<Texts> = telling.take(MOST_USES).map(|share| texts(share.kind)).collect();
    if language == "zh" { in_chinese(&named, topics, &uses) } else { in_english(&named, topics, &uses) }
}

fn in_english(named: &[(Share, String)], topics: &[String], uses: &[Texts]) -> String {
    let with_share = |(share, percent): &(Share, String)| format!("{} ({percent})", share.kind.name());
    let list = |all: &[(Share, String)]| {
        let all: Vec<String> = all.iter().map(with_share).collect();
        match all.as_slice() {
            [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
            _ => all.join(""),
        }
    };
    let kinds = match named {
        [] => String::new(),
        [(first, _), ..] if first.share >= THROUGHOUT => capitalised(&format!("{} throughout. ", first.kind.name())),
        [first] => format!("Mainly {}. ", with_share(first)),
        [first, rest @ ..] if first.0.share >= MAINLY => {
            format!("Mainly {}, with {}. ", with_share(first), list(rest))
        }
        all => format!("Mixed: {}. ", list(all)),
    };
    let topics = if topics.is_empty() { String::new() } else { format!("Core topics: {}. ", topics.join(", ")) };
    let uses: Vec<&str> = uses.iter().map(|texts| texts.use_in_english).collect();
    format!("{kinds}{topics}{}.", capitalised(&uses.join("; ")))
}

fn in_chinese(named: &[(Share, String)], topics: &[String], uses: &[Texts]) -> String {
    let with_share = |(share, percent): &(Share, String)| format!("{}（{percent}）", texts(share.kind).chinese);
    let list = |all: &[(Share, String)]| all.iter().map(with_share).collect::<Vec<String>>().join("、");
    let kinds = match named {
        [] => String::new(),
        [(first, _), ..] if first.share >= THROUGHOUT => format!("全篇为{}。", texts(first.kind).chinese),
        [(first, percent)] => format!("以{}为主（{percent}）。", texts(first.kind).chinese),
        [(first, percent), rest @ ..] if first.share >= MAINLY => {
            format!("以{}为主（{percent}），兼有{}。", texts(first.kind).chinese, list(rest))
        }
        all => format!("内容多样：{}。", list(all)),
    };
    let topics = if topics.is_empty() { String::new() } else { format!("核心主题：{}。", topics.join("、")) };
    let uses: Vec<&str> = uses.iter().map(|texts| texts.use_in_chinese).collect();
    format!("{kinds}{topics}适合{}。", uses.join("，也可"))
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
    fn a_summary_has_kinds_topics_and_use() {
        let topics = ["installation".to_owned(), "API calls".to_owned()];
        let shares = [of(Kind::Procedure, 0.75), of(Kind::Theory, 0.19), of(Kind::Example, 0.06)];
        assert_eq!(
            summary("en", &shares, &topics),
            "Mainly procedure (75 %), with theory (19 %). Core topics: installation, API calls. Hands-on: for doing the \
             work step by step, as an operating guide."
        );
        let topics = ["安装".to_owned(), "API 调用".to_owned()];
        assert_eq!(
            summary("zh", &shares, &topics),
            "以操作步骤为主（75 %），兼有原理（19 %）。核心主题：安装、API 调用。适合动手时按步骤操作，作为操作指南。"
        );
    }

    #[test]
    fn one_kind_alone_is_throughout_and_many_are_mixed() {
        assert!(summary("en", &[of(Kind::Policy, 1.0)], &[]).starts_with("Policy throughout. For knowing"));
        assert!(summary("zh", &[of(Kind::Policy, 1.0)], &[]).starts_with("全篇为规定。适合"));
        let mixed = [of(Kind::Theory, 0.4), of(Kind::Policy, 0.35), of(Kind::Example, 0.25)];
        assert!(summary("en", &mixed, &[]).starts_with("Mixed: theory (40 %), policy (35 %) and example (25 %). "));
        assert!(summary("zh", &mixed, &[]).starts_with("内容多样：原理（40 %）、规定（35 %）、示例（25 %）。"));
    }

    #[test]
    fn the_first_kind_gives_a_use_whatever_its_share_and_others_from_a_fifth() {
        let of_shares = |shares: &[Share], language| summary(language, shares, &[]);
        let shares = [of(Kind::Theory, 0.19), of(Kind::Policy, 0.18)];
        assert!(of_shares(&shares, "en").ends_with(". For understanding how and why things are as they are."));
        let shares = [of(Kind::Procedure, 0.7), of(Kind::Theory, 0.3)];
        let english = of_shares(&shares, "en");
        assert!(english.contains(". Hands-on: ") && english.contains("; for understanding"), "{english}");
        let chinese = of_shares(&shares, "zh");
        assert!(chinese.ends_with("适合动手时按步骤操作，作为操作指南，也可用来理解原理与来龙去脉。"), "{chinese}");
    }
}
