//! What a document is good for, told from what it mostly is.

use super::kind::Kind;
use super::shares::Share;

/// A kind that has less of the document than this says nothing about what it is good for.
const LEAST: f32 = 0.2;
/// So many uses are named at most.
const MOST: usize = 2;

/// The uses of a document with these shares, in English.
pub(super) fn in_english(shares: &[Share]) -> String {
    let uses: Vec<&str> = telling(shares).map(english).collect();
    let mut told = uses.join("; ");
    if let Some(first) = told.get(..1).map(str::to_uppercase) {
        told.replace_range(..1, &first);
    }
    told
}

/// The same in Chinese.
pub(super) fn in_chinese(shares: &[Share]) -> String {
    let uses: Vec<&str> = telling(shares).map(chinese).collect();
    format!("适合{}", uses.join("，也可"))
}

fn telling(shares: &[Share]) -> impl Iterator<Item = Kind> {
    let first = shares.first().map(|first| first.kind);
    let kinds = shares.iter().filter(move |share| Some(share.kind) == first || share.share >= LEAST);
    kinds.take(MOST).map(|share| share.kind)
}

fn english(kind: Kind) -> &'static str {
    match kind {
        Kind::Procedure => "hands-on: for doing the work step by step, as an operating guide",
        Kind::Theory => "for understanding how and why things are as they are",
        Kind::Reference => "for looking up values, parameters and names at work",
        Kind::Troubleshooting => "for finding out what is wrong and mending it",
        Kind::Policy => "for knowing what is required, allowed and forbidden",
        Kind::Example => "for learning from worked examples",
        Kind::Narrative => "for the background: what happened, when and to whom",
    }
}

fn chinese(kind: Kind) -> &'static str {
    match kind {
        Kind::Procedure => "动手时按步骤操作，作为操作指南",
        Kind::Theory => "用来理解原理与来龙去脉",
        Kind::Reference => "随手查阅参数、取值与名称",
        Kind::Troubleshooting => "用来查找原因、排除故障",
        Kind::Policy => "用来了解必须、可以和不得做的事",
        Kind::Example => "对照实例学习",
        Kind::Narrative => "用来了解背景与经过",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, share: f32) -> Share {
        Share { kind, share }
    }

    #[test]
    fn the_first_kind_counts_whatever_its_share_and_others_from_a_fifth() {
        let shares = [of(Kind::Theory, 0.19), of(Kind::Policy, 0.18)];
        assert_eq!(in_english(&shares), "For understanding how and why things are as they are");
        let shares = [of(Kind::Procedure, 0.7), of(Kind::Theory, 0.3)];
        assert!(in_english(&shares).starts_with("Hands-on: ") && in_english(&shares).contains("; for understanding"));
        assert_eq!(in_chinese(&shares), "适合动手时按步骤操作，作为操作指南，也可用来理解原理与来龙去脉");
    }
}
