//! Other names for the same thing: defined by documents, listed by the user, and searched for beside the question's.

use crate::common::{Sandbox, stage, titles};

const TRAINS: &str = "# Trains\n\n## Protocol\n\nThe server sends a Transport Disconnect Order (TDO) at the end.\n\n\
    ## Faults\n\nA disconnect order of the transport layer that is lost is sent again.\n\n\
    ## Timing\n\nEvery TDO waits for three seconds.\n";
const DIVERS: &str = "# Divers\n\n## Terms\n\n| TDO | Total Dive Oxygen |\n|---|---|\n\n## Bottles\n\nOxygen for the whole dive is in two bottles.\n";
const CHINESE: &str = "# 机房\n\n## 能效\n\n电能利用效率（以下简称能效比）不大于 1.4。\n\n## 考核\n\n能效比每月考核一次。\n\n\
    ## 泵\n\n闸阀又称闸板阀，启闭缓慢。\n\n## 检修\n\n闸板阀每年检修。\n";

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, text) in files {
        sandbox.write(&format!("docs/{name}"), text);
    }
    // Keyword search needs no vectors.
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    sandbox
}

/// The last titles of the hits, best first, and the notes beside them.
fn search(sandbox: &Sandbox, args: &[&str]) -> (Vec<String>, String) {
    let run = sandbox.kb(&[&["search", "-k", "20", "--format", "json"], args].concat());
    (titles(&run.json()).into_iter().map(str::to_owned).collect(), run.err)
}

#[test]
fn abbreviations_find_their_long_forms() {
    let sandbox = sandbox(&[("trains.md", TRAINS)]);
    let (titles, notes) = search(&sandbox, &["TDO"]);
    assert!(titles.contains(&"Faults".to_owned()), "{titles:?}");
    assert_eq!(titles.last().unwrap(), "Faults", "what has the abbreviation itself is in front: {titles:?}");
    assert!(notes.contains("\"TDO\" was also searched for as \"Transport Disconnect Order\""), "{notes}");
    let (titles, notes) = search(&sandbox, &["which", "transport", "disconnect", "orders", "wait?"]);
    assert!(titles.contains(&"Timing".to_owned()) && notes.contains("\"TDO\""), "{notes} {titles:?}");
    assert!(search(&sandbox, &["tdo timing"]).1.contains("\"tdo\" was also"), "typed in haste");
    let (_, notes) = search(&sandbox, &["why is the word tdo written in small letters", "--all"]);
    assert!(!notes.contains("tdo"), "in a sentence small letters may be another word: {notes}");
    let (titles, notes) = search(&sandbox, &["TDO", "--expand", "off"]);
    assert!(!titles.contains(&"Faults".to_owned()) && notes.is_empty(), "{notes}");
    sandbox.kb(&["search", "TDO", "--explain"]).shows(0, "was also searched for as");
}

#[test]
fn chinese_names_find_their_synonyms() {
    let sandbox = sandbox(&[("机房.md", CHINESE)]);
    let (titles, notes) = search(&sandbox, &["如何考核电能利用效率"]);
    assert_eq!(titles[..2].iter().filter(|title| *title == "考核").count(), 1, "{titles:?}");
    assert!(notes.contains("\"电能利用效率\" was also searched for as \"能效比\""), "{notes}");
    let (titles, notes) = search(&sandbox, &["闸阀检修"]);
    assert!(titles[0] == "检修" && notes.contains("\"闸板阀\""), "{notes} {titles:?}");
}

#[test]
fn chinese_short_forms_and_amounts_find_other_ways_to_write_them() {
    let holidays =
        "# 手册\n\n## 休假\n\n员工的年休假按工龄计算。\n\n## 福利\n\n公司缴纳医疗保险。\n\n## 考勤\n\n公司每年检查。\n";
    let rules = "# 制度\n\n## 审批\n\n单笔超过五千元的费用须经总经理审批。\n\n## 期限\n\n应在15天内提交。\n\n## 标准\n\n每天不超过600元。\n";
    let sandbox = sandbox(&[("手册.md", holidays), ("制度.md", rules)]);
    for (question, title, note) in [
        ("年假", "休假", "\"年假\" was also searched for as \"年休假\""),
        ("公司年假怎么申请", "休假", "\"年假\" was also searched for as \"年休假\""),
        ("谁缴纳医保", "福利", "\"医保\" was also searched for as \"医疗保\""),
        ("超过5000元谁批", "审批", "\"5000元\" was also searched for as \"五千元\""),
        ("十五天内提交什么", "期限", "\"十五天\" was also searched for as \"15天\""),
    ] {
        let (titles, notes) = search(&sandbox, &[question, "--all"]);
        assert!(titles[0] == title && notes.contains(note), "{question}: {notes} {titles:?}");
    }
    // 司年 is a part of 公司年休假, whatever texts have between its characters.
    let (_, notes) = search(&sandbox, &["公司年休假"]);
    assert!(!notes.contains("was also searched for"), "{notes}");
}

#[test]
fn an_ambiguous_abbreviation_finds_both_meanings() {
    let sandbox = sandbox(&[("trains.md", TRAINS), ("divers.md", DIVERS)]);
    let (titles, notes) = search(&sandbox, &["TDO"]);
    assert!(notes.contains("\"Total Dive Oxygen\"") && notes.contains("\"Transport Disconnect Order\""), "{notes}");
    assert!(titles.contains(&"Bottles".to_owned()), "{titles:?}");
    sandbox.kb(&["remove", "divers.md"]).ok();
    let (_, notes) = search(&sandbox, &["TDO"]);
    assert!(!notes.contains("Dive") && notes.contains("Order"), "{notes}");
    // The same holds when an edit removes the definition.
    let id = sandbox.json(&["search", "server sends", "--expand", "off"])["hits"][0]["chunk_id"].clone();
    sandbox.kb(&["chunk-edit", id.as_str().unwrap(), "--content", "The server sends a last message."]).ok();
    let (_, notes) = search(&sandbox, &["TDO"]);
    assert_eq!(notes, "");
}

#[test]
fn synonyms_are_searched_and_mistakes_in_the_list_reported() {
    let sandbox = sandbox(&[("trains.md", TRAINS), ("机房.md", CHINESE)]);
    let notes = |args: &[&str]| search(&sandbox, args).1;
    assert_eq!(search(&sandbox, &["gateway"]).0, [""; 0]);
    sandbox.write(".kb/synonyms.txt", "# ours\ngateway, server\nvalve => 闸阀\n");
    assert_eq!(search(&sandbox, &["gateway"]).0, ["Protocol"]);
    assert!(notes(&["valve"]).contains("\"valve\" was also searched for as \"闸阀\""));
    assert_eq!(search(&sandbox, &["valve"]).0, ["泵", "检修"]);
    assert!(!notes(&["闸阀"]).contains("valve"), "one way");
    sandbox.write(".kb/namespaces/default/synonyms.txt", "bridge, server\n");
    assert_eq!(search(&sandbox, &["bridge"]).0, ["Protocol"]);
    sandbox.write(".kb/synonyms.txt", "router, server\n\nalone\n");
    sandbox.kb(&["search", "router"]).tells(2, "synonyms.txt, line 3: \"alone\" stands alone");
    assert_eq!(sandbox.kb(&["search", "server", "--expand", "off"]).code, 0, "who wants no names needs no list");
}

/// A document that defines 20,000 abbreviations, and one of them 2,000 times, answers as fast as any.
#[test]
fn a_document_full_of_definitions_has_a_limit() {
    let mut text = String::from("# Hostile\n\n");
    for i in 0..20_000u32 {
        let letters: String = (0..4).map(|k| char::from(b'A' + ((i / 26u32.pow(k)) % 26) as u8)).collect();
        let words: Vec<String> = letters.chars().map(|c| format!("{c}word{i}")).collect();
        text.push_str(&format!("{letters}: {}\n", words.join(" ")));
    }
    for i in 0..2_000 {
        text.push_str(&format!("A Transport{i} Disconnect Order (TDO) ends it.\n\n"));
    }
    let sandbox = sandbox(&[("hostile.md", &text)]);
    let (titles, notes) = search(&sandbox, &["TDO BAAA CAAA DAAA"]);
    assert!(!titles.is_empty() && notes.lines().count() <= 4, "{notes}");
    let several = notes.lines().find(|line| line.starts_with("\"TDO\"")).unwrap();
    assert_eq!(several.matches("Order").count(), 4, "{several}");
    let explained = sandbox.json(&["search", "TDO BAAA CAAA DAAA", "--explain"]);
    let words = stage(&explained, "words");
    assert!(words["milliseconds"].as_f64().unwrap() < 200.0, "{words}");
}
