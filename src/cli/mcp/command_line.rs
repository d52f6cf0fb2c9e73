//! The command line for a call, and limits on its values.
//!
//! Every value becomes part of an argument that begins with its option, or stands behind `--`, so that no text of an
//! agent is read as an option.

use std::path::{Path, PathBuf};

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::paths::{is_inside, real};

/// The most names in one argument, so that a call does not keep others waiting for long.
const MOST_NAMES: usize = 100;
/// The longest name, path or filter, in bytes: messages repeat it, and a title is compared with all of a document.
const LONGEST_NAME: usize = 4000;
/// The arguments that may be longer.
const TEXTS: [&str; 2] = ["query", "content"];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The command and its arguments.
    pub(super) arguments: Vec<String>,
    pub(super) namespace: Option<String>,
    /// The shown part, if the command shows a list.
    pub(super) part: Option<Part>,
}

impl CommandLine {
    /// A command that shows no list.
    pub(super) fn new(arguments: Vec<String>, namespace: Option<String>) -> Self {
        CommandLine { arguments, namespace, part: None }
    }

    /// A command that shows a list. Its options have to stand before `--`.
    pub(super) fn of_list(
        mut arguments: Vec<String>,
        namespace: Option<String>,
        cursor: Option<String>,
        size: usize,
    ) -> Result<Self, String> {
        let offset = cursor.map_or(Ok(0), |cursor| cursor.parse::<u32>());
        let offset = offset.map_err(|_| "cursor: no earlier call returned this value".to_owned())?;
        arguments.extend([format!("--limit={size}"), format!("--offset={offset}")]);
        Ok(CommandLine { arguments, namespace, part: Some(Part { offset: offset as usize, size }) })
    }

    /// Whether its command changes the store.
    pub(super) fn writes(&self) -> bool {
        matches!(self.arguments[0].as_str(), "ingest" | "chunk-edit" | "chunk-delete")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// How many items come before it.
    pub(super) offset: usize,
    /// The most items that it has.
    pub(super) size: usize,
}

/// The folders whose files an agent may have ingested.
#[derive(Debug, Clone)]
pub(super) struct Roots(pub(super) Vec<PathBuf>);

impl Roots {
    /// The path as it is on the disk, if it lies in one of the folders. It is relative to the first folder. Results
    /// name a source as seen from the folder of the store, which is mostly a folder above, so such a name is found too.
    pub(super) fn within(&self, path: &str) -> Result<String, String> {
        let first = self.0.first().map_or(Path::new("."), PathBuf::as_path);
        let found_from = |folder: &Path| {
            let path = real(&folder.join(path));
            (path.exists() && is_inside(&path, &self.0)).then_some(path)
        };
        let path = first.ancestors().find_map(found_from).unwrap_or_else(|| real(&first.join(path)));
        if is_inside(&path, &self.0) {
            return path.into_os_string().into_string().map_err(|_| "the path is not UTF-8".to_owned());
        }
        let roots: Vec<String> = self.0.iter().map(|root| root.display().to_string()).collect();
        let (path, roots) = (path.display(), roots.join(" or "));
        Err(format!("{path} is not in {roots}; kb mcp ingests files only from there"))
    }
}

/// The arguments of a call; an error names the wrong one.
pub(super) fn read<A: DeserializeOwned>(arguments: JsonObject) -> Result<A, String> {
    for (name, value) in arguments.iter().filter(|(name, _)| !TEXTS.contains(&name.as_str())) {
        let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter();
        if texts.filter_map(Value::as_str).any(|text| text.len() > LONGEST_NAME) {
            return Err(format!("{name}: give at most {LONGEST_NAME} bytes"));
        }
    }
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| match error.path().iter().count() {
        0 => error.into_inner().to_string(),
        _ => error.to_string(),
    })
}

/// A list of names; an error names the argument.
pub(super) fn names(name: &str, names: Vec<String>) -> Result<Vec<String>, String> {
    match names.len() <= MOST_NAMES {
        true => Ok(names),
        false => Err(format!("{name}: give at most {MOST_NAMES} at a time, not {}", names.len())),
    }
}

/// A number of at least 1 and at most `most`; an error names the argument.
pub(super) fn in_range(name: &str, number: Option<u32>, most: u32) -> Result<Option<u32>, String> {
    match number.filter(|number| !(1..=most).contains(number)) {
        Some(wrong) => Err(format!("{name}: give a number from 1 to {most}, not {wrong}")),
        None => Ok(number),
    }
}
