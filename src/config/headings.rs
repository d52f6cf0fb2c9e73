//! `[headings]`: the forms of headings that state a field of their sections, such as `story_time = "Year {}"`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::search::{HeadingForm, HeadingForms};
use crate::text::fold;

/// A form, or several, for each field.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(try_from = "BTreeMap<String, Forms>")]
pub struct HeadingsConfig(HeadingForms);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the form of a heading such as \"Year {}\", or a list of them")]
enum Forms {
    One(String),
    Many(Vec<String>),
}

impl TryFrom<BTreeMap<String, Forms>> for HeadingsConfig {
    type Error = String;

    fn try_from(all: BTreeMap<String, Forms>) -> Result<Self, String> {
        let forms = |(field, forms): (String, Forms)| {
            let texts = match forms {
                Forms::One(text) => vec![text],
                Forms::Many(texts) => texts,
            };
            let parsed: Result<Vec<HeadingForm>, String> = texts.iter().map(|text| text.parse()).collect();
            Ok((fold(field.trim()), parsed?))
        };
        all.into_iter().map(forms).collect::<Result<_, String>>().map(HeadingsConfig)
    }
}

impl HeadingsConfig {
    pub fn forms(&self) -> HeadingForms {
        self.0.clone()
    }
}
