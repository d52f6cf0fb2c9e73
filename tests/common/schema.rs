//! Checks JSON against the part of JSON Schema that `kb schema` uses. A library for all of JSON Schema would turn on
//! features of libraries that kb uses too, so that tests would build all of them a second time.

use serde_json::Value;

/// Checks a value; the error names its place.
pub fn check(schema: &Value, value: &Value, definitions: &Value, place: &str) -> Result<(), String> {
    let keywords = schema.as_object().ok_or_else(|| format!("{place}: no schema: {schema}"))?;
    for (keyword, says) in keywords {
        let holds = match keyword.as_str() {
            "$ref" => {
                let name = says.as_str().and_then(|name| name.strip_prefix("#/$defs/")).unwrap_or_default();
                let definition = definitions.get(name).ok_or_else(|| format!("{place}: no definition {says}"))?;
                check(definition, value, definitions, place)?;
                true
            }
            "anyOf" => {
                let any = says.as_array().expect("a list");
                let failures: Vec<String> =
                    any.iter().filter_map(|one| check(one, value, definitions, place).err()).collect();
                if failures.len() == any.len() {
                    return Err(failures.join("\n"));
                }
                true
            }
            "const" => value == says,
            "type" => match says {
                Value::Array(names) => names.iter().any(|name| is_a(value, name)),
                name => is_a(value, name),
            },
            "required" => {
                let missing = |name: &&Value| value.get(name.as_str().expect("a name")).is_none();
                match says.as_array().expect("a list").iter().find(missing).filter(|_| value.is_object()) {
                    Some(name) => return Err(format!("{place}: {name} is missing")),
                    None => true,
                }
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    check_with(says, item, definitions, &format!("{place}[{at}]"))?;
                }
                true
            }
            "properties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    if let Some(property) = says.get(name) {
                        check(property, value, definitions, &format!("{place}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = |name: &str| keywords.get("properties").is_some_and(|known| known.get(name).is_some());
                for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name)) {
                    check_with(says, value, definitions, &format!("{place}.{name}"))?;
                }
                true
            }
            unknown => panic!("the checker does not know the keyword {unknown}"),
        };
        if !holds {
            return Err(format!("{place}: {value} is not {keyword} {says}"));
        }
    }
    Ok(())
}

/// Checks a schema that may be `true` or `false`.
fn check_with(schema: &Value, value: &Value, definitions: &Value, place: &str) -> Result<(), String> {
    match schema {
        Value::Bool(true) => Ok(()),
        Value::Bool(false) => Err(format!("{place} must not be there")),
        schema => check(schema, value, definitions, place),
    }
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("no type {unknown}"),
    }
}
