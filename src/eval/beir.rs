//! The layout of the BEIR benchmark: `corpus.jsonl`, `queries.jsonl`, and judgements in `qrels.tsv` or
//! `qrels/test.tsv`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result, plain_json};
use crate::paths::without_mark;

/// A document of a set.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Source {
    #[serde(rename = "_id")]
    pub id: String,
    /// May be empty.
    #[serde(default)]
    pub title: String,
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Query {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

/// The files of judgements; the first that exists is read.
const JUDGEMENTS: [&str; 2] = ["qrels.tsv", "qrels/test.tsv"];

#[derive(Debug, Clone)]
pub(super) struct BeirSet {
    pub documents: Vec<Source>,
    queries: Vec<Query>,
    /// The grades of the relevant documents of each query, all above 0.
    judgements: HashMap<String, HashMap<String, f64>>,
}

impl BeirSet {
    /// Reads a set.
    ///
    /// # Errors
    /// If a file is missing, a line is wrong (with file and line), or no query is judged.
    pub fn read(folder: &Path) -> Result<Self> {
        let judged = JUDGEMENTS.map(|name| folder.join(name));
        let judged = judged.iter().find(|path| path.exists()).unwrap_or(&judged[0]);
        let set = BeirSet {
            documents: read_jsonl(&folder.join("corpus.jsonl"))?,
            queries: read_jsonl(&folder.join("queries.jsonl"))?,
            judgements: read_judgements(judged)?,
        };
        if set.judged_queries().next().is_none() {
            return Err(Error::usage(format!("{} judges no query of queries.jsonl", judged.display()))
                .hint("check that its ids are those of queries.jsonl and corpus.jsonl"));
        }
        Ok(set)
    }

    /// How many relevant documents the corpus lacks.
    pub fn missing(&self) -> usize {
        let here: HashSet<&str> = self.documents.iter().map(|document| document.id.as_str()).collect();
        let named: HashSet<&str> = self.judgements.values().flat_map(HashMap::keys).map(String::as_str).collect();
        named.difference(&here).count()
    }

    /// Leaves out the relevant documents whose hash is even: about half, and the same in each run.
    pub fn remove_half_of_the_answers(&mut self) {
        let relevant: HashSet<&str> = self.judgements.values().flat_map(HashMap::keys).map(String::as_str).collect();
        let stays = |id: &str| !relevant.contains(id) || blake3::hash(id.as_bytes()).as_bytes()[0] % 2 == 1;
        self.documents.retain(|document| stays(&document.id));
    }

    /// Whether the corpus has one of these documents.
    pub fn has_any(&self, relevant: &HashMap<String, f64>) -> bool {
        self.documents.iter().any(|document| relevant.contains_key(&document.id))
    }

    /// The queries with at least one relevant document, with the grades of those.
    pub fn judged_queries(&self) -> impl Iterator<Item = (&str, &HashMap<String, f64>)> {
        self.queries.iter().filter_map(|query| Some((query.text.as_str(), self.judgements.get(&query.id)?)))
    }
}

fn read_file(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map(without_mark).map_err(|error| {
        Error::usage(format!("cannot read {}: {}", path.display(), crate::error::plain_io(&error)))
            .hint("a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv or qrels/test.tsv")
    })
}

fn read_jsonl<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    read_file(path)?
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|error| {
                Error::usage(format!("{}, line {}: {}", path.display(), i + 1, plain_json(&error)))
                    .hint("correct the line")
            })
        })
        .collect()
}

/// Reads lines of query, document and grade, separated by tabs. A first line without a number is a header. Grades of 0
/// are dropped.
fn read_judgements(path: &Path) -> Result<HashMap<String, HashMap<String, f64>>> {
    let mut judgements: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for (i, line) in read_file(path)?.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (query, document, grade) = match fields.as_slice() {
            [query, document, grade] => (query, document, grade),
            // TREC's own format has an unused column.
            [query, _, document, grade] => (query, document, grade),
            [blank] if blank.trim().is_empty() => continue,
            _ => {
                return Err(Error::usage(format!("{}, line {}: expected three columns", path.display(), i + 1))
                    .hint("write query id, document id and grade, separated by tabs"));
            }
        };
        match grade.trim().parse::<f64>() {
            Ok(grade) if grade > 0.0 => {
                judgements.entry((*query).to_owned()).or_default().insert((*document).to_owned(), grade);
            }
            Ok(_) => {}
            Err(_) if i == 0 => {}
            Err(_) => {
                return Err(Error::usage(format!("{}, line {}: {grade:?} is not a grade", path.display(), i + 1))
                    .hint("the last column must be a number"));
            }
        }
    }
    Ok(judgements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_half_of_the_answers_are_left_out_and_nothing_else() {
        let relevant = |number: usize| (format!("d{number}"), 1.0);
        let document = |id: String| Source { id, title: String::new(), text: String::new() };
        let mut set = BeirSet {
            documents: (0..100)
                .map(|number| document(format!("d{number}")))
                .chain([document("other".into())])
                .collect(),
            queries: Vec::new(),
            judgements: HashMap::from([("q".to_owned(), (0..100).map(relevant).collect())]),
        };
        set.remove_half_of_the_answers();
        assert!((30..70).contains(&set.documents.len()), "{}", set.documents.len());
        assert!(set.documents.iter().any(|document| document.id == "other"));
        assert!(set.has_any(&set.judgements["q"]) && !set.has_any(&HashMap::from([("none".to_owned(), 1.0)])));
    }
}
