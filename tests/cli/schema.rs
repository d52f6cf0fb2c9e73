//! `kb schema`: the shape of what each command prints. That all JSON has its shape is checked wherever a test asks for JSON.

use crate::common::Sandbox;
use crate::common::schema::check;

/// Commands that print JSON, from the help.
fn commands(sandbox: &Sandbox) -> Vec<String> {
    const WITHOUT_JSON: [&str; 8] = ["browse", "completions", "man", "schema", "serve", "mcp", "watch", "help"];
    let help = sandbox.kb(&["--help"]).out;
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let named = listed.take_while(|line| line.starts_with("  "));
    let named = named.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = named.map(str::to_owned).filter(|name| !WITHOUT_JSON.contains(&name.as_str())).collect();
    assert!(names.len() > 20, "{help}");
    names
}

#[test]
fn every_command_that_prints_json_has_a_schema() {
    let sandbox = Sandbox::new();
    for command in commands(&sandbox) {
        let schema = sandbox.kb(&["schema", &command]).ok().json();
        assert!(schema["anyOf"].as_array().is_some_and(|any| !any.is_empty()), "{command}: {schema}");
    }
}

#[test]
fn a_schema_holds_what_the_command_prints_and_nothing_else() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let mut printed = sandbox.kb(&["schema", "toc"]).json();
    let (schema, definitions) = (serde_json::json!({ "anyOf": printed["anyOf"].take() }), printed["$defs"].take());
    let fits = |args: &[&str]| check(&schema, &sandbox.json(args), &definitions, "toc");
    assert_eq!(fits(&["toc", "pump-station-manual"]), Ok(()));
    assert_eq!(fits(&["toc"]), Ok(()), "the list of all");
    assert!(fits(&["docs"]).is_err());
}

#[test]
fn an_unknown_command_is_named_with_the_known_ones() {
    Sandbox::new().kb(&["schema", "serach"]).tells(2, "serach").tells(2, "chunks-list");
}
