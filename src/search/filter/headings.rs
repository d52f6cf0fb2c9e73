//! Fields that headings state: with the rule `Year {}` for `story_time`, a section "Year 1200" and those below it have
//! the field `story_time` with the value 1200.

use std::str::FromStr;

use crate::text::{as_number, fold, squeeze};

/// Stands for the value.
const VALUE: &str = "{}";

/// The form of headings that state a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadingForm {
    before: String,
    behind: String,
}

impl FromStr for HeadingForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let folded = fold(&squeeze(text));
        match folded.split_once(VALUE) {
            Some((before, behind)) if !behind.contains(VALUE) => {
                Ok(HeadingForm { before: before.to_owned(), behind: behind.to_owned() })
            }
            _ => Err(format!(
                "{text:?} is not the form of a heading: expected one {VALUE} for the value, as in \"Year {VALUE}\""
            )),
        }
    }
}

impl HeadingForm {
    /// The number that a [folded](fold) title has in this form.
    pub fn value<'t>(&self, title: &'t str) -> Option<&'t str> {
        let value = title.trim().strip_prefix(&self.before)?.strip_suffix(&self.behind)?.trim();
        // "Year 1250: the fall" has the value 1250.
        let end = value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))).unwrap_or(value.len());
        let number = value[..end].trim_end_matches('.');
        let is_whole = !value[end..].starts_with(char::is_alphanumeric);
        (is_whole && as_number(number).is_some()).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_the_form_has_a_value() {
        let value =
            |form: &str, title: &str| form.parse::<HeadingForm>().unwrap().value(&fold(title)).map(str::to_owned);
        assert_eq!(value("Year {}", "YEAR 1200").as_deref(), Some("1200"));
        assert_eq!(value("第{}年", "第１２年").as_deref(), Some("12"));
        assert_eq!(value("Year {}", "Year"), None);
        assert_eq!(value("Year {}", "Year of plenty"), None);
        assert_eq!(value("Year {}", "Year 1250: the fall").as_deref(), Some("1250"));
        assert_eq!(value("Year {}", "Year 12th"), None);
        assert_eq!(value("Year {}", "Years"), None);
        assert!("Year".parse::<HeadingForm>().is_err() && "{} to {}".parse::<HeadingForm>().is_err());
    }
}
