//! `kb search --explain`, `--why` and `--rerank`: how a result came about.

use crate::common::{Sandbox, has_stage, of_hits, stage, text, texts};
use serde_json::Value;

/// Parent chunks about a pump: one has all words of the question, and one repeats a single word of it.
fn pumps() -> Sandbox {
    Sandbox::prepared("search_explain::pumps", |sandbox| {
        let often = "The pump is a pump. ".repeat(6);
        let text = format!(
            "# Overview\n\n{often}\n\n# Relief\n\nThe valve relieves the pump casing of trapped air.\n\n# Paint\n\nGreen or blue.\n"
        );
        sandbox.write("pumps.md", text);
        sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).ok();
    })
}

#[test]
fn explain_lists_what_each_stage_took_and_gave() {
    let sandbox = pumps();
    let result = sandbox.json(&["search", "air in the pump", "--explain"]);
    let fused = stage(&result, "fuse")["candidates"].as_array().unwrap();
    assert_eq!(fused.len(), 2, "{fused:?}");
    assert!(stage(&result, "keyword")["milliseconds"].as_f64() > Some(0.0));
    let cut = &stage(&result, "cut")["candidates"];
    assert_eq!(texts(cut, "/id"), of_hits(&result, "chunk_id"));
    for format in ["table", "markdown"] {
        let shown = sandbox.kb(&["search", "air in the pump", "--explain", "--format", format]);
        shown.shows_all(0, &["Stages of the search", "rerank"]);
    }
    let hit = &result["hits"][0];
    assert_eq!(hit["found_by"]["keyword"], 1, "{hit}");
    let keyword = stage(&result, "keyword");
    let begins = keyword["candidates"][0]["begins"].as_str().unwrap().trim_end_matches('…');
    assert!(begins.len() > 5 && hit["content"].as_str().unwrap().starts_with(begins), "{keyword}");
    let plain = sandbox.json(&["search", "air in the pump"]);
    assert!(plain["hits"][0].get("found_by").is_none() && plain.get("stages").is_none());
    let context = sandbox.kb(&["context", "air in the pump", "--explain"]).out;
    let found = sandbox.kb(&["context", "air in the pump"]).out;
    assert!(context.starts_with(found.trim_end()) && context.contains("## Stages of the search"), "{context}");
    assert!(context.contains("## Places of the hits"), "{context}");
}

#[test]
fn reranking_can_be_turned_off() {
    let sandbox = pumps();
    let reranks = |args: &[&str]| {
        let found = sandbox.json(&[&["search", "air in the pump", "--explain"], args].concat());
        has_stage(&found, "rerank")
    };
    assert!(reranks(&[]) && !reranks(&["--rerank", "off"]));
    // A single requested retriever is not reranked, unless reranking is requested too.
    let keyword = ["--method", "keyword"];
    assert!(!reranks(&keyword) && reranks(&[&keyword[..], &["--rerank", "light"]].concat()));
}

#[test]
fn why_names_the_stage_in_which_a_chunk_was_lost() {
    let sandbox = pumps();
    let all = sandbox.json(&["search", "air in the pump", "-k", "9"]);
    let ids = of_hits(&all, "chunk_id");
    assert_eq!(ids.len(), 2, "{all}");
    let [first, second] = [0, 1].map(|at: usize| ids[at].as_str());
    let why = |id: &str| why(&sandbox, &["air in the pump"], id);
    assert_eq!(why(first)["rank"].as_u64(), Some(1));
    let only = ["air in the pump", "-k", "1"];
    let cut = self::why(&sandbox, &only, second);
    assert_eq!((text(&cut, "lost_in"), text(&cut, "setting")), ("choose", "limit"));
    assert_eq!((cut["place"].as_u64(), &cut["score"]), (Some(2), &all["hits"][1]["score"]));
    let words = ["was lost in the stage choose at place 2 with score 0.", "--limit controls this stage"];
    sandbox.kb(&[&["search"], &only[..], &["--why", second]].concat()).shows_all(1, &words);
    // A child chunk stands for its parent chunk, a section for its best.
    assert_eq!(why(&format!("{first}.0"))["chunk_id"], first);
    let section = all["hits"][0]["section"]["id"].as_str().unwrap();
    assert_eq!(why(section)["chunk_id"], first);
    let document = first.split(':').next().unwrap();
    let paint = why(&format!("{document}#3"));
    assert_eq!(paint["lost_in"], "recall", "{paint}");
    sandbox.kb(&["search", "air in the pump", "--why", "zzzzzz:1"]).tells(1, "no chunk or section");
}

/// A manual with sections of known parent chunks, two notes that say the same, and one that is older than all of them.
fn manuals() -> Sandbox {
    Sandbox::prepared("search_explain::manuals", |sandbox| {
        sandbox.write_manuals("\n# Empty\n\n## Spare parts\n");
        sandbox.write(
            "old.md",
            "---\ndate: 2001-01-01\n---\n# Old\n\nThe handle of the priming valve was a handle for priming.\n",
        );
        sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    })
}

/// The answer of `--why` about an id, for a search with `args`.
fn why(sandbox: &Sandbox, args: &[&str], id: &str) -> Value {
    let run = sandbox.kb(&[&["search"], args, &["--why", id, "--format", "json"]].concat());
    let why = run.json();
    assert_eq!(run.code, i32::from(why["rank"].is_null()), "{args:?}: {why}");
    why
}

/// The place of the first hit that is, or shows, a chunk or a section.
fn place(hits: &[Value], id: &str, sections: bool) -> Option<u64> {
    let names = |hit: &Value, key: &str, id: &str| hit[key].as_str() == Some(id);
    let below = format!("{id}.");
    let own = |section: &str| section == id || section.starts_with(&below);
    let shows = |hit: &&Value| {
        let mut sources = hit["sources"].as_array().unwrap().iter();
        match id.contains('#') {
            true if sections => names(&hit["section"], "id", id),
            true => sources.any(|source| own(source["section_id"].as_str().unwrap())),
            false => sources.any(|source| names(source, "chunk_id", id)),
        }
    };
    let first = hits.iter().find(shows)?;
    first["rank"].as_u64()
}

/// Asks `--why` about ids and checks the answers against the result. By keywords and reranked, so that no run loads the
/// model.
fn all_agree<I: AsRef<str>>(sandbox: &Sandbox, args: &[&str], ids: &[I], sections: bool) -> Vec<Value> {
    let args = &[args, &["--method", "keyword", "--rerank", "light"]].concat()[..];
    let hits = sandbox.hits_if_any(args);
    let agreed = |id: &I| {
        let id = id.as_ref();
        let why = why(sandbox, args, id);
        let mut rank = place(&hits, id, sections);
        if rank.is_none() && sections && id.contains('#') && why["shown"].is_string() {
            // Within the hit that is its chapter.
            rank = place(&hits, text(&why, "shown").rsplit(' ').next().unwrap(), sections);
        }
        assert_eq!(why["rank"].as_u64(), rank, "{args:?} {id}: {why}");
        assert_eq!(why["lost_in"].is_null(), rank.is_some(), "{args:?} {id}: {why}");
        why
    };
    ids.iter().map(agreed).collect()
}

fn agrees(sandbox: &Sandbox, args: &[&str], id: &str, sections: bool) -> Value {
    all_agree(sandbox, args, &[id], sections).remove(0)
}

/// The parent chunks of the store: ids and texts.
fn parent_chunks(sandbox: &Sandbox) -> Vec<(String, String)> {
    let list = sandbox.items(&["chunks-list"]);
    let text = |chunk: &Value, field: &str| chunk[field].as_str().unwrap().to_owned();
    let chunks = list.as_array().unwrap().iter().filter(|chunk| chunk["chunk_type"] == "parent");
    chunks.map(|chunk| (text(chunk, "chunk_id"), text(chunk, "content"))).collect()
}

/// The id of the parent chunk that says something.
fn parent_chunk(sandbox: &Sandbox, says: &str) -> String {
    let found = parent_chunks(sandbox).into_iter().find(|(_, text)| text.contains(says));
    found.unwrap_or_else(|| panic!("nothing says {says}")).0
}

#[test]
fn each_stage_that_drops_a_chunk_is_named_with_its_setting() {
    let sandbox = manuals();
    let [first, old] = ["Step 1 ", "The handle of"].map(|says| parent_chunk(&sandbox, says));
    let steps: Vec<String> = (1..=6).map(|step| parent_chunk(&sandbox, &format!("Step {step} "))).collect();
    let vent = parent_chunk(&sandbox, "Open the vent");
    let is = |why: &Value, stage: &str, setting: &str| {
        assert_eq!((text(why, "lost_in"), text(why, "setting")), (stage, setting), "{why}");
    };
    // Of two duplicates, the one that was left out.
    let hits = sandbox.hits(&["apprentice priming handle"]);
    let twin = hits.iter().find_map(|hit| hit["duplicates"][0].as_str()).unwrap().to_owned();
    let dropped = agrees(&sandbox, &["apprentice priming handle"], &twin, false);
    is(&dropped, "duplicates", "keep_duplicates");
    assert!(text(&dropped, "reason").contains(hits[0]["chunk_id"].as_str().unwrap()), "{dropped}");
    // A merged chunk is in the result.
    let merging = ["priming handle", "-k", "20"];
    let hits = sandbox.hits(&merging);
    let merged = steps.iter().find(|id| hits.iter().all(|hit| hit["chunk_id"] != ***id)).unwrap();
    let part = agrees(&sandbox, &merging, merged, false);
    is(&part, "", "merge");
    assert!(text(&part, "shown").contains("merged"), "{part}");
    // Chunks that the modes leave out.
    let all_lost = |args: &[&str], stage: &str, setting: &str| -> Vec<Value> {
        let lost = all_agree(&sandbox, args, &steps, false).into_iter();
        let here = lost.filter(|why| why["lost_in"] == stage);
        here.inspect(|why| assert_eq!(text(why, "setting"), setting, "{why}")).collect()
    };
    assert!(all_lost(&["handle", "--mode", "drill:1,1,1"], "drill", "mode").len() >= 5);
    assert!(all_lost(&["handle", "--per-document", "1", "--merge=false"], "per_document", "per_document").len() >= 5);
    let broad = ["priming handle number", "--mode", "broad:0.9", "--merge=false", "-k", "3"];
    let lost = all_agree(&sandbox, &broad, &steps, false);
    assert!(lost.iter().any(|why| text(why, "reason").contains("too similar to others")), "{lost:?}");
    assert!(lost.iter().any(|why| text(why, "setting") == "mode"), "{lost:?}");
    // The token limit.
    let budget = ["priming handle", "--merge=false", "--max-tokens", "120", "-k", "9", "--tokenizer", "chars/4"];
    assert!(all_lost(&budget, "budget", "max_tokens").len() >= 5);
    // Confidence and times.
    let least = agrees(&sandbox, &["priming handle", "--min-confidence", "1"], &first, false);
    is(&least, "confidence", "min_confidence");
    assert!(text(&least, "reason").ends_with("is below 1"), "{least}");
    let aged = agrees(&sandbox, &["priming handle", "--half-life", "90d", "-k", "2", "--merge=false"], &old, false);
    assert!(text(&aged, "lost_in") == "cut" && text(&aged, "reason").contains("before the decay"), "{aged}");
    assert_eq!(text(&aged, "setting"), "half_life", "{aged}");
    // Filters, phrases, recall.
    for (args, id, stage, setting) in [
        (&["handle", "--filter", "source = notes.md"][..], &first, "filter", "filter"),
        (&["handle", "--doc", "notes.md"], &first, "filter", "doc"),
        (&["handle", "--before", "2002-01-01"], &first, "filter", "before"),
        (&["\"priming handle\" handle"], &first, "phrases", ""),
        (&["handle", "--pool", "1", "-k", "1"], &old, "recall", "pool"),
        (&["handl", "--expand", "off"], &vent, "recall", "method"),
    ] {
        let lost = agrees(&sandbox, args, id, false);
        is(&lost, stage, setting);
        assert_eq!(lost["place"].is_number(), setting == "pool", "{args:?}: {lost}");
    }
    // A neighbour is in the result, but is not a hit.
    let around = ["handle number 3", "-k", "1", "--context", "1", "--doc", "pumps.md"];
    let beside = agrees(&sandbox, &around, &steps[1], false);
    assert!(text(&beside, "shown").contains("neighbour of"), "{beside}");
    is(&beside, "", "context");
}

#[test]
fn a_greeting_and_a_question_about_structure_rank_nothing() {
    let sandbox = manuals();
    let id = parent_chunk(&sandbox, "Grease");
    sandbox.kb(&["search", "hello", "--why", &id]).shows(1, "the question is a greeting");
    let args = ["what chapters does pumps.md have", "-k", "50"];
    sandbox.kb(&[&["search"], &args[..], &["--why", &id]].concat()).shows(1, "table of contents").shows(1, "--kind");
    let section = format!("{}#1.3", id.split(':').next().unwrap());
    let listed = agrees(&sandbox, &args, &section, false);
    assert_eq!((text(&listed, "lost_in"), text(&listed, "setting")), ("contents", "kind"), "{listed}");
}

#[test]
fn a_missing_chapter_is_why_its_mentions_are_lost() {
    let sandbox =
        Sandbox::of_document("letter.md", "# Letter\n\n## Thanks\n\nWe thank you for chapter 12.\n", &["--no-embed"]);
    let id = parent_chunk(&sandbox, "chapter 12");
    for mode in ["precise", "section"] {
        let lost = why(&sandbox, &["what is in chapter 12", "--mode", mode], &id);
        assert_eq!((text(&lost, "lost_in"), text(&lost, "setting")), ("confidence", "kind"), "{mode}: {lost}");
        assert!(text(&lost, "reason").contains("no searched document has the chapter"), "{mode}: {lost}");
    }
}

#[test]
fn why_does_not_rerank_a_lookup() {
    // The word alone, repeated; then among other words in a section whose title has it, which a rerank would prefer.
    let text = "# Codes\n\nE-417 E-417 E-417.\n\n## E-417 in the list\n\nSee E-417 there.\n";
    let sandbox = Sandbox::of_document("codes.md", text, &["--no-embed"]);
    for (id, _) in parent_chunks(&sandbox) {
        let why = why(&sandbox, &["E-417", "-k", "1"], &id);
        assert_eq!(why["rank"].as_u64(), place(&sandbox.hits(&["E-417", "-k", "1"]), &id, false));
        assert!(!has_stage(&why, "rerank"), "{why}");
    }
}

#[test]
fn why_explains_a_lost_section() {
    let sandbox = manuals();
    let vent = parent_chunk(&sandbox, "Open the vent");
    let document = vent.split(':').next().unwrap();
    let section = |path: &str| format!("{document}#{path}");
    for shape in [&["--mode", "section"][..], &["--in", "sections"]] {
        let ask = |query, more: &[&'static str], path: &str| {
            agrees(&sandbox, &[&[query], shape, more].concat(), &section(path), true)
        };
        let first = ask("priming handle", &[], "1.2");
        assert_eq!(first["rank"].as_u64(), Some(1), "{first}");
        // Its parent chunks count for the section below it.
        let chapter = ask("priming handle", &[], "1");
        let counted = text(&chapter, "reason").contains("count for another section");
        assert!(chapter["lost_in"] == "sections" && counted, "{chapter}");
        // Too far down, and too unlike.
        let second = ask("grease or vent", &["-k", "1"], "1.2.1");
        let third = ask("grease or vent", &["-k", "1"], "1.3");
        let lost = if second["rank"].is_null() { second } else { third };
        let place = (text(&lost, "lost_in"), text(&lost, "setting"), lost["place"].as_u64());
        assert_eq!(place, ("sections", "limit", Some(2)), "{lost}");
        let unheard = ask("water", &["--filter", "source = pumps.md"], "1.3");
        assert_eq!(text(&unheard, "lost_in"), "sections", "{unheard}");
        // Without any text there is still a title.
        let parts = ask("spare parts", &[], "3.1");
        assert_eq!(parts["rank"].as_u64(), Some(1), "{parts}");
        assert_eq!(ask("water", &["--doc", "notes.md"], "3.1")["lost_in"], "filter");
    }
    // Within the section above it, where that is shown whole.
    let within = agrees(&sandbox, &["priming the pump", "--mode", "section", "-k", "1"], &section("1.2.1"), true);
    assert!(text(&within, "shown").contains(&section("1.2")), "{within}");
    let cut =
        agrees(&sandbox, &["priming the pump", "--mode", "section", "-k", "1", "--max-tokens", "300"], &vent, true);
    assert_eq!((text(&cut, "lost_in"), text(&cut, "setting")), ("budget", "max_tokens"), "{cut}");
}

#[test]
fn why_reports_the_attempt_that_counts() {
    let sandbox = manuals();
    let args = ["handle", "--pool", "2", "-k", "2", "--fallback", "min_hits=2,min_docs=2"];
    let ids: Vec<String> = parent_chunks(&sandbox).into_iter().map(|(id, _)| id).collect();
    all_agree(&sandbox, &args, &ids, false);
}

#[test]
fn why_agrees_with_the_result_for_every_chunk_and_section() {
    let sandbox = manuals();
    let mut ids: Vec<String> = parent_chunks(&sandbox).into_iter().map(|(id, _)| id).collect();
    let document = sandbox.id("pumps.md");
    ids.extend(["1", "1.1", "1.2", "1.2.1", "1.3", "2", "2.1", "3", "3.1"].map(|path| format!("{document}#{path}")));
    let (priming, valves) = ("priming handle", "what is a valve introduction");
    for (query, shape, of_sections) in [
        (priming, &["-k", "2"][..], false),
        (valves, &["--mode", "broad", "-k", "2"], false),
        (priming, &["--mode", "drill:2,2,2"], false),
        (priming, &["--mode", "section", "-k", "2", "--max-tokens", "400"], true),
        (valves, &["--in", "sections", "-k", "2"], true),
        (priming, &["--group-by", "doc", "--context", "1", "-k", "3"], false),
    ] {
        all_agree(&sandbox, &[&[query], shape].concat(), &ids, of_sections);
    }
}

#[test]
fn a_question_for_steps_prefers_the_chunk_that_has_them() {
    let sandbox = Sandbox::new();
    let theory = "A seal of the pump is a ring that runs on a film of water. Changing the seal of the pump is costly, \
                  because a worn seal is the reason why a pump loses pressure, and the theory explains how that begins.";
    let steps =
        "1. Stop the pump.\n2. Drain it.\n3. Undo the screws.\n4. Change the seal of the pump.\n5. Tighten the screws.";
    sandbox.write("docs/theory.md", format!("# Pump seals\n\n{theory}\n"));
    sandbox.write("docs/steps.md", format!("# Pump seals\n\n{steps}\n"));
    sandbox.kb(&["ingest", "docs", "--no-embed"]);
    let first = |kind: &str| {
        let result =
            sandbox.json(&["search", "change the seal of the pump", "--rerank", "light", "--kind", kind, "--all"]);
        result["hits"][0]["source"].as_str().unwrap().to_owned()
    };
    assert_eq!((first("procedure"), first("concept")), ("docs/steps.md".to_owned(), "docs/theory.md".to_owned()));
}
