//! Questions about the contents of documents: their chapters and sections, named by number, title or place.

use crate::common::{Sandbox, titles_of};
use crate::search_query::sandbox;
use serde_json::Value;

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
fn a_section_that_several_documents_have_is_not_certain() {
    let sandbox = Sandbox::new();
    let rules = |title: &str, chapter: &str| {
        format!("# {title}\n\n## Chapter 1 Scope\n\nWho is bound.\n\n## Chapter 2 {chapter}\n\nText of {chapter}.\n")
    };
    sandbox.write("leave_2021.md", rules("Rules of leave 2021", "Holidays"));
    sandbox.write("leave_2022.md", rules("Rules of leave 2022", "Days off"));
    sandbox.write("fire.md", rules("Fire safety", "Exits"));
    sandbox.write("safes.md", "# Safes\n\n## Chapter 9 Locks\n\nTurn the key.\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
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
