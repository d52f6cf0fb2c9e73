//! Chunk contexts and profiles from a language model, for documents whose configuration wants them. The model is asked
//! when a batch is about to be embedded.

use std::collections::HashMap;
use std::sync::Arc;

use futures::{StreamExt, stream};

use super::request::{ContextsReport, Progress};
use crate::chunk::context::ContextKind;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::llm::{
    Client, ContextDocument, ContextParentChunk, LlmConfig, Unanswered, WrittenProfile, contexts, estimate_contexts,
    estimate_profile, write_profile,
};
use crate::store::{DocumentRow, NewDocument, ParentChunk, SectionRow};

/// The model sees deeper sections at this depth: more white space would tell it nothing.
const DEEPEST: usize = 8;

/// What the language model wrote for documents.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// By parent chunk.
    pub contexts: HashMap<ChunkId, String>,
    pub profiles: HashMap<DocId, WrittenProfile>,
}

/// Asks the language model of a run, which is opened when the first document wants a context.
pub struct ContextWriter {
    configured: LlmConfig,
    /// The outer `None` means not opened yet, the inner one that no model is configured.
    client: Option<Option<Arc<Client>>>,
    unanswered: Unanswered,
    report: ContextsReport,
}

impl ContextWriter {
    /// `unanswered` decides whether to ask again about parent chunks that got no answer before.
    pub fn new(configured: LlmConfig, unanswered: Unanswered) -> Self {
        ContextWriter { configured, client: None, unanswered, report: ContextsReport::default() }
    }

    /// `None` if no document wanted a context.
    pub fn report(&self) -> Option<ContextsReport> {
        let model = self.client.iter().flatten().map(|client| client.report()).next();
        (self.report.parents > 0).then(|| ContextsReport { model, ..self.report.clone() })
    }

    /// Asks the model for contexts and profiles. Works on as many documents at a time as requests may be open. A
    /// missing answer is not an error.
    pub(super) async fn write(&mut self, documents: &[&NewDocument], progress: &dyn Progress) -> Result<Written> {
        let wanting = || documents.iter().copied().filter(|new| wants_model_context(&new.document));
        let wanted = wanting().map(|new| new.parents.len()).sum::<usize>();
        if wanted == 0 {
            return Ok(Written::default());
        }
        self.report.parents += wanted;
        let Some(client) = self.client()? else {
            self.report.without += wanted;
            return Ok(Written::default());
        };
        let unanswered = self.unanswered;
        let asked = wanting().map(|new| {
            let client = client.clone();
            async move {
                let (outline, chunks) = (outline(&new.sections), chunks(new));
                let document = ContextDocument { title: &new.document.title, outline: &outline, chunks: &chunks };
                let answers = contexts(&client, &document, unanswered);
                let (answers, profile) = futures::join!(answers, write_profile(&client, &document));
                progress.contexts_requested(answers.len());
                (new, answers, profile)
            }
        });
        let answers: Vec<_> = stream::iter(asked).buffer_unordered(client.settings().concurrency).collect().await;
        let mut written = Written::default();
        for (new, answers, profile) in answers {
            written.profiles.extend(profile.map(|profile| (new.document.doc_id.clone(), profile)));
            let contexts = new.parents.iter().zip(answers);
            written.contexts.extend(contexts.filter_map(|(row, answer)| Some((row.chunk_id.clone(), answer?))));
        }
        self.report.without += wanted - written.contexts.len();
        Ok(written)
    }

    /// Adds the requests for a document to the estimate.
    pub fn estimate(&mut self, new: &NewDocument) -> Result<()> {
        if new.parents.is_empty() || !wants_model_context(&new.document) {
            return Ok(());
        }
        self.report.parents += new.parents.len();
        if let Some(client) = self.client()? {
            let (outline, chunks) = (outline(&new.sections), chunks(new));
            let document = ContextDocument { title: &new.document.title, outline: &outline, chunks: &chunks };
            let estimate = estimate_contexts(&client, &document, self.unanswered)?;
            let estimate = estimate.and(estimate_profile(&client, &document)?);
            self.report.estimate = Some(self.report.estimate.unwrap_or_default().and(estimate));
        }
        Ok(())
    }

    fn client(&mut self) -> Result<Option<Arc<Client>>> {
        if self.client.is_none() {
            self.client = Some(self.configured.client()?.map(Arc::new));
        }
        Ok(self.client.clone().flatten())
    }
}

/// Whether a language model writes the contexts of a document's parent chunks.
pub(super) fn wants_model_context(row: &DocumentRow) -> bool {
    row.chunking.context == ContextKind::Llm
}

/// The parent chunks of a document as the prompts show them.
fn chunks(new: &NewDocument) -> Vec<ContextParentChunk<'_>> {
    let parents = &new.parents;
    // A neighbour in another section has another subject.
    let neighbour = |row: &ParentChunk, at: Option<usize>| {
        let other = at.and_then(|at| parents.get(at)).filter(|other| other.section_id == row.section_id);
        other.map_or("", |other| other.content.as_str())
    };
    let chunks = parents.iter().enumerate().map(|(at, row)| ContextParentChunk {
        section: &row.titles,
        before: neighbour(row, at.checked_sub(1)),
        text: &row.content,
        behind: neighbour(row, Some(at + 1)),
    });
    chunks.collect()
}

/// The titles of a document's sections, a line each, indented by their level.
fn outline(sections: &[SectionRow]) -> String {
    let mut ordered: Vec<&SectionRow> = sections.iter().filter(|section| !section.is_preamble()).collect();
    ordered.sort_by_key(|section| section.position);
    let line = |section: &SectionRow| {
        let depth = usize::try_from(section.level.saturating_sub(1)).unwrap_or_default().min(DEEPEST);
        format!("{}{}", "  ".repeat(depth), section.title)
    };
    ordered.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::ingest::Prepared;

    #[test]
    fn a_parent_chunk_is_shown_with_titles_and_neighbours_of_its_section() {
        let text = "# Pump\n\nIt moves water.\n\nIt is blue.\n\n## Vent\n\nOpen it.\n";
        let config = ChunkConfig { parent_chars: 12, child_chars: 12, overlap_chars: 2, context: ContextKind::Llm };
        let new = Prepared::sample(text, &config).new;
        let chunks = chunks(&new);
        assert_eq!(outline(&new.sections), "Pump\n  Vent");
        assert_eq!(chunks.len(), new.parents.len());
        let of = |start: &str| *chunks.iter().find(|chunk| chunk.text.starts_with(start)).unwrap();
        assert!(of("It is blue").before.trim_end().ends_with("water.") && of("It is blue").behind.is_empty());
        assert_eq!((of("Open it").section, of("Open it").before), ("Pump › Vent", ""));
        assert!(wants_model_context(&new.document));
    }
}
