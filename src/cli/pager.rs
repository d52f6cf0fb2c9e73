//! Sends long results on a terminal through a pager, like git.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, Command, Stdio};

use anstream::ColorChoice;

use crate::render::Screen;

/// The user's pager; an empty one, or `cat`, turns paging off.
const VARIABLE: &str = "PAGER";
const DEFAULT: &str = "less";
/// The default options of `less`: it ends by itself if all fits, shows colours, and leaves the text on the screen.
const LESS: (&str, &str) = ("LESS", "FRX");

/// Shows a text in the pager, if it is longer than the terminal. `false` if it was not shown.
pub(super) fn show(text: &str) -> bool {
    let screen = Screen::of_output();
    if !screen.is_terminal || text.matches('\n').count() < screen.lines {
        return false;
    }
    let Some(mut pager) = command(std::env::var_os(VARIABLE)) else { return false };
    if std::env::var_os(LESS.0).is_none() {
        pager.env(LESS.0, LESS.1);
    }
    let Ok(mut child) = pager.stdin(Stdio::piped()).spawn() else { return false };
    ignore_ctrl_c();
    write_text(&mut child, text);
    // Its exit code does not matter: the user has ended it.
    drop(child.wait());
    true
}

/// The pager that a variable names. `None` if there is to be none.
fn command(named: Option<OsString>) -> Option<Command> {
    let words = match named {
        None => vec![DEFAULT.to_owned()],
        Some(named) => shell_words::split(named.to_str()?).ok()?,
    };
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments);
    (words != ["cat"]).then_some(command)
}

/// Writes the text to the pager. The user may quit it before the end, so a failed write is ignored.
fn write_text(child: &mut Child, text: &str) {
    let Some(mut input) = child.stdin.take() else { return };
    let keeps_styles = anstream::AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    let written = match keeps_styles {
        true => input.write_all(text.as_bytes()),
        false => input.write_all(anstream::adapter::strip_str(text).to_string().as_bytes()),
    };
    drop(written);
}

/// Ignores Ctrl-C, which the pager handles: if it ended kb, the pager would stay on the terminal. kb ends soon after.
#[cfg(unix)]
fn ignore_ctrl_c() {
    let ignored = signal_hook::flag::register(signal_hook::consts::SIGINT, Default::default());
    // Without this only the end of the pager is less clean.
    drop(ignored);
}

#[cfg(not(unix))]
fn ignore_ctrl_c() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_names_the_pager_or_turns_it_off() {
        let named = |text: &str| command(Some(text.into())).map(|command| format!("{command:?}"));
        assert_eq!(named("less -R --tabs 4").as_deref(), Some(r#""less" "-R" "--tabs" "4""#));
        assert_eq!(command(None).map(|command| format!("{command:?}")).as_deref(), Some(r#""less""#));
        for off in ["", " ", "cat", "'unclosed"] {
            assert_eq!(named(off), None, "{off:?}");
        }
    }
}
