//! `kb config`: which settings count, and where each comes from.

use crate::common::Sandbox;

#[test]
fn a_variable_comes_before_the_file() {
    let sandbox = Sandbox::new();
    sandbox.configure("[search]\nlimit = 3\n");
    let run = sandbox.kb_with(&[("KB_SEARCH_LIMIT", "9")], &["config", "--set"]);
    assert!(run.code == 0 && run.out.contains("KB_SEARCH_LIMIT") && run.out.contains('9'), "{}{}", run.out, run.err);
    assert!(!run.out.contains("search.mode"), "only what is set: {}", run.out);
}

#[test]
fn an_empty_variable_sets_nothing() {
    let sandbox = Sandbox::new();
    let unset = sandbox.kb(&["config"]).out;
    for name in
        ["KB_SEARCH_LIMIT", "KB_SEARCH_MODE", "KB_SEARCH_FALLBACK", "KB_INGEST_CONTEXT", "KB_MODEL", "KB_LLM_TIMEOUT"]
    {
        let run = sandbox.kb_with(&[(name, "")], &["config"]);
        assert_eq!((run.code, run.out), (0, unset.clone()), "{name}: {}", run.err);
    }
}

#[test]
fn settings_work_without_a_store() {
    let sandbox = Sandbox::new();
    let listed = sandbox.items(&["config"]);
    assert!(listed.as_array().unwrap().iter().all(|one| one["from"] == "default" || one["is_set"] == true), "{listed}");
}

#[test]
fn forbidden_settings_of_an_untrusted_store_do_not_count() {
    let sandbox = Sandbox::new();
    sandbox.write(".kb/kb.toml", "[search]\nlimit = 3\n[ingest]\nocr_command = \"rm {}\"\n");
    let run = sandbox.kb(&["config", "--set", "--format", "json"]).ok();
    assert!(run.out.contains("search.limit") && !run.out.contains("rm {}"), "{}", run.out);
    assert!(run.err.contains("kb trust"), "{}", run.err);
}

#[test]
fn a_key_in_the_place_of_its_variable_is_not_shown() {
    let sandbox = Sandbox::new();
    sandbox.configure("[llm]\nbase_url = \"https://example.org/v1?key=sk-1\"\napi_key_env = \"sk-2\"\n");
    let run = sandbox.kb(&["config", "--set"]).shows(0, "llm.api_key_env");
    assert!(!run.out.contains("sk-"), "{}", run.out);
}
