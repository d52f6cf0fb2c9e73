//! A layout of one's own for contexts: a Jinja template.

use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, context};

use super::{ContextDocument, ContextParts, ContextPassage, Detail, Layout};
use crate::error::{Error, Result};
use crate::retrieve::{ContextEntity, Omitted};

/// What a template may use at its outermost level.
const PLACEHOLDERS: [&str; 5] = ["query", "documents", "entities", "left_out", "entities_left_out"];
/// Said wherever a template is refused.
const HINT: &str = "it may use query, documents (title, source, summary, doc_id, namespace, passages) with passages (section_title, \
    section_id, page_start, page_end, score, text, chunk_ids), entities (name, type, aliases, namespace, state, time, \
    in_question), left_out (source, section_id, section_title, chunk_ids) and entities_left_out, which are names";

/// A template that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    name: String,
    text: String,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Where it cannot be read, is no template, or uses placeholders that there are not: those are named, with the line.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::usage(format!("cannot read the template {name}: {}", crate::error::plain_io(&error)))
        })?;
        Template::new(&name, &text)
    }

    /// A template with the name that errors tell.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn new(name: &str, text: &str) -> Result<Self> {
        let template = Template { name: name.to_owned(), text: text.to_owned() };
        let environment = environment();
        let parsed = environment.template_from_str(text).map_err(|error| template.error(&error))?;
        let mut unknown: Vec<String> =
            parsed.undeclared_variables(false).into_iter().filter(|used| !is_known(used)).collect();
        unknown.sort();
        if !unknown.is_empty() {
            let placeholders = if unknown.len() == 1 { "a placeholder" } else { "placeholders" };
            let message = format!("the template {name} uses {placeholders} that there is not: {}", unknown.join(", "));
            return Err(Error::usage(message).hint(HINT));
        }
        // What is used of documents and passages is seen only where there are some.
        sample(|parts| template.text("sample", parts, Detail::Full))?;
        Ok(template)
    }

    fn error(&self, error: &minijinja::Error) -> Error {
        let line = error.line().unwrap_or(1);
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let what = match error.kind() {
            minijinja::ErrorKind::UndefinedError => "uses a placeholder that there is not".to_owned(),
            _ => error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
        };
        Error::usage(format!("the template {}, line {line}: {what}: {text}", self.name)).hint(HINT)
    }
}

impl Layout for Template {
    fn text(&self, query: &str, parts: &ContextParts<'_>, _: Detail) -> Result<String> {
        let ContextParts { documents, entities, left_out, entities_left_out } = *parts;
        environment()
            .render_str(&self.text, context! { query, documents, entities, left_out, entities_left_out })
            .map_err(|error| self.error(&error))
    }

    fn details(&self) -> &[Detail] {
        &[Detail::Full]
    }
}

/// Unknown placeholders are errors, and the line break behind a tag is none of the text.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
}

/// Placeholders, and the functions of the template language.
fn is_known(name: &str) -> bool {
    PLACEHOLDERS.contains(&name) || environment().globals().any(|(global, _)| global == name)
}

/// What a template makes of a sample, in which there is one of everything.
fn sample(lay_out: impl Fn(&ContextParts<'_>) -> Result<String>) -> Result<String> {
    let sample = || "sample".to_owned();
    let passage = ContextPassage {
        section_id: sample(),
        section_title: sample(),
        page_start: Some(1),
        page_end: Some(2),
        score: 1.0,
        text: sample(),
        chunk_ids: vec![sample()],
    };
    let document = ContextDocument {
        doc_id: sample(),
        namespace: sample(),
        title: sample(),
        source: sample(),
        format: sample(),
        summary: sample(),
        passages: vec![passage],
    };
    let left_out =
        Omitted { chunk_ids: vec![sample()], source: sample(), section_id: sample(), section_title: sample() };
    let entity = ContextEntity {
        name: sample(),
        kind: sample(),
        aliases: vec![sample()],
        namespace: sample(),
        state: sample(),
        time: jiff::Timestamp::UNIX_EPOCH,
        in_question: true,
    };
    lay_out(&ContextParts {
        documents: &[document],
        entities: &[entity],
        left_out: &[left_out],
        entities_left_out: &[sample()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_lays_out_what_is_there() {
        let text = "Q: {{ query }}\n{% for document in documents %}\n{{ loop.index }}. {{ document.title }}:\n\
                    {% for passage in document.passages %}\n{{ passage.text }} (p. {{ passage.page_start }})\n\
                    {% endfor %}\n{% endfor %}\n{% if left_out %}\n{{ left_out|length }} more\n{% endif %}";
        let template = Template::new("t", text).unwrap();
        let shown = sample(|parts| template.text("why?", parts, Detail::Full)).unwrap();
        assert_eq!(shown, "Q: why?\n1. sample:\nsample (p. 1)\n1 more\n");
        let nothing = ContextParts { documents: &[], entities: &[], left_out: &[], entities_left_out: &[] };
        assert_eq!(template.text("why?", &nothing, Detail::Full).unwrap(), "Q: why?\n");
        let text = "{% for entity in entities %}{{ entity.name }} ({{ entity.type }}): {{ entity.state }}, {{ entity.time }}\
                    {% endfor %} {{ entities_left_out|length }}";
        let shown = sample(|parts| Template::new("t", text)?.text("why?", parts, Detail::Full)).unwrap();
        assert_eq!(shown, "sample (sample): sample, 1970-01-01T00:00:00Z 1");
    }

    #[test]
    fn what_there_is_not_is_named() {
        let refused = |text| Template::new("mine.txt", text).unwrap_err();
        let error = refused("{{ question }} and {{ documnets }}");
        assert!(error.message().contains("mine.txt") && error.message().contains("documnets, question"), "{error}");
        let error = refused("x\n{% for document in documents %}{{ document.titel }}{% endfor %}");
        assert!(error.message().contains("line 2") && error.message().contains("document.titel"), "{error}");
        let error = refused("x\n\n{% for %}");
        assert!(error.message().contains("line 3") && error.next_step().unwrap().contains("documents"), "{error}");
    }
}
