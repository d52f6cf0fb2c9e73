//! `--filter` and the flags about time: filters apply before anything is ranked.

use crate::common::{Sandbox, of_hits, text, texts};

/// Five documents in two folders, without vectors, all about the pump.
fn library() -> Sandbox {
    Sandbox::prepared("search_filter::library", |sandbox| {
        sandbox.write(
            "docs/manual.md",
            "---\ntitle: Pump manual\nauthor: Ann Lee\ntags: [pump, safety]\ndate: 2026-03-01\nversion: 10\n---\n\
             # Safety\n\nThe pump must be earthed.\n\n## Cleaning\n\nClean the pump with water.\n\n# Running\n\n\
             Start the pump slowly.\n",
        );
        sandbox.write(
            "docs/old/manual.md",
            "---\ntitle: Older manual\nauthor: Bo Chen\ntags: [pump]\ndate: 2020-05-05\nversion: 9\n---\n\
             # Safety\n\nThe pump must be earthed twice.\n",
        );
        sandbox.write("docs/notes.txt", "The pump leaks and nobody knows why.");
        sandbox.write(
            "docs/手册.md",
            "---\n作者: 张三\n标签: 水泵\n日期: 2025年6月7日\n---\n# 启动\n\n启动 pump 之前检查水位。\n",
        );
        sandbox.write(
            "web/page.html",
            "<html><head><title>Pump page</title><meta name=date content=2024-02-03></head>\
                       <body><main><h1>Pump</h1><p>A page about the pump.</p></main></body></html>",
        );
        sandbox.kb(&["ingest", "docs", "web", "--no-embed"]).ok();
    })
}

/// The sources and sections of all hits, sorted.
fn found(sandbox: &Sandbox, flags: &[&str]) -> Vec<String> {
    let hits = sandbox.hits(&[&["pump", "-k", "50"], flags].concat()).into_iter();
    let mut found: Vec<String> =
        hits.map(|hit| format!("{}#{}", text(&hit, "source"), text(&hit["section"], "path"))).collect();
    found.sort();
    found
}

/// The sources alone.
fn sources(sandbox: &Sandbox, flags: &[&str]) -> Vec<String> {
    let found = found(sandbox, flags).into_iter();
    let mut sources: Vec<String> =
        found.map(|hit| hit.split('#').next().unwrap().trim_start_matches("docs/").to_owned()).collect();
    sources.dedup();
    sources
}

#[test]
fn filters_keep_matching_documents() {
    let sandbox = library();
    let by = |filter: &str| sources(&sandbox, &["--filter", filter]);
    assert_eq!(sources(&sandbox, &[]).len(), 5);
    // Metadata that documents state, numbers as numbers and times as times.
    assert_eq!(by("author = 'ann lee'"), ["manual.md"]);
    assert_eq!(by("author contains CHEN"), ["old/manual.md"]);
    assert_eq!(by("version > 9"), ["manual.md"]);
    assert_eq!(by("version >= 9"), ["manual.md", "old/manual.md"]);
    assert_eq!(by("date < 2021"), ["old/manual.md"]);
    assert_eq!(by("tags = safety"), ["manual.md"]);
    assert_eq!(by("tags in (pump, water)"), ["manual.md", "old/manual.md"]);
    assert_eq!(by("author exists and tags != safety"), ["old/manual.md"]);
    assert_eq!(by("not author exists and format != html"), ["notes.txt", "手册.md"]);
    assert_eq!(by("作者 = 张三"), ["手册.md"]);
    assert_eq!(by("标签＝水泵 or title contains page"), ["手册.md", "web/page.html"]);
    // Fields that every document has.
    assert_eq!(by("format in (html, txt)"), ["notes.txt", "web/page.html"]);
    assert_eq!(by("path = 'docs/**/manual.md'"), ["manual.md", "old/manual.md"]);
    assert_eq!(by("path = docs/old"), ["old/manual.md"]);
    assert_eq!(by("path = *.txt"), ["notes.txt"]);
    assert_eq!(by("title = \"pump manual\""), ["manual.md"]);
    assert_eq!(by("source contains web/"), ["web/page.html"]);
    assert_eq!(by("time = 2024"), ["web/page.html"]);
    // Several filters are joined by `and`; an empty one is ignored.
    assert_eq!(sources(&sandbox, &["--filter", "tags = pump", "--filter", "version = 9"]), ["old/manual.md"]);
    assert_eq!(sources(&sandbox, &["--filter", ""]).len(), 5);

    // Fields of parent chunks: some of a document match and others do not.
    let parent_chunks = |filter: &str| found(&sandbox, &["--filter", filter]);
    assert_eq!(parent_chunks("section = safety"), ["docs/manual.md#1", "docs/manual.md#1.1", "docs/old/manual.md#1"]);
    assert_eq!(parent_chunks("section = 1.1"), ["docs/manual.md#1.1"]);
    assert_eq!(parent_chunks("section = 1 and author = 'Ann Lee' and not section = Cleaning"), ["docs/manual.md#1"]);
    assert_eq!(parent_chunks("section contains clean or title = notes"), ["docs/manual.md#1.1", "docs/notes.txt#0"]);
    assert_eq!(parent_chunks("language = zh"), ["docs/手册.md#1"]);
    numbered_titles();
    notes_of_chunks(&sandbox);
    what_is_not_there(&sandbox);
    documents_too(&sandbox);
    configured(&sandbox);
}

/// A title is named with its number, without it, or by the number alone.
fn numbered_titles() {
    let text = "## Chapter 1 Holidays\n\nNine days.\n\n## 第三章 休假\n\n休假九天。\n\n## 四、报销\n\n报销九元。\n";
    let sandbox = Sandbox::of_document("rules.md", text, &["--no-embed"]);
    for (name, title) in [
        ("Holidays", "Chapter 1 Holidays"),
        ("'chapter 1'", "Chapter 1 Holidays"),
        ("休假", "第三章 休假"),
        ("第三章", "第三章 休假"),
        ("报销", "四、报销"),
    ] {
        let found = sandbox.items(&["chunks-list", "--type", "parent", "--where", &format!("section = {name}")]);
        let titles: Vec<&str> =
            found.as_array().unwrap().iter().map(|one| one["section"]["title"].as_str().unwrap()).collect();
        assert_eq!(titles, [title], "{name}");
    }
}

/// A person's notes about a parent chunk override what its document says.
fn notes_of_chunks(sandbox: &Sandbox) {
    let result = sandbox.json(&["search", "pump", "--filter", "section = Cleaning"]);
    let id = result["hits"][0]["chunk_id"].as_str().unwrap().to_owned();
    sandbox.kb(&["chunk-edit", &id, "--meta", "reviewed=yes", "--meta", "version=11"]).ok();
    let parent_chunks = |filter: &str| found(sandbox, &["--filter", filter]);
    assert_eq!(parent_chunks("reviewed = yes"), ["docs/manual.md#1.1"]);
    assert_eq!(parent_chunks("version = 11"), ["docs/manual.md#1.1"]);
    let why = sandbox.kb(&["search", "pump", "--why", &id, "--filter", "format = html", "--format", "json"]).json();
    assert_eq!(why["lost_in"], "filter");
    assert_eq!(parent_chunks("version = 10"), ["docs/manual.md#1", "docs/manual.md#2"]);
    assert_eq!(parent_chunks("title = 'Pump manual' and reviewed != yes"), ["docs/manual.md#1", "docs/manual.md#2"]);
}

#[test]
fn a_filter_that_was_not_typed_is_named_with_its_place() {
    let sandbox = library();
    let place = sandbox.path(".kb/kb.toml").display().to_string();
    sandbox.configure("[search]\nfilter = \"format = pdf\"\n");
    for command in ["search", "context"] {
        let run = sandbox.kb(&[command, "pump"]);
        run.tells_all(1, &["no document matches `format = pdf`", &place, "--filter '' searches without it"]);
    }
    sandbox.kb(&["search", "pump", "--filter", ""]).ok();
    sandbox.kb(&["search", "pump", "--filter", "format = epub"]).tells(1, "").lacks("kb.toml");
    let run = sandbox.kb_with(&[("KB_SEARCH_FILTER", "format = epub")], &["search", "pump"]);
    run.tells_all(1, &["`format = epub`", "the filter in KB_SEARCH_FILTER", "unset it"]);
    sandbox.write("questions.jsonl", "{\"question\": \"pump\", \"source\": \"notes.txt\"}");
    sandbox.kb(&["eval", "--questions", "questions.jsonl"]).tells_all(1, &["`format = pdf`", &place]);
    sandbox.configure("[search]\nfilter = \"pag < 3\"\n");
    sandbox.kb(&["search", "pump"]).tells_all(2, &["the key \"pag\"", &place, "--filter ''", "did you mean page"]);
    sandbox.configure("[search]\nmin_confidence = 1\n");
    sandbox.kb(&["search", "pump"]).tells_all(1, &["below the confidence limit of", &place, "--all shows them"]);
    sandbox.kb(&["search", "pump", "--min-confidence", "1"]).tells(1, "").lacks("kb.toml");
}

fn what_is_not_there(sandbox: &Sandbox) {
    let fails = |flags: &[&str], code: i32, words: &[&str]| {
        sandbox.kb(&[&["search", "pump"], flags].concat()).refuses(code, "").tells_all(code, words);
    };
    // A mistake is named with its place.
    fails(&["--filter", "author ="], 2, &["--filter: character 9: expected a value"]);
    // A key that nothing has, with similar ones.
    fails(&["--filter", "autor = Ann"], 2, &["\"autor\"", "did you mean author"]);
    sandbox.kb(&["search", "pump", "--filter", "archived != yes"]).tells(0, "\"archived\"");
    // A filter that lets nothing through is named.
    fails(&["--filter", "format = pdf"], 1, &["no document matches `format = pdf`"]);
    fails(
        &["--filter", "tags = pump and format = html"],
        1,
        &["no document matches `tags = pump` and `format = html`"],
    );
    fails(&["--filter", "author = Ann"], 1, &["try `author contains Ann`"]);
    fails(&["--filter", "source = notes.txt"], 1, &["try `source contains notes.txt`"]);
    fails(&["--filter", "source = docs/nots.txt"], 1, &["did you mean \"docs/notes.txt\"?"]);
    fails(&["--filter", "title = 'Pomp manual'"], 1, &["did you mean \"Pump manual\"?"]);
    fails(&["--filter", "section = Nowhere"], 1, &["no document matches `section = Nowhere`"]);
    fails(&["--doc", "notes.txt", "--filter", "tags = pump"], 1, &["none of the named documents matches"]);
    fails(&["--after", "2030"], 1, &["no document matches `time >= 2030-01-01`"]);
    // Times and durations name their flag.
    fails(&["--before", "soon"], 2, &["--before", "soon", "2026-11-21"]);
    fails(&["--half-life", "0d"], 2, &["--half-life", "90d"]);
}

fn documents_too(sandbox: &Sandbox) {
    let listed = |flags: &[&str]| sandbox.kb(&[&["docs", "--format", "paths"], flags].concat()).out;
    assert_eq!(listed(&["--filter", "tags = pump"]), "docs/manual.md\ndocs/old/manual.md\n");
    assert_eq!(listed(&["--filter", "section = Cleaning"]), "docs/manual.md\n");
    assert_eq!(listed(&["--before", "2021"]), "docs/old/manual.md\n");
    assert_eq!(listed(&["--as-of", "2020"]), "docs/old/manual.md\n");
    let chunks = sandbox.items(&["chunks-list", "--where", "section = Safety and author exists", "--type", "child"]);
    let sections = texts(&chunks, "/section/title");
    assert!(sections.contains(&"Safety") && sections.contains(&"Cleaning") && !sections.contains(&"Running"));
    sandbox.kb(&["chunks-list", "--where", "section ="]).tells(2, "--where: character 10");
    sandbox.kb(&["docs", "notes.txt", "--filter", "tags = pump"]).tells(1, "none of these documents matches");
}

/// kb.toml applies unless flags are given.
fn configured(sandbox: &Sandbox) {
    sandbox.write(".kb/kb.toml", "[search]\nfilter = \"tags = safety\"\nhalf_life = \"90d\"\n");
    assert_eq!(sources(sandbox, &[]), ["manual.md"]);
    assert_eq!(sources(sandbox, &["--filter", ""]).len(), 5, "an empty filter lifts it");
    assert!(sandbox.kb(&["search", "pump", "-v"]).err.contains("decay"));
    assert!(!sandbox.kb(&["search", "pump", "-v", "--half-life", "none"]).err.contains("decay"));
    sandbox.write(".kb/kb.toml", "[search]\nfilter = \"tags =\"\n");
    sandbox.kb(&["search", "pump"]).tells(2, "kb.toml, [search]: character 7");
    std::fs::remove_file(sandbox.path(".kb/kb.toml")).unwrap();
}

#[test]
fn filtered_documents_take_no_place_among_the_hits() {
    // Two hundred documents that match better than the one that is wanted, which is outside every pool.
    let sandbox = Sandbox::new();
    for i in 0..200 {
        sandbox.write(&format!("docs/d{i}.md"), "pump pump pump pump");
    }
    let wanted = "---\nstatus: final\n---\nOf all machines in the house the oldest one is a pump, they say.";
    sandbox.write("docs/wanted.md", wanted);
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    assert!(sandbox.hits(&["pump", "-k", "100"]).iter().all(|hit| hit["source"] != "docs/wanted.md"));
    for filter in ["status = final", "section = 0 and status = final"] {
        let found = sandbox.json(&["search", "pump", "-k", "3", "--filter", filter]);
        assert_eq!(of_hits(&found, "source"), ["docs/wanted.md"], "{filter}");
    }
}

#[test]
fn both_retrievers_keep_to_the_filter() {
    let sandbox = Sandbox::with_fixtures();
    for method in ["keyword", "semantic", "hybrid"] {
        let hits = |query: &str, filter: &str| sandbox.hits(&[query, "--method", method, "--filter", filter]);
        let hits_of_pages = hits("how is the pump primed", "format = pdf and page >= 2 and page <= 3");
        assert!(!hits_of_pages.is_empty(), "{method}");
        for hit in hits_of_pages {
            assert!(hit["source"].as_str().unwrap().ends_with(".pdf"), "{method}: {hit}");
            let pages = [&hit["page_start"], &hit["page_end"]].map(|page| page.as_u64().unwrap());
            assert!(pages[0] <= 3 && pages[1] >= 2, "{method}: {hit}");
        }
        let elsewhere = hits("how often is it tried again", "path = network-guide.md");
        assert!(elsewhere.iter().all(|hit| hit["source"] == "docs/network-guide.md"), "{method}");
    }
    let filtered = ["search", "pump", "--filter", "format = pdf", "--half-life", "1y", "-v"];
    sandbox.kb(&filtered).tells_all(0, &["filter ", "decay "]);
}

#[test]
fn times_come_from_the_document_or_the_flag() {
    let sandbox = library();
    let time = |name: &str| {
        let row = sandbox.items(&["docs", name])[0]["time"].clone();
        (row["at"].as_str().unwrap().to_owned(), row["from"].as_str().unwrap().to_owned())
    };
    let is = |at: &str, from: &str| (format!("{at}T00:00:00Z"), from.to_owned());
    assert_eq!(time("docs/manual.md"), is("2026-03-01", "date"));
    assert_eq!(time("手册.md"), is("2025-06-07", "日期"));
    assert_eq!(time("page.html"), is("2024-02-03", "date"));
    assert_eq!(time("notes.txt").1, "file");

    let by = |flags: &[&str]| sources(&sandbox, &[flags, &["--filter", "path != *.txt"]].concat());
    assert_eq!(by(&["--before", "2024-02-03"]), ["old/manual.md"]);
    assert_eq!(by(&["--after", "2024-02-03", "--before", "2026"]), ["手册.md", "web/page.html"]);
    assert_eq!(by(&["--as-of", "2024-02"]), ["old/manual.md", "web/page.html"]);
    assert_eq!(by(&["--as-of", "2025-06-06"]), ["old/manual.md", "web/page.html"]);
    // A file's own time is now, and so it is not older than a day.
    assert_eq!(sources(&sandbox, &["--after", "yesterday"]), ["notes.txt"]);

    // The file has not changed, and gets the time anyway; the flag overrides the document.
    sandbox.kb(&["ingest", "docs/notes.txt", "docs/manual.md", "--no-embed", "--time", "2019-02"]).ok();
    assert_eq!(time("notes.txt"), is("2019-02-01", "given"));
    assert_eq!(time("docs/manual.md"), is("2019-02-01", "given"));
    // The time stays as long as the content does.
    sandbox.kb(&["ingest", "docs", "--no-embed", "--force"]).ok();
    assert_eq!(time("notes.txt"), is("2019-02-01", "given"));
    sandbox.write("docs/notes.txt", "---\nThe pump is tight again.");
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    assert_eq!(time("notes.txt").1, "file");
    sandbox.kb(&["ingest", "docs", "--time", "soon"]).tells(2, "--time");
}

#[test]
fn scores_decay_with_age() {
    let sandbox = Sandbox::new();
    // The older, the better it matches.
    for (name, date, times) in [("new", "2026-06-01", 1), ("middle", "2026-03-03", 2), ("old", "2025-12-03", 3)] {
        let text = format!("---\ndate: {date}\n---\n{} and some other words.\n", "pump ".repeat(times));
        sandbox.write(&format!("docs/{name}.md"), text);
    }
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    let ranked = |flags: &[&str]| -> Vec<(String, f64)> {
        let hits = sandbox.hits(&[&["pump"], flags].concat());
        hits.iter().map(|hit| (text(hit, "source").to_owned(), hit["score"].as_f64().unwrap())).collect()
    };
    let names = |hits: &[(String, f64)]| hits.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let plain = ranked(&[]);
    assert_eq!(names(&plain), ["docs/old.md", "docs/middle.md", "docs/new.md"]);
    // Seen from the end of the first of June, the middle one is 91 days old and the old one 181.
    let decayed = ranked(&["--half-life", "91d", "--as-of", "2026-06-01"]);
    assert_eq!(names(&decayed), ["docs/new.md", "docs/middle.md", "docs/old.md"]);
    let score = |hits: &[(String, f64)], name: &str| hits.iter().find(|(source, _)| source == name).unwrap().1;
    let share = score(&decayed, "docs/middle.md") / score(&plain, "docs/middle.md");
    assert!((share - 0.5).abs() < 1e-3, "{share}");
}

#[test]
fn documents_are_found_by_their_kind() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let sources = |filter: &str| {
        let listed = sandbox.kb(&["docs", "--filter", filter, "--format", "paths"]).out;
        listed.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let procedures = sources("kind = procedure");
    assert!(procedures.iter().any(|source| source == "docs/pump-station-manual.pdf"), "{procedures:?}");
    let others = sources("not kind = procedure");
    assert!(!others.is_empty() && others.iter().all(|source| !procedures.contains(source)), "{others:?}");
    let found = of_hits(&sandbox.json(&["search", "starting the pump", "--filter", "kind = procedure"]), "source");
    assert!(!found.is_empty() && found.iter().all(|source| procedures.contains(source)), "{found:?}");
    sandbox.kb(&["search", "pump", "--filter", "kind = recipe"]).tells(2, "a kind: procedure, theory");
}
