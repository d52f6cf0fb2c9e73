//! `kb completions`: shell completions, generated from the command line itself.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::error::Result;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kb completions bash > ~/.local/share/bash-completion/completions/kb\n  kb completions fish > ~/.config/fish/completions/kb.fish"
)]
pub struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs, command: &mut Command) -> Result<u8> {
    let mut text = Vec::new();
    generate(args.shell, command, "kb", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(0)
}
