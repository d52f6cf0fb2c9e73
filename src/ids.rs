//! The ids of documents, sections and chunks: short enough to type, and stable.
//!
//! An id is text everywhere it is stored or printed. In the program it has a type, so that a section is never looked up
//! by the id of a chunk.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Declares an id type: text that reads as `&str` but is never made from text by accident.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<$name> for str {
            fn eq(&self, other: &$name) -> bool {
                self == other.0
            }
        }

        impl PartialEq<$name> for &str {
            fn eq(&self, other: &$name) -> bool {
                *self == other.0
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

id! {
    /// The id of a document, like `k3v9aw`.
    DocId
}

id! {
    /// The id of a section, like `k3v9aw#1.2`: its document and its path in the table of contents.
    SectionId
}

id! {
    /// The id of a chunk: `k3v9aw:12` for a parent chunk, `k3v9aw:12.3` for a child chunk of it.
    ChunkId
}

/// Letters and digits that are hard to confuse.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 6;

impl DocId {
    /// The id of the document from `source`: six letters and digits. Another `attempt` gives another id, which resolves
    /// a collision.
    pub fn of_source(source: &str, attempt: u32) -> Self {
        let hash = blake3::hash(format!("{attempt}:{source}").as_bytes());
        let id: String =
            hash.as_bytes()[..LENGTH].iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
        // An id of digits alone would be mistaken for a number.
        DocId(if id.bytes().all(|byte| byte.is_ascii_digit()) { format!("d{}", &id[1..]) } else { id })
    }
}

impl SectionId {
    /// The id of the section at a path of a document.
    pub fn new(doc_id: &str, path: &str) -> Self {
        SectionId(format!("{doc_id}#{path}"))
    }

    pub fn doc_id(&self) -> &str {
        document_of(self)
    }

    /// Its path, `1.2.3`.
    pub fn path(&self) -> &str {
        self.0.split_once('#').map_or("", |(_, path)| path)
    }

    /// Its depth, from 1; 0 for the text before the first section, whose path is `0`.
    pub fn level(&self) -> usize {
        self.path().split('.').filter(|number| *number != "0").count()
    }
}

impl ChunkId {
    /// The id of a parent chunk, by its place in its document.
    pub fn parent(doc_id: &str, index: u32) -> Self {
        ChunkId(format!("{doc_id}:{index}"))
    }

    /// The id of a child chunk, by its place in its parent chunk.
    pub fn child(parent_id: &str, index: u32) -> Self {
        ChunkId(format!("{parent_id}.{index}"))
    }

    pub fn doc_id(&self) -> &str {
        document_of(self)
    }

    /// The id of the parent chunk; of a parent chunk, its own.
    pub fn parent_id(&self) -> &str {
        parent_of(self)
    }
}

/// The numbers after the document in the id of a section or chunk: 12 and 3 in `k3v9aw:12.3`.
pub fn place_of(id: &str) -> Vec<u32> {
    let numbers = id.split_once([':', '#']).map_or("", |(_, numbers)| numbers);
    numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

/// The parent chunk in the id of a chunk; of a parent chunk, itself.
pub fn parent_of(chunk_id: &str) -> &str {
    chunk_id.rsplit_once('.').map_or(chunk_id, |(parent, _)| parent)
}

/// The document in an id of any kind.
pub fn document_of(id: &str) -> &str {
    id.split([':', '#']).next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_say_where_they_belong() {
        let parent = ChunkId::parent("k3v9aw", 12);
        assert_eq!((parent.to_string().as_str(), parent.doc_id()), ("k3v9aw:12", "k3v9aw"));
        assert_eq!(ChunkId::child(&parent, 3), "k3v9aw:12.3");
        assert_eq!(ChunkId::child(&parent, 3).doc_id(), "k3v9aw");
        assert_eq!((ChunkId::child(&parent, 3).parent_id(), parent.parent_id()), ("k3v9aw:12", "k3v9aw:12"));
        let section = SectionId::new("k3v9aw", "1.2");
        assert_eq!((section.doc_id(), section.path(), &*section), ("k3v9aw", "1.2", "k3v9aw#1.2"));
    }
}
