//! The completions in `completions/` are those that the program generates.

use crate::common::Sandbox;

#[test]
fn the_generated_completions_are_current() {
    let sandbox = Sandbox::new();
    let folder = crate::common::repository::in_repository("completions");
    for (shell, file) in
        [("bash", "kb.bash"), ("zsh", "_kb"), ("fish", "kb.fish"), ("powershell", "_kb.ps1"), ("elvish", "kb.elv")]
    {
        let generated = sandbox.kb(&["completions", shell]).out;
        let committed = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        assert!(
            generated == committed,
            "completions/{file} is out of date: run `kb completions {shell} > completions/{file}`"
        );
    }
}
