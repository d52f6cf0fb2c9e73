//! A file of settings: the user's `config.toml`, or the `kb.toml` of a store.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml::Table;

use super::{Config, IngestSettings, SUGGESTION_SIMILARITY};
use crate::error::{Error, Result};
use crate::paths::read_text;
use crate::text::{alike, size, squeeze};

/// The variable that names the user's own file.
const VARIABLE: &str = "KB_CONFIG";

/// The longest file, in bytes. Every command reads it, and a found one may hold a filter of a million conditions.
const LONGEST: usize = 1 << 20;

pub(super) struct SettingsFile {
    pub(super) text: String,
    pub(super) table: Table,
    /// The folder that its paths are relative to.
    pub(super) folder: PathBuf,
}

impl SettingsFile {
    /// `None` if the file does not exist.
    ///
    /// # Errors
    /// If it cannot be read or sets something unknown or invalid, with the line.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        if text.len() > LONGEST {
            let (own, most) = (size(text.len() as u64), size(LONGEST as u64));
            return Err(Error::usage(format!("{} has {own}; the limit is {most}", path.display()))
                .hint("keep only settings in it"));
        }
        let invalid = |error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let message = squeeze(error.message());
            // The keys alone: a value may be a secret.
            let keys: Vec<&str> = text.lines().map(|line| line.split('=').next().unwrap_or_default().trim()).collect();
            let mut line = text[..start].matches('\n').count();
            // An unknown key of [ingest] has no place; another table may have it too.
            if let Some((unknown, _)) = unknown_key(&message)
                && keys.get(line) != Some(&unknown)
            {
                let table = keys.iter().position(|key| key.starts_with("[ingest")).unwrap_or(0);
                line = keys[table..].iter().position(|key| *key == unknown).map_or(line, |after| table + after);
            }
            let key = keys.get(line).copied().unwrap_or_default();
            let place = if key.is_empty() { String::new() } else { format!(", {}", crate::text::truncate(key, 60)) };
            let (message, hint) = in_words(&message);
            Error::usage(format!("{}, line {}{place}: {message}", path.display(), line + 1)).hint(hint)
        };
        let config: Config = toml::from_str(&text).map_err(invalid)?;
        config.check_endpoints().map_err(|error| error.at(&path.display().to_string()))?;
        config.search.filter(&format!("{}, [search]", path.display()))?;
        let table = toml::from_str(&text).map_err(invalid)?;
        Ok(Some(SettingsFile { table, folder: path.parent().unwrap_or(Path::new("")).to_owned(), text }))
    }

    /// The user's own file: the one that the variable names, otherwise `kb/config.toml` among the user's settings.
    ///
    /// # Errors
    /// As for [`read`](Self::read), and if the variable names a file that does not exist.
    pub(super) fn of_user() -> Result<Option<Self>> {
        let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) else {
            let path = dirs::config_dir().map(|folder| folder.join("kb").join("config.toml"));
            return path.map_or(Ok(None), |path| SettingsFile::read(&path));
        };
        let named = PathBuf::from(named);
        let missing = || {
            Error::usage(format!("{VARIABLE} names {}, which does not exist", named.display()))
                .hint("correct it or unset it")
        };
        SettingsFile::read(&named)?.map(Some).ok_or_else(missing)
    }
}

/// The unknown key in a message, and what follows it.
fn unknown_key(message: &str) -> Option<(&str, &str)> {
    message.strip_prefix("unknown field `")?.split_once('`')
}

/// The message of an invalid file and its next step: without types of Rust, and with the name nearest to an unknown
/// one.
fn in_words(message: &str) -> (String, String) {
    let correct = "correct the file".to_owned();
    if let Some((unknown, expected)) = unknown_key(message) {
        let mut known: Vec<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        // serde does not name the keys of a table that is made of several structs, which is [ingest] alone.
        if known.is_empty() {
            known = IngestSettings::keys();
        }
        let known = known.iter().map(|name| (name.clone(), name));
        return match alike(known, unknown, SUGGESTION_SIMILARITY).first() {
            Some(near) => (format!("unknown field `{unknown}`"), format!("did you mean `{near}`?")),
            None => (message.to_owned(), correct),
        };
    }
    let Some((before, expected)) = message.rsplit_once("expected ") else { return (message.to_owned(), correct) };
    let expected = match expected {
        "a nonzero usize" => "a whole number above 0",
        "usize" | "u64" | "u32" | "u16" | "u8" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        _ => expected,
    };
    (format!("{before}expected {expected}"), correct)
}
