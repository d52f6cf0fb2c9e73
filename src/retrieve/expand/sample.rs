//! Hits for tests.

use super::sources::Source;
use crate::retrieve::Hit;

/// A hit on the passage `DOC:INDEX`, in the section `1` of its document.
pub(in crate::retrieve) fn hit(chunk_id: &str, text: &str) -> Hit {
    let (doc_id, index) = chunk_id.split_once(':').unwrap();
    let (section_id, index) = (format!("{doc_id}#1"), index.parse().unwrap());
    Hit {
        rank: 0,
        score: 0.5,
        namespace: "default".to_owned(),
        also_in: Vec::new(),
        chunk_id: chunk_id.to_owned(),
        doc_id: doc_id.to_owned(),
        source: format!("{doc_id}.md"),
        title: doc_id.to_owned(),
        format: "markdown".to_owned(),
        section_id: section_id.clone(),
        section: "1".to_owned(),
        section_title: "One".to_owned(),
        page_start: None,
        page_end: None,
        keyword_score: None,
        semantic_score: None,
        content: text.trim_end().to_owned(),
        snippet: String::new(),
        matches: Vec::new(),
        matched_chunks: 1,
        duplicates: Vec::new(),
        sources: vec![source(chunk_id, index, text, Some(0.5))],
    }
}

/// A passage of the section `1`.
pub(in crate::retrieve) fn source(chunk_id: &str, index: u32, text: &str, score: Option<f32>) -> Source {
    let doc_id = chunk_id.split(':').next().unwrap();
    Source {
        chunk_id: chunk_id.to_owned(),
        index,
        section_id: format!("{doc_id}#1"),
        score,
        page_start: None,
        page_end: None,
        children: Vec::new(),
        section_title: "One".to_owned(),
        headings: Vec::new(),
        text: text.to_owned(),
    }
}
