//! What came of the lines of a language model, in the summaries of ingest and reindex.

use crate::ingest::LinesReport;
use crate::text::count;

/// In lines, for people.
pub(super) fn told(report: &LinesReport) -> Vec<String> {
    let passages = count(report.passages, "passage");
    if let Some(estimate) = &report.estimate {
        return vec![format!("lines for {passages} would be asked for: {}", estimate.in_words())];
    }
    let mut told: Vec<String> = report.model.iter().map(|model| model.in_words()).collect();
    let without = match report.without {
        1 => "1 passage has no line of the model and keeps what it had, or what the rules say".to_owned(),
        many => format!("{many} passages have no line of the model and keep what they had, or what the rules say"),
    };
    match &report.model {
        // Nothing was asked in a dry run without a model.
        None if report.without == 0 => {
            told.push(format!(
                "{passages} would want a line of a language model, and none is configured ([llm] in kb.toml)"
            ));
        }
        None => told.push(format!("no language model is configured ([llm] in kb.toml): {without}")),
        Some(_) if report.without == 0 => {}
        Some(model) => {
            told.push(format!("{without}; kb reindex --context llm --force asks for those again"));
            told.extend(model.last_failures.iter().map(|(reason, why)| format!("{reason}: {why}")));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Estimate, LlmReport};

    #[test]
    fn what_is_missing_is_said_with_what_to_do() {
        let report = LinesReport { passages: 5, ..LinesReport::default() };
        assert!(told(&report)[0].contains("none is configured"));
        let model = LlmReport { model: "m".into(), requests: 1, ..LlmReport::default() };
        let report = LinesReport { model: Some(model), ..report };
        assert_eq!(told(&report), ["model m: 1 request"]);
        let report = LinesReport { without: 1, ..report };
        assert!(told(&report)[1].starts_with("1 passage has no line") && told(&report)[1].contains("--force"));
        let report = LinesReport { estimate: Some(Estimate { requests: 2, ..Estimate::default() }), ..report };
        assert!(told(&report)[0].starts_with("lines for 5 passages would be asked for: 2 requests"));
    }
}
