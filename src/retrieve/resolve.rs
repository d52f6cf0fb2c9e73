//! What a user calls a document to the document: an id, a unique prefix of one, a path, the unique end of a path, or
//! a unique title.

use std::path::Path;

use crate::error::{Error, Result};
use crate::store::{DocumentRow, Store};

/// How many candidates an error names.
const MOST_NAMED: usize = 5;

/// The document that `name` stands for.
///
/// # Errors
/// Not found, with what is near; or ambiguous, with the candidates.
pub fn resolve_document<'a>(documents: &'a [DocumentRow], name: &str, store: &Store) -> Result<&'a DocumentRow> {
    let wanted = name.trim();
    let lower = wanted.to_lowercase();
    // A path as the user sees it, from where the user is.
    let as_path = Path::new(wanted).exists().then(|| store.source_name(Path::new(wanted)));
    let exact = documents
        .iter()
        .find(|doc| doc.doc_id == wanted || doc.source == wanted || as_path.as_ref() == Some(&doc.source));
    if let Some(document) = exact {
        return Ok(document);
    }
    // From the strictest reading to the loosest; the first that fits any document decides.
    let ends_with = |source: &str, end: &str| {
        source.to_lowercase().strip_suffix(end).is_some_and(|before| before.ends_with('/') || before.ends_with(':'))
    };
    type Reading<'r> = Box<dyn Fn(&DocumentRow) -> bool + 'r>;
    let readings: [Reading<'_>; 5] = [
        Box::new(|doc| doc.title.to_lowercase() == lower),
        Box::new(|doc| ends_with(&doc.source, &lower)),
        Box::new(|doc| stem(&doc.source).to_lowercase() == lower),
        Box::new(|doc| wanted.len() >= 2 && doc.doc_id.starts_with(&lower)),
        Box::new(|doc| doc.title.to_lowercase().contains(&lower)),
    ];
    if wanted.is_empty() {
        return Err(Error::usage("the name of the document is empty").hint("`kb docs` lists the documents"));
    }
    for reading in &readings {
        let found: Vec<&DocumentRow> = documents.iter().filter(|doc| reading(doc)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(one),
            many => return Err(ambiguous(wanted, many)),
        }
    }
    Err(Error::not_found(format!("no document {wanted:?}")).hint(nearest(documents, &lower)))
}

/// The documents that several names stand for, each once.
///
/// # Errors
/// As for [`resolve_document`].
pub fn resolve_documents<'a>(
    documents: &'a [DocumentRow],
    names: &[String],
    store: &Store,
) -> Result<Vec<&'a DocumentRow>> {
    let mut found: Vec<&DocumentRow> = Vec::new();
    for name in names {
        let document = resolve_document(documents, name, store)?;
        if !found.iter().any(|known| known.doc_id == document.doc_id) {
            found.push(document);
        }
    }
    Ok(found)
}

fn stem(source: &str) -> &str {
    let name = source.rsplit(['/', ':']).next().unwrap_or(source);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn ambiguous(name: &str, many: &[&DocumentRow]) -> Error {
    let mut named: Vec<String> =
        many.iter().take(MOST_NAMED).map(|doc| format!("{} ({})", doc.doc_id, doc.source)).collect();
    if many.len() > MOST_NAMED {
        named.push(format!("and {} more", many.len() - MOST_NAMED));
    }
    Error::usage(format!("{name:?} fits {} documents: {}", many.len(), named.join(", "))).hint("name one by its id")
}

fn nearest(documents: &[DocumentRow], wanted: &str) -> String {
    let closeness = |doc: &DocumentRow| {
        let title = strsim::jaro_winkler(&doc.title.to_lowercase(), wanted);
        let name = strsim::jaro_winkler(&stem(&doc.source).to_lowercase(), wanted);
        title.max(name)
    };
    let best = documents.iter().map(|doc| (closeness(doc), doc)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((close, doc)) if close > 0.75 => format!("did you mean {} ({})?", doc.doc_id, doc.source),
        _ => "`kb docs` lists the documents".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, source: &str, title: &str) -> DocumentRow {
        DocumentRow {
            doc_id: id.into(),
            source: source.into(),
            title: title.into(),
            format: "text".into(),
            content_hash: String::new(),
            size: 0,
            mtime_ns: 0,
            language: "en".into(),
            pages: None,
            metadata: Default::default(),
            chunking: String::new(),
            engine: String::new(),
            warnings: Vec::new(),
            toc_method: "none".into(),
            sections: 0,
            parents: 0,
            children: 0,
            ingested_at: String::new(),
            corrected_toc: None,
            structure_version: 0,
            embedded: true,
        }
    }

    fn resolve(name: &str) -> Result<String> {
        let rows = [
            row("abc123", "docs/pump.pdf", "Pump Manual"),
            row("abd456", "old/pump.pdf", "Pump Manual (old)"),
            row("xyz789", "docs/手册.md", "维护手册"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        resolve_document(&rows, name, &store).map(|doc| doc.doc_id.clone())
    }

    #[test]
    fn ids_prefixes_paths_ends_and_titles_find_the_document() {
        for (name, id) in [
            ("abc123", "abc123"),
            ("xy", "xyz789"),
            ("docs/pump.pdf", "abc123"),
            ("手册.md", "xyz789"),
            ("pump manual", "abc123"),
            ("维护", "xyz789"),
        ] {
            assert_eq!(resolve(name).unwrap(), id, "{name}");
        }
    }

    #[test]
    fn what_is_ambiguous_lists_the_candidates() {
        let error = resolve("pump.pdf").unwrap_err();
        assert!(error.message().contains("abc123") && error.message().contains("abd456"));
        assert_eq!(error.kind().exit_code(), 2);
    }

    #[test]
    fn what_is_misspelt_is_suggested() {
        let error = resolve("Pump Manaul (old)").unwrap_err();
        assert!(error.next_step().unwrap().contains("abd456"));
        assert_eq!(error.kind().exit_code(), 1);
    }
}
