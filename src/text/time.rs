//! Times in words.

use jiff::{Timestamp, Zoned};

use super::count;

/// Up to so many seconds something is just past.
const JUST_NOW: i64 = 2;

/// When something was, seen from `now`: `14:02:11, 3 minutes ago`, with the date where it was another day.
pub fn moment(time: Timestamp, now: &Zoned) -> String {
    let local = time.to_zoned(now.time_zone().clone());
    let form = if local.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    format!("{}, {}", local.strftime(form), ago(now.timestamp().as_second() - time.as_second()))
}

/// The day, where a moment is the first of one in UTC; otherwise the moment, RFC 3339.
pub fn date_or_moment(time: Timestamp) -> String {
    let utc = time.to_zoned(jiff::tz::TimeZone::UTC);
    match utc.time() == jiff::civil::Time::midnight() {
        true => utc.date().to_string(),
        false => time.to_string(),
    }
}

/// `3 minutes ago`, in the largest unit of which it is two or more.
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

    #[test]
    fn the_first_moment_of_a_day_is_told_as_the_day() {
        let told = |text: &str| date_or_moment(text.parse().unwrap());
        assert_eq!(told("2026-03-01T00:00:00Z"), "2026-03-01");
        assert_eq!(told("2026-03-01T00:00:01Z"), "2026-03-01T00:00:01Z");
    }

    #[test]
    fn the_past_is_told_in_the_unit_that_fits() {
        let told = [-5, 2, 3, 90, 120, 3 * 3600, 48 * 3600, 40 * 86_400].map(ago);
        let expected = [
            "just now",
            "just now",
            "3 seconds ago",
            "90 seconds ago",
            "2 minutes ago",
            "3 hours ago",
            "2 days ago",
            "40 days ago",
        ];
        assert_eq!(told, expected);
    }
}
