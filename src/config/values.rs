//! Types of settings that know their range: the command line, the environment and `kb.toml` refuse the same values.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use jiff::{SignedDuration, Span, SpanRelativeTo};
use serde::{Deserialize, Deserializer};

use crate::search::{Decay, HalfLife, HeadingForm, HeadingForms};
use crate::store::check_field_of_part;
use crate::text::{fold, period};

/// A whole number from `LEAST` to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "usize")]
pub struct Whole<const LEAST: usize, const MOST: usize = { usize::MAX }>(usize);

impl<const LEAST: usize, const MOST: usize> Whole<LEAST, MOST> {
    pub fn get(self) -> usize {
        self.0
    }

    fn of(number: Option<usize>) -> Result<Self, String> {
        number.filter(|number| (LEAST..=MOST).contains(number)).map(Whole).ok_or_else(|| match MOST {
            usize::MAX => format!("expected a whole number of at least {LEAST}"),
            _ => format!("expected a whole number from {LEAST} to {MOST}"),
        })
    }
}

impl<const LEAST: usize, const MOST: usize> TryFrom<usize> for Whole<LEAST, MOST> {
    type Error = String;

    fn try_from(number: usize) -> Result<Self, String> {
        Whole::of(Some(number))
    }
}

impl<const LEAST: usize, const MOST: usize> FromStr for Whole<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Whole::of(text.trim().parse().ok())
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f32")]
pub struct Share(pub f32);

impl TryFrom<f32> for Share {
    type Error = String;

    fn try_from(number: f32) -> Result<Self, String> {
        let is_share = (0.0..=1.0).contains(&number);
        is_share.then_some(Share(number)).ok_or_else(|| "expected a number from 0 to 1".to_owned())
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.trim().parse().unwrap_or(f32::NAN).try_into()
    }
}

/// A duration above 0 in seconds, written `500ms`, `90d` or `6 months`; `None` if it is written `none`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub Option<f64>);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("none") {
            return Ok(Seconds(None));
        }
        let seconds = period::seconds(text);
        let expected = || "expected a duration above 0 such as 500ms, 90d, 6 months or 1y, or none".to_owned();
        seconds.map(|seconds| Seconds(Some(seconds))).ok_or_else(expected)
    }
}

/// An age that halves a score: `90d`, or `100` if the time field has numbers. The prefix `hyperbolic:` asks for a
/// slower decay, `none` for no decay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfLifeSetting {
    /// `None`: no decay.
    pub half_life: Option<HalfLife>,
    /// Whether it is a bare number.
    pub is_number: bool,
}

impl FromStr for HalfLifeSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (decay, age) = match text.trim().split_once(':') {
            None => (Decay::Exponential, text.trim()),
            Some(("hyperbolic", age)) => (Decay::Hyperbolic, age.trim()),
            Some(_) => return Err("expected 90d or hyperbolic:90d".to_owned()),
        };
        if age.eq_ignore_ascii_case("none") && decay == Decay::Exponential {
            return Ok(HalfLifeSetting { half_life: None, is_number: false });
        }
        let number = age.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
        let known = number.or_else(|| period::seconds(age)).map(|age| HalfLife { age, decay });
        let expected = || "expected a duration above 0 such as 90d, 6 months, 1y or hyperbolic:90d, or none".to_owned();
        known.map(|known| HalfLifeSetting { half_life: Some(known), is_number: number.is_some() }).ok_or_else(expected)
    }
}

/// Reads a value that has the same form in `kb.toml` and on the command line.
pub(super) fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<Option<T>, D::Error> {
    String::deserialize(from)?.parse().map(Some).map_err(serde::de::Error::custom)
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn all(self) -> Vec<String> {
        match self {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts,
        }
    }
}

/// Reads one text or a list of them.
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    Texts::deserialize(from).map(|texts| Some(texts.all()))
}

/// Reads the forms of headings that state a field of their sections, one or a list for each field:
/// `story_time = "Year {}"`.
pub(super) fn heading_forms<'de, D: Deserializer<'de>>(from: D) -> Result<HeadingForms, D::Error> {
    let parsed = |(field, forms): (String, Texts)| {
        check_field_of_part(&field)?;
        let forms: Result<Vec<HeadingForm>, String> = forms.all().iter().map(|text| text.parse()).collect();
        Ok((fold(field.trim()), forms?))
    };
    let all = BTreeMap::<String, Texts>::deserialize(from)?;
    all.into_iter().map(parsed).collect::<Result<_, String>>().map_err(serde::de::Error::custom)
}

/// Reads a duration such as `0s`, `12h`, `7d`, `4w`.
pub(super) fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SignedDuration>, D::Error> {
    let text = String::deserialize(from)?;
    let span = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    match span {
        Ok(span) if !span.is_negative() => Ok(Some(span)),
        _ => Err(serde::de::Error::custom(format!(
            "invalid length of time {text:?}: expected \"12h\", \"7d\" or \"4w\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_know_their_range() {
        assert_eq!("1000".parse::<Whole<1, 1000>>().map(Whole::get), Ok(1000));
        for wrong in ["0", "1001", "-1", "many", ""] {
            assert_eq!(wrong.parse::<Whole<1, 1000>>(), Err("expected a whole number from 1 to 1000".to_owned()));
        }
        assert_eq!("x".parse::<Whole<0, 100>>(), Err("expected a whole number from 0 to 100".to_owned()));
        assert_eq!("0".parse::<Whole<1>>(), Err("expected a whole number of at least 1".to_owned()));
        assert_eq!("x".parse::<Whole<0>>(), Err("expected a whole number of at least 0".to_owned()));
        assert_eq!("0.5".parse(), Ok(Share(0.5)));
        assert!(["2", "-0.1", "nan", "x"].iter().all(|wrong| wrong.parse::<Share>().is_err()));
    }

    #[test]
    fn durations_are_above_0_or_none() {
        assert_eq!("500ms".parse(), Ok(Seconds(Some(0.5))));
        assert_eq!("1.5 s".parse(), Ok(Seconds(Some(1.5))));
        assert_eq!("none".parse(), Ok(Seconds(None)));
        for wrong in ["0s", "-1s", "soon", "500", ""] {
            assert!(wrong.parse::<Seconds>().unwrap_err().contains("500ms"), "{wrong}");
        }
    }
}
