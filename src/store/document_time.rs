//! The time of a document, and where it is stated.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::text::Period;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentTime {
    /// The moment, in UTC; for a day, a month or a year, its beginning.
    pub at: Timestamp,
    /// The metadata field that states it, [`GIVEN`](Self::GIVEN) or [`FILE`](Self::FILE).
    pub from: String,
}

/// Fields that state a document's time; the first usable one wins. Fields that authors write come before those that
/// programs write, and the last change before the first publication.
const FIELDS: &str = "updated lastmod last_modified last-modified last_updated revised 更新日期 更新时间 修改日期 date \
    日期 published pubdate 发布日期 modified revdate created creation_date 创建日期 year";

impl DocumentTime {
    pub const GIVEN: &str = "given";
    /// The modification time of the file.
    pub const FILE: &str = "file";

    pub fn given(at: Timestamp) -> Self {
        DocumentTime { at, from: Self::GIVEN.to_owned() }
    }

    pub fn is_given(&self) -> bool {
        self.from == Self::GIVEN
    }

    /// The time that the metadata states, otherwise `mtime_ns`: the file's last change in nanoseconds since 1970 (0:
    /// unknown).
    pub fn of(metadata: &BTreeMap<String, String>, mtime_ns: i64) -> Option<Self> {
        let stated = FIELDS.split_whitespace().find_map(|field| {
            let (name, value) = metadata.iter().find(|(name, _)| name.to_lowercase() == field)?;
            Some(DocumentTime { at: Period::parse(value)?.start, from: name.clone() })
        });
        stated.or_else(|| {
            let at = Timestamp::from_nanosecond(i128::from(mtime_ns)).ok().filter(|_| mtime_ns != 0)?;
            Some(DocumentTime { at, from: Self::FILE.to_owned() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(fields: &[(&str, &str)], mtime_ns: i64) -> String {
        let metadata = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        DocumentTime::of(&metadata, mtime_ns).map_or("none".to_owned(), |time| format!("{} {}", time.at, time.from))
    }

    #[test]
    fn a_stated_time_overrides_the_file_time() {
        let both = [("Date", "2024-05-01"), ("updated", "2025-06-07T10:00:00+02:00")];
        assert_eq!(time(&both, 1), "2025-06-07T08:00:00Z updated");
        assert_eq!(time(&both[..1], 1), "2024-05-01T00:00:00Z Date");
        assert_eq!(
            time(&[("modified", "D:20240102103000Z"), ("created", "D:2020")], 1),
            "2024-01-02T10:30:00Z modified"
        );
        assert_eq!(time(&[("日期", "2024年5月1日")], 1), "2024-05-01T00:00:00Z 日期");
        assert_eq!(time(&[("date", "soon")], 1_000_000_000), "1970-01-01T00:00:01Z file");
        assert_eq!(time(&[], 0), "none");
    }
}
