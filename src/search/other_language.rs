//! Advice for a question in a language that no searched document is in.

use std::collections::BTreeSet;

use super::note::NoteCode;
use super::result::Ranking;
use super::searcher::Searcher;
use super::trace::Trace;
use crate::error::{NextStep, Result};
use crate::text::script::language;

/// Notes that nothing was found because the documents are in another language, unless the model compared both.
pub(super) async fn add_note(searcher: &Searcher, query: &str, ranking: &Ranking, trace: &mut Trace) -> Result<()> {
    if ranking.route.semantic > 0.0 && ranking.route.model_knows() && !ranking.no_vectors {
        return Ok(());
    }
    let mut languages: BTreeSet<String> = BTreeSet::new();
    for (snapshot, scope) in searcher.snapshots().await?.iter().zip(&ranking.scopes) {
        let rows = snapshot.documents().await?.into_iter();
        languages.extend(rows.filter(|row| scope.admits_document(&row.doc_id)).map(|row| row.language));
    }
    if let Some(message) = advice(language(query), &languages) {
        trace.note(NoteCode::OtherLanguage, message);
    }
    Ok(())
}

/// `None` if a document is in the language of the question, or one of the languages is not known.
fn advice(asked: &str, languages: &BTreeSet<String>) -> Option<String> {
    let documents: Vec<&str> = languages.iter().map(|language| in_words(language)).collect::<Option<_>>()?;
    if documents.is_empty() || documents.contains(&in_words(asked)?) {
        return None;
    }
    Some(format!(
        "no document is in the language of the question: ask in theirs ({}); `{}` names models that read them",
        documents.join("; "),
        NextStep::SuggestModels
    ))
}

/// The languages that [`language`] tells.
fn in_words(code: &str) -> Option<&'static str> {
    match code {
        "zh" => Some("Chinese"),
        "ja" => Some("Japanese"),
        "ko" => Some("Korean"),
        "en" => Some("English or another in Latin letters"),
        _ => None,
    }
}
