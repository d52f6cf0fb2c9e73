//! Where the models of a user lie.

use std::path::PathBuf;

use super::Models;
use crate::error::{Error, Result};

/// The variable that names another folder.
const VARIABLE: &str = "KB_MODELS_DIR";

impl Models {
    /// Those in the folder that `KB_MODELS_DIR` names, otherwise in the user's data folder.
    ///
    /// # Errors
    /// Where neither can be told.
    pub fn of_user() -> Result<Self> {
        let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(folder) = said(VARIABLE) {
            return Ok(Models::open(folder));
        }
        let home = || said("HOME").or_else(|| said("USERPROFILE"));
        let data = if cfg!(target_os = "windows") {
            said("LOCALAPPDATA").or_else(|| home().map(|home| home.join("AppData/Local")))
        } else if cfg!(target_os = "macos") {
            home().map(|home| home.join("Library/Application Support"))
        } else {
            said("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
        };
        data.map(|data| Models::open(data.join("kb/models"))).ok_or_else(|| {
            Error::usage("cannot tell where models are kept: there is no home folder")
                .hint(format!("name a folder with {VARIABLE}"))
        })
    }
}
