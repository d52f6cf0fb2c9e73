//! `kb toc DOC --edit`, `--set`, `--editable`, `--reset`: the way of a correction from the editor to the store.

use std::io::Write;
use std::path::PathBuf;

use super::Context;
use super::editor::{edit, forget_nothing, keep, read_standard_input};
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::reindex::rebuild_options;
use super::waiting::WaitArgs;
use crate::edit::{Correction, Place, editable_toc, reset_toc, set_toc};
use crate::error::{Error, Result};
use crate::render::CorrectionView;
use crate::store::{DocumentRow, SectionRow};

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
    reading: ReadingArgs,
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
    let options = rebuild_options(context, reading, wait)?;
    let place = Place { store, namespace, options };
    let progress = progress_display(context);
    let (text, kept) = match &step {
        Step::Set(file) if file.as_os_str() == "-" => (read_standard_input()?, None),
        Step::Set(file) => (std::fs::read_to_string(file).map_err(|error| Error::io("read", file, &error))?, None),
        Step::Edit => {
            let kept = keep(&editable_toc(document, sections), &format!("kb-toc-{}-", document.doc_id))?;
            let text = edit(kept.path(), "use --editable and --set")?;
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
        Err(error) => Err(forget_nothing(error, kept, "--set")),
    }
}
