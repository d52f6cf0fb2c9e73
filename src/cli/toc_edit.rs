//! `kb toc DOC --edit`, `--set`, `--editable`, `--reset`: the way of a correction from the editor to the store.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Context;
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::reindex::rebuild_options;
use super::waiting::WaitArgs;
use crate::edit::{Correction, Place, editable_toc, reset_toc, set_toc};
use crate::error::{Error, Result, plain_io};
use crate::render::CorrectionView;
use crate::store::{DocumentRow, SectionRow};

/// What runs where neither `VISUAL` nor `EDITOR` says.
const DEFAULT_EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// What is done with a table of contents.
pub enum Step {
    /// Edited.
    Edit,
    /// Printed as it is edited.
    Print,
    /// Taken from a file.
    Set(PathBuf),
    /// Given back.
    Reset,
}

pub async fn run(
    context: &Context,
    step: Step,
    document: &DocumentRow,
    sections: &[SectionRow],
    password: Option<String>,
    wait: &WaitArgs,
) -> Result<u8> {
    if let Step::Print = step {
        let mut out = std::io::stdout().lock();
        out.write_all(editable_toc(document, sections).as_bytes())?;
        out.flush()?;
        return Ok(0);
    }
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    let options = rebuild_options(context, ReadingArgs::with_password(password), wait)?;
    let place = Place { store, namespace, options };
    let progress = progress_display(context);
    let (text, kept) = match &step {
        Step::Set(file) if file.as_os_str() == "-" => (read_standard_input()?, None),
        Step::Set(file) => (std::fs::read_to_string(file).map_err(|error| Error::io("read", file, &error))?, None),
        Step::Edit => {
            let kept = keep(&editable_toc(document, sections), document)?;
            let text = edit(kept.path())?;
            (text, Some(kept))
        }
        Step::Print | Step::Reset => {
            context.show(&CorrectionView(&reset_toc(&place, document, progress).await?))?;
            return Ok(0);
        }
    };
    if text.trim().is_empty() {
        // Nothing was typed that could be lost.
        let what = match &step {
            Step::Set(file) if file.as_os_str() == "-" => "standard input".to_owned(),
            Step::Set(file) => file.display().to_string(),
            _ => "the table of contents".to_owned(),
        };
        return Err(Error::usage(format!("{what} is empty; nothing was changed"))
            .hint(format!("`kb toc {} --editable` prints the form that is expected", document.doc_id)));
    }
    match set_toc(&place, Correction { document, sections }, &text, progress).await {
        Ok(report) => {
            context.show(&CorrectionView(&report))?;
            Ok(0)
        }
        Err(error) => Err(forget_nothing(error, kept)),
    }
}

fn read_standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| Error::failed(format!("cannot read standard input: {}", plain_io(&error))))?;
    Ok(text)
}

/// A temporary file with the text; it goes when it is dropped.
fn keep(text: &str, document: &DocumentRow) -> Result<tempfile::NamedTempFile> {
    let fail = |error: &std::io::Error| Error::io("write a file in", &std::env::temp_dir(), error);
    let mut file = tempfile::Builder::new()
        .prefix(&format!("kb-toc-{}-", document.doc_id))
        .suffix(".txt")
        .tempfile()
        .map_err(|error| fail(&error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| fail(&error))?;
    Ok(file)
}

/// What somebody typed must survive an error: the file stays, and the error names it.
fn forget_nothing(error: Error, kept: Option<tempfile::NamedTempFile>) -> Error {
    let Some(path) = kept.and_then(|file| file.into_temp_path().keep().ok()) else { return error };
    let next = format!("your text is in {}; correct it and take it with --set", path.display());
    let hint = match error.next_step() {
        Some(hint) => format!("{hint}; {next}"),
        None => next,
    };
    error.hint(hint)
}

/// Runs the user's editor on the file and reads what it left there.
fn edit(path: &Path) -> Result<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned());
    let hint = "set VISUAL or EDITOR to your editor, or use --editable and --set";
    let status = command(&editor, path).status().map_err(|error| {
        Error::failed(format!("cannot start the editor {editor:?}: {}", plain_io(&error))).hint(hint)
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
