//! `kb browse`: a full-screen terminal interface.
//!
//! Keys and answers go into [`App`], which says what to do next; [`view`] draws it. Each action is a command of kb, run
//! in this process.

mod app;
mod rows;
mod task;
mod view;

use std::io::{IsTerminal, stdin, stdout};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType};

use super::in_process::InProcess;
use super::invocation::Context;
use super::spelling;
use crate::error::{Error, Result};
use crate::paths::is_address;
use crate::search::Warm;
use app::App;
use task::Task;

/// A search begins when no key has come for this long.
const PAUSE: Duration = Duration::from_millis(120);
/// Otherwise the loop checks this often whether the terminal has changed.
const IDLE: Duration = Duration::from_secs(3600);

/// Search, read and edit in a full-screen terminal interface
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb browse
  kb browse pump alarm                    begin with a search
  kb browse -n manuals

Type to search; Tab goes from the hits to the documents and to the history. Enter reads a section, unfolds a document
or shows what a generation changed. Ctrl-E edits a chunk in your editor, Ctrl-X deletes it after a confirmation,
Ctrl-Z undoes the last change, Ctrl-O opens the file, F1 lists all keys. The mouse selects and scrolls. Esc leaves.")]
pub struct BrowseArgs {
    /// A question or words to begin with
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

pub async fn run(context: &Context, args: BrowseArgs) -> Result<u8> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(
            Error::usage("kb browse needs a terminal").hint("in a pipe, use `kb search`, `kb toc` and `kb section`")
        );
    }
    if !context.global.kb.as_deref().is_some_and(is_address) {
        context.namespace()?.must_exist()?;
    }
    let warm = Arc::new(Warm::new(context.engine(&context.config_or_own()?)));
    let mut commands = InProcess::new(context.global.clone(), warm, spelling::register);
    let mut app = App::new(args.query.join(" "));
    let mut terminal = ratatui::try_init().map_err(terminal_failed)?;
    let outcome = match with_mouse(true) {
        Ok(()) => browse(&mut app, &mut terminal, &mut commands, context).await,
        Err(error) => Err(error),
    };
    let restored = with_mouse(false).and(ratatui::try_restore().map_err(terminal_failed));
    outcome.and(restored).map(|()| 0)
}

fn terminal_failed(error: std::io::Error) -> Error {
    Error::failed(format!("the terminal failed: {error}"))
}

fn with_mouse(captured: bool) -> Result<()> {
    let outcome =
        if captured { execute!(stdout(), EnableMouseCapture) } else { execute!(stdout(), DisableMouseCapture) };
    outcome.map_err(terminal_failed)
}

async fn browse(
    app: &mut App,
    terminal: &mut DefaultTerminal,
    commands: &mut InProcess,
    context: &Context,
) -> Result<()> {
    let mut next = app.begin();
    loop {
        let Some(task) = next else {
            terminal.draw(|frame| view::draw(app, frame)).map_err(terminal_failed)?;
            let patience = if app.has_typed { PAUSE } else { IDLE };
            next = match event::poll(patience).map_err(terminal_failed)? {
                true => app.take(&event::read().map_err(terminal_failed)?),
                false => app.pause(),
            };
            continue;
        };
        next = match task {
            Task::Leave => return Ok(()),
            Task::Edit(chunk) => {
                edit(terminal, context, &chunk)?;
                app.list_again()
            }
            task => match task.arguments() {
                Some(arguments) => {
                    terminal.draw(|frame| view::draw(app, frame)).map_err(terminal_failed)?;
                    let answer = commands.run(arguments, None, None).await;
                    app.answered(&task, answer)
                }
                None => None,
            },
        };
    }
}

/// Gives the terminal to `kb chunk-edit`, which opens the user's editor.
fn edit(terminal: &mut DefaultTerminal, context: &Context, chunk: &str) -> Result<()> {
    with_mouse(false)?;
    ratatui::try_restore().map_err(terminal_failed)?;
    let mut command = Command::new(Context::program()?);
    command.args(["chunk-edit", chunk]).args(context.global.as_arguments());
    let status = command.status().map_err(|error| Error::failed(format!("cannot start kb: {error}")))?;
    if !status.success() {
        println!("press Enter to go on");
        stdin().read_line(&mut String::new()).map(drop).map_err(terminal_failed)?;
    }
    *terminal = ratatui::try_init().map_err(terminal_failed)?;
    // ratatui's own method asks the terminal for the place of the cursor, and not every terminal answers.
    execute!(stdout(), Clear(ClearType::All)).map_err(terminal_failed)?;
    with_mouse(true)
}
