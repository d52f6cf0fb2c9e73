//! Profiles new documents, and stored documents whose profile is from an earlier version.

use std::collections::HashMap;

use crate::chunk::CutParent;
use crate::knowledge::profile::{PROFILE_VERSION, ParentChunkText, Profile, TitleText, profile};
use crate::store::{DocumentRow, ParentChunk, SectionRow};
use crate::structure::{PREAMBLE, Section};

/// A section for a profile.
struct Node<'a> {
    /// `None` for the preamble.
    title: Option<&'a str>,
    level: u32,
    /// The index of the section above it, which is lower than its own.
    above: Option<usize>,
}

/// The profile of a document that was cut; `None` without text.
pub(super) fn profile_of_cut(
    title: &str,
    language: &str,
    sections: &[Section],
    parents: &[CutParent],
) -> Option<Profile> {
    let nodes = sections.iter().map(|section| Node {
        title: (section.path != PREAMBLE).then_some(section.title.as_str()),
        level: section.level,
        above: section.parent,
    });
    let texts = parents.iter().map(|parent| (Some(parent.section), parent.content.as_str()));
    profile_of_nodes(title, language, &nodes.collect::<Vec<_>>(), texts)
}

/// The profile of a document from its rows; `None` without text.
pub(super) fn profile_of(row: &DocumentRow, sections: &[SectionRow], parents: &[ParentChunk]) -> Option<Profile> {
    let mut ordered: Vec<&SectionRow> = sections.iter().collect();
    ordered.sort_by_key(|section| section.position);
    let places: HashMap<&str, usize> = ordered.iter().map(|section| section.section_id.as_str()).zip(0..).collect();
    let nodes = ordered.iter().enumerate().map(|(own, section)| Node {
        title: (section.path != PREAMBLE).then_some(section.title.as_str()),
        level: section.level,
        // A damaged table can contain a cycle of sections.
        above: section.parent_id.as_deref().and_then(|id| places.get(id)).copied().filter(|above| *above < own),
    });
    let texts = parents.iter().map(|parent| (places.get(parent.section_id.as_str()).copied(), parent.content.as_str()));
    profile_of_nodes(&row.title, &row.language, &nodes.collect::<Vec<_>>(), texts)
}

fn profile_of_nodes<'a>(
    title: &str,
    language: &str,
    nodes: &[Node<'a>],
    texts: impl Iterator<Item = (Option<usize>, &'a str)>,
) -> Option<Profile> {
    let mut bytes = vec![0; nodes.len()];
    let texts: Vec<ParentChunkText> = texts
        .map(|(section, text)| {
            if let Some(section) = section {
                bytes[section] += text.len();
            }
            ParentChunkText { title: section.and_then(|section| nodes[section].title).unwrap_or_default(), text }
        })
        .collect();
    // Sections follow the one above them, so one pass backwards adds up.
    for i in (0..nodes.len()).rev() {
        if let Some(above) = nodes[i].above {
            bytes[above] += bytes[i];
        }
    }
    let titled = nodes.iter().zip(bytes).filter_map(|(node, bytes)| Some((node.title?, node.level, bytes)));
    let titles: Vec<TitleText> = titled.map(|(title, level, bytes)| TitleText { title, level, bytes }).collect();
    profile(title, language, &titles, &texts)
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
    use crate::ingest::Prepared;
    use crate::knowledge::profile::kind::Kind;

    #[test]
    fn a_profile_does_not_depend_on_the_order_of_rows() {
        let text = "# Guide\n\n## Installing\n\n1. Open the valve.\n2. Close the drain.\n3. Start the pump.\n\n## Rules\n\nIt is forbidden.";
        let mut new = Prepared::sample(text, &ChunkConfig::default()).new;
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
