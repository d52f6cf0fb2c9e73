//! A remedy as flags: what two requests differ in.

use serde::Serialize;

use crate::retrieve::{Expand, SearchRequest};

/// How a search is to be changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Change {
    /// Flags, with their values, that are added, or take the place of those that were given.
    pub add: Vec<String>,
    /// Flags that are left out.
    pub leave_out: Vec<String>,
    /// What is asked instead.
    pub query: Option<String>,
}

impl Change {
    /// What makes the one request the other.
    pub(super) fn between(from: &SearchRequest, to: &SearchRequest) -> Self {
        let mut change = Change { query: (from.query != to.query).then(|| to.query.clone()), ..Change::default() };
        let mut add = |differs: bool, flag: &str, value: String| {
            if differs {
                change.add.extend([flag.to_owned(), value]);
            }
        };
        let (old, new) = (&from.shape, &to.shape);
        add(from.limit != to.limit, "-k", to.limit.to_string());
        add(from.pool != to.pool, "--pool", to.pool.to_string());
        let min_score = to.min_score.unwrap_or_default();
        add(from.min_score != to.min_score, "--min-score", min_score.to_string());
        add(from.half_life != to.half_life, "--half-life", "none".to_owned());
        add(from.kind != to.kind, "--kind", "concept".to_owned());
        add(from.method != to.method, "--method", to.method.name().to_owned());
        let expand = match to.expand {
            Expand::Off => "off",
            Expand::Missing => "missing",
            Expand::All => "all",
        };
        add(from.expand != to.expand, "--expand", expand.to_owned());
        // '' puts the filter of kb.toml aside, which leaving the flag out does not.
        add(from.restriction.filter != to.restriction.filter, "--filter", String::new());
        add(old.beam != new.beam, "--beam", new.beam.to_string());
        add(old.diversity != new.diversity, "--diversity", new.diversity.to_string());
        let number = |number: Option<usize>| number.unwrap_or_default().to_string();
        add(old.per_document != new.per_document, "--per-document", number(new.per_document));
        add(old.max_tokens != new.max_tokens, "--max-tokens", number(new.max_tokens));
        add(old.context != new.context, "--context", new.context.to_string());
        let alone =
            [(old.keep_duplicates != new.keep_duplicates, "--keep-duplicates"), (old.merge != new.merge, "--no-merge")];
        change.add.extend(alone.iter().filter(|(differs, _)| *differs).map(|(_, flag)| (*flag).to_owned()));
        let left_out = [
            (from.documents != to.documents, "--doc"),
            (from.restriction.before != to.restriction.before, "--before"),
            (from.restriction.after != to.restriction.after, "--after"),
            (from.restriction.as_of != to.restriction.as_of, "--as-of"),
            (from.weights != to.weights, "--weights"),
            (old.window != new.window, "--window"),
        ];
        change.leave_out.extend(left_out.iter().filter(|(differs, _)| *differs).map(|(_, flag)| (*flag).to_owned()));
        change
    }

    /// In words.
    pub(super) fn told(&self, alone: bool) -> String {
        let flags: Vec<&str> = self.add.iter().map(|word| if word.is_empty() { "''" } else { word }).collect();
        let mut parts = Vec::new();
        if let Some(query) = &self.query {
            parts.push(format!("asking {query:?}"));
        }
        if !flags.is_empty() {
            parts.push(flags.join(" "));
        }
        if !self.leave_out.is_empty() {
            parts.push(format!("leaving out {}", self.leave_out.join(", ")));
        }
        let shows = if alone { "makes it a hit of its own" } else { "shows it" };
        format!("{} {shows}", parts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::{Beam, Restriction, Shape};

    #[test]
    fn what_differs_is_said_in_flags() {
        let filter = "format = md".parse().ok();
        let from = SearchRequest {
            documents: Some(vec!["d".to_owned()]),
            restriction: Restriction { filter, ..Restriction::default() },
            ..SearchRequest::new("\"a pump\"")
        };
        let shape = Shape { keep_duplicates: true, beam: Beam { documents: 4, ..Beam::default() }, ..Shape::default() };
        let to = SearchRequest { limit: 12, shape, ..SearchRequest::new("a pump") };
        let change = Change::between(&from, &to);
        assert_eq!(change.add, ["-k", "12", "--filter", "", "--beam", "4,3,3", "--keep-duplicates"]);
        assert_eq!((&change.leave_out[..], change.query.as_deref()), (&["--doc".to_owned()][..], Some("a pump")));
        let told =
            "asking \"a pump\" and -k 12 --filter '' --beam 4,3,3 --keep-duplicates and leaving out --doc shows it";
        assert_eq!(change.told(false), told);
        assert_eq!(Change::between(&from, &from), Change::default());
    }
}
