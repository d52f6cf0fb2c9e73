//! The prompts: built-in files that users can replace with their own.
//!
//! A prompt is Markdown with Jinja placeholders. A line `---` separates the task (system message) from the data (user
//! message). The user's prompts lie in the folder of `[llm] prompts`, which is `prompts/` in a trusted store by
//! default.

use minijinja::{Environment, UndefinedBehavior, Value};
use std::collections::BTreeMap;

use super::usage::Usage;
use crate::embed::token_count;
use crate::endpoint::EndpointSettings;
use crate::error::{Error, NextStep, Result};

/// Separates the two parts.
const DIVIDER: &str = "---";
/// The placeholder of the tag around data; every prompt must use it in its first part.
const FENCE: &str = "fence";
/// Steps that filling a prompt may take. A store can bring its own prompts, and nested loops can run for ever.
const MOST_STEPS: u64 = 1_000_000;
/// Tokens of the protocol around the two messages.
const AROUND: u64 = 16;

struct BuiltIn {
    name: &'static str,
    text: &'static str,
    /// The placeholders that its second part must use.
    data: &'static [&'static str],
}

const BUILT_IN: [BuiltIn; 3] = [
    BuiltIn { name: "contexts", text: include_str!("prompts/contexts.md"), data: &["document", "chunks", "count"] },
    BuiltIn { name: "profile", text: include_str!("prompts/profile.md"), data: &["document", "beginning"] },
    BuiltIn { name: "expand-query", text: include_str!("prompts/expand-query.md"), data: &["question"] },
];

pub fn names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|prompt| prompt.name).collect()
}

/// The built-in text of a prompt.
pub fn text_of(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|prompt| prompt.name == name).map(|prompt| prompt.text)
}

/// A request to the model: a prompt with its placeholders filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The prompt's name.
    pub prompt: &'static str,
    /// A hash of the prompt's text: another text gets other answers.
    pub version: String,
    pub system: String,
    pub user: String,
    /// The most tokens that the answer may have.
    pub max_output: u64,
}

impl Request {
    /// What the request uses at most.
    pub(super) fn max_usage(&self) -> Usage {
        Usage { input: token_count(&self.system) + token_count(&self.user) + AROUND, output: self.max_output }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompts {
    texts: BTreeMap<&'static str, String>,
}

impl Prompts {
    /// The built-in prompts, replaced by the user's files if they exist.
    ///
    /// # Errors
    /// If the configured folder is missing, or one of its prompts cannot be read or lacks a placeholder.
    pub(super) fn of_user(settings: &EndpointSettings) -> Result<Self> {
        let mut texts: BTreeMap<_, _> = BUILT_IN.iter().map(|prompt| (prompt.name, prompt.text.to_owned())).collect();
        let Some(folder) = &settings.prompts else { return Ok(Prompts { texts }) };
        if !folder.is_dir() {
            return Err(Error::usage(format!("the prompts folder {} does not exist", folder.display()))
                .hint("create it, or remove prompts from [llm]"));
        }
        for prompt in &BUILT_IN {
            let path = folder.join(format!("{}.md", prompt.name));
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    prompt.check(&text).map_err(|what| {
                        let print = NextStep::PrintPrompt(prompt.name);
                        Error::usage(format!("the prompt {} {what}", path.display()))
                            .hint(format!("start from the built-in one: `{print}` prints it"))
                    })?;
                    texts.insert(prompt.name, text);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("read", &path, &error)),
            }
        }
        Ok(Prompts { texts })
    }

    pub(super) fn fill(
        &self,
        prompt: &'static str,
        values: &BTreeMap<&str, String>,
        max_output: u64,
    ) -> Result<Request> {
        let (system, user) =
            filled(self.text(prompt), values).map_err(|what| Error::failed(format!("the prompt {prompt} {what}")))?;
        Ok(Request { prompt, version: self.version(prompt), system, user, max_output })
    }

    pub(super) fn version(&self, name: &str) -> String {
        blake3::hash(self.text(name).as_bytes()).to_hex()[..16].to_owned()
    }

    fn text(&self, name: &str) -> &str {
        self.texts.get(name).expect("tasks name built-in prompts")
    }
}

impl BuiltIn {
    /// Fills a user's text with samples, so that a missing placeholder is found before anything is sent.
    fn check(&self, text: &str) -> Result<(), String> {
        let sample = |name: &str| format!("sample-of-{name}");
        let values = self.data.iter().chain([&FENCE]).map(|name| (*name, sample(name))).collect();
        let (system, user) = filled(text, &values)?;
        if let Some(missing) = self.data.iter().find(|name| !user.contains(&sample(name))) {
            return Err(format!("does not use {{{{ {missing} }}}} below its line {DIVIDER:?}"));
        }
        if !system.contains(&sample(FENCE)) {
            return Err(format!(
                "does not explain above its line {DIVIDER:?} that text inside {{{{ fence }}}} is data"
            ));
        }
        Ok(())
    }
}

/// Reads a text as each of the prompts, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub fn check_prompts(text: &str) {
    BUILT_IN.iter().for_each(|prompt| drop(prompt.check(text)));
}

/// Both parts with the values filled in, or what is wrong with the text.
fn filled(text: &str, values: &BTreeMap<&str, String>) -> Result<(String, String), String> {
    let lines: Vec<&str> = text.lines().collect();
    let divider = lines.iter().position(|line| line.trim() == DIVIDER);
    let divider = divider.ok_or_else(|| format!("has no line {DIVIDER:?} between the task and the data"))?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(MOST_STEPS));
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

    fn settings() -> EndpointSettings {
        EndpointSettings::new("http://localhost", "m").unwrap()
    }

    #[test]
    fn built_in_prompts_can_be_filled() {
        for prompt in &BUILT_IN {
            prompt.check(prompt.text).unwrap();
        }
        let values =
            BTreeMap::from([("fence", "data-1".to_owned()), ("question", "<data-1>{{ fence }}</data-1>".to_owned())]);
        let request = Prompts::of_user(&settings()).unwrap().fill("expand-query", &values, 10).unwrap();
        assert!(request.system.contains("</data-1>") && !request.system.contains("---"));
        assert!(request.user.starts_with("<data-1>{{ fence }}</data-1>"), "data is not a template: {}", request.user);
        let request = Request { system: "s".into(), user: "u".into(), ..request };
        assert_eq!(request.max_usage(), Usage { input: 2 + AROUND, output: 10 });
    }

    #[test]
    fn an_incomplete_prompt_is_refused_before_anything_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let settings = EndpointSettings { prompts: Some(folder.path().to_owned()), ..settings() };
        let refused = |text: &str| {
            std::fs::write(folder.path().join("expand-query.md"), text).unwrap();
            Prompts::of_user(&settings).unwrap_err().to_line()
        };
        assert!(refused("{{ fence }} {{ question }}").contains("no line \"---\""));
        let endless = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}";
        assert!(
            refused(&format!("{{{{ fence }}}}\n---\n{{{{ question }}}}\n{endless}")).contains("has a mistake in line")
        );
        assert!(refused("{{ fence }}\n---\nask").contains("does not use {{ question }}"));
        let unknown = refused("{{ fence }}\n---\n{{ question }}\n{{ wether }}");
        assert!(unknown.contains("line 4") && unknown.contains("PrintPrompt(\"expand-query\")"), "{unknown}");
    }
}
