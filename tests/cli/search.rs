//! `kb search`: the right section first, in every format.

use crate::common::{Sandbox, end, hits, of_hits, start};
use kb::internals::embed::TokenCounter;

#[test]
fn questions_find_the_section_that_answers_them() {
    let sandbox = Sandbox::with_fixtures();
    let first = |query: &str| {
        let hit = sandbox.json(&["search", query])["hits"][0].clone();
        (hit["source"].as_str().unwrap().to_owned(), hit["section"]["path"].as_str().unwrap().to_owned())
    };
    assert_eq!(first("how do I prime the pump?"), ("docs/pump-station-manual.pdf".into(), "3.2.1".into()));
    // An identifier, which only keyword search can know.
    let (source, _) = first("E-417");
    assert_eq!(source, "docs/pump-station-manual.pdf");
    // The model does not know Chinese, so keyword search alone decides.
    let (source, _) = first("推力轴承温度过高怎么办");
    assert_eq!(source, "docs/泵站维护手册.pdf");
    let (source, _) = first("max_retry_count");
    assert_eq!(source, "docs/network-guide.md");
}

#[test]
fn traditional_and_simplified_characters_match() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/泵.md", "# 水泵手册\n\n## 设备采购\n\n先订货。\n\n## 启动\n\n打开排气阀，再启动它。\n");
    sandbox.write("docs/閥.md", "# 閥門手冊\n\n## 維護保養\n\n1. 關閉閥門。\n2. 清潔濾網。\n3. 檢查壓力傳感器。\n");
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    let first = |query: &str, flags: &[&str]| {
        let hit = sandbox.json(&[&["search", query], flags].concat())["hits"][0].clone();
        hit["section"]["title"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(first("設備採購", &["--mode", "section"]), "设备采购");
    assert_eq!(first("如何啟動？", &[]), "启动");
    assert_eq!(first("维护保养", &["--mode", "section"]), "維護保養");
    assert_eq!(first("“压力传感器”", &[]), "維護保養");
    // Text is shown as it was written, and matches are marked.
    let shown = sandbox.kb(&["search", "压力传感器", "--color", "always"]).out;
    assert!(shown.contains("傳") && !shown.contains("传"), "{shown}");
    assert!(sandbox.kb(&["section", "閥.md", "维护保养"]).out.contains("關閉閥門"));
    // Its words are read like those of simplified text.
    assert_eq!(sandbox.items(&["docs", "閥.md"])[0]["profile"]["kinds"][0]["kind"], "procedure");
}

#[test]
fn chinese_ranks_like_keyword_search() {
    let sandbox = Sandbox::with_fixtures();
    let order = |method: &str| {
        let args = ["search", "水泵启动以前要检查什么", "-k", "10", "--rerank", "off", "--all", "--method", method];
        of_hits(&sandbox.json(&args), "chunk_id")
    };
    let keyword = order("keyword");
    assert!(!keyword.is_empty());
    assert_eq!(order("auto"), keyword);
    assert_eq!(order("hybrid"), keyword);
    let hybrid = sandbox.kb(&["search", "水泵启动", "--method", "hybrid"]);
    hybrid.tells(0, "does not know the language of this question");
}

#[test]
fn methods_limits_and_scores_narrow_a_search() {
    let sandbox = Sandbox::with_fixtures();
    let hits = |args: &[&str]| hits(&sandbox.json(&[&["search", "how do I prime the pump?"], args].concat()));
    assert_eq!(hits(&["-k", "2"]).len(), 2);
    assert!(hits(&["--method", "keyword"]).iter().all(|hit| hit["semantic_score"].is_null()));
    assert!(hits(&["--method", "semantic"]).iter().all(|hit| hit["keyword_score"].is_null()));
    // A note marks hits that only semantic search found.
    sandbox.kb(&["search", "flibbertigibbet", "--all"]).tells(0, "found by meaning only");
    assert!(!sandbox.kb(&["search", "prime the flibbertigibbet"]).err.contains("by meaning only"));
    let elsewhere = hits(&["--doc", "network-guide.md", "--all"]);
    assert!(!elsewhere.is_empty() && elsewhere.iter().all(|hit| hit["source"] == "docs/network-guide.md"));
    let all = hits(&["-k", "20", "--all"]);
    let good = hits(&["-k", "20", "--min-confidence", "0.95"]);
    assert!(!good.is_empty() && good.len() < all.len());
    assert!(good.iter().all(|hit| hit["confidence"].as_f64().unwrap() >= 0.95));
    sandbox.kb(&["search", "zzyzxqwv", "--method", "keyword"]).refuses(1, "nothing found");
}

#[test]
fn every_format_has_its_fields() {
    let sandbox = Sandbox::with_fixtures();
    let out = |format: &str| sandbox.kb(&["search", "how do I prime the pump?", "-k", "2", "--format", format]).out;
    assert!(out("markdown").starts_with("## 1. Norwick Pump Station"), "{}", out("markdown"));
    let (lines, table) = (out("jsonl"), out("table"));
    assert_eq!(lines.lines().count(), 3, "two hits and the summary");
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let (start, end) =
        (line["matches"][0][0].as_u64().unwrap() as usize, line["matches"][0][1].as_u64().unwrap() as usize);
    assert!(line["content"].as_str().unwrap()[start..end].to_lowercase().starts_with("prim"));
    assert_eq!(out("paths"), "docs/pump-station-manual.pdf\n");
    assert!(table.contains(" 1. Norwick Pump Station"), "{table}");
    assert!(table.contains("p. 5") || table.contains("pp. 5"), "{table}");
}

#[test]
fn only_terminals_get_colours() {
    let sandbox = Sandbox::with_fixtures();
    let args = ["search", "prime the pump", "--format", "table"];
    assert!(!sandbox.kb(&args).out.contains('\u{1b}'), "no colour in a pipe");
    let always = sandbox.kb(&[&args[..], &["--color", "always"]].concat());
    assert!(always.out.contains('\u{1b}'));
    let run = sandbox.kb_with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], &args);
    assert!(!run.out.contains('\u{1b}'), "NO_COLOR wins");
}

/// `kb search x | head -1`.
#[test]
fn a_closed_pipe_ends_a_search_quietly() {
    let sandbox = Sandbox::with_fixtures();
    let mut child = start(&mut sandbox.command(&["search", "pump", "-k", "50", "--format", "json"]));
    drop(child.stdout.take());
    let run = end(child);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

/// A manual of fourteen chapters, whose ninth says how a TDO is carried out.
fn manual_of_fourteen_chapters() -> String {
    let subjects = "Organisation, Qualification, Communication, Power supply, Track access, Signals, Points, Rolling stock, \
                    Transport Disconnect Order (TDO), Possessions, Weather, Emergencies, Records, Audits";
    let chapter = |(number, subject): (usize, &str)| {
        let part = |section: usize, title: &str, text: &str| format!("### {number}.{section} {title}\n\n{text}\n\n");
        let general = format!(
            "This part of the rules is about {subject}. Everybody who works near the line knows it and signs for it each year. \
             The supervisor keeps the list of names, and the controller checks it before a shift begins. "
        );
        let procedure = match number {
            9 => {
                "1. Ask the controller for the order and write down its number.\n2. Open the section breaker and lock it.\n\
                  3. Test for voltage.\n4. Apply the earth on both sides.\n5. Report to the controller that the TDO is in force."
            }
            _ => "1. Tell the supervisor.\n2. Fill in the form of this chapter.\n3. Keep a copy for a year.",
        };
        format!("## {number}. {subject}\n\n")
            + &part(1, "Scope", &general.repeat(3))
            + &part(2, "Duties", &general.repeat(3))
            + &part(3, "Procedure", procedure)
            + &part(4, "Forms", &general.repeat(2))
    };
    let chapters: String = (1..).zip(subjects.split(", ")).map(chapter).collect();
    format!("# Rules of the line\n\n{chapters}")
}

#[test]
fn a_procedure_in_a_long_manual_takes_one_call_by_search_and_two_by_contents() {
    let sandbox = Sandbox::of_document("rules.md", manual_of_fourteen_chapters(), &[]);
    let tokens = |run: &str| TokenCounter::shared().count(run).unwrap();
    let found = sandbox.kb(&["search", "what is the procedure for TDO"]).out;
    let contents = sandbox.kb(&["toc", "rules.md", "--max-level", "3"]).out;
    let section = sandbox.kb(&["section", "rules.md", "9.3"]).out;
    println!("search {} tokens; toc {}, section {}", tokens(&found), tokens(&contents), tokens(&section));
    for answer in [&found, &section] {
        assert!(answer.contains("Open the section breaker and lock it."), "{answer}");
    }
    assert!(contents.contains("9.3 Procedure"), "{contents}");
    assert!(tokens(&found) <= 900, "{found}");
}

#[test]
fn a_section_may_have_the_title_of_its_document() {
    let text = "# Pump\n\nThe pump moves water.\n\n## Pumps and valves\n\nTheir seals wear alike.\n";
    let sandbox = Sandbox::of_document("docs/pump.md", text, &["--no-embed"]);
    for (question, titles) in [("moves water", &["Pump"][..]), ("seals wear", &["Pumps and valves"])] {
        let hit = sandbox.json(&["search", question])["hits"][0].take();
        assert_eq!(hit["section"]["titles"], serde_json::json!(titles), "{hit}");
        assert_eq!(hit["section"]["title"], titles[titles.len() - 1]);
        sandbox.kb(&["search", question]).ok().lacks("Pump › Pump\n");
    }
}
