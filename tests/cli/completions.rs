//! Shells complete what kb names, and the scripts in `completions/` are those that the program prints.

use std::process::Command;

use crate::common::Sandbox;

const SCRIPTS: [(&str, &str); 6] = [
    ("bash", "kb.bash"),
    ("zsh", "_kb"),
    ("fish", "kb.fish"),
    ("powershell", "_kb.ps1"),
    ("elvish", "kb.elv"),
    ("nushell", "kb.nu"),
];

#[test]
fn the_generated_completions_are_current() {
    let sandbox = Sandbox::new();
    let folder = crate::common::repository::in_repository("completions");
    for (shell, file) in SCRIPTS {
        let committed = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let is_current = sandbox.kb(&["completions", shell]).out == committed;
        assert!(is_current, "completions/{file} is out of date: run `kb completions {shell} > completions/{file}`");
    }
}

/// What may follow the words, of which the last is being typed.
fn following(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let mut command = sandbox.command(&[&["--", "kb"], words].concat());
    let index = words.len().to_string();
    command.env("KB_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn two_namespaces() -> Sandbox {
    Sandbox::prepared("completions::two_namespaces", |sandbox| {
        sandbox.write("docs/pumps.md", "# Pumps\n\n## Priming\n\nFill the casing.\n\n## Valves\n\nClose them.\n");
        sandbox.write("docs/手册.md", "# 泵站手册\n\n启动前先关闭阀门。\n");
        sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
        sandbox.kb(&["ingest", "docs/手册.md", "--no-embed", "-n", "manuals"]).ok();
    })
}

#[test]
fn a_shell_completes_what_the_store_has() {
    let sandbox = two_namespaces();
    assert_eq!(following(&sandbox, &["toc", ""])[..2], ["docs/pumps.md", "docs/手册.md"]);
    assert_eq!(following(&sandbox, &["toc", "docs/p"]), ["docs/pumps.md"]);
    assert_eq!(following(&sandbox, &["search", "valve", "--doc", "docs/手"]), ["docs/手册.md"]);
    assert_eq!(following(&sandbox, &["search", "valve", "-n", "m"]), ["manuals"]);
    assert_eq!(following(&sandbox, &["toc", "-n", "manuals", "docs/"]), ["docs/手册.md"]);
    assert_eq!(following(&sandbox, &["section", "docs/pumps.md", "1."]), ["1.1", "1.2"]);
    assert_eq!(following(&sandbox, &["ingest", "docs", "--model", "all"]), ["all-MiniLM-L6-v2-int8"]);
    assert_eq!(following(&sandbox, &["models", "add", "do"]), ["docs/"], "a folder, not what is installed");
    assert_eq!(following(&sandbox, &["chunks-l"]), ["chunks-list"]);
    assert_eq!(following(&sandbox, &["search", "x", "--mode", "dr"]), ["drill"]);
}

#[test]
fn without_a_store_a_shell_completes_commands_and_options() {
    let sandbox = Sandbox::new();
    assert_eq!(following(&sandbox, &["toc", "docs/p"]), [""; 0]);
    // A shell does not wait for object storage, and the local store is not meant.
    assert_eq!(following(&two_namespaces(), &["toc", "--kb", "s3://bucket/x", "docs/"]), [""; 0]);
    assert_eq!(following(&sandbox, &["optim"]), ["optimize"]);
}

#[test]
fn bash_completes_a_document_by_the_script_and_runs_nothing_of_its_name() {
    let sandbox = two_namespaces();
    for name in ["docs/p $(touch ran).md", "docs/p*; touch ran"] {
        sandbox.write(name, "# Hostile\n\nText.");
        sandbox.kb(&["ingest", "--no-embed", "--as", "markdown", "--", name]).ok();
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_kb")).parent().unwrap();
    let script = r#"source "$1"; COMP_WORDS=(kb toc docs/p); COMP_CWORD=2; _clap_complete_kb kb docs/p toc; echo "${COMPREPLY[*]}""#;
    let folder = crate::common::repository::in_repository("completions");
    let mut bash = Command::new("bash");
    bash.args(["-c", script, "bash"]).arg(folder.join("kb.bash")).current_dir(sandbox.path("."));
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = bash.env("PATH", path).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(shown.trim(), "'docs/p $(touch ran).md' 'docs/p*; touch ran' docs/pumps.md", "{output:?}");
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let sandbox = Sandbox::new();
    sandbox.kb(&["man", "out/man1"]).ok();
    let page = |name: &str| std::fs::read_to_string(sandbox.path("out/man1").join(name)).unwrap();
    assert!(page("kb.1").contains("kb\\-search(1)"));
    let search = page("kb-search.1");
    for words in [".TH kb-search 1", env!("CARGO_PKG_VERSION"), "\\-\\-mode"] {
        assert!(search.contains(words), "{words}: {search}");
    }
    sandbox.write("file", "");
    assert_eq!(sandbox.kb(&["man", "file"]).code, 3);
}
