//! The lines that a language model writes in front of passages: asked for when a batch is about to be embedded, for the
//! documents whose configuration wants them.

use std::collections::HashMap;
use std::sync::Arc;

use futures::{StreamExt, stream};
use serde::Serialize;

use super::Progress;
use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::error::Result;
use crate::llm::{
    Client, Configured, ContextDocument, ContextPassage, Estimate, LlmReport, Unsaid, contexts, estimate_contexts,
};
use crate::store::{ChunkRow, ChunkType, DocumentRow, NewDocument, SectionRow, Snapshot};
use crate::structure::PREAMBLE;

/// What came of the lines of a language model in a run, or would come of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinesReport {
    /// Passages that were to get a line.
    pub passages: usize,
    /// Those that got none: they keep what they had, or have what the rules say.
    pub without: usize,
    /// What the model was asked for; `None` where none is configured.
    pub model: Option<LlmReport>,
    /// What it would be asked for; `None` unless that was all that was asked.
    pub estimate: Option<Estimate>,
}

/// Asks the language model of a run, which is looked for when the first document wants a line.
pub struct LineWriter {
    configured: Configured,
    /// `None` until it was looked for, then whether there is one.
    client: Option<Option<Arc<Client>>>,
    unsaid: Unsaid,
    report: LinesReport,
}

impl LineWriter {
    /// One that asks what is configured; `unsaid` says whether also about passages of which that has said nothing before.
    pub fn new(configured: Configured, unsaid: Unsaid) -> Self {
        LineWriter { configured, client: None, unsaid, report: LinesReport::default() }
    }

    /// What came of it; `None` where no document wanted a line.
    pub fn report(&self) -> Option<LinesReport> {
        let model = self.client.iter().flatten().map(|client| client.report()).next();
        (self.report.passages > 0).then(|| LinesReport { model, ..self.report.clone() })
    }

    /// The lines for the passages of documents, by the passages' ids: those that the model gave. As many documents are
    /// asked for at a time as requests may be open.
    ///
    /// # Errors
    /// Where the model's settings are wrong. What the model does not answer is no error.
    pub async fn lines(
        &mut self,
        documents: &[&NewDocument],
        progress: &dyn Progress,
    ) -> Result<HashMap<String, String>> {
        let wanting: Vec<Shown<'_>> =
            documents.iter().filter(|new| wants_lines(&new.document)).map(|new| Shown::of(new)).collect();
        let wanted = wanting.iter().map(|shown| shown.passages.len()).sum::<usize>();
        if wanted == 0 {
            return Ok(HashMap::new());
        }
        self.report.passages += wanted;
        let Some(client) = self.client()? else {
            self.report.without += wanted;
            return Ok(HashMap::new());
        };
        let unsaid = self.unsaid;
        let asked = wanting.into_iter().map(|shown| {
            let client = client.clone();
            async move {
                let lines = contexts(&client, &shown.document(), &shown.passages, unsaid).await;
                progress.placed(lines.len());
                shown.ids.into_iter().map(str::to_owned).zip(lines).collect::<Vec<_>>()
            }
        });
        let lines: Vec<Vec<(String, Option<String>)>> =
            stream::iter(asked).buffer_unordered(client.settings().concurrency).collect().await;
        let said: HashMap<String, String> =
            lines.into_iter().flatten().filter_map(|(id, line)| Some((id, line?))).collect();
        self.report.without += wanted - said.len();
        Ok(said)
    }

    /// Adds what the lines of a document would cost to the estimate.
    ///
    /// # Errors
    /// Where the model's settings or its prompt are wrong.
    pub fn estimate(&mut self, new: &NewDocument) -> Result<()> {
        let shown = Shown::of(new);
        if shown.passages.is_empty() || !wants_lines(&new.document) {
            return Ok(());
        }
        self.report.passages += shown.passages.len();
        if let Some(client) = self.client()? {
            let estimate = estimate_contexts(&client, &shown.document(), &shown.passages, self.unsaid)?;
            self.report.estimate = Some(self.report.estimate.unwrap_or_default().and(estimate));
        }
        Ok(())
    }

    /// The same for documents in the store, once `context` stands in front of them.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate), and where the store cannot be read.
    pub(super) async fn estimate_stored(
        &mut self,
        rows: &[DocumentRow],
        context: Option<ContextKind>,
        snapshot: &Snapshot,
    ) -> Result<()> {
        for row in rows {
            let recorded = ChunkConfig::of(&row.chunking);
            let config = ChunkConfig { context: context.unwrap_or(recorded.context), ..recorded };
            if config.context != ContextKind::Llm {
                continue;
            }
            let document = DocumentRow { chunking: config.recorded(), ..row.clone() };
            let sections = snapshot.sections(&row.doc_id).await?;
            let chunks = snapshot.chunks_of(&row.doc_id).await?;
            self.estimate(&NewDocument { document, sections, chunks })?;
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

/// Whether a model is to say what stands in front of a document's passages.
pub(super) fn wants_lines(row: &DocumentRow) -> bool {
    ChunkConfig::of(&row.chunking).context == ContextKind::Llm
}

/// A document as the model is shown it.
struct Shown<'a> {
    title: &'a str,
    outline: String,
    ids: Vec<&'a str>,
    passages: Vec<ContextPassage<'a>>,
}

impl<'a> Shown<'a> {
    fn of(new: &'a NewDocument) -> Self {
        let mut parents: Vec<&ChunkRow> = new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent).collect();
        parents.sort_by_key(|row| row.chunk_index);
        // A neighbour in another section speaks of something else.
        let beside = |row: &ChunkRow, at: Option<usize>| {
            let other = at.and_then(|at| parents.get(at)).filter(|other| other.section_id == row.section_id);
            other.map_or("", |other| other.content.as_str())
        };
        let passages = parents.iter().enumerate().map(|(at, row)| ContextPassage {
            section: &row.context,
            before: beside(row, at.checked_sub(1)),
            text: &row.content,
            behind: beside(row, Some(at + 1)),
        });
        Shown {
            title: &new.document.title,
            outline: outline(&new.sections),
            passages: passages.collect(),
            ids: parents.iter().map(|row| row.chunk_id.as_str()).collect(),
        }
    }

    fn document(&self) -> ContextDocument<'_> {
        ContextDocument { title: self.title, outline: &self.outline }
    }
}

/// The titles of a document's sections, a line each, indented by their level.
fn outline(sections: &[SectionRow]) -> String {
    let mut ordered: Vec<&SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).collect();
    ordered.sort_by_key(|section| section.position);
    let line = |section: &SectionRow| {
        let depth = usize::try_from(section.level.saturating_sub(1)).unwrap_or_default().min(8);
        format!("{}{}", "  ".repeat(depth), section.title)
    };
    ordered.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::markdown;

    #[test]
    fn a_passage_is_shown_with_its_titles_and_its_neighbours_in_the_section() {
        let text = "# Pump\n\nIt moves water.\n\nIt is blue.\n\n## Vent\n\nOpen it.\n";
        let config = ChunkConfig { parent_chars: 12, child_chars: 12, overlap_chars: 2, context: ContextKind::Llm };
        let new = prepare(&markdown::parse(text), &SourceFacts::sample(), &config, "now").new;
        let shown = Shown::of(&new);
        assert_eq!((shown.title, shown.outline.as_str()), ("Pump", "Pump\n  Vent"));
        assert_eq!(shown.passages.len(), shown.ids.len());
        let of = |start: &str| *shown.passages.iter().find(|passage| passage.text.starts_with(start)).unwrap();
        assert!(of("It is blue").before.trim_end().ends_with("water.") && of("It is blue").behind.is_empty());
        assert_eq!((of("Open it").section, of("Open it").before), ("Pump › Vent", ""));
        assert!(wants_lines(&new.document));
    }
}
