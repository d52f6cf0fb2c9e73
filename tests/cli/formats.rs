//! All formats but PDF, Markdown and HTML: the same tree from each.

use crate::common::{Sandbox, copy_files, fixtures};

fn ingested() -> Sandbox {
    Sandbox::prepared("formats::ingested", |sandbox| {
        copy_files(&fixtures().join("formats"), &sandbox.path("in"));
        sandbox.kb(&["ingest", "in"]).ok();
    })
}

/// Paths and titles of a document's table of contents.
fn toc(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let entries = sandbox.sections(name);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    entries.iter().map(|entry| format!("{} {}", text(&entry["path"]), text(&entry["title"]))).collect()
}

#[test]
fn each_format_gives_its_sections() {
    let sandbox = ingested();
    for (name, wanted) in [
        (
            "harbour-handbook.docx",
            &["1 Arriving", "1.1 Calling the pilot", "1.1.1 Night arrivals", "2 Berths", "2.1 Fees"][..],
        ),
        ("渡船养护规程.docx", &["1 总则", "1.1 职责", "2 检查项目", "2.1 船体"]),
        (
            "skarn-light.epub",
            &[
                "1 Part One: The Tower",
                "1.1 1. The Lamp",
                "1.1.1 Oil",
                "1.1.2 The wick",
                "1.2 2. The Stairs",
                "1.2.1 The broken step",
                "2 Afterword",
            ],
        ),
        ("茶园笔记.epub", &["1 第一章 采茶", "1.1 清明前", "2 第二章 炒茶"]),
        ("tide-tables.rst", &["1 Tide Tables", "1.1 Heights", "1.1.1 Neap tides", "1.1.2 mhwn and mlwn", "1.2 春潮表"]),
        ("signal-flags.adoc", &["1 Single flags of Ellery Mole", "1.1 Flag O", "2 组合旗"]),
        ("buoys.xlsx", &["1 Buoys", "2 灯标"]),
        ("fog-drill.pptx", &["1 Mooring in fog", "2 雾中靠泊"]),
        ("tides.ipynb", &["1 Tides of Ellery Mole", "1.1 结论"]),
        ("harbour.mbox", &["1 The bell of the north buoy", "2 Re: The bell of the north buoy"]),
        (
            "tide_gauge.py",
            &[
                "1 TideGauge",
                "1.1 __init__",
                "1.2 flush_pipe",
                "2 median_of_readings",
                "3 if __name__ == \"__main__\":",
            ],
        ),
        ("航标灯.go", &["1 Lamp", "2 Lamp.NextCheck"]),
        ("records.jsonl", &["1 Rye bread", "2 白茶的存放", "3 note-3", "4 42"]),
    ] {
        let found: Vec<String> = toc(&sandbox, name).into_iter().filter(|entry| !entry.starts_with("0 ")).collect();
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn sections_hold_their_text_tables_and_notes() {
    let sandbox = ingested();
    for (name, section, words) in [
        (
            "harbour-handbook.docx",
            "Calling the pilot",
            &["one hour ahead.[^1]", "[^1]: The pilot boat", "1. Give the draught", "  - Port side"][..],
        ),
        ("harbour-handbook.docx", "Berths", &["| North quay | 7.5 |"]),
        ("渡船养护规程.docx", "船体", &["| 船底 | 每天 |"]),
        ("skarn-light.epub", "The wick", &["every four hours", "In fog, every three"]),
        ("茶园笔记.epub", "第二章 炒茶", &["锅温二百度"]),
        ("signal-flags.adoc", "Flag O", &["| Flag | Colours"]),
        ("tide-tables.rst", "Heights", &["Not a heading"]),
        ("records.jsonl", "白茶的存放", &["_id: tea-07"]),
        ("buoys.xlsx", "Buoys", &["Buoys of Ellery Mole", "| North | green | 7.5 |"]),
        ("fog-drill.pptx", "Mooring in fog", &["every minute.\nKeep the engine slow.", "Show the film"]),
        ("tides.ipynb", "Tides of Ellery Mole", &["15.0"]),
        ("harbour.mbox", "2", &["clapper"]),
        ("tide_gauge.py", "flush_pipe", &["# The pipe is flushed at low water", "        if height > 0.4:"]),
    ] {
        sandbox.kb(&["section", name, section]).shows_all(0, words);
    }
    // A section ends where the next one begins.
    sandbox.kb(&["section", "skarn-light.epub", "Oil"]).ok().lacks("wick");
    sandbox.kb(&["section", "tide_gauge.py", "__init__"]).ok().lacks("FLUSH");
}

#[test]
fn titles_and_metadata_come_from_the_documents() {
    let sandbox = ingested();
    for (name, title, stated) in [
        ("harbour-handbook.docx", "Harbour Handbook", "Ines Marlow"),
        ("渡船养护规程.docx", "渡船养护规程", "柳溪渡口管理站"),
        ("skarn-light.epub", "The Keeper of Skarn Light", "Ada Thorne, Jon Thorne"),
        ("茶园笔记.epub", "茶园笔记", "2019-04"),
        ("tide-tables.rst", "Tide Tables", "Tom Reed"),
        ("signal-flags.adoc", "Signal Flags: A Pocket Guide", "Mara Lind"),
        ("bell.eml", "The bell of the north buoy", "Ines Marlow"),
    ] {
        sandbox.kb(&["docs", name, "--format", "json"]).shows_all(0, &[title, stated]);
    }
}

#[test]
fn tables_messages_and_records_are_found_by_their_fields() {
    let sandbox = ingested();
    sandbox.kb(&["search", "bread-01", "--method", "keyword", "-k", "1"]).shows(0, "Rye bread");
    let found = sandbox.json(&["search", "depth of the north quay", "--filter", "format = csv", "--method", "keyword"]);
    assert_eq!(found["hits"][0]["tables"][0][1], serde_json::json!(["North quay, outer", "7.5", "120"]), "{found}");
    let shown = sandbox.json(&["show", found["hits"][0]["chunk_id"].as_str().unwrap()]);
    assert_eq!(shown["tables"][0][0][0], "berth", "{shown}");
    let found = sandbox.json(&["search", "雾天灯芯多久检查一次", "--filter", "format = go"]);
    assert_eq!(found["hits"][0]["section"]["title"], "Lamp.NextCheck", "{found}");
    sandbox.kb(&["search", "NextCheck", "--filter", "format = go"]).shows(0, "```go\n// 雾天每三小时");
    let found = sandbox.json(&["search", "bell", "--filter", "author contains reed", "--method", "keyword"]);
    assert_eq!(found["hits"][0]["section"]["path"], "2", "{found}");
    assert_eq!(found["hits"][0]["metadata"]["date"], "2026-03-02T11:00:00Z");
}

#[test]
fn standard_input_is_recognised_by_its_content() {
    let sandbox = Sandbox::new();
    for (file, format) in [("harbour-handbook.docx", "docx"), ("skarn-light.epub", "epub"), ("records.jsonl", "jsonl")]
    {
        let bytes = std::fs::read(fixtures().join("formats").join(file)).unwrap();
        let name = format!("from-{format}");
        sandbox.kb_with_input(&["ingest", "-", "--name", &name, "--no-embed"], &bytes).ok();
        assert_eq!(sandbox.items(&["docs", &name])[0]["format"], format);
    }
}
