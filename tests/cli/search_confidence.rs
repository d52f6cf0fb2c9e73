//! Hits without enough confidence are not shown: questions without an answer find nothing.

use serde_json::Value;

use crate::common::{Sandbox, fixtures, hits, row, text};

/// The questions of the fixtures with a piece of each answer, which is empty where the documents have none.
fn questions() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(fixtures().join("questions.tsv")).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(question, answer)| (question.to_owned(), answer.to_owned()));
    text.lines().skip(1).filter_map(pair).collect()
}

/// The text on one line, because lines of a PDF break elsewhere.
fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn answers_are_on_the_first_screen_and_questions_without_one_find_nothing() {
    /// The height of a terminal, in lines.
    const LINES: usize = 24;
    let sandbox = Sandbox::with_fixtures();
    let (mut shown, mut refused, mut wrong) = ([0; 2], [0; 2], Vec::new());
    for (question, answer) in questions() {
        let run = sandbox.kb(&["search", &question, "--format", "table"]);
        let (count, is_right) = if answer.is_empty() {
            (&mut refused, run.code == 1)
        } else {
            let screen: Vec<&str> = run.out.lines().take(LINES).collect();
            // Words of unspaced scripts are cut at the end of a line.
            let is_there =
                |screen: &str| unbroken(screen).contains(&answer) || screen.replace(['\n', ' '], "").contains(&answer);
            (&mut shown, is_there(&screen.join("\n")))
        };
        count[0] += usize::from(is_right);
        count[1] += 1;
        if !is_right {
            wrong.push(question);
        }
    }
    assert_eq!((shown[1], refused[1]), (40, 20));
    assert!(shown[0] * 10 >= shown[1] * 9 && refused[0] * 10 >= refused[1] * 8, "{shown:?} {refused:?}: {wrong:?}");
}

#[test]
fn an_unreadable_question_is_noted_once_a_day_and_always_in_json() {
    let sandbox = Sandbox::with_fixtures();
    let says = |run: crate::common::Run| run.err.contains("cannot read this question; ");
    assert!(says(sandbox.kb(&["search", "如何启动水泵"])));
    assert!(!says(sandbox.kb(&["search", "水泵"])), "once a day");
    assert!(!says(sandbox.kb(&["search", "how is the pump primed"])));
    for command in ["search", "context"] {
        let found = sandbox.json(&[command, "如何启动水泵"]);
        let note = row(&found["notes"], "code", "vectors_left_out");
        assert!(text(note, "message").contains("`kb models suggest`"), "{note}");
    }
    assert_eq!(sandbox.json(&["search", "how is the pump primed"])["notes"], serde_json::json!([]));
}

#[test]
fn every_hit_and_the_result_have_a_confidence() {
    let sandbox = Sandbox::with_fixtures();
    for mode in ["precise", "broad", "section", "drill"] {
        let result = sandbox.json(&["search", "how is the pump primed?", "--mode", mode]);
        let each = hits(&result).into_iter().map(|hit| hit["confidence"].as_f64().unwrap());
        let best = each.fold(0.0, |best: f64, one| {
            assert!((0.05..=1.0).contains(&one), "{mode}: {result}");
            best.max(one)
        });
        assert!(best > 0.9 && result["confidence"] == best, "{mode}: {best}");
    }
}

#[test]
fn the_nearest_hit_is_named_and_all_shows_it() {
    let sandbox = Sandbox::with_fixtures();
    for question in ["how do I grow tomatoes on mars", "如何种植番茄"] {
        sandbox.kb(&["search", question]).refuses(1, "nothing found").tells(1, "--all shows them");
        let result = sandbox.kb(&["search", question, "--format", "json"]).shows(1, "").json();
        assert_eq!((&result["hits"], &result["confidence"]), (&Value::Array(Vec::new()), &Value::from(0.0)));
        assert!(result["nearest"][0]["confidence"].as_f64() < Some(0.05), "{result}");
        sandbox.kb(&["search", question, "--all"]).ok();
        sandbox.kb(&["context", question]).refuses(1, "");
    }
}

#[test]
fn the_least_confidence_is_a_setting_and_a_single_requested_retriever_shows_all() {
    let sandbox = Sandbox::with_fixtures();
    let ask = ["search", "how do I grow tomatoes on mars"];
    sandbox.kb(&[&ask[..], &["--min-confidence", "0"]].concat()).ok();
    assert_eq!(sandbox.kb(&["search", "how is the pump primed?", "--min-confidence", "1"]).code, 1);
    sandbox.kb(&[&ask[..], &["--all", "--min-confidence", "0.5"]].concat()).tells(2, "--all");
    for method in ["keyword", "semantic"] {
        sandbox.kb(&["search", "growing of a pump on mars", "--method", method]).ok();
    }
    sandbox.write(".kb/kb.toml", "[search]\nmin_confidence = 0\n");
    sandbox.kb(&ask).ok();
}

#[test]
fn a_question_in_a_language_of_no_document_gets_advice() {
    let sandbox = Sandbox::new();
    sandbox.write("pumps.md", "# Pumps\n\nOpen the vent before the pump is started.\n");
    assert_eq!(sandbox.kb(&["ingest", "."]).code, 0);
    let advice = |query: &str| {
        let run = sandbox.kb(&["search", query, "--format", "json"]);
        assert_eq!(run.code, 1, "nothing is found: {}", run.err);
        let found = run.json();
        let notes = found["notes"].as_array().unwrap().iter();
        notes
            .filter(|note| note["code"] == "other_language")
            .map(|note| note["message"].to_string())
            .collect::<String>()
    };
    assert!(advice("如何启动水泵").contains("ask in English or another in Latin letters"));
    assert_eq!(advice("who founded the royal observatory"), "");
    sandbox.write("pumps.md", "# 水泵\n\n启动水泵之前必须先灌水，然后打开排气阀。\n");
    assert_eq!(sandbox.kb(&["ingest", "."]).code, 0);
    assert!(advice("who founded the royal observatory").contains("ask in Chinese;"));
    sandbox.write("more.md", "# Seals\n\nGrease the seal.\n");
    sandbox.kb(&["ingest", "."]).ok();
    assert_eq!(advice("who founded the royal observatory"), "", "one document is in its language");
}
