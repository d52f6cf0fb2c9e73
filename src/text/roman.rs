//! Roman numbers, as in page numbers and headings.

/// The values of `i`, `v`, `x`, `l` and `c`.
const VALUES: [u32; 5] = [1, 5, 10, 50, 100];

/// The value of a Roman number of up to eight letters up to `c`, in one case: `xiv`, `IX`.
pub fn roman(word: &str) -> Option<u32> {
    let word = word.trim_matches(|c: char| matches!(c, '-' | '–' | '(' | ')' | '.' | ' '));
    let one_case = word.chars().all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase());
    if word.is_empty() || word.len() > 8 || !one_case {
        return None;
    }
    let value = |c: char| Some(VALUES["ivxlc".find(c.to_ascii_lowercase())?]);
    let values: Vec<u32> = word.chars().map(value).collect::<Option<_>>()?;
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
    const VALUES: [u32; 12] = [900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
    const LETTERS: [&str; 12] = ["cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"];
    let mut text = String::new();
    for (value, letters) in VALUES.into_iter().zip(LETTERS) {
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
    fn only_well_formed_numbers_in_one_case_are_read() {
        assert_eq!(roman("xiv"), Some(14));
        assert_eq!(roman("- IX -"), Some(9));
        for bad in ["", "iiii", "vx", "Xi", "mix", "civil", "1"] {
            assert_eq!(roman(bad), None, "{bad}");
        }
    }
}
