//! `kb search`: how a question is understood (phrases, unknown words, identifiers, questions about contents), and the settings
//! that decide it: weights, fusion, fallback.

use crate::common::{Sandbox, titles, titles_of};
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

fn sandbox(flags: &[&str]) -> Sandbox {
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
fn questions_about_contents_are_answered_with_contents() {
    let sandbox = sandbox(&["--no-embed"]);
    let titles = |args: &[&str]| {
        let result = sandbox.json(&[&["search"], args].concat());
        assert!(result["hits"].as_array().unwrap().is_empty(), "{result}");
        titles_of(&result["contents"][0]["entries"])
    };
    let all = ["Pump manual", "Priming", "Bearings", "Oil", "Pressure"];
    assert_eq!(titles(&["what chapters does pumps.md have?"]), all);
    assert_eq!(titles(&["table of contents of the pump manual"]), all);
    assert_eq!(titles(&["目录", "--doc", "泵站.md"]), ["泵站手册", "第一章 概述", "第二章 启动", "检查"]);
    assert_eq!(titles(&["泵站手册第二章讲什么？"]), ["第二章 启动", "检查"]);
    // Chapters are counted below the title.
    assert_eq!(titles(&["what is chapter 2 of valves.md about?"]), ["Leaks"]);
    assert_eq!(titles(&["valves.md 第一章讲什么？"]), ["Closing"]);
    assert_eq!(titles(&["what is in chapter 2 of valves.md?"]), ["Leaks"]);
    assert_eq!(titles(&["what is chapter 2 of valves about?"]), ["Leaks"]);
    // In other words, and with the title of the chapter.
    assert_eq!(titles(&["please summarise chapter 2 of valves.md"]), ["Leaks"]);
    assert_eq!(titles(&["泵站手册第二章 启动 讲了什么？"]), ["第二章 启动", "检查"]);
    assert_eq!(titles(&["总结一下泵站手册第二章"]), ["第二章 启动", "检查"]);
    let other = sandbox.json(&["search", "泵站手册第二章水泵讲了什么"]);
    assert!(!other["hits"].as_array().unwrap().is_empty(), "no title, so the text is searched: {other}");
    // A name that only a document has.
    assert_eq!(titles(&["contents of pumps"]), all);
    assert_eq!(titles(&["show me the outline of the valve guide"]), ["Valve guide", "Closing", "Leaks"]);
    assert_eq!(titles(&["泵站的目录"])[0], "泵站手册");
    let other = sandbox.json(&["search", "contents of the casing"]);
    assert!(other["contents"].as_array().unwrap().is_empty() && !other["hits"].as_array().unwrap().is_empty());
    let out = |format: &str| sandbox.kb(&["search", "chapters of valves.md", "--format", format]).out;
    assert!(out("markdown").starts_with("# Valve guide\n") && out("markdown").contains("- `1.2` Leaks"));
    assert!(out("table").contains("1.2  Leaks"));
    assert_eq!(out("paths"), "valves.md\n");
    let lines: Vec<Value> = out("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["type"], &lines[0]["source"]), (2, &"contents".into(), &"valves.md".into()));
    assert!(lines[1]["contents"].is_null(), "contents are lines of their own: {}", lines[1]);
    // If no document is named, the text is searched, with a note; so it is if the caller asks for it.
    let run = sandbox.kb(&["search", "table of contents of the hammer"]);
    assert!(run.err.contains("it names no document"), "{}", run.err);
    let text = sandbox.json(&["search", "chapters of the pump manual", "--kind", "concept"]);
    assert!(text["contents"].as_array().unwrap().is_empty() && !text["hits"].as_array().unwrap().is_empty());
    assert_eq!(titles(&["valve", "--kind", "structure"]), ["Valve guide", "Closing", "Leaks"]);
}

#[test]
fn a_question_for_a_chapter_is_answered_in_all_modes() {
    let sandbox = sandbox(&["--no-embed"]);
    for options in ["--mode precise", "--mode broad", "--mode section", "--mode drill", "--in sections"] {
        let options: Vec<&str> = options.split(' ').collect();
        let result = sandbox.json(&[&["search", "what does chapter 2 of valves.md say"], &options[..]].concat());
        assert_eq!(titles_of(&result["contents"][0]["entries"]), ["Leaks"], "{options:?}: {result}");
    }
}

#[test]
fn a_query_that_is_a_document_and_a_section_finds_its_text() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "pump-manual.md",
        "# Norwick station\n\nThe pump manual.\n\n## 3 Operation\n\n### 3.1 Priming\n\nFill the casing.\n\n\
         ### 3.2 Stopping\n\nClose the outlet first.\n",
    );
    sandbox.write(
        "手册.md",
        "# 泵站\n\n本手册。\n\n## 3 操作\n\n### 3.1 开泵\n\n先灌水。\n\n### 3.2 停泵\n\n先关出口阀。\n",
    );
    sandbox.write("notes.md", "# Notes\n\n## Shelf\n\nThe pump manual with its section 3.2 stands there.\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    for (query, expected) in [
        ("pump manual section 3.2", "Close the outlet first."),
        ("Section 3.2 of the pump-manual?", "Close the outlet first."),
        ("Norwick Station, section 3.1", "Fill the casing."),
        ("手册第3.2节", "先关出口阀。"),
    ] {
        let found = sandbox.json(&["search", query]);
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{query}: {found}");
        assert!(found["hits"][0]["rank"] == 1 && found["confidence"] == 1.0, "{query}: {found}");
        assert!(found["hits"][0]["content"].as_str().unwrap().contains(expected), "{query}: {found}");
        assert!(sandbox.kb(&["context", query]).ok().out.contains(expected), "{query}");
    }
    for query in ["pump manual section 9.9", "pump hall section 3.2", "\"pump manual\" section 3.2 shelf"] {
        let found = sandbox.json(&["search", query, "--all"]);
        assert!(found["hits"].as_array().unwrap().iter().any(|hit| hit["source"] == "notes.md"), "{query}: {found}");
    }
}

#[test]
fn a_chapter_that_no_document_has_is_not_found() {
    let sandbox = Sandbox::new();
    sandbox.write("letter.md", "# Letter\n\n## Thanks\n\nWe thank you for chapter 12 and for 第20章, and read them.\n");
    sandbox.write("answer.md", "# Answer\n\n## Pleasure\n\nYou are welcome.\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    for (query, said) in [
        ("what is in chapter 12", "no searched document has \"chapter 12\""),
        ("第20章讲什么", "no searched document has \"第20章\""),
        ("what does chapter 12 of letter.md say", "letter.md has no \"chapter 12\""),
    ] {
        for mode in ["precise", "section"] {
            sandbox
                .kb(&["search", query, "--mode", mode])
                .refuses(1, said)
                .tells_all(1, &["nothing found", "nearest", "--all shows them"]);
        }
        let all = sandbox.json(&["search", query, "--all"]);
        assert!(!all["hits"].as_array().unwrap().is_empty() && all["confidence"] == 0.0, "{query}: {all}");
        assert_eq!(all["notes"][0]["code"], "part_missing", "{query}: {all}");
        assert_eq!(sandbox.kb(&["context", query]).code, 1, "{query}");
    }
    // Of what has no table of contents, the text may have the chapter, but the others lack it all the same.
    sandbox.write("plain.txt", "He read what is in chapter 12 and went home.\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    let run = sandbox.kb(&["search", "what is in chapter 12"]).ok();
    let searched = "searched only the text of documents without a table of contents: plain.txt";
    assert!(run.err.contains("no table of contents has \"chapter 12\"") && run.err.contains(searched), "{}", run.err);
    assert!(run.out.contains("plain.txt") && !run.out.contains("letter.md"), "{}", run.out);
    let letter = format!("{}#1.1", sandbox.id("letter.md"));
    let run = sandbox.kb(&["search", "what is in chapter 12", "--why", &letter]);
    run.shows(1, "its table of contents lacks the chapter");
    let run = sandbox.kb(&["search", "what is in chapter 12", "--doc", "plain.txt"]);
    run.tells(0, "plain.txt has no table of contents");
}

#[test]
fn a_section_of_a_law_is_searched_for_in_the_text() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "notes.md",
        "# Notes on contracts\n\n## 12 Leases\n\nA lease ends with the year.\n\n## Cases\n\nSection 12 of the Clayton \
         Act says where to sue. Section 230 of the Communications Decency Act says who is no publisher.\n",
    );
    for documents in ["one", "two"] {
        sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
        for query in ["what does section 12 of the Clayton Act say", "explain Section 230"] {
            let found = sandbox.json(&["search", query]);
            assert_eq!(found["hits"][0]["section"]["title"], "Cases", "{documents}, {query}: {found}");
            assert_eq!(found["notes"][0]["code"], "contents_missing", "{documents}, {query}: {found}");
        }
        let context = sandbox.json(&["context", "what does section 12 of the Clayton Act say"]);
        assert!(context["text"].as_str().unwrap().contains("where to sue"), "{documents}: {context}");
        // Its own section.
        let own = sandbox.json(&["search", "what does section 12 of the notes on contracts say"]);
        assert_eq!(titles_of(&own["contents"][0]["entries"]), ["12 Leases"], "{documents}: {own}");
        sandbox.write("pumps.md", "# Pumps\n\n## Priming\n\nFill the casing.\n");
    }
}

#[test]
fn a_context_begins_with_the_contents_that_a_search_answers_with() {
    let sandbox = sandbox(&["--no-embed"]);
    let run = sandbox.kb(&["context", "泵站手册第二章讲什么？"]).ok();
    assert!(run.out.starts_with("# Contents of 泵站手册: 第二章\n[source: 泵站.md · document "), "{}", run.out);
    assert!(run.out.contains("]\n\n- 第二章 启动\n  - 检查\n\n") && !run.out.contains("valves.md"), "{}", run.out);
    let found = sandbox.json(&["context", "what chapters does pumps.md have?"]);
    assert_eq!(found["contents"][0]["entries"][1]["title"], "Priming");
    assert_eq!(found["contents"][0]["entries_left_out"], 0);
    let text = sandbox.json(&["context", "chapters of the pump manual", "--kind", "concept"]);
    assert!(text["contents"].as_array().unwrap().is_empty(), "{text}");
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
fn a_section_that_several_documents_have_is_not_certain() {
    let sandbox = Sandbox::prepared("search_query::rules", |sandbox| {
        let rules = |title: &str, chapter: &str| {
            format!(
                "# {title}\n\n## Chapter 1 Scope\n\nWho is bound.\n\n## Chapter 2 {chapter}\n\nText of {chapter}.\n"
            )
        };
        sandbox.write("leave_2021.md", rules("Rules of leave 2021", "Holidays"));
        sandbox.write("leave_2022.md", rules("Rules of leave 2022", "Days off"));
        sandbox.write("fire.md", rules("Fire safety", "Exits"));
        sandbox.write("safes.md", "# Safes\n\n## Chapter 9 Locks\n\nTurn the key.\n");
        sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    });
    let note = |result: &Value| {
        let notes = result["notes"].as_array().unwrap();
        notes.iter().find(|note| note["code"] == "part_in_several").map(|note| note["message"].to_string())
    };
    let unclear = sandbox.json(&["search", "what does chapter 2 say"]);
    let message = note(&unclear).unwrap();
    assert!(message.contains("3 documents") && message.contains("fire.md") && message.contains("--doc"), "{message}");
    assert!(unclear["confidence"].as_f64().unwrap() < 0.34, "{unclear}");
    let bare = sandbox.json(&["search", "Chapter 2"]);
    assert!(note(&bare).is_some() && bare["confidence"].as_f64().unwrap() <= 0.5, "{bare}");
    // A higher limit refuses both, and names what is nearest.
    for question in ["what does chapter 2 say", "Chapter 2"] {
        let run = sandbox.kb(&["search", question, "--min-confidence", "0.6", "--format", "json"]);
        let refused = run.json();
        let count = |field: &str| refused[field].as_array().map_or(0, Vec::len);
        assert_eq!((run.code, count("contents"), count("hits")), (1, 0, 0), "{question}: {refused}");
        assert!(refused["nearest"][0]["confidence"].as_f64() <= Some(0.5), "{question}: {refused}");
    }
    // One that the question names, or that alone has the chapter.
    for (question, source) in [
        ("what does chapter 2 of the rules of leave 2022 say", "leave_2022.md"),
        ("what is chapter 2 of fire safety about", "fire.md"),
        ("what does chapter 9 say", "safes.md"),
    ] {
        let clear = sandbox.json(&["search", question]);
        assert_eq!((note(&clear), &clear["contents"][0]["source"]), (None, &source.into()), "{clear}");
        assert_eq!(clear["confidence"], 1.0, "{question}");
    }
    let two = sandbox.json(&["search", "what does chapter 2 of the rules of leave say"]);
    assert_eq!((two["contents"].as_array().unwrap().len(), two["confidence"].as_f64()), (2, Some(0.5)), "{two}");
}

#[test]
fn a_document_that_has_a_chapter_several_times_does_not_lack_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "fonts.md",
        "# Fonts\n\n## I Start\n\n### 1 History\n\nOld.\n\n### 2 Loading\n\nLoad it.\n\n\
         ## II Commands\n\n### 1 Main\n\nUse it.\n\n### 2 Choice\n\nChoose.\n",
    );
    sandbox.write("lists.md", "# Lists\n\n## 1 Beginning\n\nBegin.\n\n## 2 Next steps\n\nGo on.\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    let run = sandbox.kb(&["search", "what does chapter 2 say"]).tells(0, "2 documents have");
    assert!(!run.err.contains("has no"), "{}", run.err);
    let first = sandbox.json(&["search", "what does chapter 2 say"]);
    assert_eq!(titles_of(&first["contents"][0]["entries"]), ["2 Next steps"], "{first}");
    let args = ["search", "what does chapter 2 say", "--doc", "fonts.md"];
    sandbox.kb(&args).tells_all(0, &["2 sections of fonts.md match \"chapter 2\": ", "(2 Loading), ", "(2 Choice); "]);
    let several = sandbox.json(&args);
    assert_eq!(titles_of(&several["contents"][0]["entries"]), ["2 Loading", "2 Choice"], "{several}");
    assert_eq!(several["confidence"], 0.5, "{several}");
    // The part has a Roman number, and both have chapters.
    let part = sandbox.json(&["search", "what does part II of fonts.md cover"]);
    assert_eq!(titles_of(&part["contents"][0]["entries"]), ["II Commands", "1 Main", "2 Choice"], "{part}");
}

#[test]
fn a_section_of_a_chapter_is_not_that_of_another_chapter() {
    let chapter = |number: &str, text: &str| {
        format!("## 第{number}章 设备{number}\n\n### 第一节 概述\n\n概述。\n\n### 第二节 检查\n\n{text}\n\n")
    };
    let text =
        [("一", "检查水泵。"), ("二", "检查阀门。"), ("三", "检查仪表。")].map(|(number, text)| chapter(number, text));
    let sandbox = Sandbox::of_document("规程.md", format!("# 运行规程\n\n{}", text.concat()), &["--no-embed"]);
    let found = sandbox.json(&["search", "第三章第二节讲什么"]);
    assert!(found["contents"].as_array().unwrap().is_empty(), "{found}");
    assert!(found["hits"][0]["content"].as_str().unwrap().contains("检查仪表"), "{found}");
}

#[test]
fn a_name_that_a_file_writes_as_one_word_is_found() {
    let sandbox = Sandbox::prepared("search_query::joined_words", |sandbox| {
        for name in ["KRAFTHEINZ_2019_10K", "PEPSICO_2019Q1_10Q", "PEPSICO_2020Q1_10Q"] {
            sandbox.write(&format!("{name}.txt"), "The revenue of the year rose by a tenth.\n");
        }
        // Another document says more about revenue.
        sandbox.write("paper.txt", "Revenue from paper: the revenue of mills and the revenue of shops.\n");
        sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    });
    let first = |query: &str| sandbox.json(&["search", query])["hits"][0]["source"].clone();
    assert_eq!(first("Kraft Heinz revenue"), "KRAFTHEINZ_2019_10K.txt");
    assert_eq!(first("PepsiCo revenue 2020"), "PEPSICO_2020Q1_10Q.txt");
}

#[test]
fn a_part_of_a_work_that_is_not_here_is_searched_in_the_text() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "report.md",
        "# Form 10-K for Norwick\n\n## Item 7. Results\n\nSales grew.\n\n## Item 8. Notes\n\nNone.",
    );
    sandbox.write("valves.md", "# Valves\n\nClose the valve.");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    for (company, tables) in [("Norwick", 1), ("Tesla", 0)] {
        let question = format!("What is item 7 of {company}'s 10-K about?");
        let found = sandbox.kb(&["search", &question, "--format", "json"]).json();
        assert_eq!(found["contents"].as_array().map_or(0, Vec::len), tables, "{company}: {found}");
    }
}
