//! What `kb reindex --query-encoder` did.

use std::io::{Result, Write};

use serde_json::Value;

use super::{Screen, View, value};
use crate::ingest::QueryEncoderReport;
use crate::text::{count, size};

/// What `kb reindex --query-encoder` shows.
pub struct QueryEncoderView<'a>(pub &'a QueryEncoderReport);

impl QueryEncoderView<'_> {
    fn sentences(&self) -> Vec<String> {
        let report = self.0;
        let (texts, pieces) = (count(report.texts, "text"), count(report.pieces, "piece"));
        let Some(agreement) = report.agreement else {
            return vec![format!(
                "a query encoder would be fitted to {pieces} that have vectors and {texts} that {} would read",
                report.model
            )];
        };
        vec![
            format!(
                "query encoder fitted to {pieces} and {texts}, {}, {:.1} s",
                size(report.bytes as u64),
                report.seconds
            ),
            format!(
                "mean cosine to {} {agreement:.3}, on {} that it was not fitted to",
                report.model,
                count(report.held_out, "span")
            ),
        ]
    }
}

impl View for QueryEncoderView<'_> {
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
        self.0.path.iter().map(|path| path.display().to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fitted_is_told_with_how_good_it_is() {
        let report = QueryEncoderReport {
            model: "m".to_owned(),
            pieces: 7,
            texts: 12,
            held_out: 3,
            agreement: Some(0.8764),
            bytes: 1_500_000,
            ..QueryEncoderReport::default()
        };
        let told = QueryEncoderView(&report).sentences();
        assert_eq!(told[0], "query encoder fitted to 7 pieces and 12 texts, 1.5 MB, 0.0 s");
        assert_eq!(told[1], "mean cosine to m 0.876, on 3 spans that it was not fitted to");
        let dry = QueryEncoderReport { agreement: None, dry_run: true, ..report };
        let told = QueryEncoderView(&dry).sentences();
        assert_eq!(
            told,
            ["a query encoder would be fitted to 7 pieces that have vectors and 12 texts that m would read"]
        );
    }
}
