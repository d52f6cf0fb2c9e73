//! What the model is told: files in the source, each of which a user may replace.
//!
//! A prompt is Markdown with Jinja placeholders, in two parts with a line `---` between them: what the model is told about
//! its task, and what it is given. One's own lie in the folder that `[llm] prompts` names, or in `prompts/` of the store.

use std::collections::BTreeMap;
use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, Value};

use super::settings::LlmSettings;
use crate::error::{Error, Result};

/// Between the two parts.
const DIVIDER: &str = "---";
/// The folder in the store.
const FOLDER: &str = "prompts";

/// A prompt that is part of the program.
struct BuiltIn {
    name: &'static str,
    text: &'static str,
    /// What it must use in its second part.
    given: &'static [&'static str],
}

const BUILT_IN: [BuiltIn; 2] = [
    BuiltIn { name: "contexts", text: include_str!("prompts/contexts.md"), given: &["document", "passages", "count"] },
    BuiltIn { name: "expand-query", text: include_str!("prompts/expand-query.md"), given: &["question"] },
];

/// The tag around data, which every prompt must name.
const FENCE: &str = "fence";

/// The names of all prompts.
pub fn names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|prompt| prompt.name).collect()
}

/// The text of a prompt as the program has it; `None` where there is no such prompt.
pub fn text_of(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|prompt| prompt.name == name).map(|prompt| prompt.text)
}

/// A prompt that is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Filled {
    /// A hash of the prompt's text: another text has other answers.
    pub version: String,
    /// What the model is told.
    pub system: String,
    /// What it is given.
    pub user: String,
}

/// All prompts, as they are in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    texts: BTreeMap<&'static str, String>,
}

impl Prompts {
    /// The prompts of the program.
    pub fn built_in() -> Self {
        Prompts { texts: BUILT_IN.iter().map(|prompt| (prompt.name, prompt.text.to_owned())).collect() }
    }

    /// Those of the program, but where the user has others: in the folder that the settings name, otherwise in the store's.
    ///
    /// # Errors
    /// Where the folder that was named is not there, or one of its prompts cannot be read or lacks something.
    pub fn of_user(settings: &LlmSettings, store: Option<&Path>) -> Result<Self> {
        let mut prompts = Prompts::built_in();
        let folder = match (&settings.prompts, store) {
            (Some(named), _) if !named.is_dir() => {
                return Err(Error::usage(format!("the folder of prompts {} is not there", named.display()))
                    .hint("make it, or take prompts out of [llm]"));
            }
            (Some(named), _) => named.clone(),
            (None, Some(store)) => store.join(FOLDER),
            (None, None) => return Ok(prompts),
        };
        for prompt in &BUILT_IN {
            let path = folder.join(format!("{}.md", prompt.name));
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    prompt.try_out(&text).map_err(|what| {
                        Error::usage(format!("the prompt {} {what}", path.display())).hint(format!(
                            "`kb llm prompt {}` writes the one that is built in, to begin with",
                            prompt.name
                        ))
                    })?;
                    prompts.texts.insert(prompt.name, text);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("read", &path, &error)),
            }
        }
        Ok(prompts)
    }

    /// Fills a prompt in.
    pub(super) fn fill(&self, name: &str, values: &BTreeMap<&str, String>) -> Result<Filled> {
        let text = self.texts.get(name).ok_or_else(|| Error::failed(format!("there is no prompt {name:?}")))?;
        let (system, user) = filled(text, values).map_err(|what| Error::failed(format!("the prompt {name} {what}")))?;
        Ok(Filled { version: self.version(name), system, user })
    }

    /// A hash of a prompt's text: another text has other answers.
    pub(super) fn version(&self, name: &str) -> String {
        let text = self.texts.get(name).map_or("", String::as_str);
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}

impl BuiltIn {
    /// Fills a user's text with samples: what it lacks is found before anything is sent.
    fn try_out(&self, text: &str) -> std::result::Result<(), String> {
        let sample = |name: &str| format!("sample-of-{name}");
        let values = self.given.iter().chain([&FENCE]).map(|name| (*name, sample(name))).collect();
        let (system, user) = filled(text, &values)?;
        if let Some(missing) = self.given.iter().find(|name| !user.contains(&sample(name))) {
            return Err(format!("does not use {{{{ {missing} }}}} below its line {DIVIDER:?}"));
        }
        if !system.contains(&sample(FENCE)) {
            return Err(format!("does not say above its line {DIVIDER:?} that what is in {{{{ fence }}}} is data"));
        }
        Ok(())
    }
}

/// Both parts with the values in them; what is wrong with the text, where it cannot be filled in.
fn filled(text: &str, values: &BTreeMap<&str, String>) -> std::result::Result<(String, String), String> {
    let lines: Vec<&str> = text.lines().collect();
    let divider = lines
        .iter()
        .position(|line| line.trim() == DIVIDER)
        .ok_or_else(|| format!("has no line {DIVIDER:?} between what the model is told and what it is given"))?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let values = Value::from_serialize(values);
    let render = |from: usize, lines: &[&str]| {
        environment.render_str(&lines.join("\n"), &values).map(|text| text.trim().to_owned()).map_err(|error| {
            let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            format!("has a mistake in line {}: {what}", from + error.line().unwrap_or(1))
        })
    };
    Ok((render(0, &lines[..divider])?, render(divider + 1, &lines[divider + 1..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> LlmSettings {
        LlmSettings::new("http://localhost", "m").unwrap()
    }

    #[test]
    fn what_is_built_in_can_be_filled_in() {
        for prompt in &BUILT_IN {
            prompt.try_out(prompt.text).unwrap();
        }
        let values =
            BTreeMap::from([("fence", "data-1".to_owned()), ("question", "<data-1>{{ fence }}</data-1>".to_owned())]);
        let filled = Prompts::built_in().fill("expand-query", &values).unwrap();
        assert!(filled.system.contains("</data-1>") && !filled.system.contains("---"));
        assert!(filled.user.starts_with("<data-1>{{ fence }}</data-1>"), "data is no template: {}", filled.user);
    }

    #[test]
    fn a_users_prompt_takes_its_place_and_has_another_version() {
        let store = tempfile::tempdir().unwrap();
        std::fs::create_dir(store.path().join("prompts")).unwrap();
        std::fs::write(store.path().join("prompts/expand-query.md"), "Mine. {{ fence }}\n---\n{{ question }}").unwrap();
        let prompts = Prompts::of_user(&settings(), Some(store.path())).unwrap();
        let values = BTreeMap::from([("fence", "f".to_owned()), ("question", "q".to_owned())]);
        let mine = prompts.fill("expand-query", &values).unwrap();
        assert_eq!((mine.system.as_str(), mine.user.as_str()), ("Mine. f", "q"));
        assert_ne!(mine.version, Prompts::built_in().fill("expand-query", &values).unwrap().version);
    }

    #[test]
    fn a_prompt_that_lacks_something_is_refused_before_anything_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let settings = LlmSettings { prompts: Some(folder.path().to_owned()), ..settings() };
        let refused = |text: &str| {
            std::fs::write(folder.path().join("expand-query.md"), text).unwrap();
            Prompts::of_user(&settings, None).unwrap_err().to_line()
        };
        assert!(refused("{{ fence }} {{ question }}").contains("no line \"---\""));
        assert!(refused("{{ fence }}\n---\nask").contains("does not use {{ question }}"));
        assert!(refused("Just do it.\n---\n{{ question }}").contains("is data"));
        let unknown = refused("{{ fence }}\n---\n{{ question }}\n{{ wether }}");
        assert!(unknown.contains("line 4") && unknown.contains("kb llm prompt expand-query"), "{unknown}");
        let gone = LlmSettings { prompts: Some(folder.path().join("nowhere")), ..settings };
        assert!(Prompts::of_user(&gone, None).unwrap_err().message().contains("is not there"));
    }
}
