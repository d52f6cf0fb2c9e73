//! Finds the document that a user names.
//!
//! A document is named by its id, a unique prefix of that, its path, the unique end of its path, or its unique title;
//! for reading, also by a part of its title or of its file's name, or by words of them: `travel policy` is
//! `travel-policy-v4`.

use std::path::Path;

use crate::error::{Error, Kind, NextStep, Result};
use crate::ids::DocId;
use crate::store::{DocumentName, DocumentRow, Snapshot, Store, stem};
use crate::text::tokens::{TokenKind, tokenize};
use crate::text::{alike, first_of, unique, visible, visible_path};

/// Documents whose title and file name are less alike than this are not suggested.
const LEAST_SIMILARITY: f64 = 0.75;
/// A shorter prefix of an id could easily be a typing mistake.
const SHORTEST_PREFIX: usize = 2;

/// Why a document is looked up; decides how loosely it may be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To show it: a wrong guess costs nothing.
    Read,
    /// To change or remove it: nothing is guessed.
    Change,
}

/// A document that a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<'a> {
    pub document: &'a DocumentName,
    /// Reports a guess.
    pub note: Option<String>,
}

/// The documents to look names up in: only those with these ids and paths if each name is one, otherwise all.
pub async fn documents_to_resolve(
    snapshot: &Snapshot,
    names: &[impl AsRef<str>],
    store: &Store,
) -> Result<Vec<DocumentName>> {
    let literal: Vec<Literal> = names.iter().map(|name| Literal::of(name.as_ref(), store)).collect();
    let ids: Vec<DocId> = unique(literal.iter().flat_map(Literal::ids));
    let found = snapshot.document_names(&ids).await?;
    let is_found = |name: &Literal| found.iter().any(|doc| name.means(doc));
    // If a document that no name means has the first id of a source, the document of that source has another id.
    let is_meant = |doc: &DocumentName| literal.iter().any(|name| name.means(doc));
    match literal.iter().all(is_found) && found.iter().all(is_meant) {
        true => Ok(found),
        false => snapshot.all_document_names().await,
    }
}

/// The row of a document.
///
/// # Errors
/// If the table lacks it.
pub async fn row_of(snapshot: &Snapshot, document: &DocumentName) -> Result<DocumentRow> {
    let row = snapshot.documents_by_id(std::slice::from_ref(&document.doc_id)).await?.pop();
    row.ok_or_else(|| {
        Error::failed(format!("the table of documents lacks {}", called(document)))
            .hint(format!("check the namespace with `{}`", NextStep::Check))
    })
}

/// A name taken for an id, a source or a path as it stands.
struct Literal<'a> {
    name: &'a str,
    /// The source of the file at this path, relative to the current folder.
    as_path: Option<String>,
}

impl<'a> Literal<'a> {
    fn of(name: &'a str, store: &Store) -> Self {
        let path = Path::new(name.trim());
        Literal { name, as_path: path.exists().then(|| store.source_name(path)) }
    }

    /// The ids that its document has, unless another document had the first id of its source when it was ingested.
    fn ids(&self) -> Vec<DocId> {
        let sources = [Some(self.name), Some(self.name.trim()), self.as_path.as_deref()];
        let of_sources = sources.into_iter().flatten().map(|source| DocId::of_source(source, 0));
        of_sources.chain([self.name.trim().into()]).collect()
    }

    fn means(&self, doc: &DocumentName) -> bool {
        self.is_of(doc) || self.is_path_of(doc)
    }

    fn is_of(&self, doc: &DocumentName) -> bool {
        let wanted = self.name.trim();
        doc.doc_id == wanted || doc.source == wanted || doc.source == self.name
    }

    fn is_path_of(&self, doc: &DocumentName) -> bool {
        self.as_path.as_deref() == Some(doc.source.as_str())
    }
}

/// The document that `name` stands for.
///
/// # Errors
/// Not found, with a suggestion; ambiguous, with the candidates; or too loose for its purpose, with the document it may
/// mean.
pub fn resolve_document<'a>(
    documents: &'a [DocumentName],
    name: &str,
    store: &Store,
    purpose: Purpose,
) -> Result<Named<'a>> {
    match exactly(documents, name, store)? {
        Some(document) => Ok(Named { document, note: None }),
        None => by_part_of_name(documents, name.trim(), purpose),
    }
}

/// The document that has this id, path or title, or whose id begins so.
fn exactly<'a>(documents: &'a [DocumentName], name: &str, store: &Store) -> Result<Option<&'a DocumentName>> {
    let wanted = name.trim();
    if wanted.is_empty() {
        return Err(Error::usage("the name of the document is empty")
            .hint(format!("`{}` lists the documents", NextStep::ListDocuments)));
    }
    let (lower, literal) = (wanted.to_lowercase(), Literal::of(name, store));
    let ends_with = |source: &str, end: &str| {
        source.to_lowercase().strip_suffix(end).is_some_and(|before| before.ends_with('/') || before.ends_with(':'))
    };
    // From the strictest reading to the loosest; the first that fits any document decides. A source as `kb docs` shows
    // it comes before a path, which may be another file's.
    let readings: [&dyn Fn(&DocumentName) -> bool; 6] = [
        &|doc| literal.is_of(doc),
        &|doc| literal.is_path_of(doc),
        // kb shows no invisible characters, and escapes them in lists of paths.
        &|doc| visible(&doc.source) == wanted || visible_path(&doc.source) == wanted,
        &|doc| doc.title.to_lowercase() == lower,
        &|doc| ends_with(&doc.source, &lower),
        &|doc| stem(&doc.source).to_lowercase() == lower,
    ];
    for reading in readings {
        let found: Vec<&DocumentName> = documents.iter().filter(|doc| reading(doc)).collect();
        match found.as_slice() {
            [] => {}
            [document] => return Ok(Some(document)),
            many => return Err(ambiguous(wanted, many)),
        }
    }
    // The beginning of an id means an id, even an ambiguous one: a title must not win by containing it.
    let begun: Vec<&DocumentName> = documents.iter().filter(|doc| doc.doc_id.starts_with(&lower)).collect();
    match begun.as_slice() {
        [] => Ok(None),
        [document] if lower.len() >= SHORTEST_PREFIX => Ok(Some(document)),
        [document] => {
            let message = format!("{wanted:?} is too short for an id; {} begins with it", called(document));
            Err(Error::usage(message).hint(format!("type at least {SHORTEST_PREFIX} characters of the id")))
        }
        many => Err(ambiguous(wanted, many)),
    }
}

/// The loosest readings, a part of a title, else of a file's name, else successive words of either: good enough to read
/// a document, not to change it.
fn by_part_of_name<'a>(documents: &'a [DocumentName], wanted: &str, purpose: Purpose) -> Result<Named<'a>> {
    let (lower, wanted_words) = (wanted.to_lowercase(), words(wanted));
    let has_words = |name: &str| !wanted_words.trim().is_empty() && words(name).contains(&wanted_words);
    let readings: [&dyn Fn(&DocumentName) -> bool; 3] = [
        &|doc| doc.title.to_lowercase().contains(&lower),
        &|doc| stem(&doc.source).to_lowercase().contains(&lower),
        &|doc| has_words(&doc.title) || has_words(stem(&doc.source)),
    ];
    let mut each = readings
        .into_iter()
        .map(|reading| -> Vec<&DocumentName> { documents.iter().filter(|doc| reading(doc)).collect() });
    let containing = each.find(|found| !found.is_empty()).unwrap_or_default();
    match containing.as_slice() {
        [] => Err(Error::not_found(format!("no document {wanted:?}")).hint(
            nearest(documents.iter(), &lower)
                .unwrap_or_else(|| format!("`{}` lists the documents", NextStep::ListDocuments)),
        )),
        [document] if purpose == Purpose::Read => {
            let note = format!("no document {wanted:?}; using {} ({})", document.doc_id, document.title);
            Ok(Named { document, note: Some(note) })
        }
        [document] => Err(Error::usage(format!("{wanted:?} is only a part of the name of {}", called(document)))
            .hint(format!("if you mean that document, name it by its id, {}", document.doc_id))),
        many => Err(ambiguous(wanted, many)),
    }
}

/// The words of a name as the keyword index has them, with a space on both sides of each: `TravelPolicy_v4` has those
/// of `travel policies`.
fn words(name: &str) -> String {
    let tokens = tokenize(name).into_iter().filter(|token| !matches!(token.kind, TokenKind::Whole | TokenKind::Bigram));
    tokens.fold(" ".to_owned(), |words, token| words + &token.text + " ")
}

/// The documents that a name stands for in several namespaces, for reading, each with the place of its namespace. A
/// guess in one namespace gives way to an exact match in another.
///
/// # Errors
/// As for [`resolve_document`]; not found only if no namespace has it.
pub fn resolve_each<'a>(
    namespaces: &'a [Vec<DocumentName>],
    name: &str,
    store: &Store,
) -> Result<Vec<(usize, Named<'a>)>> {
    let mut found: Vec<(usize, Named)> = Vec::new();
    for (at, documents) in namespaces.iter().enumerate() {
        found.extend(exactly(documents, name, store)?.map(|document| (at, Named { document, note: None })));
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let wanted = name.trim();
    for (at, documents) in namespaces.iter().enumerate() {
        match by_part_of_name(documents, wanted, Purpose::Read) {
            Ok(named) => found.push((at, named)),
            Err(error) if error.kind() == Kind::NotFound && namespaces.len() > 1 => {}
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() {
        return Err(Error::not_found(format!("no document {wanted:?} in any of the namespaces")).hint(
            nearest(namespaces.iter().flatten(), &wanted.to_lowercase()).unwrap_or_else(|| {
                format!("`{}` lists the documents of a namespace", NextStep::ListDocumentsOf("NAME"))
            }),
        ));
    }
    Ok(found)
}

/// A document as messages name it.
fn called(document: &DocumentName) -> String {
    format!("{} ({})", document.doc_id, document.source)
}

fn ambiguous(name: &str, many: &[&DocumentName]) -> Error {
    let named = first_of(many.iter().map(|document| called(document)));
    Error::usage(format!("{name:?} fits {} documents: {named}", many.len())).hint("name one by its id")
}

/// A suggestion, if something is near.
fn nearest<'a>(documents: impl Iterator<Item = &'a DocumentName>, wanted: &str) -> Option<String> {
    let names = |doc: &'a DocumentName| [(doc.title.to_lowercase(), doc), (stem(&doc.source).to_lowercase(), doc)];
    let near = alike(documents.flat_map(names), wanted, LEAST_SIMILARITY);
    near.first().map(|document| format!("did you mean {}?", called(document)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::document;
    use crate::store::{NewDocument, samples};

    fn named(id: &str, source: &str, title: &str) -> DocumentName {
        DocumentName::from(&document(id, source, title))
    }

    fn resolve_for(name: &str, purpose: Purpose) -> Result<(String, Option<String>)> {
        let rows = [
            named("abc123", "docs/pump.pdf", "Pump Manual"),
            named("abd456", "old/pump.pdf", "Pump Manual (old)"),
            named("xyz789", "docs/手册.md", "维护手册"),
            named("9kq000", "docs/net.md", "Network 9a and abroad"),
            named("m2n3p4", "reports/ACME_2022Q4_EARNINGS.pdf", "Exhibit 99.1"),
            named("tpv456", "hr/travel-policy-v4.docx", "travel-policy-v4"),
            named("lvp202", "hr/LeavePolicy2024.pdf", "Untitled"),
            named("exp789", "hr/expenses.md", "Expenses of travel"),
        ];
        let (_folder, store) = samples::store();
        resolve_document(&rows, name, &store, purpose).map(|named| (named.document.doc_id.to_string(), named.note))
    }

    #[test]
    fn ids_prefixes_paths_ends_and_titles_find_the_document_and_parts_of_names_only_to_read_it() {
        for (name, id, is_part) in [
            ("abc123", "abc123", false),
            ("xy", "xyz789", false),
            ("docs/pump.pdf", "abc123", false),
            ("手册.md", "xyz789", false),
            ("net", "9kq000", false),
            ("pump manual", "abc123", false),
            ("维护手册", "xyz789", false),
            ("维护", "xyz789", true),
            ("network", "9kq000", true),
            ("acme_2022", "m2n3p4", true),
            // The words of a name may be joined in it.
            ("travel policy", "tpv456", true),
            ("Travel_Policies", "tpv456", true),
            ("travel policy v4", "tpv456", true),
            ("leave policy", "lvp202", true),
            ("leave-policy 2024", "lvp202", true),
        ] {
            let (found, note) = resolve_for(name, Purpose::Read).unwrap();
            assert_eq!((found.as_str(), note.is_some()), (id, is_part), "{name}");
            assert!(note.is_none_or(|note| note.contains(&format!("using {id} ("))), "{name}");
            match resolve_for(name, Purpose::Change) {
                Ok((found, _)) => assert!(found == id && !is_part, "{name}"),
                Err(error) => {
                    assert_eq!((error.kind().exit_code(), is_part), (2, true), "{name}");
                    assert!(
                        error.message().contains(id) && error.next_step().unwrap().contains("by its id"),
                        "{error}"
                    );
                }
            }
        }
        for name in ["policy travel", "rave policy", "--", "travel policy v5"] {
            assert_eq!(resolve_for(name, Purpose::Read).unwrap_err().kind(), Kind::NotFound, "{name}");
        }
    }

    /// "Network 9a and abroad" contains all the prefixes.
    #[test]
    fn an_ambiguous_name_and_a_short_prefix_of_an_id_list_the_candidates() {
        let pumps = ["abc123", "abd456"];
        for (name, ids) in [("pump.pdf", pumps), ("ab", pumps), ("a", pumps), ("9", ["9kq000"; 2])] {
            for purpose in [Purpose::Read, Purpose::Change] {
                let error = resolve_for(name, purpose).unwrap_err();
                assert_eq!(error.kind().exit_code(), 2, "{name}: {error}");
                assert!(ids.iter().all(|id| error.message().contains(id)), "{error}");
            }
        }
    }

    #[tokio::test]
    async fn names_of_other_documents_are_read_only_for_a_loose_name() {
        let (_folder, store) = samples::store();
        let namespace = store.namespace("default").unwrap();
        let id = |source| DocId::of_source(source, 0).to_string();
        let new = |id: &str, source: &str| {
            let mut new = NewDocument::sample(id, &["text"]);
            (new.document.source, new.document.title) = (source.into(), format!("The {source}"));
            new
        };
        let mut documents: Vec<NewDocument> =
            ["docs/pump.md", "docs/valve.md", "old/pump.md"].map(|source| new(&id(source), source)).into();
        // A document that moved keeps its id; a new one from its old source has another.
        documents.extend([new(&id("tank.md"), "docs/tank.md"), new("tank00", "tank.md")]);
        samples::publish(&namespace, documents).await;
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        let known = async |names: &[&str]| documents_to_resolve(&snapshot, names, &store).await.unwrap();
        let valve = id("docs/valve.md");
        assert_eq!(known(&["docs/pump.md"]).await.len(), 1);
        assert_eq!(known(&[" docs/pump.md ", &valve, "docs/valve.md"]).await.len(), 2);
        for loose in ["pump.md", "The docs/pump.md", "docs/gone.md", "docs/tank.md", "tank.md"] {
            assert_eq!(known(&[&valve, loose]).await.len(), 5, "{loose}");
        }
        let all = known(&["tank.md"]).await;
        let found = resolve_document(&all, "tank.md", &store, Purpose::Change).unwrap();
        assert_eq!(found.document.doc_id, DocId::from("tank00"));
    }

    #[test]
    fn a_name_finds_a_document_in_each_namespace_that_has_it() {
        let namespaces = [
            vec![named("abc123", "docs/pump.pdf", "Pump Manual"), named("xyz789", "docs/net.md", "Networks")],
            vec![named("def456", "old/pump.pdf", "Pump Manual"), named("ghj000", "old/guide.md", "A network guide")],
            vec![named("p0q0r0", "v.md", "Valves")],
            vec![named("k2m4n6", "a/x.md", "Valves 1"), named("k3m4n6", "b/x.md", "Valves 2")],
        ];
        let (_folder, store) = samples::store();
        let ids = |name: &str| {
            let named = resolve_each(&namespaces, name, &store);
            named.map(|named| named.iter().map(|(_, named)| named.document.doc_id.clone()).collect::<Vec<_>>())
        };
        assert_eq!(ids("pump.pdf").unwrap(), ["abc123", "def456"]);
        assert_eq!(ids("ghj000").unwrap(), ["ghj000"]);
        // A part of a title in two of them; and in one, while the other has it by name.
        assert_eq!(ids("network").unwrap(), ["xyz789", "ghj000"]);
        assert_eq!(ids("networks").unwrap(), ["xyz789"]);
        assert_eq!(ids("net").unwrap(), ["xyz789"]);
        assert_eq!(ids("valves").unwrap(), ["p0q0r0"], "a part of two titles elsewhere");
        assert_eq!(ids("x.md").unwrap_err().kind(), Kind::Usage, "ambiguous in one of them");
        assert!(ids("qqqqqq").unwrap_err().next_step().unwrap().contains("ListDocumentsOf(\"NAME\")"));
    }
}
