//! JSON values, and their form in the output.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::text::visible;

pub(super) fn value(of: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(of).expect("results have string keys and derived implementations, which cannot fail")
}

pub(super) fn values<T: Serialize>(of: impl IntoIterator<Item = T>) -> Vec<Value> {
    of.into_iter().map(|one| value(&one)).collect()
}

/// The JSON object of `of` with one more field.
pub(super) fn value_with(of: &impl Serialize, name: &str, field: impl Serialize) -> Value {
    let mut json = value(of);
    json[name] = value(&field);
    json
}

/// A line of JSON Lines with its type as the first field.
pub(super) fn typed(of: &str, line: &Value) -> Value {
    let first = ("type".to_owned(), json!(of));
    Value::Object(std::iter::once(first).chain(line.as_object().cloned().unwrap_or_default()).collect())
}

/// Numbers are rounded to four decimal places.
const DIGITS: f64 = 10_000.0;

/// A JSON value as programs get it: names and texts without invisible characters, numbers with four decimal
/// places, times to the second.
pub(super) fn for_programs(mut json: Value) -> Value {
    prepare(&mut json, true);
    json
}

/// Changes the value in its place: a second tree would double the memory of a large result.
fn prepare(json: &mut Value, rounds: bool) {
    match json {
        Value::String(text) => *text = visible(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(|value| prepare(value, rounds)),
        Value::Object(fields) => {
            // Numbers that people and documents state are not rounded.
            let rounds = rounds && !fields.contains_key("field");
            for (name, value) in fields.iter_mut() {
                let rounds = rounds && name != "metadata";
                // The time of the last change identifies the text that an edit is about, so it is not rounded.
                let is_moment = rounds && (name == "at" || name.ends_with("_at")) && name != "updated_at";
                let moment = value.as_str().filter(|_| is_moment);
                match moment.and_then(|text| text.parse::<Timestamp>().ok()) {
                    Some(moment) => *value = json!(format!("{moment:.0}")),
                    None => prepare(value, rounds),
                }
            }
            if fields.keys().any(|name| visible(name) != name.as_str()) {
                let named = std::mem::take(fields).into_iter();
                *fields = named.map(|(name, value)| (visible(&name).into_owned(), value)).collect();
            }
        }
        Value::Number(number) if rounds && number.is_f64() => {
            let rounded = number.as_f64().map_or(Value::Null, |number| json!((number * DIGITS).round() / DIGITS));
            *json = rounded;
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_what_is_visible_and_no_more_digits_than_mean_anything() {
        let json = json!({
            "b\u{202e}": "x\u{9b}y",
            "score": 0.123_456,
            "metadata": { "price": 0.123_456 },
            "published_at": "2026-11-26T10:00:00.123456Z",
            "updated_at": "2026-11-26T10:00:00.123456Z",
            "items": [{ "field": "price", "from": 0.123_456 }, 1, null, true],
        });
        let expected = json!({
            "b": "xy",
            "score": 0.1235,
            "metadata": { "price": 0.123_456 },
            "published_at": "2026-11-26T10:00:00Z",
            "updated_at": "2026-11-26T10:00:00.123456Z",
            "items": [{ "field": "price", "from": 0.123_456 }, 1, null, true],
        });
        assert_eq!(for_programs(json).to_string(), expected.to_string(), "in the same order");
        let twice = for_programs(json!({ "a": 1, "b": 2, "a\u{202e}": 3 }));
        assert_eq!(twice.to_string(), r#"{"a":3,"b":2}"#, "a name has one value");
    }
}
