//! `kb search --explain`, `--why` and `--rerank`: how a result came about.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use common::Sandbox;
use serde_json::Value;

/// Passages that speak of a pump, one that says everything the question asks, and one that says a word of it often.
fn pumps() -> Sandbox {
    let sandbox = Sandbox::new();
    let often = "The pump is a pump. ".repeat(6);
    let text = format!(
        "# Overview\n\n{often}\n\n# Relief\n\nThe valve relieves the pump casing of trapped air.\n\n# Paint\n\nGreen or blue.\n"
    );
    sandbox.write("pumps.md", text);
    assert_eq!(sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).code, 0);
    sandbox
}

fn stage<'v>(result: &'v Value, name: &str) -> &'v Value {
    let stages = result["stages"].as_array().unwrap();
    stages.iter().find(|stage| stage["name"] == name).unwrap_or_else(|| panic!("no stage {name}: {stages:?}"))
}

fn hits(result: &Value) -> Vec<&str> {
    result["hits"].as_array().unwrap().iter().map(|hit| hit["chunk_id"].as_str().unwrap()).collect()
}

#[test]
fn every_stage_says_what_it_took_and_gave() {
    let sandbox = pumps();
    let result = sandbox.json(&["search", "air in the pump", "--explain"]);
    let fused = stage(&result, "fuse")["candidates"].as_array().unwrap();
    assert_eq!(fused.len(), 2, "{fused:?}");
    assert!(stage(&result, "keyword")["milliseconds"].as_f64() > Some(0.0));
    let cut = stage(&result, "cut")["candidates"].as_array().unwrap();
    assert_eq!(cut.iter().map(|one| one["id"].as_str().unwrap()).collect::<Vec<_>>(), hits(&result));
    assert!(sandbox.json(&["search", "air in the pump"])["stages"].is_null());
    for format in ["table", "markdown"] {
        let shown = sandbox.kb(&["search", "air in the pump", "--explain", "--format", format]).out;
        assert!(shown.contains("How it was found") && shown.contains("second_look"), "{shown}");
    }
}

#[test]
fn the_second_look_can_be_left_out() {
    let sandbox = pumps();
    let result = sandbox.json(&["search", "air in the pump", "--explain", "--rerank", "off"]);
    assert!(result["stages"].as_array().unwrap().iter().all(|stage| stage["name"] != "second_look"));
    // An arm that was asked for alone stays itself, unless the second look is asked for too.
    let result = sandbox.json(&["search", "pump", "--explain", "--method", "keyword"]);
    assert!(result["stages"].as_array().unwrap().iter().all(|stage| stage["name"] != "second_look"));
    stage(&sandbox.json(&["search", "pump", "--explain", "--method", "keyword", "--rerank", "light"]), "second_look");
}

#[test]
fn a_passage_that_is_missing_says_where_it_was_lost() {
    let sandbox = pumps();
    let all = sandbox.json(&["search", "air in the pump", "-k", "9"]);
    let [first, second] = hits(&all)[..] else { panic!("{all}") };
    let why = |args: &[&str]| {
        let run = sandbox.kb(&[&["search", "air in the pump", "--format", "json"], args].concat());
        (run.code, serde_json::from_str::<Value>(&run.out).unwrap_or_default(), run.err)
    };
    let (code, found, _) = why(&["--why", first]);
    assert_eq!((code, found["rank"].as_u64()), (0, Some(1)));
    let (code, cut, _) = why(&["--why", second, "-k", "1"]);
    assert_eq!((code, cut["lost_in"].as_str(), cut["remedy"].as_str()), (1, Some("choose"), Some("-k 2 shows it")));
    // A piece stands for its passage, a section for its best.
    assert_eq!(why(&["--why", &format!("{first}.0")]).1["chunk_id"], first);
    let section = all["hits"][0]["section_id"].as_str().unwrap();
    assert_eq!(why(&["--why", section]).1["chunk_id"], first);
    let document = first.split(':').next().unwrap();
    let (_, paint, _) = why(&["--why", &format!("{document}#3")]);
    assert_eq!(paint["lost_in"], "recall", "{paint}");
    let (code, _, error) = why(&["--why", "zzzzzz:1"]);
    assert!(code == 1 && error.contains("no chunk or section"), "{code} {error}");
}

/// A manual with sections of known passages, two notes that say the same, and one that is older than all of them.
fn manuals() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_manuals("\n# Empty\n\n## Spare parts\n");
    sandbox.write(
        "old.md",
        "---\ndate: 2001-01-01\n---\n# Old\n\nThe handle of the priming valve was a handle for priming.\n",
    );
    assert_eq!(sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).code, 0);
    sandbox
}

/// What `--why` says of an id, asked as `args` ask.
fn why(sandbox: &Sandbox, args: &[&str], id: &str) -> Value {
    let run = sandbox.kb(&[&["search"], args, &["--why", id, "--format", "json"]].concat());
    let why: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{args:?} {id}: {}", run.err));
    assert_eq!(run.code, i32::from(why["rank"].is_null()), "{args:?}: {why}");
    why
}

/// The flags of a search, the question first, changed as a remedy says.
fn changed(args: &[&str], why: &Value) -> Vec<String> {
    let words = |field: &str| -> Vec<String> {
        why["change"][field].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let (add, leave_out) = (words("add"), words("leave_out"));
    let (mut changed, mut skip) = (Vec::new(), false);
    for (at, word) in args.iter().enumerate() {
        if at == 0 {
            changed.push(why["change"]["query"].as_str().unwrap_or(word).to_owned());
        } else if word.starts_with('-') {
            let gone = add.iter().chain(&leave_out).any(|flag| flag == word);
            let replaced = *word == "--merge" && add.iter().any(|flag| flag == "--no-merge");
            let valued = args.get(at + 1).is_some_and(|next| !next.starts_with('-'));
            skip = gone && valued;
            if !gone && !replaced {
                changed.push((*word).to_owned());
            }
        } else if !std::mem::take(&mut skip) {
            changed.push((*word).to_owned());
        }
    }
    changed.extend(add);
    changed
}

/// The hits of a search, none where it finds nothing or nothing fits.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let run = sandbox.kb(&[&["search"], args, &["--format", "json"]].concat());
    assert!(run.code < 2, "{args:?}: {}", run.err);
    let result: Value = serde_json::from_str(&run.out).unwrap_or_default();
    result["hits"].as_array().cloned().unwrap_or_default()
}

/// The place of the first hit that is, or shows, a chunk or a section.
fn place(hits: &[Value], id: &str, sections: bool) -> Option<u64> {
    let names = |hit: &Value, key: &str, id: &str| hit[key].as_str() == Some(id);
    let below = format!("{id}.");
    let own = |section: &str| section == id || section.starts_with(&below);
    let shows = |hit: &&Value| {
        let mut sources = hit["sources"].as_array().unwrap().iter();
        match id.contains('#') {
            true if sections => names(hit, "section_id", id),
            true => sources.any(|source| own(source["section_id"].as_str().unwrap())),
            false => sources.any(|source| names(source, "chunk_id", id)),
        }
    };
    let first = hits.iter().find(shows)?;
    first["rank"].as_u64()
}

/// Asks why of an id, checks that against the result, and that the remedy does what it says. Gives what was said.
/// By words alone and looked at again, so that no run has to load the model.
fn agrees(sandbox: &Sandbox, args: &[&str], id: &str, sections: bool) -> Value {
    let args = &[args, &["--method", "keyword", "--rerank", "light"]].concat()[..];
    let why = why(sandbox, args, id);
    let mut rank = place(&found(sandbox, args), id, sections);
    if rank.is_none() && sections && id.contains('#') && why["shown"].is_string() {
        // Within the hit that is its chapter.
        let above = why["shown"].as_str().unwrap().rsplit(' ').next().unwrap().to_owned();
        rank = place(&found(sandbox, args), &above, sections);
    }
    assert_eq!(why["rank"].as_u64(), rank, "{args:?} {id}: {why}");
    assert_eq!(why["lost_in"].is_null(), rank.is_some(), "{args:?} {id}: {why}");
    if why["change"].is_object() {
        let changed = changed(args, &why);
        let then = found(sandbox, &changed.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(place(&then, id, sections).is_some(), "{args:?} {id}: {changed:?} does not show it: {why}");
        if why["rank"].is_number() {
            let alone = then.iter().any(|hit| hit["chunk_id"] == why["chunk_id"]);
            assert!(alone, "{args:?} {id}: {changed:?} does not make it a hit: {why}");
        }
    }
    why
}

/// The passages of the store: ids and texts.
fn passages(sandbox: &Sandbox) -> Vec<(String, String)> {
    let list = sandbox.json(&["chunks-list"]);
    let text = |chunk: &Value, field: &str| chunk[field].as_str().unwrap().to_owned();
    let chunks = list.as_array().unwrap().iter().filter(|chunk| chunk["chunk_type"] == "parent");
    chunks.map(|chunk| (text(chunk, "chunk_id"), text(chunk, "content"))).collect()
}

/// The id of the passage that says something.
fn passage(sandbox: &Sandbox, says: &str) -> String {
    let found = passages(sandbox).into_iter().find(|(_, text)| text.contains(says));
    found.unwrap_or_else(|| panic!("nothing says {says}")).0
}

fn text<'v>(why: &'v Value, field: &str) -> &'v str {
    why[field].as_str().unwrap_or_default()
}

#[test]
fn each_stage_that_drops_a_passage_is_named_with_what_keeps_it() {
    let sandbox = manuals();
    let [first, copy, old] = ["Step 1 ", "The apprentice", "The handle of"].map(|says| passage(&sandbox, says));
    let steps: Vec<String> = (1..=6).map(|step| passage(&sandbox, &format!("Step {step} "))).collect();
    let vent = passage(&sandbox, "Open the vent");
    // Of the two that say the same, the one that was left out.
    let hits = found(&sandbox, &["apprentice priming handle"]);
    let twin = hits.iter().find_map(|hit| hit["duplicates"][0].as_str()).unwrap().to_owned();
    let dropped = agrees(&sandbox, &["apprentice priming handle"], &twin, false);
    assert_eq!((text(&dropped, "lost_in"), text(&dropped, "remedy")), ("duplicates", "--keep-duplicates shows it"));
    assert!(text(&dropped, "reason").contains(hits[0]["chunk_id"].as_str().unwrap()), "{dropped}; {copy}");
    // Merged, it is in the result, and can be made a hit of its own.
    let merging = ["priming handle", "--merge", "-k", "20"];
    let hits = found(&sandbox, &merging);
    let merged = steps.iter().find(|id| hits.iter().all(|hit| hit["chunk_id"] != ***id)).unwrap();
    let part = agrees(&sandbox, &merging, merged, false);
    assert!(text(&part, "shown").contains("merged") && text(&part, "remedy").contains("--no-merge"), "{part}");
    // What the modes leave out.
    let beam = ["handle", "--mode", "drill", "--beam", "1,1,1"];
    let lost: Vec<Value> = steps.iter().map(|id| agrees(&sandbox, &beam, id, false)).collect();
    let by_beam: Vec<&Value> = lost.iter().filter(|why| why["lost_in"] == "drill").collect();
    assert!(by_beam.len() >= 5 && by_beam.iter().all(|why| text(why, "remedy").contains("--beam")), "{lost:?}");
    let share = ["handle", "--per-document", "1"];
    let lost: Vec<Value> = steps.iter().map(|id| agrees(&sandbox, &share, id, false)).collect();
    let capped = lost.iter().filter(|why| why["lost_in"] == "per_document").count();
    assert!(capped >= 5 && lost.iter().all(|why| !why["change"].is_null() || why["rank"].is_number()), "{lost:?}");
    let broad = ["priming handle number", "--mode", "broad", "--no-merge", "--diversity", "0.9", "-k", "3"];
    let lost: Vec<Value> = steps.iter().map(|id| agrees(&sandbox, &broad, id, false)).collect();
    assert!(lost.iter().any(|why| text(why, "reason").contains("too like others")), "{lost:?}");
    assert!(lost.iter().any(|why| text(why, "remedy").contains("--diversity 0")), "{lost:?}");
    // The budget.
    let budget = ["priming handle", "--max-tokens", "120", "-k", "9", "--tokenizer", "chars/4"];
    let lost: Vec<Value> = steps.iter().map(|id| agrees(&sandbox, &budget, id, false)).collect();
    let cut: Vec<&Value> = lost.iter().filter(|why| why["lost_in"] == "budget").collect();
    assert!(cut.len() >= 5 && cut.iter().all(|why| text(why, "remedy").contains("--max-tokens")), "{lost:?}");
    let nothing = ["priming handle", "--max-tokens", "3", "--doc", "pumps.md"];
    assert_eq!(agrees(&sandbox, &nothing, &first, false)["lost_in"], "budget");
    // Scores and times.
    let least = ["priming handle", "--min-score", "0.99"];
    let lost = agrees(&sandbox, &least, &first, false);
    assert!(lost["lost_in"] == "cut" && text(&lost, "remedy").contains("--min-score 0."), "{lost}");
    let decayed = ["priming handle", "--half-life", "90d", "--min-score", "0.1", "-k", "9"];
    let aged = agrees(&sandbox, &decayed, &old, false);
    assert_eq!((text(&aged, "lost_in"), text(&aged, "remedy")), ("cut", "--half-life none shows it"), "{aged}");
    assert!(text(&aged, "reason").contains("before the decay"), "{aged}");
    let decayed = agrees(&sandbox, &["priming handle", "--half-life", "90d", "-k", "2"], &old, false);
    assert!(text(&decayed, "reason").contains("before the decay"), "{decayed}");
    // Filters, phrases, recall.
    for (args, id, stage, keeps) in [
        (&["handle", "--filter", "source = notes.md"][..], &first, "filter", "--filter ''"),
        (&["handle", "--doc", "notes.md"], &first, "filter", "leaving out --doc"),
        (&["handle", "--before", "2002-01-01"], &first, "filter", "leaving out --before"),
        (&["\"priming handle\" handle"], &first, "phrases", "asking \"priming handle handle\""),
        (&["handle", "--pool", "1", "-k", "1"], &old, "recall", "--pool"),
        (&["handl", "--expand", "off"], &vent, "recall", ""),
    ] {
        let lost = agrees(&sandbox, args, id, false);
        assert!(lost["lost_in"] == stage && text(&lost, "remedy").contains(keeps), "{args:?}: {lost}");
        assert_eq!(lost["remedy"].is_null(), keeps.is_empty(), "{args:?}: {lost}");
    }
    // A neighbour is in the result, and no hit.
    let around = ["handle number 3", "-k", "1", "--context", "1", "--doc", "pumps.md"];
    let beside = agrees(&sandbox, &around, &steps[1], false);
    assert!(text(&beside, "shown").contains("neighbour of"), "{beside}");
}

#[test]
fn a_question_about_structure_says_that_nothing_was_ranked() {
    let sandbox = manuals();
    let id = passage(&sandbox, "Grease");
    let args = ["what chapters does pumps.md have", "-k", "50"];
    let run = sandbox.kb(&[&["search"], &args[..], &["--why", &id]].concat());
    assert!(
        run.code == 1 && run.out.contains("table of contents") && run.out.contains("--kind concept"),
        "{}",
        run.out
    );
    let section = format!("{}#1.3", id.split(':').next().unwrap());
    let listed = agrees(&sandbox, &args, &section, false);
    assert!(listed["lost_in"] == "contents" && text(&listed, "remedy").contains("--kind concept"), "{listed}");
}

#[test]
fn a_lookup_is_not_looked_at_again_to_say_why() {
    let sandbox = Sandbox::new();
    // The word alone, often; then among the other words of its section's title, which the second look would prefer.
    sandbox.write("codes.md", "# Codes\n\nE-417 E-417 E-417.\n\n## E-417 in the list\n\nSee E-417 there.\n");
    assert_eq!(sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).code, 0);
    for (id, _) in passages(&sandbox) {
        let why = why(&sandbox, &["E-417", "-k", "1"], &id);
        assert_eq!(why["rank"].as_u64(), place(&found(&sandbox, &["E-417", "-k", "1"]), &id, false));
        let stages = why["stages"].as_array().unwrap();
        assert!(stages.iter().all(|stage| stage["name"] != "second_look"), "{why}");
        for stage in stages.iter().filter(|stage| stage["place_of_all"].is_number()) {
            assert_eq!(stage["place"], stage["place_of_all"], "{why}");
        }
    }
}

#[test]
fn a_section_says_what_speaks_for_it_and_what_took_its_place() {
    let sandbox = manuals();
    let vent = passage(&sandbox, "Open the vent");
    let document = vent.split(':').next().unwrap();
    let section = |path: &str| format!("{document}#{path}");
    for shape in [&["--mode", "section"][..], &["--in", "sections"]] {
        let ask = |query, more: &[&'static str], path: &str| {
            agrees(&sandbox, &[&[query], shape, more].concat(), &section(path), true)
        };
        let first = ask("priming handle", &[], "1.2");
        let evidence = first["section"]["evidence"].as_array().unwrap();
        assert_eq!((first["rank"].as_u64(), first["section"]["place"].as_u64()), (Some(1), Some(1)), "{first}");
        assert!(evidence.len() >= 6 && evidence.iter().all(|one| one["counts_for"] == *section("1.2")), "{first}");
        // Its passages count for the section below it.
        let chapter = ask("priming handle", &[], "1");
        let counted = text(&chapter, "reason").contains(&section("1.2"));
        assert!(chapter["lost_in"] == "sections" && counted, "{chapter}");
        assert!(text(&chapter, "remedy").contains("asking \"Pumps\""), "{chapter}");
        // Too far down, and not recalled.
        let second = ask("grease or vent", &["-k", "1"], "1.2.1");
        let third = ask("grease or vent", &["-k", "1"], "1.3");
        let lost = if second["rank"].is_null() { second } else { third };
        assert!(lost["lost_in"] == "sections" && text(&lost, "remedy").contains("-k 2"), "{lost}");
        let unheard = ask("water", &["--filter", "source = pumps.md"], "1.3");
        assert_eq!(
            (text(&unheard, "lost_in"), unheard["section"]["evidence"].as_array().unwrap().len()),
            ("recall", 0)
        );
        // Without any text there is still a title.
        let parts = ask("spare parts", &[], "3.1");
        assert_eq!(
            (parts["rank"].as_u64(), parts["section"]["title_likeness"].as_f64()),
            (Some(1), Some(1.0)),
            "{parts}"
        );
        assert_eq!(ask("water", &["--doc", "notes.md"], "3.1")["lost_in"], "filter");
    }
    // Within the section above it, where that is shown whole.
    let within = agrees(&sandbox, &["priming the pump", "--mode", "section", "-k", "1"], &section("1.2.1"), true);
    assert!(text(&within, "shown").contains(&section("1.2")), "{within}");
    let cut =
        agrees(&sandbox, &["priming the pump", "--mode", "section", "-k", "1", "--max-tokens", "300"], &vent, true);
    assert!(cut["lost_in"] == "budget" && text(&cut, "remedy").contains("--max-tokens"), "{cut}");
    // Readable, too.
    let shown = sandbox.kb(&["search", "priming handle", "--in", "sections", "--why", &section("1")]).out;
    assert!(shown.contains("As a section") && shown.contains("counts for"), "{shown}");
}

#[test]
fn a_look_that_was_better_is_the_one_that_is_told_of() {
    let sandbox = manuals();
    let args = ["handle", "--pool", "2", "-k", "2", "--fallback", "min_hits=2,min_docs=2"];
    for (id, _) in passages(&sandbox) {
        agrees(&sandbox, &args, &id, false);
    }
}

#[test]
fn what_is_said_of_every_passage_and_section_agrees_with_the_result() {
    let sandbox = manuals();
    let ids: Vec<String> = passages(&sandbox).into_iter().map(|(id, _)| id).collect();
    let document = passage(&sandbox, "Grease").split(':').next().unwrap().to_owned();
    let sections =
        ["0", "1", "1.1", "1.2", "1.2.1", "1.3", "2", "2.1", "3", "3.1"].map(|path| format!("{document}#{path}"));
    let sections = sections.iter().filter(|id| !id.ends_with("#0"));
    let (priming, valves) = ("priming handle", "what is a valve introduction");
    for (query, shape, of_sections) in [
        (priming, &["-k", "2"][..], false),
        (valves, &["--mode", "broad", "-k", "2"], false),
        (priming, &["--mode", "drill", "--beam", "2,2,2"], false),
        (priming, &["--mode", "section", "-k", "2", "--max-tokens", "400"], true),
        (valves, &["--in", "sections", "-k", "2"], true),
        (priming, &["--group-by", "doc", "--context", "1", "-k", "3"], false),
    ] {
        let args = [&[query], shape].concat();
        for id in ids.iter().chain(sections.clone()) {
            agrees(&sandbox, &args, id, of_sections);
        }
    }
}
