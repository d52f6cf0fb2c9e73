//! Entities: their states over time, set, listed, found in parent chunks, shown in contexts.

use crate::common::{Sandbox, of_hits, stage, text, texts};
use serde_json::{Value, json};

const GUIDE: &str = "# Station guide\n\n## Pumps\n\nPump P-12 feeds the boiler. Prime pump P-12 before it is started.\n\n\
                     ## Valves\n\nThe relief valve opens at 5 bar. P-12B is another machine.\n";
const CHINESE: &str =
    "# 泵站手册\n\n## 启动\n\n启动一号泵之前先打开排气阀，再检查泄压阀。\n\n## 停机\n\n停机时先关闭排气阀。\n";

/// Two documents, and a pump with states in three years.
fn station() -> Sandbox {
    Sandbox::prepared("entities::station", |sandbox| {
        sandbox.write("guide.md", GUIDE);
        sandbox.write("手册.md", CHINESE);
        sandbox.json(&["ingest", ".", "--no-embed", "--time", "2020"]);
        set(sandbox, &["Pump P-12", "--type", "pump", "--alias", "一号泵", "--state", "new", "--time", "2023"]);
        set(sandbox, &["pump p-12", "--state", "out of order", "--time", "2025-02-03"]);
        set(sandbox, &["一号泵", "--state", "in service", "--time", "2024-06"]);
    })
}

fn set(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(&[&["entity-set"], args].concat())
}

fn generation(sandbox: &Sandbox) -> u64 {
    sandbox.status()["generation"].as_u64().unwrap()
}

#[test]
fn a_state_holds_from_its_time_until_the_next() {
    let sandbox = station();
    let state = |as_of: &str| sandbox.items(&["entities", "--as-of", as_of])[0]["state"].clone();
    assert_eq!(state("2022"), Value::Null);
    assert_eq!(state("2024-05"), "new");
    assert_eq!(state("2024-06-01"), "in service");
    assert_eq!(state("2025-02-02"), "in service");
    assert_eq!(state("2025"), "out of order", "at the end of the year");
    assert_eq!(state("2025-02-03"), "out of order");
    let pump = &sandbox.items(&["entities", "一号泵"])[0];
    assert_eq!(texts(&pump["states"], "/state"), ["new", "in service", "out of order"]);
    let earlier = sandbox.items(&["entities", "一号泵", "--as-of", "2024-05"]);
    assert_eq!(texts(&earlier[0]["states"], "/state"), ["new"]);
    assert_eq!(pump["entity_type"], "pump");
}

#[test]
fn other_names_of_an_entity_are_searched_for() {
    let sandbox = station();
    let sources = |query: &str| {
        let mut sources = of_hits(&sandbox.json(&["search", query, "--method", "keyword"]), "source");
        sources.sort();
        sources.dedup();
        sources
    };
    assert_eq!(sources("一号泵"), ["guide.md", "手册.md"]);
    assert_eq!(sources("Pump P-12"), ["guide.md", "手册.md"]);
    sandbox.kb(&["search", "一号泵"]).tells(0, "\"一号泵\" was also searched for as \"Pump P-12\"");
    set(&sandbox, &["Pump P-12", "--remove", "--alias", "一号泵"]);
    assert_eq!(sources("一号泵"), ["手册.md"]);
}

#[test]
fn the_model_reads_the_other_names_of_an_entity_too() {
    let sandbox =
        Sandbox::of_document("guide.md", "# Harbour\n\nThe floating crane lifts containers out of the water.\n", &[]);
    let cosine = || {
        let found = sandbox.json(&["search", "Goliath", "--method", "semantic"]);
        found["hits"][0]["semantic_score"].as_f64().unwrap()
    };
    let before = cosine();
    set(&sandbox, &["Goliath", "--alias", "floating crane"]);
    assert!(cosine() > before + 0.2, "{before} {}", cosine());
}

#[test]
fn mentions_follow_parent_chunks_and_names() {
    let sandbox = station();
    let counts = || {
        let list = sandbox.items(&["entities"]);
        let count = |one: &Value, name: &str| one[name].as_u64().unwrap();
        let entity = |one: &Value| (text(one, "name").to_owned(), (count(one, "documents"), count(one, "parents")));
        list.as_array().unwrap().iter().map(entity).collect::<Vec<_>>()
    };
    assert_eq!(counts(), [("Pump P-12".to_owned(), (2, 2))], "in English and Chinese, and P-12B is another");
    set(&sandbox, &["排气阀", "--type", "valve"]);
    assert_eq!(counts()[1], ("排气阀".to_owned(), (1, 2)));
    // A longer name takes the mentions of a shorter one inside it.
    set(&sandbox, &["打开排气阀"]);
    assert_eq!(counts()[1..], [("打开排气阀".to_owned(), (1, 1)), ("排气阀".to_owned(), (1, 1))]);
    sandbox.write("more.md", "# More\n\nThe ｐｕｍｐ　Ｐ-１２ leaks.\n\n## Again\n\nPump P-12 leaks again.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(counts()[0].1, (3, 4));
    let pump = &sandbox.items(&["entities", "Pump P-12"])[0];
    assert_eq!(texts(&pump["mentions"], "/source"), ["more.md", "guide.md", "手册.md"], "most parent chunks first");
    sandbox.json(&["remove", "guide.md"]);
    assert_eq!(counts()[0].1, (2, 3));
    set(&sandbox, &["Pump P-12", "--remove", "--alias", "一号泵"]);
    assert_eq!(counts()[0].1, (1, 2));
    let chunk = sandbox.items(&["chunks-list", "--doc", "more.md"])[0]["chunk_id"].as_str().unwrap().to_owned();
    sandbox.json(&["chunk-edit", &chunk, "--content", "Nothing leaks."]);
    assert_eq!(counts()[0].1, (1, 1));
    sandbox.kb(&["check"]).ok();
}

#[test]
fn a_context_has_the_states_of_mentioned_entities() {
    let sandbox = station();
    set(&sandbox, &["relief valve", "--type", "valve", "--state", "stuck", "--time", "2025"]);
    set(&sandbox, &["泄压阀", "--state", "已更换", "--time", "2025-01-02"]);
    let context = |args: &[&str]| sandbox.json(&[&["context"], args, &["--method", "keyword"]].concat());
    let found = context(&["how is pump P-12 primed"]);
    assert_eq!(texts(&found["entities"], "/name")[0], "Pump P-12", "the question's come first: {found}");
    assert_eq!(found["entities"][0]["state"], "out of order");
    assert_eq!(found["entities"][0]["in_question"], true);
    let begins = "# Entities\n\n- Pump P-12 (pump; also 一号泵): out of order, since 2025-02-03\n";
    assert!(found["text"].as_str().unwrap().starts_with(begins), "{found}");
    // A parent chunk mentions one, in Chinese, and the question another.
    let found = context(&["启动之前先检查什么"]);
    assert_eq!(texts(&found["entities"], "/name"), ["Pump P-12", "泄压阀"]);
    assert_eq!(found["entities"][1]["in_question"], false);
    let text = found["text"].as_str().unwrap();
    assert!(text.contains("- 泄压阀: 已更换, since 2025-01-02\n"), "{text}");
    let found = context(&["泄压阀怎么样", "--as-of", "2024-12"]);
    assert!(!texts(&found["entities"], "/name").contains(&"泄压阀"), "it had no state then");
    let within = |most: &str| {
        let limit = ["--max-tokens", most, "--tokenizer", "chars/1"];
        sandbox.kb(&[&["context", "pump P-12", "--method", "keyword"], &limit[..]].concat())
    };
    let run = within("90");
    // Not even one chunk fits: the state may be the answer.
    assert!(run.code == 0 && run.out.chars().count() <= 90 && run.out.contains(": out of order"), "{}", run.out);
    assert!(run.err.contains("not even the first parent chunk fits into 90 tokens"), "{}", run.err);
    let run = within("200");
    assert!(run.out.chars().count() <= 200 && run.err.contains("the state of Pump P-12"), "{}{}", run.out, run.err);
    sandbox.write(
        "t.txt",
        "{% for entity in entities %}{{ entity.name }} is {{ entity.state }}.\n{% endfor %}{{ query }}",
    );
    let run = sandbox.kb(&["context", "pump P-12 primed", "--method", "keyword", "--template", "t.txt"]);
    assert!(run.out.starts_with("Pump P-12 is out of order.\n"), "{}{}", run.out, run.err);
}

#[test]
fn explain_names_the_entities_of_the_question() {
    let sandbox = station();
    let found = sandbox.json(&["search", "is 一号泵 primed?", "--method", "keyword", "--explain"]);
    assert_eq!(stage(&found, "entities")["notes"][0], "Pump P-12 (pump; also 一号泵): out of order, since 2025-02-03");
    let args = ["search", "is 一号泵 primed?", "--method", "keyword", "--explain", "--as-of", "2024-07"];
    sandbox.kb(&args).shows(0, "in service, since 2024-06-01");
}

#[test]
fn each_namespace_has_its_own_entities() {
    let sandbox = station();
    sandbox.write("other/plant.md", "# Plant\n\nPump P-12 of the plant is primed by hand.\n");
    sandbox.json(&["ingest", "other", "--no-embed", "-n", "plant"]);
    set(&sandbox, &["Pump P-12", "--state", "sold", "--time", "2025-05", "-n", "plant"]);
    let found = sandbox.json(&["context", "pump P-12 primed", "--method", "keyword", "-n", "default,plant"]);
    assert_eq!(texts(&found["entities"], "/namespace"), ["default", "plant"]);
    assert_eq!(texts(&found["entities"], "/state"), ["out of order", "sold"]);
    assert!(found["text"].as_str().unwrap().contains("since 2025-05-01 [plant]"));
    sandbox.kb(&["entities", "-n", "all", "--format", "markdown"]).shows_all(0, &["| namespace |", "| plant |"]);
    // A renamed namespace keeps its entities.
    sandbox.items(&["namespaces", "rename", "plant", "works"]);
    assert_eq!(texts(&sandbox.items(&["entities", "-n", "works"]), "/name"), ["Pump P-12"]);
}

#[test]
fn a_state_can_be_removed() {
    let sandbox = station();
    let before = generation(&sandbox);
    sandbox.kb(&["entity-set", "Pump P-12", "--remove", "--dry-run"]).shows(0, "would remove Pump P-12");
    assert_eq!(generation(&sandbox), before, "only asked");
    assert_eq!(set(&sandbox, &["Pump P-12", "--state", "out of order"])["generation"], Value::Null, "as it is already");
    set(&sandbox, &["Pump P-12", "--remove", "--time", "2025"]);
    assert_eq!(sandbox.items(&["entities"])[0]["state"], "in service");
    set(&sandbox, &["Pump P-12", "--remove"]);
    let empty = sandbox.kb(&["entities", "--format", "json"]);
    assert_eq!(empty.code, 1);
    assert_eq!(empty.json()["items"], json!([]));
    let diff = sandbox.json(&["diff", &before.to_string()]);
    assert_eq!((&diff["entities"][0]["name"], &diff["entities"][0]["what"]), (&json!("Pump P-12"), &json!("gone")));
    assert!(diff["items"].as_array().unwrap().is_empty());
    let log = sandbox.items(&["log"]);
    assert_eq!((&log[0]["command"], &log[0]["sources"][0]), (&json!("entity-set"), &json!("Pump P-12")));
    let restored = sandbox.json(&["restore", &before.to_string()]);
    assert_eq!(restored["entities"], 1);
    assert_eq!(sandbox.items(&["entities"])[0]["state"], "out of order");
    // A generation from before there were any.
    sandbox.json(&["restore", "1"]);
    assert_eq!(sandbox.kb(&["entities"]).code, 1);
    sandbox.kb(&["check"]).ok();
}

#[test]
fn states_aliases_and_types_change_one_by_one() {
    let sandbox = station();
    let change = |args: &[&str]| {
        let pump = sandbox.json(&[&["entity-set", "pump p-12"], args].concat())["items"][0].take();
        (pump["outcome"].clone(), pump["states"].clone())
    };
    let known = ["--type", "PUMP", "--alias", "一号泵", "--state", "out of order"];
    assert_eq!(change(&known), (json!("unchanged"), json!(3)));
    assert_eq!(change(&["--state", "out of order", "--time", "2024-01"]).1, 4, "said of another time, it is new");
    assert_eq!(change(&["--state", "repaired", "--time", "2025-02-05", "--alias", "P1"]).1, 5);
    sandbox.kb(&["entity-set", "Pump P-12", "--remove", "--time", "2025-02"]).tells(2, "2 states at that time");
    assert_eq!(change(&["--remove", "--time", "2025-02-05"]).1, 4);
    assert_eq!(change(&["--remove", "--alias", "p1"]), (json!("changed"), json!(4)));
    change(&["--type", "valve", "--retype"]);
    let pump = &sandbox.items(&["entities"])[0];
    assert_eq!((&pump["aliases"], &pump["entity_type"]), (&json!(["一号泵"]), &json!("valve")));
}

#[test]
fn a_list_can_be_imported_into_another_namespace() {
    let sandbox = station();
    set(&sandbox, &["O'Brien \\ 50%", "--type", "person", "--state", "said \"no\"; DROP", "--time", "2024"]);
    let all = sandbox.kb(&["entities", "Pump P-12", "--format", "jsonl"]).out;
    let others = sandbox.kb(&["entities", "--type", "PERSON", "--format", "jsonl"]).out;
    sandbox.json(&["ingest", ".", "--no-embed", "-n", "copy"]);
    sandbox.kb_with_input(&["entity-set", "--from", "-", "-n", "copy"], format!("{all}{others}").as_bytes()).ok();
    for command in [&["entities"][..], &["entities", "--as-of", "2024-07"]] {
        let strip = |mut list: Value| {
            list.as_array_mut().unwrap().iter_mut().for_each(|one| one["namespace"] = Value::Null);
            list
        };
        let copy = sandbox.items(&[command, &["-n", "copy"]].concat());
        assert_eq!(strip(sandbox.items(command)), strip(copy));
    }
    set(&sandbox, &["O'Brien \\ 50%", "--state", "gone"]);
    set(&sandbox, &["o'brien \\ 50%", "--remove"]);
    assert_eq!(texts(&sandbox.items(&["entities"]), "/name"), ["Pump P-12"]);
}

#[test]
fn a_bad_line_is_named_and_changes_nothing() {
    let sandbox = station();
    let before = generation(&sandbox);
    for (bad, message) in [
        ("not json", "expected"),
        ("{\"name\": \"\"}", "the name is empty"),
        ("{\"name\": \"x\", \"state\": \"a\\u001b[31mb\"}", "an invisible character (U+001B)"),
        ("{\"name\": \"x\", \"state\": \"a\", \"time\": \"2999\"}", "in the future"),
        ("{\"name\": \"Pump P-12\", \"entity_type\": \"valve\"}", "of the type \"pump\", not \"valve\""),
        ("{\"name\": \"Good\", \"entity_type\": \"b\"}", "of the type \"a\", not \"b\""),
        ("{\"name\": \"x\", \"aliases\": [\"一号泵\"]}", "is already a name of \"Pump P-12\""),
        ("{\"name\": \"x\", \"colour\": \"red\"}", "colour"),
        ("{\"name\": \"nobody\", \"remove\": true}", "no entity \"nobody\""),
        ("{\"name\": \"Pump P12\", \"remove\": true}", "did you mean \"Pump P-12\"?"),
        ("{\"name\": \"Pump P-12\", \"remove\": true, \"aliases\": [\"P9\"]}", "\"P9\" is not an alias of"),
        ("{\"name\": \"Pump P-12\", \"remove\": true, \"time\": \"2020\"}", "its states begin at 2023-01-01"),
        ("{\"name\": \"x\", \"time\": \"2024\"}", "has no state"),
        ("{\"name\": \"Pump P-12\", \"remove\": true, \"state\": \"new\"}", "neither a state nor a type"),
    ] {
        sandbox.write("in.jsonl", format!("{{\"name\": \"Good\", \"entity_type\": \"a\"}}\n{bad}\n"));
        let run = sandbox.kb(&["entity-set", "--from", "in.jsonl"]).lacks("\u{1b}");
        let is_named = run.err.contains(message) && run.err.contains("line 2 of in.jsonl");
        assert!(run.code != 0 && is_named, "{bad}: {}", run.err);
    }
    for args in [
        &["entity-set"][..],
        &["entity-set", ""],
        &["entity-set", "x", "--time", "2024"],
        &["entity-set", "x", "--remove", "--state", "y"],
        &["entity-set", "x", "--from", "in.jsonl"],
        &["entity-set", "x", "--state", "y", "--time", "2999-01-01"],
        &["entity-set", "Pump P-12", "--retype"],
        &["entities", "--as-of", "soon"],
    ] {
        assert_eq!(sandbox.kb(args).code, 2, "{args:?}");
    }
    sandbox.kb(&["entities", "Pump P12"]).tells(1, "did you mean \"Pump P-12\"?");
    sandbox.kb(&["entities", "P-12"]).tells(1, "no entity \"P-12\"; `kb entities` lists them");
    assert_eq!(sandbox.kb(&["entity-set", "x", "-n", "nowhere"]).code, 2);
    assert_eq!(generation(&sandbox), before);
}

#[test]
fn a_filter_keeps_the_parent_chunks_that_mention_an_entity() {
    let sandbox = station();
    set(&sandbox, &["relief valve"]);
    let sections = |filter: &str| {
        let found = sandbox.items(&["chunks-list", "--where", filter, "--type", "parent"]);
        let mut titles: Vec<String> = texts(&found, "/section/title").into_iter().map(str::to_owned).collect();
        titles.sort();
        titles
    };
    assert_eq!(sections("entity = 一号泵"), ["Pumps", "启动"]);
    assert_eq!(sections("entity = 'PUMP  p-12' and language = en"), ["Pumps"]);
    assert_eq!(sections("entity != 'Pump P-12'"), ["Valves", "停机"]);
    assert_eq!(sections("entity exists").len(), 3);
    assert_eq!(sections("entity in (一号泵, 'relief valve')").len(), 3);
    assert_eq!(sandbox.hits(&["打开", "--method", "keyword", "--filter", "entity = 'Pump P-12'"]).len(), 1);
    set(&sandbox, &["compressor"]);
    for filter in ["entity = nobody", "entity = compressor"] {
        let run = sandbox.kb(&["search", "valve", "--filter", filter, "--method", "keyword"]);
        run.tells(1, &format!("no document matches `{filter}`"));
    }
    // A name in a title counts as mentioned by its parent chunks, for filters, counts and contexts alike.
    set(&sandbox, &["station guide", "--state", "in revision", "--time", "2025"]);
    assert_eq!(sections("entity = 'Station Guide'"), ["Pumps", "Valves"]);
    assert_eq!(sandbox.items(&["entities", "station guide"])[0]["parents"], 2);
    let found =
        sandbox.json(&["context", "relief valve", "--method", "keyword", "--filter", "entity = 'station guide'"]);
    assert!(texts(&found["entities"], "/name").contains(&"station guide"), "{found}");
    set(&sandbox, &["停机"]);
    assert_eq!(sections("entity = 停机"), ["停机"]);
}
