//! Metadata that comes with an ingest: from rules by path, from a file beside the source, from the options of the
//! command.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::source::read_consistent;
use super::web::is_file;
use crate::error::{Error, Result};
use crate::globs::SHOWN;
use crate::paths::{real, without_mark};
use crate::store::{Fields, MetadataValue, SourcePattern, Store, add_fields, check_field};
use crate::text::{size, truncate};

/// A file with the name of a source and this ending holds its metadata.
const ENDING: &str = ".meta.toml";
/// The longest such file, in bytes.
const LONGEST: u64 = 1 << 20;
/// The errors of a file that does not exist. With the ending, its name may be longer than the file system allows.
const MISSING: [ErrorKind; 3] = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];

/// Metadata of all documents whose source matches.
#[derive(Debug, Clone)]
pub struct MetadataRule {
    sources: SourcePattern,
    fields: Fields,
}

impl MetadataRule {
    /// A rule for the sources that a path or a glob stands for, as in a filter: `contracts/**`, `*.pdf`.
    pub fn new(path: &str, fields: BTreeMap<String, toml::Value>) -> Result<Self> {
        let invalid = |reason: String| {
            Error::usage(format!("the path {:?} of a rule is not a glob: {reason}", truncate(path, SHOWN)))
        };
        let sources = SourcePattern::new(path).map_err(invalid)?;
        for name in fields.keys() {
            check_field(name)
                .map_err(|reason| Error::usage(format!("the rule for {path:?}: {reason}")).hint("use another name"))?;
        }
        let fields = of_toml(fields).map_err(|error| error.at(&format!("the rule for {path:?}")))?;
        Ok(MetadataRule { sources, fields })
    }
}

/// The metadata that rules and the file beside a source give it now.
pub(super) fn given(rules: &[MetadataRule], within: &[PathBuf], source: &str, store: &Store) -> Result<Fields> {
    let mut fields = Fields::new();
    for rule in rules.iter().filter(|rule| rule.sources.has(source)) {
        add_fields(&mut fields, rule.fields.clone());
    }
    if is_file(source) {
        add_fields(&mut fields, read_metadata_file(&store.source_path(source), within)?);
    }
    Ok(fields)
}

/// Whether a file is the metadata of a source, and not a document.
pub(super) fn is_metadata_file(path: &Path) -> bool {
    let source = path.to_str().and_then(|path| path.strip_suffix(ENDING));
    source.is_some_and(|source| Path::new(source).is_file())
}

/// The metadata in `NAME.meta.toml`; empty if there is no such file. A link is refused, because in a folder that
/// another person made it can lead to a secret on this machine.
fn read_metadata_file(source: &Path, within: &[PathBuf]) -> Result<Fields> {
    let file = source.with_added_extension(ENDING.trim_start_matches('.'));
    match file.symlink_metadata() {
        Ok(facts) if facts.is_symlink() => {
            let message = format!("{} is a link", file.display());
            return Err(Error::failed(message).hint("replace the link with the file itself"));
        }
        Ok(facts) if facts.is_file() && facts.len() <= LONGEST => {}
        Ok(facts) if facts.is_file() => {
            let message = format!("{} is {}; the limit is {}", file.display(), size(facts.len()), size(LONGEST));
            return Err(Error::failed(message).hint("keep a few fields in it, such as project = \"apollo\""));
        }
        Ok(_) => return Ok(Fields::new()),
        Err(error) if MISSING.contains(&error.kind()) => return Ok(Fields::new()),
        Err(error) => return Err(Error::io("read", &file, &error)),
    }
    // A link that has replaced the file since the check above may lead out of its folder.
    let beside: Vec<PathBuf> = file.parent().map(real).into_iter().collect();
    let (bytes, _) = read_consistent(&file, if within.is_empty() { &beside } else { within }, LONGEST)?;
    let not_text = |_| Error::failed(format!("{} is not UTF-8", file.display())).hint("save it as UTF-8");
    let text = without_mark(String::from_utf8(bytes).map_err(not_text)?);
    let fields: BTreeMap<String, toml::Value> = toml::from_str(&text).map_err(|error| {
        Error::failed(format!("{}: {}", file.display(), error.message())).hint("write lines like project = \"apollo\"")
    })?;
    of_toml(fields).map_err(|error| error.at(&file.display().to_string()))
}

fn of_toml(fields: BTreeMap<String, toml::Value>) -> Result<Fields> {
    let value = |(name, value): (String, toml::Value)| match value_of(value) {
        Some(value) => Ok((name, value)),
        None => Err(Error::failed(format!("the metadata field {name:?} holds a table or an invalid number"))
            .hint("a field is a text, a finite number, true, false, or a list of these")),
    };
    fields.into_iter().map(value).collect()
}

/// `None` for a table or a number that is not finite.
fn value_of(value: toml::Value) -> Option<MetadataValue> {
    Some(match value {
        toml::Value::String(text) => MetadataValue::Text(text),
        toml::Value::Boolean(truth) => MetadataValue::Truth(truth),
        toml::Value::Integer(number) => MetadataValue::Number(number.into()),
        toml::Value::Float(number) => MetadataValue::Number(serde_json::Number::from_f64(number)?),
        toml::Value::Datetime(time) => MetadataValue::Text(time.to_string()),
        toml::Value::Array(values) => MetadataValue::List(values.into_iter().map(value_of).collect::<Option<_>>()?),
        toml::Value::Table(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_a_source_that_is_no_metadata_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("manual.pdf");
        let read_metadata_file = |source: &Path| read_metadata_file(source, &[]);
        let write = |text: &str| std::fs::write(folder.path().join("manual.pdf.meta.toml"), text).unwrap();
        write("[table]\nx = 1\n");
        let error = read_metadata_file(&source).unwrap_err();
        assert!(error.message().contains("manual.pdf.meta.toml: "), "{error}");
        assert!(error.message().contains("\"table\" holds a table"), "{error}");
        write("project =");
        assert!(read_metadata_file(&source).unwrap_err().message().contains("manual.pdf.meta.toml"));
        write(&"#".repeat(1_200_000));
        let error = read_metadata_file(&source).unwrap_err();
        assert!(error.message().ends_with("is 1.2 MB; the limit is 1.0 MB") && error.next_step().is_some(), "{error}");
    }
}
