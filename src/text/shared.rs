//! Text in shared memory: a long document has its text once, not once for each kind of its chunks.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text, or a part of one in the memory of the whole. A clone and a part take no memory for text.
#[derive(Clone, Default)]
pub struct SharedText {
    whole: Arc<str>,
    place: Range<usize>,
}

impl SharedText {
    pub fn as_str(&self) -> &str {
        &self.whole[self.place.clone()]
    }

    /// The text from one byte to another; `None` if it has no such part.
    pub fn part(&self, place: Range<usize>) -> Option<Self> {
        self.get(place.clone())?;
        let place = self.place.start + place.start..self.place.start + place.end;
        Some(SharedText { whole: self.whole.clone(), place })
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for SharedText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        SharedText { place: 0..text.len(), whole: text.into() }
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for SharedText {
    fn eq(&self, other: &T) -> bool {
        self.as_str() == other.as_ref()
    }
}

impl PartialEq<SharedText> for String {
    fn eq(&self, other: &SharedText) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(SharedText::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_part_is_a_part_of_the_whole() {
        let whole = SharedText::from("Open the 阀门. Wait.");
        let part = whole.part(5..16).unwrap();
        assert_eq!(part, "the 阀门.");
        assert_eq!(part.part(4..10).unwrap(), "阀门");
        assert!(Arc::ptr_eq(&whole.whole, &part.part(4..10).unwrap().whole), "it is not copied");
        for none in [0..12, 4..5] {
            assert_eq!(part.part(none.clone()), None, "{none:?}");
        }
    }
}
