//! `kb mcp`: the knowledge base as a server for agents, over the Model Context Protocol.
//!
//! An agent's call becomes a command line, which this process runs as `kb` would, with the store open and the model
//! loaded. Calls that read run in parallel, also during a call that writes. Calls that write run one after another.

mod arguments;
mod command_line;
mod http;
mod install;
mod messages;
mod server;
mod spelling;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Args;
use rmcp::ServiceExt;
use tokio::io::duplex;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};
use tokio::time::sleep;

use super::in_process::InProcess;
use super::invocation::Context;
use super::parse::Spell;
use crate::error::{Error, Result};
use crate::paths::real;
use crate::search::Warm;
use command_line::Roots;
use http::HttpListener;
use install::Client;
use server::{Handler, Job, Queues};

/// How long commands may run after the client has gone.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// How many calls can wait, for reading and for writing.
const WAITING: usize = 64;
/// How many reading calls run at a time.
const READERS: usize = 4;
/// Bytes of messages that wait for the protocol to read them.
const MESSAGES_WAITING: usize = 64 << 10;
/// The stack of a thread that runs commands, in bytes: that of a program's first thread on Linux.
const STACK: usize = 8 << 20;

/// Serve agents over the Model Context Protocol, by standard input and output or HTTP
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb mcp --install claude-code            print the configuration for Claude Code; also for cursor and vscode
  kb mcp                                  the command that the agent starts; it only reads
  kb mcp --kb /srv/manuals/.kb -n pumps
  kb mcp --allow-write --root docs        the agent may ingest files below docs, edit and delete chunks
  kb mcp --http 8765                      for clients that connect to http://127.0.0.1:8765/mcp

Tools: kb_search, kb_context, kb_get_toc, kb_get_section, kb_list_documents, kb_list_chunks, kb_status; with --allow-write
kb_ingest, kb_edit_chunk, kb_delete_chunks. Documents are resources (kb://NAMESPACE/DOCUMENT).")]
pub struct McpArgs {
    /// Let the agent ingest files, and edit and delete chunks
    #[arg(long)]
    allow_write: bool,
    /// A folder from which files may be ingested; repeatable [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "allow_write")]
    root: Vec<PathBuf>,
    /// Serve on this port of this machine instead, until Ctrl-C; 0 selects a free port
    ///
    /// Clients must send a token. Set it in KB_MCP_TOKEN; otherwise kb generates one and shows it.
    #[arg(long, value_name = "PORT", conflicts_with = "install")]
    http: Option<u16>,
    /// Print the configuration that makes a client start this server
    #[arg(long, value_enum, value_name = "CLIENT")]
    install: Option<Client>,
}

impl McpArgs {
    /// The folders from which files may be ingested.
    fn roots(&self) -> Result<Vec<PathBuf>> {
        match self.root.is_empty() {
            true => Ok(vec![real(&Context::here()?)]),
            false => Ok(self.root.iter().map(|root| real(root)).collect()),
        }
    }
}

pub async fn run(context: &Context, args: McpArgs) -> Result<u8> {
    if let Some(client) = args.install {
        return install::run(context, client, &args);
    }
    let roots = args.roots()?;
    if let Some(root) = roots.iter().find(|root| !root.is_dir()) {
        return Err(Error::usage(format!("--root {} is not a folder", root.display())).hint("name one that exists"));
    }
    let config = context.config_or_own()?;
    let (global, warm) = (context.global.clone(), Arc::new(Warm::new(context.engine(&config))));
    let spell: Spell = if args.allow_write { spelling::register_for_writer } else { spelling::register };
    let commands = move || InProcess::new(global.clone(), warm.clone(), spell);
    let listener = match args.http {
        Some(port) => Some(HttpListener::open(port).await?),
        None => None,
    };
    if let Some(listener) = &listener {
        context.tell(&format!("kb mcp listens at {} until Ctrl-C", listener.url()?));
        if listener.is_new_token {
            // Nobody could use the server without it, so it is shown even with --quiet.
            context.output.line(&format!("clients must send the header `Authorization: {}`", listener.authorization()));
        }
    }
    let (reading, readers) = queue(READERS, &commands)?;
    let (writing, writers) = queue(1, &commands)?;
    let handler = Handler::new(args.allow_write, Roots(roots), Queues { reading, writing });
    let serving = match listener {
        None => tokio::spawn(serve_standard_streams(handler)),
        Some(listener) => tokio::spawn(http::serve(listener, handler)),
    };
    let outcome = serving.await;
    // The threads end with the connection, which owns the queues.
    let mut has_crashed = false;
    for thread in readers.into_iter().chain(writers) {
        has_crashed |= thread.join().is_err();
    }
    match outcome {
        Ok(_) if has_crashed => Err(Error::failed("kb crashed while it answered a call")),
        // A client may close the connection at any time.
        Ok(outcome) => outcome.map(|()| 0),
        Err(error) => Err(Error::failed(format!("the server crashed: {error}"))),
    }
}

/// A queue of calls, and the threads that run them. Tasks of one thread would not do: a call that makes vectors blocks
/// its thread.
fn queue(
    threads: usize,
    commands: &(impl Fn() -> InProcess + Clone + Send + 'static),
) -> Result<(mpsc::Sender<Job>, Vec<JoinHandle<()>>)> {
    let (jobs, waiting) = mpsc::channel(WAITING);
    let waiting = Arc::new(Mutex::new(waiting));
    let start = |_| {
        let (runtime, waiting, commands) = (Handle::current(), waiting.clone(), commands.clone());
        let work = move || runtime.block_on(run_calls(commands(), &waiting));
        let thread = thread::Builder::new().stack_size(STACK).spawn(work);
        thread.map_err(|error| Error::failed(format!("cannot start a thread: {error}")))
    };
    Ok((jobs, (0..threads).map(start).collect::<Result<_>>()?))
}

/// Runs calls until the connection has ended.
async fn run_calls(mut commands: InProcess, waiting: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Another thread takes the next one meanwhile.
        let job = waiting.lock().await.recv().await;
        let Some(Job { command_line, progress, mut reply }) = job else { return };
        let answer = tokio::select! {
            biased;
            // A request that was cancelled has no receiver any more.
            () = reply.closed() => None,
            answer = commands.run(command_line.arguments, command_line.namespace, progress) => Some(answer),
        };
        if let Some(answer) = answer {
            drop(reply.send(answer));
        }
    }
}

/// Answers the client that started this process, until it closes the connection.
async fn serve_standard_streams(handler: Handler) -> Result<()> {
    let failed = |error: &dyn std::error::Error| Error::failed(format!("the client does not speak MCP: {error}"));
    let (input, output) = rmcp::transport::stdio();
    let (corrected, messages) = duplex(MESSAGES_WAITING);
    // It ends with the connection, and the connection ends with it if the input fails.
    tokio::spawn(messages::pass_on(input, corrected));
    let service = handler.serve((messages, output)).await.map_err(|error| failed(&error))?;
    let ended = service.waiting().await;
    tokio::spawn(async {
        // A client that has gone waits for nothing. A command that is cut off has published a whole generation or none.
        sleep(STOP_TIMEOUT).await;
        std::process::exit(0);
    });
    ended.map(drop).map_err(|error| Error::failed(format!("the connection failed: {error}")))
}
