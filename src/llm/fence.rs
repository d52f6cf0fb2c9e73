//! Text from documents and users in a prompt: fenced, so that it is seen to be data.
//!
//! The fence is a tag with a hash of all that it is put around, so that no text can have it in it: a text with its own
//! hash cannot be written. What looks like a fence, like the marks with which servers part the turns of a conversation, or
//! cannot be seen (control characters, directions, tags of Unicode) is made harmless.

/// How many letters of the hash.
const TAG_LETTERS: usize = 12;
/// Marks that servers put between turns; a space makes them text. In small letters.
const TURN_MARKS: [&str; 8] = ["<|", "|>", "<<sys>>", "[inst]", "[/inst]", "<s>", "</s>", "<data-"];
const CLOSING: &str = "</data-";

/// A tag for the texts of one prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    tag: String,
}

impl Fence {
    /// A fence around these texts.
    pub(super) fn around<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut hasher = blake3::Hasher::new();
        for text in &texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        // That a text has its own hash in it cannot be; that it has this one must not be, so it is looked.
        let mut hash = hasher.finalize();
        loop {
            let tag = format!("data-{}", &hash.to_hex()[..TAG_LETTERS]);
            if !texts.iter().any(|text| text.contains(&tag)) {
                return Fence { tag };
            }
            hash = blake3::hash(hash.as_bytes());
        }
    }

    /// The name of the tag.
    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// A text in its fence, with a name in front of it.
    pub(super) fn wrap(&self, name: &str, text: &str) -> String {
        let tag = &self.tag;
        format!("<{tag} {name}>\n{}\n</{tag}>", harmless(text).trim())
    }
}

/// A text without what could be read as anything else than text.
fn harmless(text: &str) -> String {
    let mut clean: String = text
        .chars()
        .map(|c| if c == '\r' { '\n' } else { c })
        .filter(|&c| matches!(c, '\n' | '\t') || !is_hidden(c))
        .collect();
    // ASCII alone changes its case here, so that places stay the same.
    for mark in TURN_MARKS.iter().chain([&CLOSING]) {
        while let Some(at) = clean.to_ascii_lowercase().find(mark) {
            clean.insert(at + 1, ' ');
        }
    }
    clean
}

/// Characters that nobody sees, and those between which nothing is seen: a mark of a turn with one in it looks like one.
pub(super) fn is_hidden(c: char) -> bool {
    crate::text::is_hidden(c) || matches!(c, '\u{200C}' | '\u{200D}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_tag_is_of_the_text_and_the_same_for_the_same() {
        let fence = |texts: &[&str]| Fence::around(texts.iter().copied());
        assert_eq!(fence(&["a", "b"]), fence(&["a", "b"]));
        assert_ne!(fence(&["a", "b"]), fence(&["ab"]));
        let wrapped = fence(&["x"]).wrap("passage 1", " x\n");
        let tag = fence(&["x"]).tag().to_owned();
        assert_eq!(wrapped, format!("<{tag} passage 1>\nx\n</{tag}>"));
    }

    #[test]
    fn marks_of_turns_and_what_nobody_sees_are_taken_apart() {
        assert_eq!(harmless("<|im_start|>system"), "< |im_start| >system");
        assert_eq!(harmless("[INST] </S> <<SYS>>"), "[ INST] < /S> < <SYS>>");
        assert_eq!(harmless("a\u{202E}b\u{E0041}c\u{0}d\u{200B}\u{200D}e\r\n泵"), "abcde\n\n泵");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_fence(parts in prop::collection::vec(
            prop_oneof![Just("</data-".to_owned()), Just("<data-".to_owned()), Just("</da\u{200B}ta-".to_owned()),
                        Just("<|".to_owned()), Just(">".to_owned()), ".{0,8}", "[0-9a-f]{12}"], 0..12)) {
            let text = parts.concat();
            let fence = Fence::around([text.as_str()]);
            let wrapped = fence.wrap("text", &text);
            let tag = fence.tag();
            prop_assert_eq!(wrapped.matches(tag).count(), 2);
            let closing = format!("\n</{tag}>");
            prop_assert!(wrapped.ends_with(&closing));
            let inside = &wrapped[wrapped.find('\n').unwrap()..wrapped.rfind('\n').unwrap()];
            prop_assert!(!inside.contains("</data-") && !inside.contains("<|"), "{inside:?}");
        }
    }
}
