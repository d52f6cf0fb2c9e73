//! Parse, run, map the error to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    kb::cli::main()
}
