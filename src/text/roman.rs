//! Roman numbers, as in page numbers and headings.

use std::collections::HashMap;
use std::sync::LazyLock;

/// In letters; longer numbers number neither pages nor chapters.
const LONGEST: usize = 8;
/// From this number on, letters above `c` are needed, which few pages have and many words are made of.
const END: u32 = 400;

/// The value of a Roman number of up to eight letters up to `c`, in one case: `xiv`, `IX`.
pub fn roman(word: &str) -> Option<u32> {
    static NUMBERS: LazyLock<HashMap<String, u32>> =
        LazyLock::new(|| (1..END).map(|number| (write_roman(number), number)).collect());
    let word = word.trim_matches(|c: char| matches!(c, '-' | '–' | '(' | ')' | '.' | ' '));
    let one_case = word.chars().all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase());
    if word.len() > LONGEST || !one_case {
        return None;
    }
    NUMBERS.get(&word.to_ascii_lowercase()).copied()
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
