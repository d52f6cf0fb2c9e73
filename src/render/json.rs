//! JSON values, and how programs get them.

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

/// The JSON object of `of` without one field.
pub(super) fn value_without(of: &impl Serialize, name: &str) -> Value {
    let mut json = value(of);
    if let Value::Object(fields) = &mut json {
        fields.shift_remove(name);
    }
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
pub(super) fn for_programs(json: &Value) -> Value {
    written(json, true)
}

fn written(json: &Value, rounds: bool) -> Value {
    match json {
        Value::String(text) => Value::String(visible(text).into_owned()),
        Value::Array(values) => values.iter().map(|value| written(value, rounds)).collect(),
        Value::Object(fields) => {
            let of = |(name, value): (&String, &Value)| {
                // Numbers that people and documents state are not rounded.
                let rounds = rounds && name != "metadata" && !fields.contains_key("field");
                // The time of the last change identifies the text that an edit is about, so it is not rounded.
                let is_moment = rounds && (name == "at" || name.ends_with("_at")) && name != "updated_at";
                let moment = value.as_str().filter(|_| is_moment);
                let moment = moment.and_then(|text| text.parse::<Timestamp>().ok());
                let value = moment.map_or_else(|| written(value, rounds), |moment| json!(format!("{moment:.0}")));
                (visible(name).into_owned(), value)
            };
            fields.iter().map(of).collect()
        }
        Value::Number(number) if rounds && number.is_f64() => {
            number.as_f64().map_or(Value::Null, |number| json!((number * DIGITS).round() / DIGITS))
        }
        other => other.clone(),
    }
}
