//! `kb search`: how a question is understood (phrases, unknown words, identifiers), and the settings that decide it:
//! weights, fusion, fallback.

use crate::common::{Sandbox, titles};
use serde_json::Value;

const PUMPS: &str = "# Pump manual\n\n## Priming\n\nPrime the pump before it is started: open the vent and fill the casing. \
    The alarm E-417 says that the pump runs dry.\n\n\
    ## Bearings\n\nGrease the bearings every month. Before the pump is primed, check the oil; code 417 of table E is old.\n\n\
    ### Oil\n\nThe oil of the centrifugal pump is changed after 5000 hours. The waterhammer is avoided.\n\n\
    ## Pressure\n\nThe maximum pressure is 16 MPa.\n";
const VALVES: &str = "# Valve guide\n\n## Closing\n\nClose the valve slowly. Water hammer damages the pump, the bearing and the \
    seal.\n\n## Leaks\n\nA leaking valve is repacked.\n";
const CHINESE: &str = "# 泵站手册\n\n## 第一章 概述\n\n本手册说明推力轴承和水泵。\n\n## 第二章 启动\n\n启动水泵之前必须先灌水。\n\n\
    ### 检查\n\n检查轴承的推力和温度。\n";

/// Two documents in English and one in Chinese.
pub fn sandbox(flags: &[&str]) -> Sandbox {
    Sandbox::prepared(&format!("search_query::sandbox {flags:?}"), |sandbox| {
        for (name, text) in [("pumps.md", PUMPS), ("valves.md", VALVES), ("泵站.md", CHINESE)] {
            sandbox.write(name, text);
        }
        sandbox.kb(&[&["ingest", "."], flags].concat()).ok();
    })
}

#[test]
fn a_greeting_is_not_searched_for() {
    let sandbox = Sandbox::with_keyword_fixtures();
    for greeting in ["hello", "谢谢！", "謝謝！"] {
        let run = sandbox.kb(&["search", greeting, "--format", "json"]);
        run.shows(1, "no_search_needed").lacks("nothing found");
    }
    assert!(sandbox.kb(&["search", "\"hello\""]).err.contains("nothing found"), "in quotation marks it is");
    sandbox.kb(&["context", "hello", "--format", "json"]).shows(1, "\"items\"");
}

#[test]
fn phrases_are_found_word_for_word() {
    let sandbox = sandbox(&["--no-embed"]);
    let search = |query: &str| sandbox.json(&["search", query, "-k", "20"]);
    assert!(titles(&search("prime the pump")).len() > 1);
    assert_eq!(titles(&search("\"prime the pump\"")), ["Priming"]);
    assert_eq!(titles(&search("oil “the pump is primed”")), ["Bearings"]);
    assert_eq!(titles(&search("\"推力轴承\"")), ["第一章 概述"], "the other parent chunk has the words apart");
    assert_eq!(titles(&search("水泵「启动水泵」")), ["第二章 启动"]);
    assert_eq!(titles(&search("\"E-417\"")), ["Priming"], "the other parent chunk has its parts");
    assert_eq!(titles(&search("\"bearings oil\"")), ["Oil"], "titles are searched too");
    let run = sandbox.kb(&["search", "pump \"vent the casing\""]);
    run.refuses(1, "no parent chunk contains the phrase \"vent the casing\"");
    sandbox.kb(&["search", "how do I \"vent the casing\""]).tells(0, "searched for its words").shows(0, "Priming");
}

#[test]
fn a_star_finds_the_four_most_frequent_words_that_begin_so() {
    let sandbox = Sandbox::new();
    for (most, word) in ["zorkam", "zorkbo", "zorkcu", "zorkde", "zorkfi"].into_iter().enumerate() {
        for number in 0..=most {
            sandbox
                .write(&format!("{word}-{number}.md"), format!("# Part {most} {number}\n\nThe {word} stands here.\n"));
        }
    }
    assert_eq!(sandbox.kb(&["ingest", ".", "--no-embed"]).code, 0);
    let run = sandbox.kb(&["search", "zork*"]);
    let all = ["zorkam", "zorkbo", "zorkcu", "zorkde", "zorkfi"].map(|word| run.err.contains(&format!("\"{word}\"")));
    assert_eq!(all, [false, true, true, true, true], "{}", run.err);
    assert_eq!(sandbox.kb(&["search", "zor*"]).code, 1, "a star needs four letters");
}

#[test]
fn a_misspelt_question_finds_by_meaning_what_the_word_means() {
    let text = "# Backup\n\nFull backups run every Sunday at 02:00. Tapes are kept for a year.\n";
    let sandbox = Sandbox::of_document("backup.md", text, &[]);
    let first = |question: &str| {
        let found = sandbox.kb(&["search", question, "--format", "json"]).json();
        found["hits"][0]["content"].as_str().unwrap_or_default().to_owned()
    };
    assert!(first("bakup").contains("Sunday") && first("when do bakups run").contains("Sunday"));
    let known = sandbox.json(&["search", "when do full backups run?"]);
    let unknown = sandbox.json(&["search", "when do full backups of Tesla run?"]);
    let note = unknown["notes"].to_string();
    assert!(note.contains("word_missing") && note.contains("no text contains \\\"tesla\\\""), "{note}");
    assert!(unknown["confidence"].as_f64() <= Some(0.5) && known["confidence"].as_f64() > Some(0.9), "{unknown}");
    assert_eq!(known["notes"], serde_json::json!([]));
}

#[test]
fn unknown_words_fall_back_to_near_ones() {
    let sandbox = sandbox(&["--no-embed"]);
    let search = |args: &[&str]| sandbox.kb(&[&["search"], args].concat());
    search(&["presure"]).tells(0, "no text contains \"presure\"; searched for \"pressure\"").shows(0, "Pressure");
    search(&["centrif*"]).tells(0, "no text contains \"centrif\"; searched for \"centrifugal\"");
    search(&["leakingvalve"]).tells(0, "searched for \"leaking\", \"valve\"").shows(0, "Leaks");
    // The beginning of a word is another word, and the parts of this one stand next to each other nowhere.
    for nothing in [&["centrif"][..], &["pumpbearing"], &["presure", "--expand", "off"]] {
        let run = search(nothing).tells(1, "");
        assert!(run.err.starts_with("nothing found"), "{nothing:?}: {}", run.err);
    }
    // Known words are not replaced, and an identifier is never guessed.
    assert_eq!(search(&["pressure oil"]).ok().err, "");
    assert_eq!(search(&["E-471 pump", "--all"]).ok().err, "no text contains \"E-471\"\n");
    search(&["alarm E-417 of the pump", "--all"]).ok().lacks("no text contains");
    search(&["E-471 pump"]).tells(1, "nearest, but below the confidence limit (--all shows them): Pump manual");
    let all = sandbox.json(&["search", "waterhammer", "--expand", "all"]);
    assert!(titles(&all).contains(&"Closing"), "its parts stand there: {all}");
    assert!(!titles(&sandbox.json(&["search", "waterhammer"])).contains(&"Closing"));
}

#[test]
fn a_code_is_found_with_or_without_its_hyphen() {
    let sandbox =
        Sandbox::of_document("codes.md", "# Codes\n\nE-417 is low pressure. W122 is a warning.\n", &["--no-embed"]);
    for (typed, written) in [("E417", "e-417"), ("W-122", "w122")] {
        let run = sandbox.kb(&["search", typed]).shows(0, "Codes").tells(0, &format!("searched for {written:?}"));
        assert_eq!(run.err.matches("no text contains").count(), 1, "{}", run.err);
    }
    sandbox.kb(&["search", "E418"]).tells(1, "nothing found");
}

#[test]
fn identifiers_and_quantities_are_recognised() {
    let sandbox = sandbox(&["--no-embed"]);
    let result = sandbox.json(&["search", "E-417"]);
    assert_eq!(result["understood"]["kind"], "lookup");
    assert_eq!(result["method"], "keyword");
    assert_eq!(titles(&result), ["Priming", "Bearings"], "whole before its parts");
    let understood = &sandbox.json(&["search", "How high is the pressure at 16 MPa?"])["understood"];
    assert_eq!((&understood["kind"], &understood["quantities"][0]), (&"reference".into(), &"16 MPa".into()));
}

#[test]
fn a_fallback_searches_again_for_too_few_hits() {
    let sandbox = sandbox(&["--no-embed"]);
    let stages =
        |result: &Value| -> Vec<String> { result["timings_ms"].as_object().unwrap().keys().cloned().collect() };
    let once = sandbox.json(&["search", "waterhammer", "--method", "keyword"]);
    assert_eq!(titles(&once), ["Oil"]);
    assert!(!stages(&once).iter().any(|stage| stage.starts_with("fallback")), "off unless it is asked for");
    let args = ["search", "waterhammer", "--method", "keyword", "--fallback", "min_docs=2"];
    let again = sandbox.json(&args);
    assert_eq!(titles(&again)[0], "Oil");
    assert!(titles(&again).contains(&"Closing"), "found by the parts of the word: {again}");
    assert!(stages(&again).contains(&"fallback".to_owned()), "{:?}", stages(&again));
    let told = again["notes"].as_array().unwrap().iter().any(|note| note["code"] == "fallback_used");
    assert!(told, "{again}");
    // Also from the settings; if nothing helps, a note says so.
    sandbox.configure("[search]\nmethod = \"keyword\"\n[search.fallback]\nmin_docs = 3\n");
    let run = sandbox.kb(&["search", "waterhammer"]);
    assert!(run.err.contains("the fallback found nothing more"), "{}", run.err);
    let enough = sandbox.json(&["search", "waterhammer", "--fallback", "off"]);
    assert_eq!(titles(&enough), ["Oil"]);
    std::fs::remove_file(sandbox.path(".kb/kb.toml")).unwrap();
}

#[test]
fn weights_fusion_and_fallback_combine_both_retrievers() {
    let sandbox = sandbox(&[]);
    let search = |args: &[&str]| sandbox.json(&[&["search", "how is the pump primed", "-k", "20"], args].concat());
    // Semantic search keeps to the phrase too.
    let quoted = sandbox.json(&["search", "how is \"prime the pump\" done", "--method", "semantic"]);
    assert_eq!(titles(&quoted), ["Priming"]);
    let quoted = sandbox.json(&["search", "how is \"prime the pump\" done", "-k", "20"]);
    assert_eq!((titles(&quoted), &quoted["method"]), (vec!["Priming"], &"hybrid".into()));
    let weights = |result: &Value| (result["weights"]["keyword"].as_f64().unwrap() * 100.0).round();
    assert!((1.0..=60.0).contains(&weights(&search(&[]))));
    assert_eq!(weights(&search(&["--weights", "3,1"])), 75.0);
    // The weights hold even if the model does not know the language.
    let chinese = sandbox.kb(&["search", "启动水泵", "--weights", "1,1", "--format", "json"]);
    chinese.tells(0, "does not know the language of this question");
    let ranked = search(&["--fusion", "rrf:1"]);
    let first = &ranked["hits"][0];
    assert_eq!((titles(&ranked)[0], first["score"].as_f64().unwrap()), ("Priming", 1.0), "first in both retrievers");
    // Ranks, not scores: with k = 1 the second of both has 2/3.
    let scores: Vec<f64> =
        ranked["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.windows(2).all(|two| two[0] >= two[1]) && scores[1] <= 0.84, "{scores:?}");
    // Falls back to the other retriever if keywords find too little.
    let args = ["search", "engine lubricant interval", "--method", "keyword", "--fallback", "min_hits=2"];
    let found = sandbox.json(&args);
    assert_eq!(found["method"], "hybrid");
    assert!(found["hits"].as_array().unwrap().len() >= 2, "{found}");
}

/// An identifier in one document counts more than words in every document, in any language.
#[test]
fn an_identifier_is_found_in_a_document_of_another_language() {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let text = format!(
            "# Procedure {number}\n\n## Purpose\n\nThis procedure describes what is done for task {number}.\n\n\
             ## Steps\n\nFollow the procedure for item {number}, and write down what you did.\n"
        );
        sandbox.write(&format!("en/{number}.md"), text);
    }
    let chapter = |n: u32| {
        format!("## 第{n}章 系统{n}\n\n### {n}.1 概述\n\n本节介绍系统{n}。\n\n### {n}.2 检查\n\n检查阀门和仪表。\n\n")
    };
    let chapters: String = (1..9).map(chapter).collect();
    let special =
        "## 第9章 特殊操作\n\n### 9.1 准备\n\n准备工作。\n\n### 9.3 TDO操作\n\n执行TDO操作时，先断开母线开关。\n";
    sandbox.write("手册.md", format!("# 运行手册\n\n{chapters}{special}"));
    sandbox.kb(&["ingest", ".", "-q"]).ok();
    let found = sandbox.json(&["search", "what is the procedure for TDO", "-k", "20"]);
    let first = &found["hits"][0];
    assert!(first["section"]["title"].as_str().unwrap().ends_with("9.3 TDO操作"), "{found}");
    assert!(first["confidence"].as_f64() > Some(0.8), "{first}");
}

#[test]
fn a_name_that_a_file_writes_as_one_word_is_found() {
    let sandbox = Sandbox::new();
    for name in ["KRAFTHEINZ_2019_10K", "PEPSICO_2019Q1_10Q", "PEPSICO_2020Q1_10Q"] {
        sandbox.write(&format!("{name}.txt"), "The revenue of the year rose by a tenth.\n");
    }
    // Another document says more about revenue.
    sandbox.write("paper.txt", "Revenue from paper: the revenue of mills and the revenue of shops.\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    let first = |query: &str| sandbox.json(&["search", query])["hits"][0]["source"].clone();
    assert_eq!(first("Kraft Heinz revenue"), "KRAFTHEINZ_2019_10K.txt");
    assert_eq!(first("PepsiCo revenue 2020"), "PEPSICO_2020Q1_10Q.txt");
}
