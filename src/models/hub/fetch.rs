//! The bytes of one file: from where they were left, as many as were promised, with the hash that was promised.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use reqwest::{Response, StatusCode};

use super::{Hub, RemoteFile};
use crate::error::{Error, Result, innermost, or_gone};

/// How often a file is asked for, where the connection breaks or the hub has trouble of its own.
const ATTEMPTS: u32 = 4;
/// The wait before the second time; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Files whose length nobody says may not be longer.
const LARGEST_UNTOLD: u64 = 1 << 30;

/// Why there is no file yet.
enum Trouble {
    /// It may go on where it stopped.
    Broken(Error),
    /// Asking again is of no use.
    Final(Error),
}

impl Hub {
    /// Fetches a file of a model to `to`. What came before the connection broke, now or in an earlier run, is kept beside
    /// as `.part` and gone on from. `progress` is told how many bytes are there.
    ///
    /// # Errors
    /// Where the hub does not give it, or gives something else than it promised, or the disk does not take it.
    pub async fn fetch(
        &self,
        repository: &str,
        revision: &str,
        file: &RemoteFile,
        to: &Path,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        if self.is_whole(file, to)? {
            progress(std::fs::metadata(to).map_err(|error| Error::io("read", to, &error))?.len());
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, &error))?;
        }
        let part = part(to);
        let resumed = length(&part) > 0;
        self.fill(repository, revision, file, &part, progress).await?;
        if let Err(error) = self.check(file, &part) {
            std::fs::remove_file(&part).map_err(|error| Error::io("remove", &part, &error))?;
            if !resumed {
                return Err(error);
            }
            // What an earlier run left may be at fault: once from the beginning.
            self.fill(repository, revision, file, &part, progress).await?;
            if let Err(error) = self.check(file, &part) {
                std::fs::remove_file(&part).map_err(|error| Error::io("remove", &part, &error))?;
                return Err(error);
            }
        }
        std::fs::rename(&part, to).map_err(|error| Error::io("rename", &part, &error))
    }

    /// Whether a file of an earlier run is the one that is wanted.
    fn is_whole(&self, file: &RemoteFile, to: &Path) -> Result<bool> {
        // Without a hash there is nothing that would tell it from another.
        if !to.is_file() || file.digest.is_none() {
            return Ok(false);
        }
        Ok(self.check(file, to).is_ok())
    }

    /// Asks until all is there.
    async fn fill(
        &self,
        repository: &str,
        revision: &str,
        file: &RemoteFile,
        part: &Path,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let (mut failed, mut most) = (0, 0);
        loop {
            match self.go_on(repository, revision, file, part, progress).await {
                Ok(()) => return Ok(()),
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Broken(error)) => {
                    // As long as it gets on, it may break: a large file over a bad line takes many attempts.
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

    /// Asks once for what is missing.
    async fn go_on(
        &self,
        repository: &str,
        revision: &str,
        file: &RemoteFile,
        part: &Path,
        progress: &(dyn Fn(u64) + Sync),
    ) -> std::result::Result<(), Trouble> {
        let mut have = length(part);
        if file.bytes.is_some_and(|bytes| have > bytes) {
            remove(part)?;
            have = 0;
        }
        if file.bytes == Some(have) && have > 0 {
            progress(have);
            return Ok(());
        }
        let url = self.url(&format!("{repository}/resolve/{revision}/{}", file.path)).map_err(Trouble::Final)?;
        let mut request = self.http.get(url);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = request.send().await.map_err(|error| match error.is_redirect() {
            true => Trouble::Final(self.unreachable(&error)),
            false => Trouble::Broken(self.unreachable(&error)),
        })?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response) == Some(have) => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                remove(part)?;
                return Err(Trouble::Broken(self.other_bytes(file, "another part of it than was asked for")));
            }
            StatusCode::OK => have = 0,
            status if status.is_server_error() => {
                return Err(Trouble::Broken(self.refusal(response, &what(repository, file)).await));
            }
            _ => return Err(Trouble::Final(self.refusal(response, &what(repository, file)).await)),
        }
        self.write(response, file, have, part, progress).await
    }

    /// Writes what comes behind the first `have` bytes.
    async fn write(
        &self,
        mut response: Response,
        file: &RemoteFile,
        mut have: u64,
        part: &Path,
        progress: &(dyn Fn(u64) + Sync),
    ) -> std::result::Result<(), Trouble> {
        let unwritten = |error: &std::io::Error| Trouble::Final(Error::io("write", part, error));
        let mut out = if have > 0 { OpenOptions::new().append(true).open(part) } else { File::create(part) }
            .map_err(|error| unwritten(&error))?;
        let promised = header(&response, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        let promised = promised.map(|rest| have + rest);
        if let (Some(listed), Some(promised)) = (file.bytes, promised)
            && listed != promised
        {
            let told = format!("{promised} bytes, and the hub's list says {listed}");
            remove(part)?;
            return Err(Trouble::Final(self.other_bytes(file, &told)));
        }
        let most = file.bytes.or(promised).unwrap_or(LARGEST_UNTOLD);
        progress(have);
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    have += bytes.len() as u64;
                    if have > most {
                        drop(out);
                        remove(part)?;
                        return Err(Trouble::Final(self.other_bytes(file, &format!("more than {most} bytes"))));
                    }
                    out.write_all(&bytes).map_err(|error| unwritten(&error))?;
                    progress(have);
                }
                Ok(None) => break,
                Err(error) => return Err(Trouble::Broken(self.cut_off(file, have, &innermost(&error)))),
            }
        }
        if file.bytes.or(promised).is_some_and(|whole| have < whole) {
            return Err(Trouble::Broken(self.cut_off(file, have, "the connection ended")));
        }
        out.sync_all().map_err(|error| unwritten(&error))
    }

    /// Holds a file against what was promised.
    fn check(&self, file: &RemoteFile, path: &Path) -> Result<()> {
        let found = length(path);
        if let Some(wanted) = file.bytes.filter(|&wanted| wanted != found) {
            return Err(self.other_bytes(file, &format!("{found} bytes, and the hub's list says {wanted}")));
        }
        let Some(digest) = &file.digest else { return Ok(()) };
        match digest.is_of(path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.other_bytes(file, "bytes with another hash than the hub's list says")),
            Err(error) => Err(Error::io("read", path, &error)),
        }
    }

    fn other_bytes(&self, file: &RemoteFile, told: &str) -> Error {
        Error::failed(format!("{} sent something else than {}: {told}", self.name(), file.path))
            .hint("nothing was added; run the command again, or use another mirror (HF_ENDPOINT)")
    }

    fn cut_off(&self, file: &RemoteFile, have: u64, why: &str) -> Error {
        let have = crate::text::size(have);
        Error::failed(format!("the download of {} from {} broke off after {have}: {why}", file.path, self.name()))
            .hint("run the command again: it goes on where this one stopped")
    }
}

fn what(repository: &str, file: &RemoteFile) -> String {
    format!("file {} in {repository}", file.path)
}

/// Where a file lies until it is whole.
fn part(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// How long a file is; 0 where there is none.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

fn remove(part: &Path) -> std::result::Result<(), Trouble> {
    or_gone(std::fs::remove_file(part)).map_err(|error| Trouble::Final(Error::io("remove", part, &error)))
}

fn header(response: &Response, name: reqwest::header::HeaderName) -> Option<&str> {
    response.headers().get(name)?.to_str().ok()
}

/// Where a part of a file begins, as the answer says.
fn begins_at(response: &Response) -> Option<u64> {
    header(response, CONTENT_RANGE)?.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
