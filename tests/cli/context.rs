//! `kb context`: what a prompt needs, with sources, never over the budget.

use crate::common::{Sandbox, steps};
use serde_json::Value;

fn guide() -> Sandbox {
    Sandbox::prepared("context::guide", |sandbox| {
        sandbox.write("guide.md", format!("# Running\n\n## Priming the pump\n\n{}\n", steps(12)));
        sandbox.write("notes.txt", "The apprentice asked about priming.\n\n# chmod handle\n");
        sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    })
}

fn context(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(&[&["context", "priming handle"], args].concat())
}

#[test]
fn a_context_says_how_sure_it_is_of_each_passage() {
    let sandbox = guide();
    let sure = context(&sandbox, &["--doc", "guide.md"]);
    assert_eq!(sure["confidence"], sure["items"][0]["parent_chunks"][0]["confidence"]);
    assert!(sure["text"].as_str().unwrap().contains(" · confidence 1.00]\n"), "{sure}");
    let unsure = sandbox.json(&["context", "handle of the teapot", "--doc", "notes.txt", "--min-confidence", "0"]);
    assert!(unsure["confidence"].as_f64().unwrap() < sure["confidence"].as_f64().unwrap(), "{unsure}");
    assert!(unsure["text"].as_str().unwrap().contains(" · confidence 0."), "{unsure}");
}

#[test]
fn a_chinese_document_without_a_date_has_that_of_its_file() {
    let sandbox = Sandbox::of_document("手册.md", "# 泵站手册\n\n## 安全\n\n启动前先关闭阀门。\n", &["--no-embed"]);
    let run = sandbox.kb(&["context", "启动前要关闭什么"]).ok();
    let line = run.out.lines().find(|line| line.starts_with("[来源：手册.md · 章节 ")).unwrap();
    assert!(line.contains(" · 文件修改于 20") && line.contains(" · 置信度 "), "{line}");
}

#[test]
fn documents_come_with_sources_and_parent_chunks_in_reading_order() {
    let sandbox = guide();
    let found = context(&sandbox, &[]);
    let text = found["text"].as_str().unwrap();
    let places: Vec<usize> = (1..=12).map(|number| text.find(&format!("Step {number} of")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    let passage = "## Priming the pump\n[source: guide.md · section ";
    assert_eq!(text.matches(passage).count(), 1, "one passage of a section");
    for message in ["# Running", "[source: notes.txt · section ", "#1.1 · file changed 20", "\n\\# chmod handle"] {
        assert!(text.contains(message), "{message}: {text}");
    }
    assert!(found["left_out"].as_array().unwrap().is_empty());
    assert_eq!(sandbox.kb(&["context", "priming handle"]).out, text, "what is counted is what is printed");
}

#[test]
fn the_text_of_a_chapter_that_is_asked_for_comes_in_order() {
    let sandbox = Sandbox::new();
    let long: Vec<String> = (1..=12)
        .map(|number| format!("Turn {number} of the wheel number {number} opens the gate by one notch. ").repeat(12))
        .collect();
    let decoy = "## Chapter 3 Words\n\nWhat does chapter 2 say? Chapter 2 says what chapter 2 says.\n\n";
    let text = format!(
        "# Waterworks\n\n## Chapter 1 Pumps\n\nA pump lifts water.\n\n## Chapter 2 Valves\n\nA valve stops water.\n\n\
         ### Balls\n\nA ball turns.\n\n### Gates\n\n{}\n\n{decoy}",
        long.join("\n\n")
    );
    sandbox.write("water.md", text);
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    for mode in ["precise", "section"] {
        let found = sandbox.json(&["context", "what does chapter 2 say", "--mode", mode, "--max-tokens", "9000"]);
        let text = found["text"].as_str().unwrap();
        let parts = ["- Chapter 2 Valves\n", "A valve stops water.", "A ball turns.", "Turn 1 of", "Turn 12 of"];
        let places: Vec<usize> =
            parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"))).collect();
        assert!(places.is_sorted(), "{places:?}: {text}");
        assert!(!text.contains("lifts water") && !text.contains("says what"), "only the chapter: {text}");
        assert_eq!(found["confidence"], found["items"][0]["parent_chunks"][0]["confidence"]);
        assert!(found["left_out"].as_array().unwrap().is_empty(), "{found}");
    }
    // As much as fits, and what is left out is named.
    let cut = sandbox.json(&["context", "what does chapter 2 say", "--max-tokens", "900"]);
    let text = cut["text"].as_str().unwrap();
    assert!(text.contains("A valve stops water.") && text.contains("Turn 1 of"), "{text}");
    assert!(!text.contains("Turn 12 of") && text.contains("[left out: "), "{text}");
    // A filter holds for the text too.
    let filter = ["--filter", "section = \"Chapter 3 Words\""];
    sandbox.kb(&[&["context", "what does chapter 2 say"], &filter[..]].concat()).lacks("A valve stops water.");
}

#[test]
fn the_text_of_a_guessed_part_does_not_replace_the_search() {
    let sandbox = Sandbox::of_document(
        "exam.md",
        "# Exam guide\n\n## Registration\n\nPart 2 of the exam covers hydraulics and lasts two hours.\n\n\
         ## Fees\n\nThe fee is 90 euros.\n",
        &["--no-embed"],
    );
    for part in ["part 2", "chapter 2"] {
        let found = sandbox.json(&["context", &format!("tell me about {part} of the exam")]);
        assert!(found["text"].as_str().unwrap().contains("covers hydraulics"), "{found}");
    }
    // The second section is no part 2, but may be chapter 2.
    let searched = sandbox.json(&["search", "tell me about part 2 of the exam"]);
    assert!(searched["contents"].as_array().unwrap().is_empty(), "{searched}");
    assert!(searched["hits"][0]["content"].as_str().unwrap().contains("covers hydraulics"), "{searched}");
    let listed = sandbox.json(&["search", "tell me about chapter 2 of the exam"]);
    assert_eq!((&listed["notes"][0]["code"], listed["confidence"].as_f64()), (&"contents_guessed".into(), Some(0.5)));
    // A section has no place in a work that is no document.
    let other = sandbox.json(&["search", "what does section 2 of the Clayton Act say", "--doc", "exam.md", "--all"]);
    assert!(other["contents"].as_array().unwrap().is_empty(), "{other}");
}

#[test]
fn no_tokenizer_exceeds_the_token_limit() {
    let sandbox = guide();
    let whole = context(&sandbox, &["--max-tokens", "9000"])["tokens"].as_u64().unwrap();
    for most in [60, 200, 201, 350, 700, 1500] {
        for tokenizer in ["", "chars/4", "chars/1"] {
            let number = most.to_string();
            let mut args = vec!["--max-tokens", number.as_str()];
            if !tokenizer.is_empty() {
                args.extend(["--tokenizer", tokenizer]);
            }
            let run = sandbox.kb(&[&["context", "priming handle", "--format", "json"], &args[..]].concat());
            if run.code == 2 {
                assert!(run.err.contains("not even the first parent chunk fits"), "{args:?}: {}", run.err);
                continue;
            }
            let found = run.json();
            let (tokens, text) = (found["tokens"].as_u64().unwrap(), found["text"].as_str().unwrap());
            assert!(tokens <= most, "{args:?}: {tokens}");
            if tokenizer == "chars/1" {
                assert_eq!(tokens as usize, text.chars().count());
            }
            if tokens < whole && tokenizer.is_empty() {
                assert!(found["left_out"][0].is_object() && run.err.contains("left out: "), "{args:?}");
            }
        }
    }
    let run = sandbox.kb(&["context", "priming handle", "--max-tokens", "700"]);
    assert!(run.out.lines().last().unwrap().starts_with("[left out: "), "{}", run.out);
    let none = sandbox.kb(&["context", "priming handle", "--max-tokens", "5"]).refuses(2, "error: ");
    none.tells_all(2, &["it needs ", "raise --max-tokens"]);
    sandbox.kb(&["context", "zebra"]).tells(1, "nothing found");
}

#[test]
fn a_template_stays_within_the_token_limit() {
    let sandbox = guide();
    sandbox.write(
        "prompt.txt",
        "{% for document in documents %}\n<{{ document.source }}>\n{% for parent_chunk in document.parent_chunks %}\n\
         [{{ parent_chunk.section.id }}] {{ parent_chunk.content }}\n{% endfor %}\n{% endfor %}\nQ: {{ query }}\n",
    );
    let run = sandbox.kb(&["context", "priming handle", "--template", "prompt.txt", "--max-tokens", "500"]).ok();
    assert!(run.out.starts_with("<guide.md>\n[") && run.out.ends_with("Q: priming handle\n"), "{}", run.out);
    let found = context(&sandbox, &["--template", "prompt.txt", "--max-tokens", "500"]);
    assert!(found["tokens"].as_u64().unwrap() <= 500 && found["text"] == run.out);
    sandbox.write("wrong.txt", "{{ question }}");
    sandbox.kb(&["context", "priming", "--template", "wrong.txt"]).tells(2, "question").tells(2, "documents");
    sandbox.write("nested.txt", "{% for d in documents %}\n{{ d.name }}\n{% endfor %}");
    sandbox.kb(&["context", "priming", "--template", "nested.txt"]).tells(2, "line 2").tells(2, "d.name");
    sandbox.write("broken.txt", "x\n\n{% for %}");
    sandbox.kb(&["context", "priming", "--template", "broken.txt"]).tells(2, "broken.txt, line 3");
    sandbox.kb(&["context", "priming", "--template", "nowhere.txt"]).tells(2, "nowhere.txt");
}

#[test]
fn modes_and_flags_of_a_search_apply() {
    let sandbox = guide();
    let one = context(&sandbox, &["--doc", "notes.txt"]);
    assert_eq!(one["items"].as_array().unwrap().len(), 1);
    let section = context(&sandbox, &["--mode", "section", "--doc", "guide.md", "-k", "1"]);
    assert!(section["text"].as_str().unwrap().contains("Step 12 of"), "{section}");
    let drilled = context(&sandbox, &["--mode", "drill:1,1,1"]);
    let parents = drilled["items"][0]["parent_chunks"].as_array().unwrap();
    assert_eq!((drilled["items"].as_array().unwrap().len(), parents.len()), (1, 1), "{drilled}");
    assert!(drilled["text"].as_str().unwrap().contains(parents[0]["children"][0]["chunk_id"].as_str().unwrap()));
    let lines = sandbox.kb(&["context", "priming handle", "--format", "jsonl"]).out;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["source"].is_string() == (line["type"] == "passage")), "{lines:?}");
    let paths = sandbox.kb(&["context", "priming handle", "--format", "paths"]).out;
    assert_eq!(paths.lines().count(), 2, "{paths}");
    let help = sandbox.kb(&["context", "--help"]).out;
    assert!(help.starts_with("Build a prompt context with sources, within a token limit"), "{help}");
    assert!(help.contains("--template") && help.contains("--mode section --doc network-guide.md"), "{help}");
}

#[test]
fn times_limits_and_windows_of_a_search_apply() {
    let sandbox = guide();
    let tokens = |args: &[&str]| context(&sandbox, args)["tokens"].as_u64().unwrap();
    let all = tokens(&[]);
    for options in [&["--window", "0"][..], &["-k", "1"], &["--filter", "path = notes.txt"]] {
        assert!(tokens(options) < all, "{options:?}");
    }
    assert!(tokens(&["-k", "1", "--context", "1"]) > tokens(&["-k", "1"]));
    for options in [&["--before", "2001"][..], &["--as-of", "2001"], &["--after", "2999"], &["--min-confidence", "1"]] {
        sandbox.kb(&[&["context", "priming handle"], options].concat()).refuses(1, "");
    }
}

#[test]
fn contexts_work_in_both_languages() {
    let sandbox = Sandbox::with_keyword_fixtures();
    for (question, words) in [
        ("how is the pump primed?", ["pump-station-manual.pdf", " · p"]),
        ("如何启动水泵？", ["[来源：docs/泵站维护手册.pdf · 章节 ", " 页 · 时间 20"]),
    ] {
        sandbox.kb(&["context", question, "--max-tokens", "800"]).shows_all(0, &words);
    }
}
