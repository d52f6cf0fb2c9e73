//! `kb serve`: answers commands of other processes that only read, with the store open and the model loaded.

use std::time::Duration;

use clap::Args;

use crate::error::Result;
use crate::text::period;

/// Keep the store open and the model loaded, and answer commands of other processes that only read
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb serve                    until Ctrl-C, or after ten minutes without a command
  kb serve --idle 8h
  kb serve --stop

While it runs, kb search, context, toc, section, show, docs, chunks-list and entities get the same answers from it.
With serve = \"auto\" in your config.toml, the first of these commands starts a server. --serve off uses none.")]
pub struct ServeArgs {
    /// Stop after this time without a command
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_idle)]
    idle: Duration,
    /// Stop the running server
    #[arg(long, conflicts_with = "idle")]
    stop: bool,
    /// Leave the terminal of the command that starts it
    #[arg(long, hide = true)]
    background: bool,
}

fn parse_idle(text: &str) -> Result<Duration, String> {
    let expected = || "expected a duration above 0 such as 30s, 10m or 8h".to_owned();
    period::seconds(text).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(expected)
}

#[cfg(unix)]
pub(super) use unix::{ask, run};

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::os::fd::{BorrowedFd, RawFd};
    use std::path::Path;
    use std::process::{Command as Process, Stdio};
    use std::sync::Arc;

    use futures::FutureExt;
    use rustix::io::FdFlags;

    use super::super::in_process::run_catching_crash;
    use super::super::invocation::Context;
    use super::super::output::{self, Output, warning};
    use super::super::{Command, answer, parse, spelling};
    use super::ServeArgs;
    use crate::config::{Config, ServeChoice};
    use crate::error::{Error, Kind, Result};
    use crate::notice;
    use crate::paths::{is_address, real};
    use crate::search::Warm;
    use crate::serve::{self, Answer, Call, End, Server, Stream};
    use crate::text::period;

    /// The last of the standard streams.
    const STANDARD_ERROR: RawFd = 2;
    /// A server leaves the folder that it was started in, so that the folder can be removed.
    const ROOT_FOLDER: &str = "/";

    pub(in super::super) async fn run(context: &Context, args: ServeArgs) -> Result<u8> {
        let store = context.store()?;
        let root = store.root();
        if args.stop {
            let failed = |error| Error::failed(format!("kb serve does not answer: {error}")).caused_by(error);
            if serve::stop(root).await.map_err(failed)? {
                context.tell("kb serve was ended");
                return Ok(0);
            }
            return Err(Error::not_found(format!("kb serve does not run for {}", root.display())));
        }
        let engine = context.engine(&context.config(&store)?);
        let server = Server::start(root)?;
        if args.background {
            // Fails only for a process that leads a session already.
            rustix::process::setsid().map(drop).unwrap_or_default();
        }
        let (idle, socket) = (period::duration(args.idle.as_secs_f64()), server.socket().display());
        context.tell(&format!("kb serve listens at {socket} and ends after {idle} without a command"));
        std::env::set_current_dir(ROOT_FOLDER).unwrap_or_default();
        let (warm, mut command_line) = (Arc::new(Warm::new(engine)), parse::command(false));
        let root = root.to_owned();
        let end = server.run(args.idle, async |call| answer_to(call, &root, &warm, &mut command_line).await).await?;
        if end == End::Idle {
            context.tell(&format!("no command came for {idle}"));
        }
        Ok(0)
    }

    /// Leaves the folder of a command when it is dropped.
    struct FolderGuard;

    impl Drop for FolderGuard {
        fn drop(&mut self) {
            std::env::set_current_dir(ROOT_FOLDER).unwrap_or_default();
        }
    }

    /// Runs a command as a process of its own would. The current folder, the spelling of settings and the notices
    /// belong to the whole process; this command may set them, because only one runs at a time.
    async fn answer_to(call: Call, root: &Path, warm: &Arc<Warm>, command_line: &mut clap::Command) -> Answer {
        let declined = |reason: &str| Answer::Declined(reason.to_owned());
        let _guard = FolderGuard;
        if std::env::set_current_dir(&call.folder).is_err() {
            return declined("it cannot enter the current folder");
        }
        let Ok((mut cli, matches)) = parse::try_parse(command_line, &call.arguments, spelling::register) else {
            return declined("it does not understand the command");
        };
        if !cli.command.is_served() {
            return declined("it only reads");
        }
        // The asking process has brought the copy of a remote store up to date, and this is the server of that copy.
        if cli.global.kb.as_deref().is_some_and(is_address) {
            cli.global.kb = Some(root.to_owned());
        }
        let output = Arc::new(Output::collecting());
        let to = output.clone();
        notice::set_receiver(move |text| to.line(&warning(text)));
        let context = Context::new(cli.global.clone(), matches, call.screen, output.clone()).served_from(warm.clone());
        let Some(outcome) = run_catching_crash(warm, answer(&context, cli.command).boxed_local()).await else {
            return declined("the command crashed");
        };
        if let Some(reason) = context.declined() {
            return declined(reason);
        }
        let code = match outcome {
            Ok(code) => code,
            // It may be this process that failed, as with too many open files.
            Err(error) if error.kind() == Kind::Failed => return declined("the command failed"),
            Err(error) => {
                let text = cli.global.in_words(&error).map(|text| format!("{text}\n"));
                let written = text.map_or(Ok(()), |text| output.write(Stream::Err, text));
                if written.is_err() {
                    return declined("the output was lost");
                }
                error.kind().exit_code()
            }
        };
        Answer::Done { code, pieces: output.take() }
    }

    /// Asks the server of the store to run the command. `None` if this process has to run it.
    ///
    /// # Errors
    /// If the answer cannot be written.
    pub(in super::super) fn ask(context: &Context, command: &Command, arguments: &[OsString]) -> Result<Option<u8>> {
        // What is wrong with the store or its settings is reported by the command.
        let (true, Ok(store), Ok(folder)) = (command.is_served(), context.store(), Context::here()) else {
            return Ok(None);
        };
        let configured = || Config::read(store.root()).ok().and_then(|config| config.serve);
        let choice = context.global.serve.or_else(configured).unwrap_or_default();
        if choice == ServeChoice::Off {
            return Ok(None);
        }
        let (folder, arguments) = (folder.into_os_string(), arguments.to_vec());
        let call = Call { folder, screen: context.screen, arguments };
        match serve::ask(store.root(), call) {
            Ok(Some(Answer::Done { code, pieces })) => {
                context.tell_verbose("answered by kb serve");
                pieces.iter().try_for_each(output::write_or_page)?;
                return Ok(Some(code));
            }
            Ok(Some(Answer::Declined(reason))) => context.tell_verbose(&format!("kb serve declined: {reason}")),
            Err(error) => context.tell_verbose(&format!("kb serve did not answer: {error}")),
            Ok(None) if choice == ServeChoice::Auto && store.is_own() => match start(store.root()) {
                Ok(()) => context.tell_verbose("started kb serve"),
                Err(error) => context.tell_verbose(&format!("cannot start kb serve: {error}")),
            },
            Ok(None) => {}
        }
        Ok(None)
    }

    /// Passes only the standard streams to started processes: a server would keep the pipes and locks of a script open.
    fn close_descriptors_on_exec() -> std::io::Result<()> {
        for entry in std::fs::read_dir("/dev/fd")? {
            let number = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok());
            if let Some(number) = number.filter(|number| *number > STANDARD_ERROR) {
                // SAFETY: it is named for this call only, which fails if it was closed meanwhile.
                let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
                rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Starts a server that outlives this process and its terminal.
    fn start(store: &Path) -> std::io::Result<()> {
        close_descriptors_on_exec()?;
        let mut server = Process::new(std::env::current_exe()?);
        server.arg("serve").arg("--background").arg("--kb").arg(real(store));
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
    }
}

/// Local sockets with checked owners exist on Unix only.
#[cfg(not(unix))]
pub(super) async fn run(_context: &super::invocation::Context, _args: ServeArgs) -> Result<u8> {
    Err(crate::error::Error::failed("kb serve is not available on this system").hint("every command works without it"))
}
