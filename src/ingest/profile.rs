//! Profiles of new documents, and of stored ones that an earlier version profiled.

use std::collections::{HashMap, HashSet};

use crate::knowledge::profile::{PROFILE_VERSION, ParentChunkText, Profile, TitleText, profile};
use crate::store::{DocumentRow, ParentChunk, SectionRow};
use crate::structure::PREAMBLE;

/// The profile of a document from its rows; `None` without text.
pub(super) fn profile_of(row: &DocumentRow, sections: &[SectionRow], parents: &[ParentChunk]) -> Option<Profile> {
    let by_id: HashMap<&str, &SectionRow> =
        sections.iter().map(|section| (section.section_id.as_str(), section)).collect();
    let mut bytes: HashMap<&str, usize> = HashMap::new();
    let mut texts: Vec<ParentChunkText> = Vec::new();
    for parent in parents {
        let own = by_id.get(parent.section_id.as_str()).filter(|section| section.path != PREAMBLE);
        let title = own.map_or("", |section| section.title.as_str());
        texts.push(ParentChunkText { title, text: &parent.content });
        // A damaged table can have a circle of sections.
        let mut seen = HashSet::new();
        let mut above = by_id.get(parent.section_id.as_str());
        while let Some(section) = above.filter(|section| seen.insert(section.section_id.as_str())) {
            *bytes.entry(&section.section_id).or_default() += parent.content.len();
            above = section.parent_id.as_deref().and_then(|id| by_id.get(id));
        }
    }
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
    profile(&row.title, &row.language, &titles, &texts)
}

/// The text of a document's own vector, and its hash; `None` without a profile.
pub(super) fn vector_text(row: &DocumentRow) -> Option<(String, String)> {
    let profile = row.profile.as_ref()?;
    let text = format!("{}. {}", row.title.trim_end_matches(['.', '。']), profile.summary);
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    Some((text, hash))
}

/// Whether a stored document needs a new profile, or, if `embed` is set, the vector of its profile.
pub(super) fn lacks_profile(row: &DocumentRow, embed: bool) -> bool {
    let old = row.profile.as_ref().is_none_or(|profile| profile.version < PROFILE_VERSION);
    let vectorless = embed && row.embedded && row.profile.is_some() && row.embedding_hash.is_none();
    (old && row.parents > 0) || vectorless
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::ingest::{SourceFacts, prepare};
    use crate::knowledge::profile::kind::Kind;
    use crate::load::markdown;

    #[test]
    fn rows_have_the_profile_of_their_text_in_whatever_order_they_come() {
        let text = "# Guide\n\n## Installing\n\n1. Open the valve.\n2. Close the drain.\n3. Start the pump.\n\n## Rules\n\nIt is forbidden.";
        let mut new = prepare(&markdown::parse(text), &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        let first = profile_of(&new.document, &new.sections, &new.parents).unwrap();
        assert_eq!(first.kinds[0].kind, Kind::Procedure);
        new.sections.reverse();
        assert_eq!(profile_of(&new.document, &new.sections, &new.parents), Some(first));
        assert_eq!(profile_of(&new.document, &[], &[]), None);
    }

    #[test]
    fn a_document_without_a_current_profile_or_its_vector_needs_one() {
        let row = DocumentRow { parents: 1, embedded: true, ..DocumentRow::sample("abc123") };
        assert!(lacks_profile(&row, false));
        assert!(!lacks_profile(&DocumentRow { parents: 0, ..row.clone() }, true), "there is nothing to tell");
        let parent_chunk = [ParentChunkText { title: "", text: "text" }];
        let row = DocumentRow { profile: profile("t", "en", &[], &parent_chunk), ..row };
        assert!(!lacks_profile(&row, false) && lacks_profile(&row, true));
        assert!(!lacks_profile(&DocumentRow { embedded: false, ..row.clone() }, true), "it is embedded as a whole");
        assert!(!lacks_profile(&DocumentRow { embedding_hash: Some("h".into()), ..row }, true));
    }
}
