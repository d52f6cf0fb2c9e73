//! The sources and sections that the answers of questions can name.

use std::collections::HashMap;

use crate::error::Result;
use crate::ids::{DocId, SectionId};
use crate::search::Searcher;
use crate::store::SectionRow;
use crate::structure::normalise_title;

/// A document that can answer questions.
pub(super) struct KnownDocument {
    pub source: String,
    /// The path of each section, and its titles from the top down, normalised.
    pub sections: Vec<(String, String)>,
}

pub(super) async fn known_documents(searcher: &Searcher) -> Result<Vec<KnownDocument>> {
    let mut documents = Vec::new();
    for snapshot in searcher.snapshots().await? {
        let (names, rows) = (snapshot.all_document_names().await?, snapshot.all_sections().await?);
        let by_id: HashMap<&SectionId, &SectionRow> = rows.iter().map(|row| (&row.section_id, row)).collect();
        let mut sections: HashMap<&DocId, Vec<(String, String)>> = HashMap::new();
        for row in &rows {
            let above = std::iter::successors(Some(row), |row| by_id.get(row.parent_id.as_ref()?).copied());
            // A damaged store could have a circle.
            let mut titles: Vec<&str> = above.take(row.level as usize + 1).map(|row| row.title.as_str()).collect();
            titles.reverse();
            sections.entry(&row.doc_id).or_default().push((row.path.clone(), normalise_title(&titles.join(" "))));
        }
        documents.extend(names.into_iter().map(|name| KnownDocument {
            sections: sections.remove(&name.doc_id).unwrap_or_default(),
            source: name.source,
        }));
    }
    Ok(documents)
}

/// Whether a section is the wanted one: by its path, or by its title or one above it. `titles` are normalised.
pub(super) fn is_section(wanted: &str, path: &str, titles: &str) -> bool {
    let is_title = wanted.chars().any(char::is_alphabetic);
    path == wanted || (is_title && titles.contains(&normalise_title(wanted)))
}
