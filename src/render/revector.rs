//! What `kb reindex --vectors` did.

use std::io::{Result, Write};

use serde_json::Value;

use super::{Screen, View, value};
use crate::ingest::RevectorReport;
use crate::text::count;

/// What `kb reindex --vectors` shows.
pub struct RevectorView<'a>(pub &'a RevectorReport);

impl RevectorView<'_> {
    fn sentences(&self) -> Vec<String> {
        let report = self.0;
        if report.documents == 0 {
            return vec![format!("all documents have vectors of {}; --force makes them anew", report.model)];
        }
        let documents = count(report.documents, "document");
        let (would, dimension) = (if report.dry_run { "would get" } else { "got" }, report.dimension);
        let mut first = format!("{documents} {would} vectors of {}, of {dimension} numbers", report.model);
        if report.model_before != report.model {
            first.push_str(&format!(", instead of {}", report.model_before));
        }
        if report.without_vectors > 0 {
            first.push_str(&format!("; {} of them had none", report.without_vectors));
        }
        let embedded = count(report.embedded, "text");
        let mut second = match report.dry_run {
            true => format!("{embedded} would be embedded"),
            false => format!("{embedded} embedded"),
        };
        if report.resumed > 0 {
            second.push_str(&format!(", {} by a run before that was interrupted", report.resumed));
        }
        if let Some(generation) = report.generation {
            second.push_str(&format!("; published as generation {generation}, {:.1} s", report.seconds));
        }
        vec![first, second]
    }
}

impl View for RevectorView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.sentences().into_iter().try_for_each(|sentence| writeln!(out, "{sentence}"))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        self.table(Screen::of_terminal(), out)
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.generation.iter().map(u64::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_told_and_what_a_run_before_has_made() {
        let report = RevectorReport {
            model_before: "a".to_owned(),
            model: "b".to_owned(),
            dimension: 8,
            documents: 2,
            without_vectors: 1,
            texts: 9,
            embedded: 5,
            resumed: 3,
            generation: Some(4),
            ..RevectorReport::default()
        };
        let told = RevectorView(&report).sentences();
        assert_eq!(told[0], "2 documents got vectors of b, of 8 numbers, instead of a; 1 of them had none");
        assert_eq!(
            told[1],
            "5 texts embedded, 3 by a run before that was interrupted; published as generation 4, 0.0 s"
        );
        let none = RevectorReport { documents: 0, ..report };
        assert_eq!(RevectorView(&none).sentences(), ["all documents have vectors of b; --force makes them anew"]);
    }
}
