//! `kb watch`: ingests on change.
//!
//! Each change starts an ordinary `kb ingest` of all paths, which compares sizes and times and reads what differs. So
//! it does not matter how an editor saves, how many files change at once or which event was lost, and a crash of an
//! ingest ends neither the watch nor the store.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use clap::Args;
use notify::{Config, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::signal::ctrl_c;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::invocation::Context;
use crate::error::{Error, Kind, Result};
use crate::paths::real;
use crate::store::Store;

/// How long nothing must change before an ingest begins.
const QUIET_TIME: Duration = Duration::from_millis(500);
/// How long an ingest is delayed at most while files keep changing.
const LONGEST_DELAY: Duration = Duration::from_secs(10);
/// How often missing folders are looked for and a locked store is tried again.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// When a failed ingest is tried again, as on a full disk.
const RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// Ingest files and folders when they change, until Ctrl-C
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb watch docs
  kb watch docs manual.pdf -- --no-embed
  kb watch docs -- --prune                also remove documents whose files are gone

kb watch passes the options after -- to each `kb ingest`. It first ingests everything that changed before the start.")]
pub struct WatchArgs {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Options of `kb ingest`
    #[arg(value_name = "OPTION", last = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

pub async fn run(context: &Context, args: WatchArgs) -> Result<u8> {
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        return Err(Error::usage(format!("there is no {}", missing.display())).hint("name a file or a folder"));
    }
    if let Some(other) = args.paths.iter().find(|path| !can_be_read(path)) {
        let problem = format!("{} is neither a file nor a folder", other.display());
        return Err(Error::usage(problem).hint("name a file or a folder"));
    }
    let (mut watched, mut changes) = watch(context, &args.paths)?;
    watched.watch_present()?;
    let mut due = Some(Instant::now());
    let watching = async {
        loop {
            let begin = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = begin => due = ingest(context, &args).await?.map(|pause| Instant::now() + pause),
                Some(()) = changes.recv() => {
                    wait_until_quiet(&mut changes).await;
                    due = Some(Instant::now());
                }
                () = sleep(CHECK_INTERVAL) => if watched.watch_present()? {
                    due = Some(Instant::now());
                },
            }
        }
    };
    context.tell(&format!("watching {}; Ctrl-C ends it", crate::text::count(args.paths.len(), "path")));
    tokio::select! {
        ended = watching => ended,
        // A running ingest gets the signal too, and reports what it has saved.
        _ = ctrl_c() => Ok(0),
    }
}

/// Prepares to watch paths. The receiver gets a message when something has changed.
fn watch(context: &Context, paths: &[PathBuf]) -> Result<(Watched, mpsc::Receiver<()>)> {
    let (changed, changes) = mpsc::channel::<()>(1);
    let roots: Vec<PathBuf> = paths.iter().map(|path| real(path)).collect();
    // What kb writes must not start another ingest.
    let store = Store::planned(context.global.kb.as_deref(), &Context::here()?).ok();
    let store = store.map(|store| store.root().to_owned());
    let caches = dirs::cache_dir().map(|folder| folder.join("kb"));
    let left_out: Vec<PathBuf> = store.into_iter().chain(caches).map(|path| real(&path)).collect();
    let own = roots.clone();
    // An ingest does not follow links to folders; a link to `/` would make kb watch the whole machine.
    let config = Config::default().with_follow_symlinks(false);
    let on_event = move |event: notify::Result<notify::Event>| {
        // After an error events may be lost, so it counts as a change.
        let counts = event.map_or(true, |event| {
            is_change(&event.kind) && event.paths.iter().any(|path| is_ingested(path, &own, &left_out))
        });
        if counts {
            // If the channel is full, an ingest is due already.
            changed.try_send(()).unwrap_or_default();
        }
    };
    let watcher = RecommendedWatcher::new(on_event, config);
    Ok((Watched::of(watcher.map_err(|error| refused(&error))?, &roots), changes))
}

async fn wait_until_quiet(changes: &mut mpsc::Receiver<()>) {
    let begun = Instant::now();
    while begun.elapsed() < LONGEST_DELAY && matches!(timeout(QUIET_TIME, changes.recv()).await, Ok(Some(()))) {}
}

/// Whether an event changes what an ingest would read.
fn is_change(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Access(_))
}

/// Whether an ingest would read a path: it skips hidden files and folders, and `left_out`, where kb itself writes.
fn is_ingested(path: &Path, roots: &[PathBuf], left_out: &[PathBuf]) -> bool {
    if left_out.iter().any(|folder| path.starts_with(folder)) {
        return false;
    }
    let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    roots.iter().filter_map(|root| path.strip_prefix(root).ok()).any(|inner| !inner.iter().any(is_hidden))
}

fn refused(error: &notify::Error) -> Error {
    let hint = match error.kind {
        notify::ErrorKind::MaxFilesWatch => "allow more with `sysctl fs.inotify.max_user_watches=524288`",
        _ => "run `kb ingest` from a timer instead",
    };
    Error::failed(format!("cannot watch for changes: {error}")).hint(hint)
}

/// The watched folders. Files are watched through their folders, because editors replace the file.
struct Watched {
    watcher: RecommendedWatcher,
    folders: Vec<(PathBuf, RecursiveMode)>,
    /// The identities of the watched folders; `None` if one is gone.
    present: Vec<Option<(u64, u64)>>,
}

impl Watched {
    fn of(watcher: RecommendedWatcher, roots: &[PathBuf]) -> Self {
        let folder = |root: &PathBuf| match root.parent() {
            Some(parent) if root.is_file() => (parent.to_owned(), RecursiveMode::NonRecursive),
            _ => (root.clone(), RecursiveMode::Recursive),
        };
        Watched { watcher, folders: roots.iter().map(folder).collect(), present: vec![None; roots.len()] }
    }

    /// Watches folders that were created or replaced. Returns whether there are any.
    fn watch_present(&mut self) -> Result<bool> {
        let mut come = false;
        for ((folder, mode), present) in self.folders.iter().zip(&mut self.present) {
            let now = identity(folder);
            if now == *present {
                continue;
            }
            if present.is_some() {
                // Fails if the system has noticed already that the folder is gone.
                self.watcher.unwatch(folder).unwrap_or_default();
            }
            if now.is_some() {
                self.watcher.watch(folder, *mode).map_err(|error| refused(&error))?;
                come = true;
            }
            *present = now;
        }
        Ok(come)
    }
}

/// Distinguishes a folder from another one at the same path. `None` if nothing that can be read is there.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    let facts = folder.metadata().ok().filter(|facts| facts.is_dir() || facts.is_file())?;
    #[cfg(unix)]
    return Some((std::os::unix::fs::MetadataExt::dev(&facts), std::os::unix::fs::MetadataExt::ino(&facts)));
    #[cfg(not(unix))]
    Some((0, u64::from(facts.is_dir())))
}

/// Whether an ingest accepts what has a path now. It refuses a pipe or a device like a mistake in its options.
fn can_be_read(path: &Path) -> bool {
    path.is_file() || path.is_dir()
}

/// Runs `kb ingest` in a process of its own. If it failed, returns the time after which to try again.
async fn ingest(context: &Context, args: &WatchArgs) -> Result<Option<Duration>> {
    let there: Vec<&PathBuf> = args.paths.iter().filter(|path| can_be_read(path)).collect();
    if there.is_empty() {
        return Ok(None);
    }
    let mut process = Process::new(Context::program()?);
    process.arg("ingest").args(context.global.as_arguments()).args(&args.options).arg("--").args(&there);
    process.stdin(Stdio::null());
    let run = tokio::task::spawn_blocking(move || process.status()).await;
    let status = run.map_err(|error| Error::failed(format!("kb ingest crashed: {error}")))?;
    let status = status.map_err(|error| Error::failed(format!("cannot start kb ingest: {error}")))?;
    let is = |kind: Kind| status.code() == Some(i32::from(kind.exit_code()));
    if is(Kind::Usage) && there.iter().all(|path| can_be_read(path)) {
        // A mistake in the options would be repeated for ever.
        return Err(Error::usage("kb ingest refuses these options").hint("see the message above"));
    }
    Ok(match status.success() || is(Kind::Partial) {
        true => None,
        // A path that was deleted meanwhile is a usage error too.
        false if is(Kind::Locked) || is(Kind::Usage) => Some(CHECK_INTERVAL),
        false => Some(RETRY_INTERVAL),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_reading_start_nothing() {
        let roots = [PathBuf::from("/project"), PathBuf::from("/home/x/.notes")];
        for (path, counts) in [
            ("/project/docs/a.md", true),
            ("/project", true),
            ("/home/x/.notes/a.md", true),
            ("/project/.kb/namespaces/default/MANIFEST.json", false),
            ("/project/docs/.a.md.swp", false),
            ("/project/docs/store/MANIFEST.json", false),
            ("/elsewhere/a.md", false),
        ] {
            assert_eq!(is_ingested(Path::new(path), &roots, &[PathBuf::from("/project/docs/store")]), counts, "{path}");
        }
        assert!(!is_change(&EventKind::Access(notify::event::AccessKind::Any)));
        assert!(is_change(&EventKind::Any));
    }
}
