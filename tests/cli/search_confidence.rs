//! What is not sure enough is not shown: questions without an answer find nothing.

use serde_json::Value;

use crate::common::{Sandbox, fixtures};

/// The questions of the fixtures with a piece of each answer, which is empty where the documents have none.
fn questions() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(fixtures().join("questions.tsv")).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(question, answer)| (question.to_owned(), answer.to_owned()));
    text.lines().skip(1).filter_map(pair).collect()
}

/// As one line, with the words whole that a line of a PDF ends in.
fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn answers_are_on_the_first_screen_and_questions_without_one_find_nothing() {
    /// Of a terminal.
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
fn every_hit_and_the_result_have_a_confidence() {
    let sandbox = Sandbox::with_fixtures();
    for mode in ["precise", "broad", "section", "drill"] {
        let result = sandbox.json(&["search", "how is the pump primed?", "--mode", mode]);
        let groups =
            result["groups"].as_array().into_iter().flatten().flat_map(|group| group["hits"].as_array().unwrap());
        let hits = result["hits"].as_array().into_iter().flatten().chain(groups);
        let each = hits.map(|hit| hit["confidence"].as_f64().unwrap());
        let best = each.fold(0.0, |best: f64, one| {
            assert!((0.05..=1.0).contains(&one), "{mode}: {result}");
            best.max(one)
        });
        assert!(best > 0.9 && result["confidence"] == best, "{mode}: {best}");
    }
}

#[test]
fn what_is_nearest_is_named_and_all_shows_it() {
    let sandbox = Sandbox::with_fixtures();
    for question in ["how do I grow tomatoes on mars", "如何种植番茄"] {
        let run = sandbox.kb(&["search", question]);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
        assert!(run.err.contains("nothing found") && run.err.contains("--all shows it"), "{}", run.err);
        let json = sandbox.kb(&["search", question, "--format", "json"]);
        let result: Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(
            (json.code, &result["hits"], &result["confidence"]),
            (1, &Value::Array(Vec::new()), &Value::from(0.0))
        );
        assert!(result["nearest"][0]["confidence"].as_f64() < Some(0.05), "{result}");
        assert_eq!(sandbox.kb(&["search", question, "--all"]).code, 0);
        let context = sandbox.kb(&["context", question]);
        assert_eq!((context.code, context.out.as_str()), (1, ""), "{}", context.err);
    }
}

#[test]
fn the_least_confidence_is_a_setting() {
    let sandbox = Sandbox::with_fixtures();
    let ask = ["search", "how do I grow tomatoes on mars"];
    assert_eq!(sandbox.kb(&[&ask[..], &["--min-confidence", "0"]].concat()).code, 0);
    assert_eq!(sandbox.kb(&["search", "how is the pump primed?", "--min-confidence", "1"]).code, 1);
    let run = sandbox.kb(&[&ask[..], &["--all", "--min-confidence", "0.5"]].concat());
    assert!(run.code == 2 && run.err.contains("--all"), "{}", run.err);
    sandbox.write(".kb/kb.toml", "[search]\nmin_confidence = 0\n");
    assert_eq!(sandbox.kb(&ask).code, 0);
}

#[test]
fn one_retriever_that_was_asked_for_shows_what_it_finds() {
    let sandbox = Sandbox::with_fixtures();
    for method in ["keyword", "semantic"] {
        let run = sandbox.kb(&["search", "growing of a pump on mars", "--method", method]);
        assert_eq!(run.code, 0, "{method}: {}", run.err);
    }
}
