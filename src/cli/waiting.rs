//! What the commands that write have in common: waiting for another writer.

use std::io::Write;
use std::time::Duration;

use clap::Args;

use super::Context;
use crate::store::Patience;

/// How long to wait for another writer.
#[derive(Debug, Default, Args)]
pub struct WaitArgs {
    /// Wait so long while another kb writes to the same namespace [default: 0, fail at once]
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

impl WaitArgs {
    /// What was said, as the store takes it.
    pub(super) fn patience(&self, context: &Context) -> Patience {
        let quiet = context.global.quiet;
        Patience::new(Duration::from_secs(self.wait.unwrap_or(0)), move |text| {
            if !quiet {
                // Where this cannot be written, the work can still be done.
                writeln!(anstream::stderr(), "{text}").unwrap_or_default();
            }
        })
    }

    /// Whether it was said at all.
    pub(super) fn is_given(&self) -> bool {
        self.wait.is_some()
    }
}
