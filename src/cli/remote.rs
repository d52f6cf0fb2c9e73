//! Commands on a store in object storage: they run on this machine's copy, which is updated before and published
//! afterwards.

use std::time::{Duration, Instant};

use clap::ArgMatches;
use jiff::Zoned;
use tokio::time::sleep;

use super::global::Global;
use super::invocation::Context;
use super::output::write_line;
use super::{Command, answer};
use crate::error::{Error, Result};
use crate::notice;
use crate::paths::is_address;
use crate::remote::{Lease, LocalCopy, Objects, StateBefore, is_unavailable};
use crate::store::{LockTimeout, Namespace, NamespacePattern, namespace_name};
use crate::text::moment;

/// How long to wait for another process of this machine that makes the first copy.
const FIRST_COPY: Duration = Duration::from_secs(60);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(200);

/// What a command does with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    None,
    Reads,
    Writes,
}

impl Command {
    fn use_of_store(&self) -> Use {
        match self {
            Command::Config(_) | Command::Trust(_) | Command::Models(_) | Command::Llm(_) => Use::None,
            Command::Schema(_) | Command::Completions(_) | Command::SelfCheck(_) | Command::Man(_) => Use::None,
            _ if self.starts_others() => Use::None,
            _ if self.is_served() => Use::Reads,
            Command::Open(_) | Command::Status(_) | Command::Log(_) | Command::Diff(_) => Use::Reads,
            Command::Export(_) | Command::Eval(_) | Command::Serve(_) => Use::Reads,
            Command::Check(args) if !args.repair => Use::Reads,
            Command::Namespaces(args) if !args.is_change() => Use::Reads,
            _ => Use::Writes,
        }
    }

    /// Whether it shows something and changes nothing.
    pub(super) fn only_reads(&self) -> bool {
        self.use_of_store() == Use::Reads || matches!(self, Command::Config(_) | Command::Models(_))
    }

    /// Whether a namespace that does not exist is an error. The others create it, or do not use it.
    fn needs_namespace(&self) -> bool {
        !matches!(self, Command::Ingest(_) | Command::Import(_) | Command::Serve(_) | Command::Eval(_))
    }

    /// Whether it concerns every namespace, whichever one is named.
    fn is_about_all(&self) -> bool {
        match self {
            Command::Namespaces(_) => true,
            Command::Check(args) => args.all_namespaces,
            _ => false,
        }
    }
}

/// Runs a command on its store. One in object storage is brought up to date before, and published afterwards.
///
/// # Errors
/// Those of the command and of [`Session`].
pub(super) async fn answer_at(
    mut global: Global,
    command: Command,
    matches: ArgMatches,
    context: impl FnOnce(Global, ArgMatches) -> Context,
    elsewhere: impl FnOnce(&Context, &Command) -> Result<Option<u8>>,
) -> Result<u8> {
    let session = Session::begin(&mut global, &command, &matches).await?;
    let context = context(global, matches);
    let outcome = match elsewhere(&context, &command).transpose() {
        Some(outcome) => outcome,
        None => answer(&context, command).await,
    };
    let Some(session) = session else { return outcome };
    match (outcome, session.end().await) {
        (Err(error), Err(other)) => {
            context.tell(&other.to_line());
            Err(error)
        }
        (outcome, ended) => ended.and(outcome),
    }
}

/// A command on a store in object storage.
struct Session {
    copy: LocalCopy,
    /// If the command writes.
    lease: Option<Lease>,
    lock_timeout: LockTimeout,
    /// If the command writes.
    before: Option<StateBefore>,
}

impl Session {
    /// Prepares this machine's copy for a command, and puts its folder into the options. `None` if the store is a
    /// folder, or the command uses none.
    ///
    /// # Errors
    /// If the storage refuses, or does not answer and there is no copy or the command writes.
    async fn begin(global: &mut Global, command: &Command, matches: &ArgMatches) -> Result<Option<Self>> {
        let Some(named) = global.kb.clone().filter(|named| is_address(named)) else { return Ok(None) };
        let objects = Objects::at(&named.to_string_lossy())?;
        let quiet = global.quiet;
        let tell = move |text: &str| {
            if !quiet {
                write_line(text);
            }
        };
        let copy = LocalCopy::open(objects.clone(), tell)?;
        global.kb = Some(copy.store().root().to_owned());
        let is_dry = matches.try_get_one::<bool>("dry_run").ok().flatten().copied().unwrap_or_default();
        let usage = match command.use_of_store() {
            Use::None => return Ok(None),
            Use::Writes if is_dry => Use::Reads,
            usage => usage,
        };
        let wait = matches.try_get_one::<u64>("wait").ok().flatten().copied().unwrap_or_default();
        let lock_timeout = LockTimeout::new(Duration::from_secs(wait), tell);
        let lease = match usage {
            Use::Writes => Some(Lease::take(&objects, &lock_timeout).await?),
            _ => None,
        };
        let mut session = Session { copy, lease, lock_timeout, before: None };
        // The dry run of an ingest may be about a store that does not exist yet.
        if is_dry
            && session.copy.store().namespaces()?.is_empty()
            && let Ok(false) = session.copy.has_original().await
        {
            return Ok(Some(session));
        }
        let names = match command.is_about_all() {
            true => vec![NamespacePattern::All],
            false => NamespacePattern::in_list(&global.namespace),
        };
        let ready = match session.pull(&names).await {
            Ok(()) if command.needs_namespace() => session.must_exist(&names).await,
            pulled => pulled,
        };
        match ready {
            Ok(()) => Ok(Some(session)),
            Err(error) => {
                session.release().await;
                Err(error)
            }
        }
    }

    /// Brings the copies of the named namespaces up to date.
    async fn pull(&mut self, names: &[NamespacePattern<'_>]) -> Result<()> {
        let wanted = self.wanted(names).await?;
        for namespace in &wanted {
            match self.pull_one(namespace).await {
                Err(error) if self.lease.is_none() && is_unavailable(&error) && namespace.exists() => {
                    let at = self.copy.copied_at(namespace);
                    let since = at.map(|time| format!(", copied {}", moment(time, &Zoned::now())));
                    let since = since.unwrap_or_default();
                    notice::give(&format!("{}; this is from the copy on this machine{since}", error.message()));
                }
                outcome => outcome?,
            }
            if self.lease.is_some() {
                self.copy.must_be_writable(namespace)?;
            }
        }
        if self.lease.is_some() {
            self.before = Some(self.copy.record_state(wanted)?);
        }
        Ok(())
    }

    /// Brings one copy up to date. If another process does that already, a writer waits for it, and so does a reader
    /// who has no copy yet.
    async fn pull_one(&self, namespace: &Namespace) -> Result<()> {
        let started = Instant::now();
        loop {
            let writes = self.lease.is_some();
            if self.copy.pull(namespace).await? || (!writes && namespace.exists()) {
                return Ok(());
            }
            let patience = if writes { self.lock_timeout.wait().max(FIRST_COPY) } else { FIRST_COPY };
            if started.elapsed() >= patience {
                let what = format!("another kb of this machine uses the copy of {:?}", namespace.name());
                return Err(Error::locked(what).hint("run the command again when it has finished"));
            }
            sleep(PAUSE).await;
        }
    }

    /// The namespaces that a command names. A name that is not valid is reported by the command.
    async fn wanted(&self, names: &[NamespacePattern<'_>]) -> Result<Vec<Namespace>> {
        let (store, mut wanted) = (self.copy.store(), Vec::new());
        for named in names {
            let above = match named {
                NamespacePattern::All => String::new(),
                NamespacePattern::Below(above) => match namespace_name(above) {
                    Ok(above) => format!("{above}/"),
                    Err(_) => continue,
                },
                NamespacePattern::One(name) => {
                    wanted.extend(store.namespace(name).ok());
                    continue;
                }
            };
            let mut all = store.namespaces()?;
            match self.copy.names().await {
                Ok(names) => all.extend(names.iter().filter_map(|name| store.namespace(name).ok())),
                // Only the namespaces with a copy are read; a notice says how old each is.
                Err(error) if self.lease.is_none() && is_unavailable(&error) => {}
                Err(error) => return Err(error),
            }
            wanted.extend(all.into_iter().filter(|namespace| namespace.name().starts_with(&above)));
        }
        wanted.sort_by(|a, b| a.name().cmp(b.name()));
        wanted.dedup();
        Ok(wanted)
    }

    /// Checks that the named namespaces exist. The error lists the names in the storage: the store on this machine
    /// knows only the namespaces that were copied.
    async fn must_exist(&self, names: &[NamespacePattern<'_>]) -> Result<()> {
        let missing = names.iter().find_map(|named| {
            let NamespacePattern::One(name) = named else { return None };
            self.copy.store().namespace(name).ok().filter(|namespace| !namespace.exists())
        });
        let Some(namespace) = missing else { return Ok(()) };
        let there = self.copy.names().await?;
        Err(namespace.nothing_ingested_among(there.iter().map(String::as_str)))
    }

    /// Publishes what the command has written, and releases the lease.
    ///
    /// # Errors
    /// If the storage does not answer or refuses, or another writer has published meanwhile.
    async fn end(self) -> Result<()> {
        let pushed = match &self.before {
            Some(before) => self.copy.push(before, &self.lock_timeout).await,
            None => Ok(()),
        };
        self.release().await;
        pushed
    }

    async fn release(self) {
        if let Some(lease) = self.lease {
            lease.release().await;
        }
    }
}
