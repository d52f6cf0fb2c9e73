//! The scripts of a text: its language, and how well a model for certain scripts can read it.

/// The scripts that matter for tokens and for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Script {
    /// Latin letters, with accents.
    Latin,
    /// Chinese characters in any language.
    Han,
    /// Hiragana and katakana.
    Kana,
    /// Korean syllables.
    Hangul,
    /// Cyrillic, Greek, Arabic, Devanagari and so on.
    Other,
}

/// The script of a character; `None` for digits, punctuation and space.
pub fn script_of(c: char) -> Option<Script> {
    match c {
        'A'..='Z' | 'a'..='z' | '\u{00AA}' | '\u{00BA}' | '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}' => {
            Some(Script::Latin)
        }
        _ if is_han(c) => Some(Script::Han),
        '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' => {
            Some(Script::Kana)
        }
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' => Some(Script::Hangul),
        _ if c.is_alphabetic() => Some(Script::Other),
        _ => None,
    }
}

/// Whether `c` is a Chinese character (Unified Ideographs with their extensions, compatibility forms, 々 and 〇).
pub fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}'
        | '々'
        | '〇')
}

/// Whether the script of `c` has no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(script_of(c), Some(Script::Han | Script::Kana))
}

const ALL: [Script; 5] = [Script::Latin, Script::Han, Script::Kana, Script::Hangul, Script::Other];

/// The characters of a text in Han and Kana, and the runs of letters in other scripts, in the order of [`ALL`].
fn counts(text: &str) -> [usize; ALL.len()] {
    let mut counts = [0; ALL.len()];
    let mut previous = None;
    for c in text.chars() {
        let script = script_of(c);
        if let Some(found) = script
            && (matches!(found, Script::Han | Script::Kana) || previous != script)
        {
            counts[found as usize] += 1;
        }
        previous = script;
    }
    counts
}

/// The share, from 0 to 1, of the words of `text` in one of `scripts`. A Han or Kana character counts as half a word
/// (Chinese words have two characters on average), a run of other letters as one. Text without letters is covered:
/// numbers and codes belong to no language.
pub fn coverage(text: &str, scripts: &[Script]) -> f32 {
    let counts = counts(text);
    let words = |script: &Script| match script {
        Script::Han | Script::Kana => counts[*script as usize] as f32 / 2.0,
        _ => counts[*script as usize] as f32,
    };
    let total: f32 = ALL.iter().map(words).sum();
    let known: f32 = ALL.iter().filter(|script| scripts.contains(script)).map(words).sum();
    if total == 0.0 { 1.0 } else { known / total }
}

/// The main language of a text as a BCP 47 code, by scripts alone: `zh`, `ja`, `ko`, `en` for any Latin text, otherwise
/// `und`.
pub fn language(text: &str) -> &'static str {
    let [latin, han, kana, hangul, other] = counts(text);
    let unspaced = (han + kana) / 2;
    let most = latin.max(unspaced).max(hangul).max(other);
    match most {
        0 => "und",
        _ if most == unspaced && kana * 5 > han => "ja",
        _ if most == unspaced => "zh",
        _ if most == latin => "en",
        _ if most == hangul => "ko",
        _ => "und",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_counts_the_known_scripts() {
        assert_eq!(coverage("how to prime the pump", &[Script::Latin]), 1.0);
        assert_eq!(coverage("如何启动水泵", &[Script::Latin]), 0.0);
        assert_eq!(coverage("42.7 %", &[Script::Latin]), 1.0);
        let mixed = coverage("LaTeX 宏包", &[Script::Latin]);
        assert!(mixed > 0.4 && mixed < 0.6, "{mixed}");
    }

    #[test]
    fn scripts_decide_the_language() {
        assert_eq!(language("The pump must be primed first."), "en");
        assert_eq!(language("启动水泵之前必须先灌水。"), "zh");
        assert_eq!(language("ポンプを起動する"), "ja");
        assert_eq!(language("안녕하세요"), "ko");
        assert_eq!(language("1234"), "und");
    }
}
