//! Times as people write and read them: a day, a month, a year or a moment, each as a period.
//!
//! Times without a zone are UTC, in documents and in questions, so a question has the same answer on every machine.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Unit, Zoned};

use super::strings::count;

/// A year, a month, a day, a minute or a second, as precise as the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first moment.
    pub start: Timestamp,
    /// The first moment after it.
    pub end: Timestamp,
}

/// Years with four digits; 9999 is left out because its end cannot be calculated.
const YEARS: std::ops::RangeInclusive<i16> = 1000..=9998;
/// In bytes; longer texts are not times.
const LONGEST: usize = 100;

impl Period {
    /// A time as documents write it: `2026-11-21`, `2026-11`, `2026`, RFC 3339, `D:20261121…` of PDFs, `2026/11/21`,
    /// `2026年11月21日`, `21 November 2026`, RFC 2822.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        match text.strip_prefix("D:") {
            Some(digits) => packed(digits),
            None => in_numbers(text).or_else(|| in_words(text)),
        }
    }

    /// A time as people type it at `now`: as documents write it, or relative: `90d ago`, `2 weeks ago`, `yesterday`,
    /// `today`, `now`.
    pub fn parse_at(text: &str, now: Timestamp) -> Option<Self> {
        let text = text.trim();
        let today = now.to_zoned(TimeZone::UTC).date();
        match text.to_lowercase().as_str() {
            "now" | "现在" => return Some(Period { start: now, end: second_after(now)? }),
            "today" | "今天" => return day(today),
            "yesterday" | "昨天" => return day(today.yesterday().ok()?),
            lower if lower.len() <= LONGEST && lower.ends_with("ago") => {
                let span: Span = lower.parse().ok()?;
                let start =
                    now.to_zoned(TimeZone::UTC).checked_add(span).ok().filter(|time| YEARS.contains(&time.year()))?;
                let start = start.timestamp();
                return Some(Period { start, end: second_after(start)? });
            }
            _ => {}
        }
        Period::parse(text)
    }

    /// The last moment.
    pub fn last(&self) -> Timestamp {
        self.end.checked_sub(Span::new().nanoseconds(1)).unwrap_or(self.end)
    }

    pub fn has(&self, moment: Timestamp) -> bool {
        self.start <= moment && moment < self.end
    }
}

/// The seconds of a duration as people type it: `90d`, `2 weeks`, `6 months`, `1y`, `36h`. `None` unless it is
/// positive.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    let span: Span = text.parse().ok()?;
    // Months and years have their length from this day on.
    let seconds = span.total((Unit::Second, Date::constant(2025, 1, 1))).ok()?;
    (seconds > 0.0).then_some(seconds)
}

/// A duration in the largest unit that divides it: `90 days`.
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(86_400.0, "day"), (3600.0, "hour"), (60.0, "minute")];
    let whole = UNITS.into_iter().find(|(length, _)| seconds % length == 0.0);
    let (length, unit) = whole.unwrap_or((1.0, "second"));
    count((seconds / length) as usize, unit)
}

fn second_after(moment: Timestamp) -> Option<Timestamp> {
    moment.checked_add(Span::new().seconds(1)).ok()
}

fn midnight(date: Date) -> Option<Timestamp> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn day(date: Date) -> Option<Period> {
    Some(Period { start: midnight(date)?, end: midnight(date.tomorrow().ok()?)? })
}

fn of_date(year: i16, month: Option<i8>, day_of_month: Option<i8>) -> Option<Period> {
    if !YEARS.contains(&year) {
        return None;
    }
    let first = Date::new(year, month.unwrap_or(1), day_of_month.unwrap_or(1)).ok()?;
    let next = match (month, day_of_month) {
        (_, Some(_)) => first.tomorrow().ok()?,
        (Some(_), None) => first.checked_add(Span::new().months(1)).ok()?,
        (None, None) => first.checked_add(Span::new().years(1)).ok()?,
    };
    Some(Period { start: midnight(first)?, end: midnight(next)? })
}

/// A time on a day, as the seconds since midnight and its precision in seconds. `ahead` is the zone's offset from UTC
/// in seconds.
fn at(day: Period, (since_midnight, length): (i64, i64), ahead: i64) -> Option<Period> {
    let start = day.start.as_second().checked_add(since_midnight)?.checked_sub(ahead)?;
    Some(Period { start: Timestamp::from_second(start).ok()?, end: Timestamp::from_second(start + length).ok()? })
}

/// `20261121103000+01'00'`; anything after the year is optional.
fn packed(text: &str) -> Option<Period> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, zone) = text.split_at(end);
    let field = |start: usize, end: usize| digits.get(start..end)?.parse::<i64>().ok();
    let small = |number: Option<i64>| number.and_then(|number| i8::try_from(number).ok());
    let date = of_date(i16::try_from(field(0, 4)?).ok()?, small(field(4, 6)), small(field(6, 8)))?;
    let (Some(hour), Some(minute)) = (field(8, 10), field(10, 12)) else { return Some(date) };
    let time = (hour * 3600 + minute * 60 + field(12, 14).unwrap_or(0), 1);
    let zone: String = zone.chars().filter(|c| *c != '\'').collect();
    at(date, time, offset(zone.trim()).unwrap_or(0))
}

/// `2026-11-21T10:30:00+01:00`, `2026/11/21`, `2026年11月`; anything after the year is optional.
fn in_numbers(text: &str) -> Option<Period> {
    let (year, mut rest) = digits(text, 4..=4)?;
    let (mut month, mut day) = (None, None);
    for (part, sign) in [(&mut month, '年'), (&mut day, '月')] {
        let Some(behind) = rest.strip_prefix(['-', '/', '.', sign]).map(str::trim_start) else { break };
        if behind.is_empty() && rest.starts_with(sign) {
            rest = behind;
            break;
        }
        let (number, behind) = digits(behind, 1..=2)?;
        (*part, rest) = (Some(i8::try_from(number).ok()?), behind);
    }
    let date = of_date(i16::try_from(year).ok()?, month, day)?;
    if day.is_none() {
        return rest.is_empty().then_some(date);
    }
    let rest = rest.strip_prefix(['日', '号']).unwrap_or(rest);
    let rest = rest.strip_prefix(['T', 't']).unwrap_or(rest).trim_start();
    if rest.is_empty() {
        return Some(date);
    }
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    at(date, time_of_day(time)?, offset(zone.trim())?)
}

/// `21 November 2026`, `Nov 21, 2026`, `November 2026`, `Sat, 21 Nov 2026 10:30:00 +0100`.
fn in_words(text: &str) -> Option<Period> {
    const MONTHS: &str = "january february march april may june july august september october november december";
    const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
    let (mut year, mut month, mut day, mut time, mut ahead) = (None, None, None, None, None);
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        let begins = |names: &str| {
            let letters = lower.trim_end_matches('.');
            names.split_whitespace().position(|name| letters.len() >= 3 && name.starts_with(letters))
        };
        let number = lower.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
        let number = Some(number).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        match number.and_then(|number| number.parse::<i16>().ok()) {
            Some(number) if (1..=31).contains(&number) && day.is_none() => day = i8::try_from(number).ok(),
            Some(number) if YEARS.contains(&number) && year.is_none() => year = Some(number),
            Some(_) => return None,
            None if lower.contains(':') && time.is_none() => time = Some(time_of_day(&lower)?),
            None => match (begins(MONTHS), offset(word)) {
                (Some(found), _) if month.is_none() => month = i8::try_from(found + 1).ok(),
                (None, Some(seconds)) if time.is_some() => ahead = Some(seconds),
                _ if begins(WEEKDAYS).is_some() => {}
                _ => return None,
            },
        }
    }
    let date = of_date(year?, Some(month?), day)?;
    match time {
        Some(time) if day.is_some() => at(date, time, ahead.unwrap_or(0)),
        Some(_) => None,
        None => Some(date),
    }
}

/// The leading number of a text with a number of digits in `length`, and the rest.
fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<(u16, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if !length.contains(&end) {
        return None;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// `10:30`, `10:30:00.25`: the seconds since midnight and the precision in seconds.
fn time_of_day(text: &str) -> Option<(i64, i64)> {
    let number = |field: &str, below: i64| {
        let whole = field.split_once('.').map_or(field, |(whole, _)| whole);
        let valid = (1..=2).contains(&whole.len()) && whole.bytes().all(|byte| byte.is_ascii_digit());
        whole.parse::<i64>().ok().filter(|number| valid && *number < below)
    };
    let minutes = |hour: &str, minute: &str| Some(number(hour, 24)? * 3600 + number(minute, 60)? * 60);
    let fields: Vec<&str> = text.split(':').collect();
    match fields[..] {
        [hour, minute] => Some((minutes(hour, minute)?, 60)),
        // A leap second counts as the second before.
        [hour, minute, second] => Some((minutes(hour, minute)? + number(second, 61)?.min(59), 1)),
        _ => None,
    }
}

/// The seconds ahead of UTC of `Z`, `+01:00`, `+0100`, `-08` or an empty text.
fn offset(text: &str) -> Option<i64> {
    if text.is_empty() || ["z", "utc", "gmt"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some(0);
    }
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return None,
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    let valid = matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !valid {
        return None;
    }
    let (hours, minutes) = (digits.get(..2)?.parse::<i64>().ok()?, digits.get(2..)?.parse::<i64>().unwrap_or(0));
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Up to this many seconds ago is "just now".
const JUST_NOW: i64 = 2;

/// A moment relative to `now`: `14:02:11, 3 minutes ago`, with the date if it is another day.
pub fn moment(time: Timestamp, now: &Zoned) -> String {
    let local = time.to_zoned(now.time_zone().clone());
    let form = if local.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    format!("{}, {}", local.strftime(form), ago(now.timestamp().as_second() - time.as_second()))
}

/// The day, if the moment is midnight UTC; otherwise the moment in RFC 3339.
pub fn date_or_moment(time: Timestamp) -> String {
    let utc = time.to_zoned(TimeZone::UTC);
    if utc.time() == jiff::civil::Time::midnight() { utc.date().to_string() } else { time.to_string() }
}

/// `3 minutes ago`, in the largest unit that gives two or more.
fn ago(seconds: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    if seconds <= JUST_NOW {
        return "just now".to_owned();
    }
    let (length, unit) = UNITS.into_iter().find(|(length, _)| seconds >= 2 * length).unwrap_or((1, "second"));
    format!("{} ago", count(usize::try_from(seconds / length).unwrap_or(0), unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(period: Option<Period>) -> String {
        period.map_or("none".to_owned(), |period| format!("{} {}", period.start, period.end))
    }

    #[test]
    fn document_times_are_read() {
        let day = "2026-11-21T00:00:00Z 2026-11-22T00:00:00Z";
        let texts = "2026-11-21| 2026/11/21 |2026.11.21|2026年11月21日|21 November 2026|Nov 21, 2026\
            |November 21st, 2026|Satur. 21 Nov. 2026|D:20261121";
        for text in texts.split('|') {
            assert_eq!(written(Period::parse(text)), day, "{text}");
        }
        let moment = "2026-11-21T09:30:05Z 2026-11-21T09:30:06Z";
        let texts = "2026-11-21T10:30:05+01:00|2026-11-21 10:30:05.123 +0100|2026-11-21T09:30:05Z|2026-11-21 09:30:05\
            |Sat, 21 Nov 2026 10:30:05 +0100|D:20261121103005+01'00'|D:20261121093005Z";
        for text in texts.split('|') {
            assert_eq!(written(Period::parse(text)), moment, "{text}");
        }
        assert_eq!(written(Period::parse("2026-12")), "2026-12-01T00:00:00Z 2027-01-01T00:00:00Z");
        assert_eq!(written(Period::parse("2026")), "2026-01-01T00:00:00Z 2027-01-01T00:00:00Z");
        assert_eq!(written(Period::parse("November 2026")), "2026-11-01T00:00:00Z 2026-12-01T00:00:00Z");
        assert_eq!(written(Period::parse("2026-11-21 10:30")), "2026-11-21T10:30:00Z 2026-11-21T10:31:00Z");
    }

    #[test]
    fn other_texts_are_not_times() {
        let texts = "|3.2|12|2026-13|2026-02-30|2026-|2026-11-21x|26-11-21|0000|9999|May|21|2026-11-21T25:00|2026-11-21T10\
            |draft|v2026|Nov 2026 10:30|Marble 2026|Decision 2026|Sunny, 3 May 2026|Ma 2026|D:|２０２６";
        for text in texts.split('|') {
            assert_eq!(written(Period::parse(text)), "none", "{text}");
        }
    }

    #[test]
    fn typed_times_may_be_relative_to_now() {
        let now: Timestamp = "2026-11-21T15:00:00Z".parse().unwrap();
        let start = |text: &str| Period::parse_at(text, now).map(|period| period.start.to_string()).unwrap_or_default();
        assert_eq!(start("90d ago"), "2026-08-23T15:00:00Z");
        assert_eq!(start("2 months ago"), "2026-09-21T15:00:00Z");
        assert_eq!(start("Yesterday"), "2026-11-20T00:00:00Z");
        assert_eq!(start("今天"), "2026-11-21T00:00:00Z");
        assert_eq!(start("2025"), "2025-01-01T00:00:00Z");
        assert_eq!(start("soon"), "");
        assert_eq!(start("ago"), "");
        assert_eq!(start("21661 months ago"), "", "a year that cannot be typed");
    }

    #[test]
    fn durations_are_positive_seconds() {
        let read = [("90d", 90.0), ("36h", 1.5), ("2 weeks", 14.0)];
        assert!(read.iter().all(|(text, days)| seconds(text) == Some(days * 86_400.0)));
        assert_eq!([seconds("0d"), seconds("-3d"), seconds("90"), seconds("soon"), seconds("90d ago")], [None; 5]);
        assert_eq!(
            [duration(90.0 * 86_400.0), duration(36.0 * 3600.0), duration(1.0)],
            ["90 days", "36 hours", "1 second"]
        );
    }

    proptest! {
        #[test]
        fn times_and_durations_have_a_length(text in "\\PC{0,30}", numbers in "[0-9:TZ+ 年月日./-]{0,24}", spans in "[0-9]{1,7}[, ]?[0-9]{0,5} ?(h|d|days|weeks|months)( +ago)?") {
            let now = Timestamp::UNIX_EPOCH;
            for text in [&text, &numbers, &spans] {
                for period in [Period::parse(text), Period::parse_at(text, now)].into_iter().flatten() {
                    prop_assert!(period.start < period.end);
                    prop_assert!(Period::parse(&date_or_moment(period.start)).is_some(), "its first moment can be typed");
                    prop_assert!(period.has(period.start) && period.has(period.last()) && !period.has(period.end));
                }
                if let Some(seconds) = seconds(text) {
                    prop_assert!(seconds > 0.0 && seconds.is_finite());
                    duration(seconds);
                }
            }
        }
    }

    #[test]
    fn midnight_is_written_as_the_day() {
        let written = |text: &str| date_or_moment(text.parse().unwrap());
        assert_eq!(written("2026-03-01T00:00:00Z"), "2026-03-01");
        assert_eq!(written("2026-03-01T00:00:01Z"), "2026-03-01T00:00:01Z");
    }

    #[test]
    fn the_past_is_written_in_the_largest_unit_that_gives_two_or_more() {
        let written = [-5, 2, 3, 90, 120, 3 * 3600, 48 * 3600, 40 * 86_400].map(ago);
        let expected =
            "just now, just now, 3 seconds ago, 90 seconds ago, 2 minutes ago, 3 hours ago, 2 days ago, 40 days ago";
        assert_eq!(written.join(", "), expected);
    }
}
