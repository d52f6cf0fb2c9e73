//! Numbers with units: `16 MPa`, `5kW`, `30 天`.

use serde::Serialize;

/// Units as they are written, those with letters only where no letter follows.
const UNITS: &[&str] = &[
    "MPa",
    "kPa",
    "hPa",
    "Pa",
    "mbar",
    "bar",
    "psi",
    "kWh",
    "MWh",
    "kW",
    "MW",
    "GW",
    "W",
    "kV",
    "mV",
    "V",
    "mA",
    "kA",
    "A",
    "kHz",
    "MHz",
    "GHz",
    "Hz",
    "°C",
    "℃",
    "°F",
    "K",
    "mm",
    "cm",
    "km",
    "µm",
    "μm",
    "nm",
    "m³/h",
    "m3/h",
    "m³",
    "m3",
    "m²",
    "m2",
    "m/s",
    "km/h",
    "m",
    "ml",
    "mL",
    "l/s",
    "l/min",
    "l",
    "L",
    "kg",
    "mg",
    "g",
    "t",
    "kN",
    "Nm",
    "N·m",
    "N",
    "rpm",
    "r/min",
    "ms",
    "µs",
    "s",
    "min",
    "h",
    "d",
    "seconds",
    "second",
    "minutes",
    "minute",
    "hours",
    "hour",
    "days",
    "day",
    "weeks",
    "week",
    "months",
    "month",
    "years",
    "year",
    "metres",
    "meters",
    "feet",
    "ft",
    "inches",
    "inch",
    "miles",
    "percent",
    "per cent",
    "%",
    "‰",
    "dB",
    "TB",
    "GB",
    "MB",
    "kB",
    "KB",
    "GiB",
    "MiB",
    "KiB",
    "bytes",
    "byte",
    "bits",
    "bit",
    "Mbps",
    "Gbps",
    "Ω",
    "kΩ",
    "小时",
    "分钟",
    "秒钟",
    "秒",
    "个月",
    "天",
    "日",
    "周",
    "年",
    "毫米",
    "厘米",
    "公里",
    "千米",
    "米",
    "公斤",
    "千克",
    "毫克",
    "克",
    "吨",
    "毫升",
    "升",
    "摄氏度",
    "度",
    "千伏",
    "伏",
    "安培",
    "安",
    "千瓦时",
    "千瓦",
    "兆瓦",
    "瓦",
    "兆帕",
    "千帕",
    "帕",
    "转/分",
    "赫兹",
    "万元",
    "亿元",
    "元",
    "倍",
    "次",
];

/// A number with its unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quantity {
    /// The number.
    pub value: f64,
    /// The unit as it was written.
    pub unit: String,
    /// Both as they were written.
    pub text: String,
}

/// The quantities of a question, in order.
pub(super) fn quantities(query: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    let mut skip_to = 0;
    for (start, c) in query.char_indices() {
        let begins = start >= skip_to
            && c.is_ascii_digit()
            && !before.is_some_and(|b| b.is_ascii_alphanumeric() || "._-".contains(b));
        before = Some(c);
        if !begins {
            continue;
        }
        let number = number_at(&query[start..]);
        skip_to = start + number.len();
        let rest = &query[start + number.len()..];
        let space = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
        let Some(unit) = unit_at(&rest[space..]) else { continue };
        // A year is a date, and so are the 1970s and the 70年代.
        let date =
            (unit == "年" && (number.len() == 4 || rest[space..].starts_with("年代"))) || (unit == "s" && space == 0);
        if date {
            continue;
        }
        let Ok(value) = number.replace(',', "").parse() else { continue };
        let end = start + number.len() + space + unit.len();
        found.push(Quantity { value, unit: unit.to_owned(), text: query[start..end].to_owned() });
        skip_to = end;
    }
    found
}

/// Whether a piece of a question is a quantity and nothing else: `16MPa`.
pub(super) fn is_quantity(piece: &str) -> bool {
    quantities(piece).first().is_some_and(|one| one.text == piece)
}

/// The digits at the beginning, with separators that digits follow.
fn number_at(text: &str) -> &str {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let digit = c.is_ascii_digit();
        let separator = ".,".contains(c) && text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !digit && !separator {
            break;
        }
        end = at + c.len_utf8();
    }
    &text[..end]
}

/// The longest unit at the beginning.
fn unit_at(text: &str) -> Option<&'static str> {
    let ends = |unit: &str| {
        let letters = unit.ends_with(|c: char| c.is_ascii_alphanumeric());
        !(letters && text[unit.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || "_-/".contains(c)))
    };
    UNITS.iter().filter(|unit| text.starts_with(**unit) && ends(unit)).max_by_key(|unit| unit.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(query: &str) -> Vec<String> {
        quantities(query).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn numbers_with_units_are_found_in_both_languages() {
        assert_eq!(
            texts("16 MPa, 5kW and 1,250.5 m³/h for 30 days at 80 %"),
            ["16 MPa", "5kW", "1,250.5 m³/h", "30 days", "80 %"]
        );
        assert_eq!(texts("运行30 天后压力超过16兆帕"), ["30 天", "16兆帕"]);
        assert_eq!(quantities("1,250.5 m³/h")[0].value, 1250.5);
    }

    #[test]
    fn codes_years_and_bare_numbers_are_none() {
        assert_eq!(texts("E-417 in 1998年, 70年代, the 1970s and 3.2.1, 5 apples, 802.11ac and 12 Volts"), [""; 0]);
    }
}
