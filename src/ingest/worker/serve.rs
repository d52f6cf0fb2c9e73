//! The worker's side: reads requests, cuts documents, answers.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use super::confine;
use super::message::{Answer, Content, Request, send};
use super::{COPIES, WORKER};
use crate::error::{Error, Result, Setting};
use crate::ingest::cut_document::CutDocument;
use crate::ingest::source::{may_be_empty, skip};
use crate::load::{Document, Format, parse_with};

/// Whether this program can be its own worker.
static CAN_BE_WORKER: AtomicBool = AtomicBool::new(false);

/// Makes this process a worker, if the same program started it as one, and ends it when its work is done. Otherwise it
/// returns at once. Call it first in `main`: [`KnowledgeBase::ingest`](crate::KnowledgeBase::ingest) reads files of
/// unknown origin in copies of the running program, with limits on their time and memory and without network.
pub fn serve_worker() {
    if std::env::args_os().nth(1).is_none_or(|argument| argument != WORKER) {
        CAN_BE_WORKER.store(true, Ordering::Relaxed);
        return;
    }
    std::process::exit(serve().map_or_else(|error| i32::from(error.kind().exit_code()), |()| 0));
}

/// # Errors
/// If the program would not serve as a worker: a copy of it would start over instead.
pub fn require_served() -> Result<()> {
    match CAN_BE_WORKER.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err(Error::usage("this program cannot read files in copies of itself")
            .hint("call kb::serve_worker() first in main")),
    }
}

/// Serves requests from standard input until it ends.
fn serve() -> Result<()> {
    confine::end_with_parent()?;
    confine::forbid_network();
    // Panics are reported as errors; their backtraces would only confuse the user of the parent.
    std::panic::set_hook(Box::new(|_| {}));
    let before = confine::data_in_use();
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)
            .map_err(|error| Error::failed(format!("the worker received something other than a request: {error}")))?;
        let mut bytes = vec![0; request.length];
        input.read_exact(&mut bytes)?;
        let copies = (bytes.len() as u64).saturating_mul(COPIES);
        confine::limit_memory(Some(before.saturating_add(request.memory).saturating_add(copies)));
        let answer = match std::panic::catch_unwind(|| cut(bytes, &request)) {
            Ok(Ok(document)) => Answer::Cut(Box::new(document)),
            Ok(Err(error)) => Answer::Refused(error.message().to_owned(), error.next_step().map(str::to_owned)),
            Err(_) => {
                let hint = format!("the file is damaged or hostile: {}", skip());
                Answer::Refused("the parser crashed on this file".to_owned(), Some(hint))
            }
        };
        send(&answer)?;
        confine::limit_memory(None);
        line.clear();
    }
    Ok(())
}

fn cut(bytes: Vec<u8>, request: &Request) -> Result<CutDocument> {
    let mut document = match &request.content {
        Content::File(format, options) => {
            let format = format.or_else(|| Format::sniff(&bytes)).ok_or_else(unknown_format)?;
            // An error means that the parent is gone and needs no page numbers.
            parse_with(&bytes, format, options, &|page| drop(send(&Answer::Page(page))))?
        }
        Content::Stored => serde_json::from_slice::<Document>(&bytes)
            .map_err(|error| Error::failed(format!("the worker cannot read the stored document: {error}")))?,
    };
    // The document has its text; a long file would otherwise be in memory until its chunks are cut.
    drop(bytes);
    if matches!(request.content, Content::File(..)) && !document.has_text() {
        let why = document.warnings.first().map_or(String::new(), |warning| format!(": {warning}"));
        let without = format!("there is no text in it{why}");
        if !why.is_empty() || !may_be_empty(&request.source, document.format) {
            return Err(Error::failed(without).hint(format!("{}, or delete it", skip())));
        }
        document.warnings.push(without);
    }
    Ok(CutDocument::of(document, &request.source, request.corrected.as_deref(), &request.chunking))
}

fn unknown_format() -> Error {
    Error::failed("cannot recognise the format").hint(format!("name it with {} {}", Setting("as"), Format::names("|")))
}
