//! Whether commands use the server of `kb serve`.

use clap::ValueEnum;
use serde::Deserialize;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServeChoice {
    /// Use one that runs; start none
    #[default]
    Running,
    /// Use one that runs, or start one for the next command
    Auto,
    /// Use none
    Off,
}
