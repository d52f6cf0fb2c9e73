//! `[headings]`: the forms of headings that state a field of their sections, such as `story_time = "Year {}"`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::search::{HeadingForm, HeadingForms};
use crate::text::fold;

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the form of a heading such as \"Year {}\", or a list of them")]
enum Forms {
    One(String),
    Many(Vec<String>),
}

/// Reads a form, or several, for each field.
pub(super) fn forms<'de, D: Deserializer<'de>>(from: D) -> Result<HeadingForms, D::Error> {
    let parsed = |(field, forms): (String, Forms)| {
        let texts = match forms {
            Forms::One(text) => vec![text],
            Forms::Many(texts) => texts,
        };
        let forms: Result<Vec<HeadingForm>, String> = texts.iter().map(|text| text.parse()).collect();
        Ok((fold(field.trim()), forms?))
    };
    let all = BTreeMap::<String, Forms>::deserialize(from)?;
    all.into_iter().map(parsed).collect::<Result<_, String>>().map_err(serde::de::Error::custom)
}
