//! A user's requests about entities: checks one request, and reads batches with one request per line.

use std::io::{BufRead, Read};

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::{Error, Result, plain_io, plain_json};
use crate::store::StateTime;
use crate::text::{Period, char_count, fold, fold_name, is_hidden, is_summary, squeeze, truncate};

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;
/// The longest type, in characters.
const LONGEST_TYPE: usize = 100;
/// The longest state, in characters: states go into contexts, and longer texts belong into documents.
const LONGEST_STATE: usize = 2000;
/// The longest line of a batch, in bytes. A longer one is refused without reading all of it into memory.
const LONGEST_LINE: usize = 64 << 10;
const MOST_LINES: usize = 200_000;
/// The largest batch, in bytes.
const LARGEST: usize = 64 << 20;
/// Characters of a refused text that an error shows.
const SHOWN: usize = 60;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EntityAction {
    /// Add or change. A type that differs from the known one is refused.
    #[default]
    Set,
    /// Add or change, and replace the type.
    Retype,
    /// Remove the named states and aliases; if none are named, the entity.
    Remove,
}

/// A time in a request: a period, or a number in a time field.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestTime {
    /// A state begins at its start.
    Period(Period),
    On {
        field: String,
        at: f64,
    },
}

// The numbers are finite.
impl Eq for RequestTime {}

impl RequestTime {
    /// When a state begins.
    pub fn start(&self) -> StateTime {
        match self {
            RequestTime::Period(period) => StateTime::At(period.start),
            RequestTime::On { field, at } => StateTime::On { field: field.clone(), at: *at },
        }
    }

    /// Whether a removal with this time means states that begin at `time`.
    pub fn has(&self, time: &StateTime) -> bool {
        match (self, time) {
            (RequestTime::Period(period), StateTime::At(moment)) => period.has(*moment),
            (own, time) => own.start() == *time,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityRequest {
    /// A name or alias.
    pub name: String,
    /// The type.
    pub kind: Option<String>,
    pub aliases: Vec<String>,
    pub state: Option<String>,
    /// When the state begins (`None` is now), or which states to remove.
    pub time: Option<RequestTime>,
    pub action: EntityAction,
}

impl EntityRequest {
    /// Checks the request and normalises its texts.
    pub fn checked(self, now: Timestamp) -> Result<Self> {
        let name = checked_name("name", &self.name)?;
        let kind = self.kind.map(|kind| checked_text("type", &kind, LONGEST_TYPE)).transpose()?;
        let aliases = self.aliases.iter().map(|alias| checked_name("alias", alias)).collect::<Result<Vec<_>>>()?;
        let state = self.state.map(|state| checked_text("state", &state, LONGEST_STATE)).transpose()?;
        if self.action == EntityAction::Remove && (state.is_some() || kind.is_some()) {
            return Err(Error::usage(format!("removing {name:?} takes neither a state nor a type"))
                .hint("name a state by its time, or an alias; without both the entity is removed"));
        }
        if self.action != EntityAction::Remove
            && let Some(time) = &self.time
        {
            if state.is_none() {
                return Err(Error::usage(format!("the time for {name:?} has no state"))
                    .hint("give the state from that time on"));
            }
            if let RequestTime::Period(period) = time
                && period.start > now
            {
                return Err(Error::usage(format!("the time {} is in the future", period.start))
                    .hint("record a state once it is true; plans belong in a document"));
            }
        }
        Ok(EntityRequest { name, kind, aliases, state, time: self.time, action: self.action })
    }
}

fn checked_name(what: &str, text: &str) -> Result<String> {
    let name = checked_text(what, text, LONGEST_NAME)?;
    if !fold_name(&name).chars().any(char::is_alphanumeric) {
        return Err(Error::usage(format!("the {what} {name:?} has no letter or digit"))
            .hint("use a name that occurs in documents"));
    }
    Ok(name)
}

/// A non-empty text on one line, without characters that control a terminal.
fn checked_text(what: &str, text: &str, most: usize) -> Result<String> {
    if let Some(bad) = text.chars().find(|c| is_hidden(*c) || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err(Error::usage(format!(
            "the {what} {:?} has an invisible character (U+{:04X})",
            truncate(text, SHOWN),
            u32::from(bad)
        ))
        .hint("write it on one line, without control characters, soft hyphens and marks of direction"));
    }
    let text = squeeze(text);
    if text.is_empty() {
        return Err(Error::usage(format!("the {what} is empty")).hint("leave it out, or give it a text"));
    }
    let length = char_count(&text);
    if length > most {
        return Err(Error::usage(format!("the {what} {:?} has {length} characters", truncate(&text, SHOWN)))
            .hint(format!("use at most {most}")));
    }
    Ok(text)
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a time, or a field and a number")]
enum LineTime {
    Text(String),
    On { field: String, at: f64 },
}

/// A line of JSON. A list of entities has the same fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    entity_type: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    state: Option<String>,
    time: Option<LineTime>,
    #[serde(default)]
    remove: bool,
    // The other fields of a list, so that a list can be read as a batch.
    #[serde(rename = "type")]
    line_type: Option<String>,
    #[serde(default, rename = "documents")]
    _documents: IgnoredAny,
    #[serde(default, rename = "parents")]
    _parents: IgnoredAny,
    #[serde(default, rename = "namespace")]
    _namespace: IgnoredAny,
}

/// The requests of a batch, each with its place. `from` names the batch in errors. An error has the number of its line.
pub fn read_batch(input: &mut dyn BufRead, from: &str, now: Timestamp) -> Result<Vec<(String, EntityRequest)>> {
    let mut requests = Vec::new();
    let mut bytes = Vec::new();
    let mut total = 0;
    for number in 1.. {
        let place = format!("line {number} of {from}");
        bytes.clear();
        let mut limited = Read::take(&mut *input, LONGEST_LINE as u64 + 1);
        let read = limited
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Error::failed(format!("cannot read {from}: {}", plain_io(&error))).caused_by(error))?;
        if read == 0 {
            break;
        }
        if bytes.len() > LONGEST_LINE {
            let what = format!("{place} is longer than {} kB", LONGEST_LINE >> 10);
            return Err(unchanged(&what, "a line is one entity with one state"));
        }
        total += bytes.len();
        if total > LARGEST {
            let what = format!("{from} has more than {} MB", LARGEST >> 20);
            return Err(unchanged(&what, "split it into several files"));
        }
        if number > MOST_LINES {
            return Err(unchanged(
                &format!("{from} has more than {MOST_LINES} lines"),
                "split them into several files",
            ));
        }
        let text =
            std::str::from_utf8(&bytes).map_err(|_| unchanged(&format!("{place} is not UTF-8"), "convert the file"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !is_summary(text) {
            let request = request(text, now).map_err(|error| error.at(&place))?;
            requests.push((place, request));
        }
    }
    Ok(requests)
}

/// The error that refuses a batch.
fn unchanged(what: &str, hint: &str) -> Error {
    Error::usage(format!("{what}; nothing was changed")).hint(hint)
}

fn request(text: &str, now: Timestamp) -> Result<EntityRequest> {
    const FORM: &str = r#"a line is {"name": "…", "entity_type": "…", "aliases": ["…"], "state": "…", "time": "…"}; only the name is required"#;
    let line: Line = serde_json::from_str(text).map_err(|error| unchanged(&plain_json(&error), FORM))?;
    if line.line_type.as_deref().is_some_and(|of| of != "entity") {
        return Err(unchanged("\"type\" is not the type of an entity but that of a line, always \"entity\"", FORM));
    }
    let time = line.time.map(|time| match time {
        LineTime::On { field, at } => Ok(RequestTime::On { field: fold(field.trim()), at }),
        LineTime::Text(text) => Period::parse_at(&text, now).map(RequestTime::Period).ok_or_else(|| {
            let hint = r#"say for example 2026-11-21, 2026-11 or {"field": "story_time", "at": 1200}"#;
            unchanged(&format!("{text:?} is not a time"), hint)
        }),
    });
    Ok(EntityRequest {
        name: line.name,
        kind: line.entity_type.filter(|kind| !kind.is_empty()),
        aliases: line.aliases,
        state: line.state,
        time: time.transpose()?,
        action: if line.remove { EntityAction::Remove } else { EntityAction::Set },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn named(name: &str) -> EntityRequest {
        EntityRequest { name: name.to_owned(), ..EntityRequest::default() }
    }

    fn refused(request: EntityRequest) -> String {
        request.checked(now()).unwrap_err().to_line()
    }

    #[test]
    fn texts_are_kept_on_one_line() {
        assert_eq!(named("  Pump \u{3000} 12 ").checked(now()).unwrap().name, "Pump 12");
        assert!(refused(named(" ")).contains("the name is empty"));
        assert!(refused(named("—!")).contains("no letter or digit"));
        for hidden in "\u{1b}\n\u{9b}\u{202e}\0\u{2028}\u{ad}\u{2060}\u{2064}\u{e0041}".chars() {
            let bad = format!("a{hidden}b");
            let message = refused(named(&bad));
            assert!(message.contains("an invisible character") && !message.contains(&bad), "{message:?}");
        }
        assert_eq!(named("نیم\u{200c}فاصله").checked(now()).unwrap().name, "نیم\u{200c}فاصله");
        assert!(refused(named(&"x".repeat(201))).contains("201 characters"));
        assert!(refused(EntityRequest { state: Some("泵".repeat(2001)), ..named("x") }).contains("2001 characters"));
        assert!(refused(EntityRequest { aliases: vec![String::new()], ..named("x") }).contains("the alias is empty"));
    }

    #[test]
    fn a_state_may_begin_today_and_not_tomorrow() {
        let request = |time| {
            let time = Period::parse_at(time, now()).map(RequestTime::Period);
            EntityRequest { state: Some("broken".to_owned()), time, ..named("x") }
        };
        assert!(refused(request("2026-11-22")).contains("future"));
        assert!(request("2026-11-21").checked(now()).is_ok(), "the day began before now");
    }

    fn read(text: &str) -> Result<Vec<(String, EntityRequest)>> {
        read_batch(&mut text.as_bytes(), "x.jsonl", now())
    }

    #[test]
    fn lines_are_orders() {
        let text = "\u{feff}{\"name\": \"Pump\", \"entity_type\": \"machine\", \"aliases\": [\"P1\"], \"state\": \"on\", \
                    \"time\": \"2026-11\"}\n\n{\"name\":\"一号泵\",\"remove\":true}";
        let requests = read(text).unwrap();
        assert_eq!((requests.len(), requests[1].0.as_str()), (2, "line 3 of x.jsonl"));
        assert_eq!(requests[0].1.kind.as_deref(), Some("machine"));
        assert_eq!(requests[0].1.time.as_ref().unwrap().start().to_string(), "2026-11-01T00:00:00Z");
        assert_eq!(requests[1].1.action, EntityAction::Remove);
        let listed = r#"{"name":"a","type":"entity","entity_type":"","aliases":[],"state":null,"time":null,"documents":1,"parents":2,"namespace":"x"}"#;
        assert_eq!(read(listed).unwrap()[0].1, EntityRequest { name: "a".into(), ..EntityRequest::default() });
    }

    #[test]
    fn a_line_that_is_no_order_is_refused_and_size_is_bounded() {
        let message = |text: &str| read(text).unwrap_err().to_line();
        for bad in ["[]", "{\"type\":\"x\"}", "{\"name\":\"a\",\"time\":\"soon\"}"] {
            assert!(message(bad).contains("nothing was changed"), "{bad}");
        }
        assert!(message(&format!("{{\"name\":\"{}\"}}", "x".repeat(LONGEST_LINE))).contains("longer than 64 kB"));
        let endless = std::io::repeat(b'x');
        let error = read_batch(&mut std::io::BufReader::new(endless), "y", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(error.message().contains("longer than 64 kB"));
        assert!(message(&"{\"name\":\"a\"}\n".repeat(MOST_LINES + 1)).contains("more than 200000 lines"));
        let long = format!("{{\"name\":\"a\"}}{}\n", " ".repeat(LONGEST_LINE - 20));
        assert!(message(&long.repeat(LARGEST / LONGEST_LINE + 2)).contains("more than 64 MB"));
        let error = read_batch(&mut &b"\xff\xfe"[..], "y", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(error.message().contains("not UTF-8"));
    }
}
