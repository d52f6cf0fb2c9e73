//! `kb completions`: scripts with which a shell completes commands, options and names in a store.
//!
//! The script of a shell is short: it runs `kb` with the words typed so far, and kb itself prints the candidates
//! ([`values`]). Nushell has no such mechanism, so its script lists only commands and options.

mod values;

use std::io::Write;

use clap::{Args, Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use clap_complete_nushell::Nushell;

use super::parse;
use crate::error::{Error, Result};
use values::Quoting;

/// Bash would take a name with an asterisk for a pattern of files.
const WITHOUT_GLOBS: [(&str, &str); 2] =
    [("() {\n", "() {\n    local kb_flags=$-\n    set -f\n"), ("\n}\n", "\n    [[ $kb_flags == *f* ]] || set +f\n}\n")];
/// Set by a shell that asks for candidates.
const ASKED: &str = "KB_COMPLETE";
const NAME: &str = "kb";
/// Zsh reads a file of $fpath at the first completion; this line answers that one.
const FIRST_OF_ZSH: &str = "[[ $funcstack[1] == _kb ]] && _clap_dynamic_completer_kb \"$@\"\n";

/// Print a shell completion script for commands, options, documents, sections, namespaces and models
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb completions bash > ~/.local/share/bash-completion/completions/kb
  kb completions zsh > ~/.zfunc/_kb         with ~/.zfunc in $fpath
  kb completions fish > ~/.config/fish/completions/kb.fish
  kb completions powershell >> $PROFILE
  kb completions nushell > ~/.config/nushell/autoload/kb.nu

The script asks kb, which reads the store that a command would use. The Nushell script completes only commands and options.")]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

pub fn run(args: &CompletionsArgs, command: &mut Command) -> Result<u8> {
    let mut script = Vec::new();
    let mut register = |shell: &dyn EnvCompleter| shell.write_registration(ASKED, NAME, NAME, NAME, &mut script);
    match args.shell {
        Shell::Bash => register(&Bash)?,
        Shell::Elvish => register(&Elvish)?,
        Shell::Fish => register(&Fish)?,
        Shell::Powershell => register(&Powershell)?,
        Shell::Zsh => register(&Zsh)?,
        Shell::Nushell => clap_complete::generate(Nushell, command, NAME, &mut script),
    }
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match args.shell {
        Shell::Zsh => script.push_str(FIRST_OF_ZSH),
        Shell::Bash => WITHOUT_GLOBS.iter().for_each(|(from, to)| script = script.replacen(from, to, 1)),
        _ => {}
    }
    std::io::stdout().lock().write_all(script.as_bytes())?;
    Ok(0)
}

/// Answers a shell that asks for candidates. `false` if none asks.
///
/// # Errors
/// If the shell is unknown, or its words cannot be read.
pub(super) fn answer() -> Result<bool> {
    let Some(shell) = std::env::var_os(ASKED) else { return Ok(false) };
    let quoting = match shell.to_string_lossy().as_ref() {
        "bash" => Quoting::Bash,
        "powershell" => Quoting::PowerShell,
        _ => Quoting::OfShell,
    };
    values::QUOTING.get_or_init(|| quoting);
    let command = || values::completing(parse::command(true));
    CompleteEnv::with_factory(command)
        .var(ASKED)
        .completer(NAME)
        .try_complete(std::env::args_os(), std::env::current_dir().ok().as_deref())
        .map_err(|error| Error::usage(error.to_string()))
}
