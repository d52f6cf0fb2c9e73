//! The options of many commands: the global ones, waiting for a writer, a part of a list.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{ArgAction, Args, ColorChoice, ValueEnum};

use super::output::{self, end_bar, error_json};
use super::parse::at_least;
use crate::config::ServeChoice;
use crate::embed::Device;
use crate::error::{Error, Kind, Result, Setting};
use crate::render::OutputFormat;
use crate::serve::{Piece, Stream};

/// The namespace of commands that name none.
pub(super) const DEFAULT_NAMESPACE: &str = "default";

/// The options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    #[arg(long, global = true, value_name = "DIR", env = "KB_DIR", hide_short_help = true)]
    pub(super) kb: Option<PathBuf>,
    /// The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    #[arg(short, long, global = true, value_name = "NAME", env = "KB_NAMESPACE", default_value = DEFAULT_NAMESPACE)]
    pub(super) namespace: String,
    /// The output format [default: table on a terminal, markdown in a pipe]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<OutputFormat>,
    /// Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    #[arg(short = '0', long, global = true, conflicts_with = "format", hide_short_help = true)]
    pub(super) null: bool,
    /// Print only results and errors
    #[arg(short, long, global = true, hide_short_help = true)]
    pub(super) quiet: bool,
    /// Print the time of each stage, causes of errors, and files left alone
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", hide_short_help = true)]
    pub(super) verbose: u8,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, hide_short_help = true)]
    color: ColorChoice,
    /// Hide the progress display
    #[arg(long, global = true, hide_short_help = true)]
    pub(super) no_progress: bool,
    /// The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    #[arg(long, global = true, value_name = "PATH", env = "KB_ONNXRUNTIME", hide_short_help = true)]
    pub(super) onnxruntime: Option<PathBuf>,
    /// The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    #[arg(long, global = true, value_enum, value_name = "DEVICE", env = "KB_DEVICE")]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    pub(super) device: Option<Device>,
    /// Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    #[arg(long, global = true, value_enum, value_name = "WHICH", env = "KB_SERVE")]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    pub(super) serve: Option<ServeChoice>,
    /// Print help; --help lists all options
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

impl Global {
    /// The options of a command that an agent asks for: those of this process, with its own namespace if it names one.
    pub(super) fn for_namespace(&self, namespace: Option<String>) -> Self {
        let namespace = namespace.unwrap_or_else(|| self.namespace.clone());
        // Commands find out more for JSON, which is given beside the text.
        let format = Some(OutputFormat::Json);
        Global { namespace, format, null: false, quiet: false, verbose: 0, no_progress: true, ..self.clone() }
    }

    /// The same options for a process of kb that this one starts. Variables reach it anyway.
    pub(super) fn as_arguments(&self) -> Vec<OsString> {
        let name = |value: PossibleValue| OsString::from(value.get_name());
        let options: [(&str, Option<OsString>); 6] = [
            ("--namespace", Some(self.namespace.clone().into())),
            ("--kb", self.kb.clone().map(OsString::from)),
            ("--onnxruntime", self.onnxruntime.clone().map(OsString::from)),
            ("--format", self.format.and_then(|format| format.to_possible_value()).map(name)),
            ("--device", self.device.and_then(|device| device.to_possible_value()).map(name)),
            ("--color", self.color.to_possible_value().map(name)),
        ];
        let mut arguments: Vec<OsString> = Vec::new();
        for (flag, value) in options {
            if let Some(value) = value {
                arguments.extend([flag.into(), value]);
            }
        }
        arguments.extend(self.quiet.then(|| "--quiet".into()));
        arguments.extend(self.no_progress.then(|| "--no-progress".into()));
        arguments
    }

    pub(super) fn apply_color(&self) {
        let choice = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }

    pub(super) fn report(&self, error: &Error) {
        if let Some(text) = self.in_words(error) {
            end_bar();
            // If standard error is closed too, nothing is left to do.
            output::write(&Piece { stream: Stream::Err, text: format!("{text}\n") }).unwrap_or_default();
        }
    }

    /// An error as it is reported, with its causes under `--verbose`. A closed pipe is reported as `None`.
    pub(super) fn in_words(&self, error: &Error) -> Option<String> {
        Some(match (error.kind(), self.format) {
            (Kind::BrokenPipe, _) => return None,
            (_, Some(format)) if format.is_json() => error_json(error),
            (kind, _) => {
                let (red, reset) = (anstyle::AnsiColor::Red.on_default().bold(), anstyle::Reset);
                let label = if kind == Kind::NotFound { String::new() } else { format!("{red}error:{reset} ") };
                let mut text = format!("{label}{}", error.to_line());
                if self.verbose > 0 {
                    error.causes().for_each(|cause| text.push_str(&format!("\n  caused by: {cause}")));
                }
                text
            }
        })
    }
}

/// Common to the commands that write.
#[derive(Debug, Default, Args)]
pub struct WaitArgs {
    /// Wait this long while another kb writes to the namespace [default: 0]
    #[arg(long, value_name = "SECONDS", value_parser = at_least::<0, u64>, hide_short_help = true)]
    pub(super) wait: Option<u64>,
}

impl WaitArgs {
    pub(super) fn is_given(&self) -> bool {
        self.wait.is_some()
    }
}

/// Which part of a list is shown.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct PartArgs {
    /// Show at most N
    #[arg(long, value_name = "N", value_parser = at_least::<1, u32>)]
    pub(super) limit: Option<u32>,
    /// Skip the first N
    #[arg(long, value_name = "N", value_parser = at_least::<0, u32>, default_value_t = 0, hide_default_value = true)]
    pub(super) offset: u32,
}

impl PartArgs {
    /// Refuses these options where documents are named.
    pub(super) fn refuse(self) -> Result<()> {
        if self.limit.is_some() || self.offset > 0 {
            return Err(Error::usage("--limit and --offset are for the list of all documents").hint("leave them out"));
        }
        Ok(())
    }
}

/// Why a part of a list is empty.
pub(super) fn past_the_end(offset: usize, all: usize) -> String {
    format!("{} {offset} is past the end of the list, which has {all}", Setting("offset"))
}
