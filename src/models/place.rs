//! Where models lie: `KB_MODELS_DIR`, or a folder among the user's data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The variable that names the folder.
pub const VARIABLE: &str = "KB_MODELS_DIR";

/// The folder of models.
///
/// # Errors
/// Where nothing names one and the system knows no folder for the user's data.
pub(super) fn folder() -> Result<PathBuf> {
    choose(std::env::var_os(VARIABLE), dirs::data_local_dir().as_deref())
}

fn choose(named: Option<OsString>, data: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    data.map(|data| data.join("kb").join("models")).ok_or_else(|| {
        Error::failed("this system has no folder for a user's data, in which models would lie")
            .hint(format!("name one with {VARIABLE}"))
    })
}

/// Whether a model can have this name: it becomes that of a folder, on every system.
///
/// # Errors
/// Where it cannot, with what a name is.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let good = (1..=100).contains(&name.len())
        && name.chars().all(allowed)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.ends_with('.');
    let taken = ["light", "off", "auto", "none"].iter().any(|word| name.eq_ignore_ascii_case(word));
    if good && !taken {
        return Ok(());
    }
    let why = if taken { "it means something else to --rerank or --model" } else { "letters, digits and .-_ make one" };
    Err(Error::usage(format!("{name:?} is no name for a model: {why}")).hint("give another one with --name NAME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_comes_before_the_users_data() {
        let data = Path::new("/home/x/.local/share");
        assert_eq!(choose(None, Some(data)).unwrap(), data.join("kb/models"));
        assert_eq!(choose(Some("".into()), Some(data)).unwrap(), data.join("kb/models"));
        assert_eq!(choose(Some("models".into()), Some(data)).unwrap(), Path::new("models"));
        assert!(choose(None, None).unwrap_err().to_line().contains(VARIABLE));
    }

    #[test]
    fn names_stay_within_their_folder() {
        for good in ["bge-small-en-v1.5", "E5_x", "7b"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".x", "a/b", "a\\b", "a b", "-x", "水泵", "x.", "light", "Off", &"x".repeat(101)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
