//! A source's bytes, and the document in them.

use std::path::Path;

use super::plan::mtime_ns;
use crate::error::{Error, Result};
use crate::load::worker::Worker;
use crate::load::{Document, Format, LoadOptions, parse};

/// Parses bytes, those of hostile formats in the worker process. Without a format the first bytes tell it.
pub(super) fn parse_bytes(
    bytes: &[u8],
    format: Option<Format>,
    options: &LoadOptions,
    worker: &mut Worker,
) -> Result<Document> {
    if bytes.is_empty() {
        return Err(Error::failed("the file is empty").hint("leave it out with --exclude, or delete it"));
    }
    let format = format.or_else(|| Format::sniff(bytes)).ok_or_else(|| {
        Error::failed("cannot tell what format this is")
            .hint(format!("say what it is with --as {}", Format::names("|")))
    })?;
    let document = match format {
        _ if format.needs_worker() => worker.parse(bytes, format, options)?,
        _ => parse(bytes, format, options)?,
    };
    if !document.has_text() {
        return Err(Error::failed("there is no text in it").hint("leave it out with --exclude, or delete it"));
    }
    Ok(document)
}

/// Reads a file that must not change meanwhile, and the time of its last change.
pub(super) fn read_steadily(path: &Path, most: u64) -> Result<(Vec<u8>, i64)> {
    let facts = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io("read", path, &error));
    for _ in 0..3 {
        let before = facts(path)?;
        if before.len() > most {
            return Err(
                Error::failed("grew over the limit while it was read").hint("raise the limit with --max-file-size MB")
            );
        }
        let bytes = std::fs::read(path).map_err(|error| {
            let plain = crate::error::plain_io(&error);
            Error::failed(format!("cannot be read: {plain}"))
                .hint("check its permissions, or leave it out with --exclude")
        })?;
        let after = facts(path)?;
        if before.len() == after.len() && bytes.len() as u64 == after.len() && mtime_ns(&before) == mtime_ns(&after) {
            return Ok((bytes, mtime_ns(&after)));
        }
    }
    Err(Error::failed("changes while it is read").hint("run the command again when nothing writes to it"))
}
