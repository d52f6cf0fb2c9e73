//! Downloads one file: continues where an earlier attempt stopped, and checks the promised size and hash.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderName, RANGE};
use reqwest::{Response, StatusCode};

use super::hub::{Hub, RemoteFile};
use super::record::cannot;
use crate::error::{Error, Result, innermost, or_none};

/// Attempts without progress when the connection breaks or the hub has a problem.
const ATTEMPTS: u32 = 4;
/// The wait before the second attempt; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Limit for files of unknown size.
const LARGEST_UNKNOWN: u64 = 1 << 30;

/// A file of a model on the hub, and its destination.
pub(super) struct FileDownload<'a> {
    pub hub: &'a Hub,
    pub repository: &'a str,
    pub revision: &'a str,
    pub file: &'a RemoteFile,
    pub to: &'a Path,
    /// Gets the number of downloaded bytes.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// Why an attempt failed.
enum AttemptError {
    /// The next attempt may succeed.
    Temporary(Error),
    /// Another attempt is useless.
    Final(Error),
}

impl FileDownload<'_> {
    /// Downloads the file. A part from before the connection broke, now or in an earlier run, is kept beside it as
    /// `.part` and continued.
    pub async fn run(&self) -> Result<()> {
        let to = self.to;
        // Without a hash, a file of an earlier run cannot be recognised.
        if to.is_file() && self.file.digest.is_some() && self.check(to).is_ok() {
            (self.progress)(std::fs::metadata(to).map_err(cannot("read", to))?.len());
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(cannot("make", folder))?;
        }
        let part = to.with_added_extension("part");
        // A part from an earlier run may be damaged: then the file is downloaded once more from the beginning.
        let mut may_retry = length(&part) > 0;
        loop {
            self.fill(&part).await?;
            let Err(error) = self.check(&part) else { break };
            std::fs::remove_file(&part).map_err(cannot("remove", &part))?;
            if !std::mem::take(&mut may_retry) {
                return Err(error);
            }
        }
        std::fs::rename(&part, to).map_err(cannot("rename", &part))
    }

    /// Requests the file until it is complete.
    async fn fill(&self, part: &Path) -> Result<()> {
        let (mut failed, mut most) = (0, 0);
        loop {
            match self.attempt(part).await {
                Ok(()) => return Ok(()),
                Err(AttemptError::Final(error)) => return Err(error),
                Err(AttemptError::Temporary(error)) => {
                    // Progress resets the count: a large file over a bad line takes many attempts.
                    let there = length(part);
                    failed = if there > most { 1 } else { failed + 1 };
                    most = most.max(there);
                    if failed >= ATTEMPTS {
                        return Err(error);
                    }
                    tokio::time::sleep(FIRST_WAIT * 2_u32.pow(failed - 1)).await;
                }
            }
        }
    }

    /// Requests the missing bytes once.
    async fn attempt(&self, part: &Path) -> Result<(), AttemptError> {
        let mut have = length(part);
        if self.file.bytes.is_some_and(|bytes| have > bytes) {
            remove(part)?;
            have = 0;
        }
        if self.file.bytes == Some(have) && have > 0 {
            (self.progress)(have);
            return Ok(());
        }
        let path = format!("{}/resolve/{}/{}", self.repository, self.revision, self.file.path);
        let mut request = self.hub.http.get(self.hub.url(&path).map_err(AttemptError::Final)?);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = request.send().await.map_err(|error| match error.is_redirect() {
            true => AttemptError::Final(self.hub.unreachable(&error)),
            false => AttemptError::Temporary(self.hub.unreachable(&error)),
        })?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response) == Some(have) => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                remove(part)?;
                return Err(AttemptError::Temporary(self.wrong_content("another part of it")));
            }
            StatusCode::OK => have = 0,
            status => {
                let what = format!("file {} in {}", self.file.path, self.repository);
                let error = self.hub.refusal(response, &what).await;
                let is_temporary = status.is_server_error();
                return Err(if is_temporary { AttemptError::Temporary(error) } else { AttemptError::Final(error) });
            }
        }
        self.write(response, have, part).await
    }

    /// Writes the bytes after the first `have`.
    async fn write(&self, mut response: Response, mut have: u64, part: &Path) -> Result<(), AttemptError> {
        let unwritten = |error: std::io::Error| AttemptError::Final(cannot("write", part)(error));
        let out = if have > 0 { OpenOptions::new().append(true).open(part) } else { File::create(part) };
        let mut out = out.map_err(unwritten)?;
        let promised = header(&response, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        let promised = promised.map(|rest| have + rest);
        if let (Some(listed), Some(promised)) = (self.file.bytes, promised)
            && listed != promised
        {
            remove(part)?;
            let what = format!("{promised} bytes instead of the listed {listed}");
            return Err(AttemptError::Final(self.wrong_content(&what)));
        }
        let most = self.file.bytes.or(promised).unwrap_or(LARGEST_UNKNOWN);
        (self.progress)(have);
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    have += bytes.len() as u64;
                    if have > most {
                        drop(out);
                        remove(part)?;
                        return Err(AttemptError::Final(self.wrong_content(&format!("more than {most} bytes"))));
                    }
                    out.write_all(&bytes).map_err(unwritten)?;
                    (self.progress)(have);
                }
                Ok(None) => break,
                Err(error) => return Err(AttemptError::Temporary(self.cut_off(have, &innermost(&error)))),
            }
        }
        if self.file.bytes.or(promised).is_some_and(|whole| have < whole) {
            return Err(AttemptError::Temporary(self.cut_off(have, "the connection ended")));
        }
        out.sync_all().map_err(unwritten)
    }

    /// Compares a file with the promised size and hash.
    fn check(&self, path: &Path) -> Result<()> {
        let found = length(path);
        if let Some(listed) = self.file.bytes.filter(|&listed| listed != found) {
            return Err(self.wrong_content(&format!("{found} bytes instead of the listed {listed}")));
        }
        let Some(listed) = &self.file.digest else { return Ok(()) };
        if listed.is_of(path).map_err(cannot("read", path))? {
            return Ok(());
        }
        Err(self.wrong_content("bytes with another hash than the listed one"))
    }

    fn wrong_content(&self, what: &str) -> Error {
        Error::failed(format!("{} sent something other than {}: {what}", self.hub.name(), self.file.path))
            .hint("nothing was added; run the command again, or use another mirror (HF_ENDPOINT)")
    }

    fn cut_off(&self, have: u64, why: &str) -> Error {
        let (file, hub, have) = (&self.file.path, self.hub.name(), crate::text::size(have));
        Error::failed(format!("the download of {file} from {hub} broke off after {have}: {why}"))
            .hint("run the command again: it continues the download")
    }
}

/// The size of a file; 0 if it is missing.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

fn remove(part: &Path) -> Result<(), AttemptError> {
    or_none(std::fs::remove_file(part)).map(drop).map_err(|error| AttemptError::Final(cannot("remove", part)(error)))
}

fn header(response: &Response, name: HeaderName) -> Option<&str> {
    response.headers().get(name)?.to_str().ok()
}

/// The first byte of a partial answer.
fn begins_at(response: &Response) -> Option<u64> {
    header(response, CONTENT_RANGE)?.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
