//! Accents over and under letters.

use super::glyphs::Glyph;

/// The letter of an accent is among this many glyphs before or behind it.
const NEAR_ACCENT: usize = 32;

/// Accents that old fonts print over a letter as separate glyphs, each followed by its combining form.
const ACCENTS: &str =
    "`\u{300}´\u{301}ˆ\u{302}˜\u{303}¯\u{304}˘\u{306}˙\u{307}¨\u{308}˚\u{30A}˝\u{30B}ˇ\u{30C}¸\u{327}";

fn combining(accent: char) -> Option<char> {
    let mut forms = ACCENTS.chars();
    while let (Some(printed), Some(combining)) = (forms.next(), forms.next()) {
        if accent == printed || accent == combining {
            return Some(combining);
        }
    }
    Some(accent).filter(|accent| matches!(accent, '\u{300}'..='\u{36F}'))
}

/// Moves each accent over or under a letter to the place after it, as a combining character. The glyphs are in the
/// order of their left edges.
pub fn set_accents(glyphs: &mut [Glyph]) {
    // Unicode counts some accents as letters, but they bear no accents.
    let bears = |c: char| c.is_alphabetic() && !ACCENTS.chars().step_by(2).any(|accent| accent == c);
    for i in 0..glyphs.len() {
        let Some(combining) = combining(glyphs[i].char) else { continue };
        let middle = (glyphs[i].left + glyphs[i].right) / 2.0;
        let reach = glyphs[i].size * 0.12;
        let near = &glyphs[i.saturating_sub(NEAR_ACCENT)..glyphs.len().min(i + NEAR_ACCENT)];
        let touches = |base: &&Glyph| bears(base.char) && base.left - reach <= middle && middle <= base.right + reach;
        let far = |base: &Glyph| ((base.left + base.right) / 2.0 - middle).abs();
        if let Some(base) = near.iter().filter(touches).min_by(|a, b| far(a).total_cmp(&far(b))) {
            // Sorts just after its letter.
            (glyphs[i].left, glyphs[i].right) = (base.left + 0.001, base.right);
            glyphs[i].char = combining;
        }
    }
}
