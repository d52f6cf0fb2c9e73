//! `kb man`: the manual pages, generated from the command line itself.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::invocation::Context;
use crate::error::{Error, Result};

/// Write the manual pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb man ~/.local/share/man/man1          then `man kb` and `man kb-search`
  kb man /tmp && man -l /tmp/kb-search.1")]
pub struct ManArgs {
    /// The folder, created if it is missing
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
}

pub fn run(context: &Context, args: &ManArgs, program: Command) -> Result<u8> {
    let failed = |error: &std::io::Error| Error::io("write the manual pages to", &args.folder, error);
    std::fs::create_dir_all(&args.folder).map_err(|error| failed(&error))?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    write(&program, &args.folder).map_err(|error| failed(&error))?;
    context.tell(&format!("the manual pages are in {}", args.folder.display()));
    Ok(0)
}

fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
    command.get_subcommands().try_for_each(|below| write(below, folder))?;
    let source = concat!("kb ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source).generate_to(folder).map(drop)
}
