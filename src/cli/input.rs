//! Input from a person: files and standard input, an editor, a confirmation.

use std::fs::File;
use std::io::{IsTerminal, Read, StdinLock, Write};
use std::path::Path;
use std::process::Command;

use crate::error::{Error, Kind, Result, plain_io};
use crate::paths::{read_at_most, temporary_file, without_mark};
use crate::text::printable;

/// Used if neither `VISUAL` nor `EDITOR` is set.
const DEFAULT_EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// The kind of failure if the user did not confirm: the answer was no, or there was no terminal to ask on.
pub(super) const NOT_CONFIRMED: Kind = Kind::Failed;

/// The most megabytes of a text, of edits or of a list of paths. Only a device that never ends has more.
const MOST_MEGABYTES: u64 = 256;

/// Asks on the terminal whether to do `what`. Without a terminal this is an error, because nothing may be done unasked.
pub(super) fn confirm(what: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(not_confirmed(what).hint("confirm with --yes, because there is no terminal to ask on"));
    }
    let mut out = anstream::stderr();
    write!(out, "{}? [y/N] ", printable(what))?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Error::failed(format!("cannot read the answer: {}", plain_io(&error))).caused_by(error))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

pub(super) fn not_confirmed(what: &str) -> Error {
    Error::new(NOT_CONFIRMED, format!("not confirmed: {what}"))
}

/// The name of a file in messages.
pub(super) fn name_of(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() }
}

/// Reads a file without its byte-order mark; `-` is standard input.
pub(super) fn read_text(file: &Path) -> Result<String> {
    if file.as_os_str() == "-" {
        return standard_input(bounded_text).map(without_mark);
    }
    File::open(file).and_then(bounded_text).map(without_mark).map_err(|error| Error::reading(file, &error))
}

fn bounded_text(input: impl Read) -> std::io::Result<String> {
    let too_long = || std::io::Error::other(format!("it is longer than {MOST_MEGABYTES} MB"));
    let bytes = read_at_most(MOST_MEGABYTES << 20, input)?.ok_or_else(too_long)?;
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))
}

/// Reads standard input with `read`.
pub(super) fn standard_input<T>(read: impl FnOnce(StdinLock<'static>) -> std::io::Result<T>) -> Result<T> {
    read(std::io::stdin().lock())
        .map_err(|error| Error::failed(format!("cannot read standard input: {}", plain_io(&error))).caused_by(error))
}

/// A temporary file with the text, whose name begins with `prefix`; dropping it removes it.
pub(super) fn draft_file(text: &str, prefix: &str) -> Result<tempfile::NamedTempFile> {
    let file = temporary_file(prefix, ".txt", text.as_bytes());
    file.map_err(|error| Error::temporary("a file for the text", error))
}

/// Keeps the typed text after an error: the file stays, and the error names it and the flag that reads it.
pub(super) fn keep_draft(error: Error, kept: Option<tempfile::NamedTempFile>, flag: &str) -> Error {
    let Some(path) = kept.and_then(|file| file.into_temp_path().keep().ok()) else { return error };
    let next = format!("your text is in {}; correct it and pass it with {flag}", path.display());
    let hint = match error.next_step() {
        Some(hint) => format!("{hint}; {next}"),
        None => next,
    };
    error.hint(hint)
}

/// Runs the user's editor on the file and reads the file again. `instead` is the hint for those without one.
pub(super) fn edit(path: &Path, instead: &str) -> Result<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned());
    let hint = format!("set VISUAL or EDITOR to your editor, or {instead}");
    let status = command(&editor, path).status().map_err(|error| {
        Error::failed(format!("cannot start the editor {editor:?}: {}", plain_io(&error))).hint(hint.clone())
    })?;
    if !status.success() {
        return Err(Error::failed(format!("the editor {editor:?} failed ({status}); nothing was changed")).hint(hint));
    }
    std::fs::read_to_string(path).map(without_mark).map_err(|error| Error::io("read", path, &error))
}

/// The variables may contain arguments (`code --wait`) and quotes; the shell parses them, as in git.
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
