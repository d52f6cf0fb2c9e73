//! Profiles of documents as they are put in, and of those that an earlier version put in.

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::profile::{PROFILE_VERSION, PassageText, Profile, TitleText, profile};
use crate::store::{ChunkRow, ChunkType, DocumentRow, SectionRow, Snapshot};
use crate::structure::PREAMBLE;

/// What the history calls a document that gets a profile and is otherwise the same.
pub(super) const PROFILED: &str = "profiled";
/// So many documents' passages are read at once.
const AT_ONCE: usize = 100;

/// The profile of a document's rows; `None` where it has no text.
pub(super) fn profile_of(row: &DocumentRow, sections: &[SectionRow], chunks: &[ChunkRow]) -> Option<Profile> {
    let by_id: HashMap<&str, &SectionRow> =
        sections.iter().map(|section| (section.section_id.as_str(), section)).collect();
    let mut bytes: HashMap<&str, usize> = HashMap::new();
    let mut passages: Vec<(u32, PassageText)> = Vec::new();
    for chunk in chunks.iter().filter(|chunk| chunk.chunk_type == ChunkType::Parent) {
        let own = by_id.get(chunk.section_id.as_str()).filter(|section| section.path != PREAMBLE);
        let title = own.map_or("", |section| section.title.as_str());
        passages.push((chunk.chunk_index, PassageText { title, text: &chunk.content }));
        // A damaged table may name sections in a circle.
        let mut seen = HashSet::new();
        let mut above = by_id.get(chunk.section_id.as_str());
        while let Some(section) = above.filter(|section| seen.insert(section.section_id.as_str())) {
            *bytes.entry(&section.section_id).or_default() += chunk.content.len();
            above = section.parent_id.as_deref().and_then(|id| by_id.get(id));
        }
    }
    // However they were read, they are judged in the order of the text.
    passages.sort_by_key(|(index, _)| *index);
    let passages: Vec<PassageText> = passages.into_iter().map(|(_, passage)| passage).collect();
    let mut ordered: Vec<&SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).collect();
    ordered.sort_by_key(|section| section.position);
    let titles: Vec<TitleText> = ordered
        .into_iter()
        .map(|section| TitleText {
            title: &section.title,
            level: section.level,
            bytes: bytes.get(section.section_id.as_str()).copied().unwrap_or(0),
        })
        .collect();
    profile(&row.title, &row.language, &titles, &passages)
}

/// What is embedded as the vector of a document, and its hash; `None` where it has no profile.
pub(super) fn vector_text(row: &DocumentRow) -> Option<(String, String)> {
    let profile = row.profile.as_ref()?;
    let text = format!("{}. {}", row.title.trim_end_matches(['.', '。']), profile.summary);
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    Some((text, hash))
}

/// Whether a stored document is to get a profile, or, where `embed` says so, the vector of one.
pub(super) fn lacks_profile(row: &DocumentRow, embed: bool) -> bool {
    let old = row.profile.as_ref().is_none_or(|profile| profile.version < PROFILE_VERSION);
    let vectorless = embed && row.embedded && row.profile.is_some() && row.vector_of.is_none();
    (old && row.parents > 0) || vectorless
}

/// Documents with the profiles of what the store holds of them.
///
/// # Errors
/// Where the store cannot be read.
pub(super) async fn with_profiles(rows: Vec<DocumentRow>, snapshot: &Snapshot) -> Result<Vec<DocumentRow>> {
    let mut done = Vec::with_capacity(rows.len());
    for some in rows.chunks(AT_ONCE) {
        let ids: Vec<String> = some.iter().map(|row| row.doc_id.clone()).collect();
        let mut sections: HashMap<String, Vec<SectionRow>> = HashMap::new();
        for section in snapshot.sections_of(&ids).await? {
            sections.entry(section.doc_id.clone()).or_default().push(section);
        }
        let mut passages: HashMap<String, Vec<ChunkRow>> = HashMap::new();
        for passage in snapshot.passages_of(&ids).await? {
            passages.entry(passage.doc_id.clone()).or_default().push(passage);
        }
        for row in some {
            let sections = sections.remove(&row.doc_id).unwrap_or_default();
            let passages = passages.remove(&row.doc_id).unwrap_or_default();
            done.push(DocumentRow { profile: profile_of(row, &sections, &passages), ..row.clone() });
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::markdown;
    use crate::profile::Kind;

    #[test]
    fn rows_have_the_profile_of_their_text_in_whatever_order_they_come() {
        let text = "# Guide\n\n## Installing\n\n1. Open the valve.\n2. Close the drain.\n3. Start the pump.\n\n## Rules\n\nIt is forbidden.";
        let mut new = prepare(&markdown::parse(text), &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        let first = profile_of(&new.document, &new.sections, &new.chunks).unwrap();
        assert_eq!(first.kinds[0].kind, Kind::Procedure);
        new.chunks.reverse();
        new.sections.reverse();
        assert_eq!(profile_of(&new.document, &new.sections, &new.chunks), Some(first));
        assert_eq!(profile_of(&new.document, &[], &[]), None);
    }

    #[test]
    fn what_has_no_profile_of_today_gets_one_and_what_has_no_vector_gets_that() {
        let row = DocumentRow { parents: 1, embedded: true, ..DocumentRow::sample("abc123") };
        assert!(lacks_profile(&row, false));
        assert!(!lacks_profile(&DocumentRow { parents: 0, ..row.clone() }, true), "there is nothing to tell");
        let passage = [PassageText { title: "", text: "text" }];
        let row = DocumentRow { profile: profile("t", "en", &[], &passage), ..row };
        assert!(!lacks_profile(&row, false) && lacks_profile(&row, true));
        assert!(!lacks_profile(&DocumentRow { embedded: false, ..row.clone() }, true), "it is embedded as a whole");
        assert!(!lacks_profile(&DocumentRow { vector_of: Some("h".into()), ..row }, true));
    }
}
