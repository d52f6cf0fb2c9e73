//! The layout of the BEIR benchmark: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, Result};

/// A document of a set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Passage {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title; may be empty.
    #[serde(default)]
    pub title: String,
    /// Its text.
    pub text: String,
}

#[derive(Deserialize)]
struct Query {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

/// A set of documents, queries and judgements.
#[derive(Debug, Clone)]
pub struct BeirSet {
    /// Where it was read from.
    pub folder: PathBuf,
    /// The documents.
    pub passages: Vec<Passage>,
    queries: Vec<(String, String)>,
    judgements: HashMap<String, HashMap<String, f64>>,
}

impl BeirSet {
    /// Reads a set.
    ///
    /// # Errors
    /// Where a file is missing or a line is not what it should be, with file and line.
    pub fn read(folder: &Path) -> Result<Self> {
        let passages: Vec<Passage> = read_jsonl(&folder.join("corpus.jsonl"))?;
        let queries: Vec<Query> = read_jsonl(&folder.join("queries.jsonl"))?;
        Ok(BeirSet {
            folder: folder.to_owned(),
            passages,
            queries: queries.into_iter().map(|query| (query.id, query.text)).collect(),
            judgements: read_judgements(&folder.join("qrels.tsv"))?,
        })
    }

    /// The queries with at least one relevant document, with the grades of those.
    pub fn judged_queries(&self) -> impl Iterator<Item = (&str, &HashMap<String, f64>)> {
        self.queries.iter().filter_map(|(id, text)| {
            let grades = self.judgements.get(id)?;
            Some((text.as_str(), grades))
        })
    }
}

fn read_file(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::usage(format!("cannot read {}: {}", path.display(), crate::error::plain_io(&error)))
            .hint("a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    })
}

fn read_jsonl<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    read_file(path)?
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|error| {
                Error::usage(format!("{}, line {}: {error}", path.display(), i + 1)).hint("correct the line")
            })
        })
        .collect()
}

/// Tab-separated query, document, grade; a header is recognised by its grade being no number. Only grades above 0
/// are kept.
fn read_judgements(path: &Path) -> Result<HashMap<String, HashMap<String, f64>>> {
    let mut judgements: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for (i, line) in read_file(path)?.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (query, document, grade) = match fields.as_slice() {
            [query, document, grade] => (query, document, grade),
            // TREC's own form has an unused column.
            [query, _, document, grade] => (query, document, grade),
            [blank] if blank.trim().is_empty() => continue,
            _ => {
                return Err(Error::usage(format!("{}, line {}: not three columns", path.display(), i + 1))
                    .hint("a line is query id, document id and grade, separated by tabs"));
            }
        };
        match grade.trim().parse::<f64>() {
            Ok(grade) if grade > 0.0 => {
                judgements.entry((*query).to_owned()).or_default().insert((*document).to_owned(), grade);
            }
            Ok(_) => {}
            Err(_) if i == 0 => {}
            Err(_) => {
                return Err(Error::usage(format!("{}, line {}: {grade:?} is no grade", path.display(), i + 1))
                    .hint("the last column is a number"));
            }
        }
    }
    Ok(judgements)
}
