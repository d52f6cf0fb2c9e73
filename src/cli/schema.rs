//! `kb schema`: the JSON Schema of the output of a command.

use std::io::Write;

use clap::{Args, Command};

use crate::error::{Error, Result};
use crate::render::schema_of;

/// Print the JSON Schema of the `--format json` output of a command
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb schema search
  kb schema toc > toc.schema.json
  kb schema error                         the shape of errors")]
pub struct SchemaArgs {
    /// The command, such as search, docs or chunk-edit
    #[arg(value_name = "COMMAND")]
    command: String,
}

pub fn run(args: &SchemaArgs, program: &Command) -> Result<u8> {
    let schema = schema_of(&args.command).ok_or_else(|| {
        let names = program.get_subcommands().map(Command::get_name);
        let known: Vec<&str> = names.filter(|name| schema_of(name).is_some()).collect();
        Error::usage(format!("no schema for {:?}", args.command)).hint(format!("choose one of {}", known.join(", ")))
    })?;
    writeln!(std::io::stdout().lock(), "{schema:#}")?;
    Ok(0)
}
