//! Financial statements that a question or a title names: "the cash flow statement" and "Statements of Cash Flows" are
//! the same.

/// The names of each statement, in the singular.
const STATEMENTS: [&[&str]; 3] = [
    &["balance sheet", "statement of financial position", "资产负债表", "财务状况表"],
    &["cash flow statement", "statement of cash flow", "现金流量表"],
    &[
        "income statement",
        "P&L",
        "profit and loss statement",
        "statement of income",
        "statement of operation",
        "statement of earning",
        "利润表",
        "损益表",
    ],
];

/// The statements that a question or a title names, by their places.
pub(super) fn named(text: &str) -> Vec<usize> {
    // Off-balance-sheet arrangements are what no balance sheet shows.
    let words = singular(text).replace(" off balance sheet ", " ");
    let is_named = |name: &&str| if name.is_ascii() { words.contains(&singular(name)) } else { words.contains(name) };
    (0..STATEMENTS.len()).filter(|statement| STATEMENTS[*statement].iter().any(is_named)).collect()
}

/// The words in lower case, without the `s` of plurals, each between spaces.
fn singular(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '&').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.map(|word| word.strip_suffix('s').unwrap_or(word)).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_several_names() {
        for (text, statements) in [
            ("Using only the statement of financial position and the P&L statement", &[0usize, 2][..]),
            ("CONSOLIDATED BALANCE SHEETS", &[0]),
            ("Analysis of the Consolidated Statements of Cash Flows", &[1]),
            ("Condensed Consolidated Statements of Operations", &[2]),
            ("according to the profit and loss statement", &[2]),
            ("合并现金流量表（续）", &[1]),
            ("Off-balance-sheet arrangements", &[]),
            ("Cash flows, income and the balance of operations", &[]),
            ("", &[]),
        ] {
            assert_eq!(named(text), statements, "{text}");
        }
    }
}
