//! Text from a person: an editor, or standard input.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result, plain_io};

/// What runs where neither `VISUAL` nor `EDITOR` says.
const DEFAULT_EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

pub(super) fn read_standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| Error::failed(format!("cannot read standard input: {}", plain_io(&error))))?;
    Ok(text)
}

/// A temporary file with the text, whose name begins with `prefix`; it goes when it is dropped.
pub(super) fn keep(text: &str, prefix: &str) -> Result<tempfile::NamedTempFile> {
    let fail = |error: &std::io::Error| Error::io("write a file in", &std::env::temp_dir(), error);
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(".txt").tempfile().map_err(|error| fail(&error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| fail(&error))?;
    Ok(file)
}

/// What somebody typed must survive an error: the file stays, and the error names it and the flag that takes it.
pub(super) fn forget_nothing(error: Error, kept: Option<tempfile::NamedTempFile>, flag: &str) -> Error {
    let Some(path) = kept.and_then(|file| file.into_temp_path().keep().ok()) else { return error };
    let next = format!("your text is in {}; correct it and take it with {flag}", path.display());
    let hint = match error.next_step() {
        Some(hint) => format!("{hint}; {next}"),
        None => next,
    };
    error.hint(hint)
}

/// Runs the user's editor on the file and reads what it left there. `instead` says what to do without one.
pub(super) fn edit(path: &Path, instead: &str) -> Result<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned());
    let hint = format!("set VISUAL or EDITOR to your editor, or {instead}");
    let status = command(&editor, path).status().map_err(|error| {
        Error::failed(format!("cannot start the editor {editor:?}: {}", plain_io(&error))).hint(hint.clone())
    })?;
    if !status.success() {
        return Err(Error::failed(format!("the editor {editor:?} gave up ({status}); nothing was changed")).hint(hint));
    }
    std::fs::read_to_string(path).map_err(|error| Error::io("read", path, &error))
}

/// Editors are named with arguments (`code --wait`) and quotes; the shell knows how to read that, as in git.
#[cfg(unix)]
fn command(editor: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, path: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(editor));
    command.args(words).arg(path);
    command
}
