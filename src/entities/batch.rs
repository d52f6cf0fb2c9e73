//! Many orders at once: a line of JSON each, as `kb entities --format jsonl` writes them.

use std::io::{BufRead, Read};

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::order::{EntityOrder, What};
use crate::error::{Error, Result, plain_io};
use crate::text::Period;

/// A longer line is refused before it is held in memory.
const LONGEST_LINE: usize = 64 << 10;
/// More lines are refused.
const MOST_LINES: usize = 200_000;

/// More bytes are refused.
const LARGEST: usize = 64 << 20;

/// One line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    state: Option<String>,
    time: Option<String>,
    #[serde(default)]
    remove: bool,
    // What a list tells besides, so that it can be given back.
    #[serde(default, rename = "documents")]
    _documents: IgnoredAny,
    #[serde(default, rename = "passages")]
    _passages: IgnoredAny,
    #[serde(default, rename = "namespace")]
    _namespace: IgnoredAny,
}

/// The orders of a batch, with the place of each; `from` is what errors call it.
///
/// # Errors
/// Where a line is no order, with its number, or the batch is larger than what is read.
pub fn read_batch(input: &mut dyn BufRead, from: &str, now: Timestamp) -> Result<Vec<(String, EntityOrder)>> {
    let mut orders = Vec::new();
    let mut bytes = Vec::new();
    let mut total = 0;
    for number in 1.. {
        let place = format!("line {number} of {from}");
        bytes.clear();
        let mut limited = Read::take(&mut *input, LONGEST_LINE as u64 + 1);
        let read = limited
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Error::failed(format!("cannot read {from}: {}", plain_io(&error))))?;
        if read == 0 {
            break;
        }
        if bytes.len() > LONGEST_LINE {
            return Err(Error::usage(format!("{place} is longer than {} kB; nothing was changed", LONGEST_LINE >> 10))
                .hint("a line is one entity with one state"));
        }
        total += bytes.len();
        if total > LARGEST {
            return Err(Error::usage(format!("{from} has more than {} MB; nothing was changed", LARGEST >> 20))
                .hint("give it in several files"));
        }
        if number > MOST_LINES {
            return Err(Error::usage(format!("{from} has more than {MOST_LINES} lines; nothing was changed"))
                .hint("give them in several files"));
        }
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| Error::usage(format!("{place} is not UTF-8; nothing was changed")).hint("convert the file"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() {
            let order = order(text, now).map_err(|error| error.at(&place))?;
            orders.push((place, order));
        }
    }
    Ok(orders)
}

fn order(text: &str, now: Timestamp) -> Result<EntityOrder> {
    const FORM: &str = r#"a line is {"name": "…", "type": "…", "aliases": ["…"], "state": "…", "time": "…"}; only the name must be there"#;
    let line: Line = serde_json::from_str(text).map_err(|error| {
        // The line of the batch is told; within it, only the column means something.
        let told = error.to_string().replace(" at line 1 column ", " at column ");
        Error::usage(format!("{told}; nothing was changed")).hint(FORM)
    })?;
    let time = line.time.map(|text| {
        Period::asked(&text, now).ok_or_else(|| {
            Error::usage(format!("{text:?} is no time; nothing was changed"))
                .hint("say for example 2026-11-21, 2026-11 or 2026-11-21T10:30:00Z")
        })
    });
    Ok(EntityOrder {
        name: line.name,
        kind: line.kind.filter(|kind| !kind.is_empty()),
        aliases: line.aliases,
        state: line.state,
        time: time.transpose()?,
        what: if line.remove { What::Remove } else { What::Set },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, EntityOrder)>> {
        read_batch(&mut text.as_bytes(), "x.jsonl", "2026-11-21T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn lines_are_orders() {
        let text = "\u{feff}{\"name\": \"Pump\", \"type\": \"machine\", \"aliases\": [\"P1\"], \"state\": \"on\", \
                    \"time\": \"2026-11\"}\n\n{\"name\":\"一号泵\",\"remove\":true}";
        let orders = read(text).unwrap();
        assert_eq!((orders.len(), orders[1].0.as_str()), (2, "line 3 of x.jsonl"));
        assert_eq!(orders[0].1.kind.as_deref(), Some("machine"));
        assert_eq!(orders[0].1.time.unwrap().start.to_string(), "2026-11-01T00:00:00Z");
        assert_eq!(orders[1].1.what, What::Remove);
        let listed = r#"{"name":"a","type":"","aliases":[],"state":null,"time":null,"documents":1,"passages":2,"namespace":"x"}"#;
        assert_eq!(read(listed).unwrap()[0].1, EntityOrder { name: "a".into(), ..EntityOrder::default() });
    }

    #[test]
    fn bad_lines_are_named_and_size_is_bounded() {
        let told = |text: &str| read(text).unwrap_err().to_line();
        for bad in
            ["{", "[]", "{\"type\":\"x\"}", "{\"name\":\"a\",\"stat\":\"b\"}", "{\"name\":\"a\",\"time\":\"soon\"}"]
        {
            let told = told(&format!("{{\"name\":\"ok\"}}\n{bad}\n"));
            assert!(told.starts_with("line 2 of x.jsonl: ") && told.contains("nothing was changed"), "{told}");
        }
        assert!(told("{\"name\":\"a\",\"stat\":\"b\"}").contains("stat"));
        assert!(told(&format!("{{\"name\":\"{}\"}}", "x".repeat(LONGEST_LINE))).contains("longer than 64 kB"));
        let endless = std::io::repeat(b'x');
        let error = read_batch(&mut std::io::BufReader::new(endless), "y", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(error.message().contains("longer than 64 kB"));
        assert!(told(&"{\"name\":\"a\"}\n".repeat(MOST_LINES + 1)).contains("more than 200000 lines"));
        let long = format!("{{\"name\":\"a\"}}{}\n", " ".repeat(LONGEST_LINE - 20));
        assert!(told(&long.repeat(LARGEST / LONGEST_LINE + 2)).contains("more than 64 MB"));
        let error = read_batch(&mut &b"\xff\xfe"[..], "y", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(error.message().contains("not UTF-8"));
    }
}
