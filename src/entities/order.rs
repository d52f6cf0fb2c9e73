//! What a person says of an entity, checked by itself.

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::text::{Period, char_count, fold_name, is_hidden, squeeze, truncate};

/// Longer names are refused: nobody writes them in a text.
const LONGEST_NAME: usize = 200;
/// Longer types are refused.
const LONGEST_TYPE: usize = 100;
/// Longer states are refused: they go into contexts, and a text belongs into a document.
const LONGEST_STATE: usize = 2000;
/// How much of a refused text an error shows.
const SHOWN: usize = 60;

/// What is to be done with an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum What {
    /// Set what is said; a type that contradicts the known one is refused.
    #[default]
    Set,
    /// The same, with another type.
    Retype,
    /// Take out the states and aliases that are named; without any, the entity.
    Remove,
}

/// What a person says of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityOrder {
    /// Its name, or one of its aliases.
    pub name: String,
    /// Of which type it is.
    pub kind: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it is.
    pub state: Option<String>,
    /// From when on, or which states are meant; now, where `None`.
    pub time: Option<Period>,
    /// What is to be done.
    pub what: What,
}

impl EntityOrder {
    /// The order with its texts as they are kept.
    ///
    /// # Errors
    /// Where a text cannot be kept or the parts contradict each other.
    pub fn checked(self, now: Timestamp) -> Result<Self> {
        let name = checked_name("name", &self.name)?;
        let kind = self.kind.map(|kind| checked_text("type", &kind, LONGEST_TYPE)).transpose()?;
        let aliases = self.aliases.iter().map(|alias| checked_name("alias", alias)).collect::<Result<Vec<_>>>()?;
        let state = self.state.map(|state| checked_text("state", &state, LONGEST_STATE)).transpose()?;
        if self.what == What::Remove && (state.is_some() || kind.is_some()) {
            return Err(Error::usage(format!("what is removed of {name:?} has no state or type"))
                .hint("name a state that is to go by its time, and an alias by itself; without both, all goes"));
        }
        if self.what != What::Remove
            && let Some(time) = self.time
        {
            if state.is_none() {
                return Err(Error::usage(format!("a time is said for {name:?}, and no state"))
                    .hint("say what it is from then on"));
            }
            if time.start > now {
                return Err(Error::usage(format!("the time {} is in the future", time.start))
                    .hint("set a state once it holds; what is planned belongs into a document"));
            }
        }
        Ok(EntityOrder { name, kind, aliases, state, time: self.time, what: self.what })
    }
}

fn checked_name(what: &str, text: &str) -> Result<String> {
    let name = checked_text(what, text, LONGEST_NAME)?;
    if !fold_name(&name).chars().any(char::is_alphanumeric) {
        return Err(Error::usage(format!("the {what} {name:?} has no letter or digit"))
            .hint("say what the thing is called in documents"));
    }
    Ok(name)
}

/// A text on one line, without what would do something to a terminal.
fn checked_text(what: &str, text: &str, most: usize) -> Result<String> {
    if let Some(bad) = text.chars().find(|c| disturbs(*c)) {
        return Err(Error::usage(format!(
            "the {what} {:?} has a character that nobody sees (U+{:04X})",
            truncate(text, SHOWN),
            u32::from(bad)
        ))
        .hint("write it on one line, without control characters, soft hyphens and marks of direction"));
    }
    let text = squeeze(text);
    if text.is_empty() {
        return Err(Error::usage(format!("the {what} is empty")).hint("leave it out, or say something"));
    }
    let length = char_count(&text);
    if length > most {
        return Err(Error::usage(format!("the {what} {:?} has {length} characters", truncate(&text, SHOWN)))
            .hint(format!("at most {most} are kept")));
    }
    Ok(text)
}

/// Whether a character moves the cursor, changes the direction of what follows or shows nothing.
fn disturbs(c: char) -> bool {
    is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn named(name: &str) -> EntityOrder {
        EntityOrder { name: name.to_owned(), ..EntityOrder::default() }
    }

    fn refused(order: EntityOrder) -> String {
        order.checked(now()).unwrap_err().to_line()
    }

    #[test]
    fn texts_are_kept_on_one_line() {
        assert_eq!(named("  Pump \u{3000} 12 ").checked(now()).unwrap().name, "Pump 12");
        assert!(refused(named(" ")).contains("the name is empty"));
        assert!(refused(named("—!")).contains("no letter or digit"));
        for bad in [
            "a\u{1b}[31mb",
            "a\nb",
            "a\u{9b}b",
            "a\u{202e}b",
            "a\0",
            "a\u{2028}b",
            "a\u{ad}b",
            "a\u{2060}b",
            "a\u{2064}b",
            "a\u{e0041}b",
        ] {
            let told = refused(named(bad));
            assert!(told.contains("a character that nobody sees") && !told.contains(bad), "{told:?}");
        }
        assert_eq!(named("نیم\u{200c}فاصله").checked(now()).unwrap().name, "نیم\u{200c}فاصله");
        assert!(refused(named(&"x".repeat(201))).contains("201 characters"));
        assert!(refused(EntityOrder { state: Some("泵".repeat(2001)), ..named("x") }).contains("2001 characters"));
        assert!(refused(EntityOrder { aliases: vec![String::new()], ..named("x") }).contains("the alias is empty"));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let time = |text| Period::asked(text, now());
        assert!(refused(EntityOrder { time: time("2026"), ..named("x") }).contains("no state"));
        let state = Some("broken".to_owned());
        let later = EntityOrder { state: state.clone(), time: time("2026-11-22"), ..named("x") };
        assert!(refused(later).contains("future"));
        let today = EntityOrder { state: state.clone(), time: time("2026-11-21"), ..named("x") };
        assert!(today.checked(now()).is_ok(), "the day began before now");
        assert!(refused(EntityOrder { state, what: What::Remove, ..named("x") }).contains("no state or type"));
    }
}
