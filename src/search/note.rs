//! Notes for the user on how a result was found.

use serde::Serialize;

/// A note: the code is for programs, the message for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub code: NoteCode,
    pub message: String,
}

/// Whether no text can answer, because no searched document has the chapter that the question names. One without a
/// table of contents may have it all the same.
pub(super) fn refuses(notes: &[Note]) -> bool {
    let has = |code: NoteCode| notes.iter().any(|note| note.code == code);
    has(NoteCode::PartMissing) && !has(NoteCode::ContentsMissing)
}

/// What a note is about. The names in JSON are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteCode {
    /// The model of the vectors does not read the question, so that keywords alone were searched.
    VectorsLeftOut,
    /// The same, but semantic search was asked for.
    LanguageNotRead,
    /// Nothing was found, and no searched document is in the language of the question.
    OtherLanguage,
    /// Nothing was found, but the heading of a section without text has words of the question.
    HeadingAlone,
    /// The model of the vectors is not installed.
    ModelMissing,
    /// Documents have no vectors.
    VectorsMissing,
    /// Synonyms were searched for too.
    Synonyms,
    /// Another word was searched for instead of an unknown one.
    WordReplaced,
    /// No text has a word of the question, and no other word is near it.
    WordMissing,
    /// No parent chunk has the phrase in quotation marks.
    PhraseMissing,
    /// No hit has a word of the question.
    MeaningAlone,
    /// No document has a field of the filter.
    FieldUnknown,
    /// The question is about a table of contents, which does not answer it.
    ContentsMissing,
    /// No table of contents has the chapter that the question names.
    PartMissing,
    /// The section that the question names is, or may be, in several documents, or several sections of one have its
    /// name.
    PartInSeveral,
    /// A part of a table of contents was found by another name.
    ContentsGuessed,
    /// The cross-encoder did not read all candidates that it should, or the endpoint gave no scores.
    RerankingStopped,
    /// The language model was not asked, or failed.
    LanguageModelFailed,
    /// The question is a greeting, and nothing was searched.
    NoSearchNeeded,
    /// The fallback searched again.
    FallbackUsed,
    /// The fallback found no more.
    FallbackFailed,
    /// Parent chunks that repeat a hit were left out.
    DuplicatesLeftOut,
    /// Not even the first parent chunk fits into a context, only states of entities.
    TooFewTokens,
    /// A question of `kb eval` names a source that no document has.
    SourceUnknown,
    /// A question of `kb eval` names a section that its document does not have.
    SectionUnknown,
}
