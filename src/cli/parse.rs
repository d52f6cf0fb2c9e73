//! Parses arguments and environment variables. Help fits on a screen; empty variables count as unset.

use std::ffi::OsString;
use std::io::Write;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use super::output::{error_json, write_line};
use super::{Cli, spelling};
use crate::error::{Error, Kind};
use crate::text::{lists, squeeze};

/// Commands that only `--help` lists.
const RARE: &str = "\
    check completions config diff doc-set eval export import llm man mcp namespaces open optimize reindex restore schema \
    self-check serve trust watch";

/// Parses arguments, or prints help or an error and exits. Also gives the matches of the subcommand.
pub(super) fn parse(arguments: &[OsString]) -> (Cli, ArgMatches) {
    let arguments = &help_as_option(arguments);
    let mut command = command(arguments.iter().any(|argument| argument == "--help"));
    try_parse(&mut command, arguments, spelling::register).unwrap_or_else(|error| print_and_exit(&error, arguments))
}

/// `kb help search` is `kb search --help`.
fn help_as_option(arguments: &[OsString]) -> Vec<OsString> {
    let mut arguments = arguments.to_vec();
    if arguments.get(1).is_some_and(|first| first == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

pub(super) fn at_least<const LEAST: u8, T>(text: &str) -> Result<T, String>
where
    T: FromStr<Err = ParseIntError> + PartialOrd + From<u8>,
{
    match text.trim().parse::<T>() {
        Ok(number) if number >= T::from(LEAST) => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Err("the number is too large".to_owned()),
        _ => Err(format!("expected a whole number of at least {LEAST}")),
    }
}

/// Registers how messages spell settings and next steps, for a subcommand and its arguments.
pub(super) type Spell = fn(&Command, &ArgMatches);

/// As [`parse`], with the error as a value. `command` is the [`command`] line, which may parse more than once.
///
/// # Errors
/// If the arguments ask for help or are not valid.
pub(super) fn try_parse(
    command: &mut Command,
    arguments: &[OsString],
    spell: Spell,
) -> Result<(Cli, ArgMatches), clap::Error> {
    let matches = command.try_get_matches_from_mut(arguments);
    let matches =
        matches.map_err(|error| suggest_document(blame_variable(error, command, arguments), command, arguments))?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(command))?;
    let (mut command, mut matches) = (&*command, &matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(subcommand) = command.find_subcommand(name) else { break };
        (command, matches) = (subcommand, inner);
    }
    spell(command, matches);
    Ok((cli, matches.clone()))
}

/// The command line. `-h` shows what people use daily, `--help` (`all`) everything, both in the compact layout.
pub(super) fn command(all: bool) -> Command {
    adjust(Cli::command(), all)
}

fn adjust(command: Command, all: bool) -> Command {
    let command = command.mut_args(|arg| {
        let variable = arg.get_env().map(OsString::from);
        let is_empty = variable.as_ref().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
        // The help names the variables of all search settings by one rule.
        let of_search = variable.is_some_and(|name| name.to_string_lossy().starts_with("KB_SEARCH_"));
        let arg = arg.hide_env_values(true).hide_env(of_search);
        let arg = if is_empty { arg.env(Resettable::Reset) } else { arg };
        if all { arg.hide_short_help(false) } else { arg }
    });
    let help = command.get_after_long_help().filter(|_| all).or(command.get_after_help());
    let command = match help.map(|help| join_paragraph_lines(&help.to_string())) {
        Some(help) => command.after_help(help),
        None => command,
    };
    command.mut_subcommands(|subcommand| {
        let is_hidden = !all && lists(RARE, subcommand.get_name());
        adjust(subcommand, all).hide(is_hidden)
    })
}

/// Joins the lines of each paragraph, so that it fits a terminal of any width. Keeps indented lines and those before
/// them.
fn join_paragraph_lines(help: &str) -> String {
    let mut text = String::new();
    let mut lines = help.lines().peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let flows = is_text(line) && lines.peek().is_some_and(|next| is_text(next));
        text.push(if flows { ' ' } else { '\n' });
    }
    text
}

/// Prints help or a parse error, and exits. Errors are JSON if results would be.
fn print_and_exit(error: &clap::Error, arguments: &[OsString]) -> ! {
    if !error.use_stderr() {
        let written = error.print().and_then(|()| std::io::stdout().flush());
        let Err(failure) = written.map_err(Error::from) else { std::process::exit(0) };
        if failure.kind() != Kind::BrokenPipe {
            write_line(&failure.to_line());
        }
        std::process::exit(i32::from(failure.kind().exit_code()));
    }
    if !wants_json(arguments) {
        // The text has what was typed, which may be from elsewhere.
        write_line(error.render().to_string().trim_end());
        std::process::exit(error.exit_code());
    }
    let error = as_usage(&error.to_string());
    writeln!(anstream::stderr(), "{}", error_json(&error)).unwrap_or_default();
    std::process::exit(i32::from(error.kind().exit_code()))
}

/// Whether `--format` asks for JSON. Searches the raw arguments, because they could not be parsed.
fn wants_json(arguments: &[OsString]) -> bool {
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let is_json = |value: &str| matches!(value, "json" | "jsonl");
    texts.iter().any(|text| text.strip_prefix("--format=").is_some_and(is_json))
        || texts.windows(2).any(|pair| pair[0] == "--format" && is_json(&pair[1]))
}

/// Turns clap's text into an error: its first paragraph is the message, its tips are the next step.
pub(super) fn as_usage(text: &str) -> Error {
    let mut paragraphs = text.trim().split("\n\n").map(squeeze);
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    let tips: Vec<String> =
        paragraphs.filter_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned)).collect();
    Error::usage(message).hint(if tips.is_empty() { "--help lists the options".to_owned() } else { tips.join("; ") })
}

/// Names the variable instead of the flag if the invalid value comes from the environment.
fn blame_variable(mut error: clap::Error, command: &Command, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else { return error };
    // Parsing builds only the commands on its path, and clap cannot display the arguments of the others.
    let mut built = command.clone();
    built.build();
    let mut all = built.get_subcommands().chain([&built]).flat_map(Command::get_arguments);
    let Some(arg) = all.find(|arg| arg.get_env().is_some() && arg.to_string() == *shown) else { return error };
    let flags = [arg.get_long().map(|long| format!("--{long}")), arg.get_short().map(|short| format!("-{short}"))];
    let is_typed = arguments
        .iter()
        .map(|argument| argument.to_string_lossy())
        .any(|argument| flags.iter().flatten().any(|flag| argument.starts_with(flag.as_str())));
    if let (Some(variable), false) = (arg.get_env(), is_typed) {
        let variable = variable.to_string_lossy().into_owned();
        error.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
    error
}

/// Suggests `--doc` where a command takes the document as an option and gets it as an argument.
fn suggest_document(mut error: clap::Error, command: &Command, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return error };
    let named = arguments.iter().find_map(|argument| command.find_subcommand(argument));
    let takes_document = || named.is_some_and(|named| named.get_arguments().any(|arg| arg.get_long() == Some("doc")));
    if error.kind() == ErrorKind::UnknownArgument && !typed.starts_with('-') && takes_document() {
        let tip = format!("to name a document, use '--doc {typed}'").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command(false).debug_assert();
    }

    #[test]
    fn errors_of_the_command_line_become_usage_errors() {
        let arguments = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(wants_json(&arguments("kb search x --format json -k 0")));
        assert!(wants_json(&arguments("kb search x --format=jsonl")));
        assert!(!wants_json(&arguments("kb search json --format table")));
        let mut command = command(true);
        let error = command.try_get_matches_from_mut(["kb", "search", "x", "--min-confidence", "7"]).unwrap_err();
        let usage = as_usage(&error.to_string());
        assert_eq!(usage.message(), "invalid value '7' for '--min-confidence <SHARE>': expected a number from 0 to 1");
        assert_eq!(usage.next_step(), Some("--help lists the options"));
        let error = command.try_get_matches_from_mut(["kb", "search", "x", "--modes", "broad"]).unwrap_err();
        assert!(as_usage(&error.to_string()).next_step().is_some_and(|hint| hint.contains("--mode")), "{error}");
    }

    #[test]
    fn a_document_in_place_of_an_option_is_told_how_to_be_named() {
        for (line, named) in [
            ("kb chunks-list manual.pdf", true),
            ("kb chunks-list --limit 3 manual.pdf", true),
            ("kb chunks-list --documents", false),
            ("kb toc manual.pdf guide.pdf", false),
        ] {
            let mut command = command(true);
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = command.try_get_matches_from_mut(&arguments).unwrap_err();
            let error = suggest_document(error, &command, &arguments).to_string();
            assert_eq!(as_usage(&error).next_step().unwrap_or_default().contains("--doc manual.pdf"), named, "{error}");
        }
    }

    #[test]
    fn help_joins_paragraphs_and_keeps_examples() {
        assert_eq!(
            join_paragraph_lines("One\ntwo.\n\nExamples:\n  kb x\n  kb y\n\nEnd."),
            "One two.\n\nExamples:\n  kb x\n  kb y\n\nEnd.\n"
        );
    }

    #[test]
    fn help_fits_on_a_screen() {
        fn check(command: &mut Command, most: usize) {
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= most, "{} has {lines} lines of help", command.get_name());
            command.get_subcommands_mut().for_each(|subcommand| check(subcommand, most));
        }
        for (all, most) in [(false, 40), (true, 120)] {
            let mut command = command(all).term_width(100);
            command.build();
            check(&mut command, most);
        }
    }
}
