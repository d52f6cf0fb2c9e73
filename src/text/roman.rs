//! Small Roman numbers, as page numbers and headings have them.

/// The value of a small Roman number in one case: `xiv`, `IX`.
pub fn roman(word: &str) -> Option<u32> {
    let word = word.trim_matches(|c: char| matches!(c, '-' | '–' | '(' | ')' | '.' | ' '));
    let one_case = word.chars().all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase());
    if word.is_empty() || word.len() > 8 || !one_case {
        return None;
    }
    let values: Option<Vec<u32>> = word
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            'i' => Some(1),
            'v' => Some(5),
            'x' => Some(10),
            'l' => Some(50),
            'c' => Some(100),
            _ => None,
        })
        .collect();
    let values = values?;
    let mut total = 0i64;
    for (i, &value) in values.iter().enumerate() {
        let next = values.get(i + 1).copied().unwrap_or(0);
        total += if value < next { -i64::from(value) } else { i64::from(value) };
    }
    let total = u32::try_from(total).ok().filter(|&total| total > 0)?;
    (write_roman(total) == word.to_ascii_lowercase()).then_some(total)
}

/// A number below 1000 as a Roman number in lower case.
pub fn write_roman(mut number: u32) -> String {
    const PARTS: [(u32, &str); 12] = [
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut text = String::new();
    for (value, letters) in PARTS {
        while number >= value {
            text.push_str(letters);
            number -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_numbers_in_one_case_count() {
        assert_eq!(roman("xiv"), Some(14));
        assert_eq!(roman("- IX -"), Some(9));
        for bad in ["", "iiii", "vx", "Xi", "mix", "civil", "1"] {
            assert_eq!(roman(bad), None, "{bad}");
        }
    }
}
