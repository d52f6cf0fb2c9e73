//! A folder that may become an installed model: its kind and its configuration.

use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use tokenizers::Tokenizer;

use super::catalogue::{KnownModel, family, known};
use super::record::{ModelKind, cannot};
use super::weights::{GraphFacts, inspect, with_all_weights};
use crate::embed::{
    Coverage, CrossEncoder, DEFAULT_TOKENS, DeclaredConfig, EmbeddingConfig, EmbeddingFolder, ModelFolder,
    Quantization, VectorOutput,
};
use crate::error::{Error, Result, Setting};
use crate::text::script::{Script, script_of};

/// Just below the limit of Protobuf, 2 GB; a larger graph cannot be one file.
const LARGEST_WHOLE: u64 = (2 << 30) - (1 << 20);
/// The trial embeds this many tokens with the highest ids: a model with a smaller vocabulary fails on them.
const HIGHEST_TRIED: u32 = 64;
/// The codes of languages in Latin script.
const LATIN: &str = "af az bs ca ceb cs cy da de en eng eo es et eu fi fil fr ga gd gl ha hr ht hu id ig is it jv la lb lt lv \
                     mg mi ms mt nb nl nn no pl pt ro sk sl sm so sq su sv sw tl tr uz vi xh yo zu";
/// The tokens of a script in a vocabulary from which on the model was trained on it. English vocabularies hold some
/// hundred letters of every script, so that no text is entirely unknown.
const ENOUGH: [(Script, usize); 5] =
    [(Script::Latin, 1500), (Script::Han, 3000), (Script::Kana, 500), (Script::Hangul, 1000), (Script::Other, 3000)];

/// The user's options for a model to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddOptions {
    pub name: Option<String>,
    pub query_prefix: Option<String>,
    pub document_prefix: Option<String>,
}

/// A checked folder with a model that may be added.
pub(super) struct Candidate {
    pub folder: PathBuf,
    /// The ONNX file.
    pub graph: PathBuf,
    pub graph_facts: GraphFacts,
    /// The graph with the weights from files beside it, if it has any and one file can hold them all.
    pub whole_graph: Option<Vec<u8>>,
    /// `None` for a reranking model.
    pub text: Option<TextCandidate>,
    /// For people.
    pub languages: Option<String>,
    pub licence: Option<String>,
    /// What kb had to assume.
    pub notes: Vec<String>,
}

/// An embedding model. Until the trial, its dimension is that of the catalogue, or 0.
pub(super) struct TextCandidate {
    pub embedding_config: EmbeddingConfig,
    pub files: TokenizerFiles,
    /// Texts of rare tokens for the trial.
    pub tried: Vec<String>,
}

impl Candidate {
    /// Checks a folder. `chosen` is the entry of the catalogue that it was downloaded for.
    pub fn of(folder: &Path, chosen: Option<&KnownModel>, options: &AddOptions) -> Result<Self> {
        let (name, is_reranker) = match chosen {
            Some(chosen) => (chosen.model_file.as_str(), chosen.kind == ModelKind::Rerank),
            None => EmbeddingFolder::graph_in(folder)?,
        };
        // A folder may have the name of a known model and be another model, so its own declarations come first.
        let namesake = chosen.or_else(|| name_of(folder, options).and_then(known));
        let graph = folder.join(name);
        let bytes = std::fs::read(&graph).map_err(cannot("read", &graph))?;
        let unusable = |reason: String| {
            let error = ModelFolder::new(folder, "the model").unusable(name, &reason);
            error.hint("download the folder again, with all its files")
        };
        let mut candidate = Candidate {
            folder: folder.to_owned(),
            graph,
            whole_graph: None,
            text: None,
            languages: namesake.map(|known| known.languages.clone()),
            licence: namesake.and_then(|known| known.licence.clone()),
            notes: Vec::new(),
            graph_facts: inspect(&bytes).map_err(unusable)?,
        };
        if !is_reranker {
            candidate.text = Some(candidate.read_text(name, chosen, namesake, options)?);
        } else {
            CrossEncoder::check(folder)?;
            if options.query_prefix.is_some() || options.document_prefix.is_some() {
                let (query, document) = (Setting("query_prefix"), Setting("document_prefix"));
                return Err(Error::usage(format!("{query} and {document} are for embedding models; this one reranks")));
            }
        }
        if !candidate.graph_facts.external.is_empty() {
            // An unreadable file becomes an error when its weights are read.
            let size = |name| std::fs::metadata(candidate.graph_folder().join(name)).map_or(0, |about| about.len());
            if bytes.len() as u64 + candidate.graph_facts.external.iter().map(size).sum::<u64>() < LARGEST_WHOLE {
                let whole = with_all_weights(&bytes, candidate.graph_folder(), LARGEST_WHOLE);
                candidate.whole_graph = Some(whole.map_err(unusable)?);
            }
        }
        Ok(candidate)
    }

    /// The files with weights that stay beside the graph.
    pub fn external(&self) -> Vec<String> {
        if self.whole_graph.is_some() { Vec::new() } else { self.graph_facts.external.iter().cloned().collect() }
    }

    /// The folder of the ONNX file. Names of other files in it are relative to this folder.
    pub fn graph_folder(&self) -> &Path {
        self.graph.parent().unwrap_or(&self.folder)
    }

    fn read_text(
        &mut self,
        graph: &str,
        chosen: Option<&KnownModel>,
        namesake: Option<&KnownModel>,
        options: &AddOptions,
    ) -> Result<TextCandidate> {
        let output = chosen.map_or(VectorOutput::Usual, |chosen| chosen.output);
        let opened = EmbeddingFolder::open(&self.folder, graph, output)?;
        let declared = opened.declared()?;
        let card = opened.card();
        self.licence = self.licence.take().or_else(|| card.licence.clone());
        let family = name_of(&self.folder, options).and_then(family);
        let by_family = || family.map(|family| (family.query_prefix.clone(), family.document_prefix.clone()));
        let prefixes = prefixes(&declared, chosen, namesake.map(of_known).or_else(by_family));
        if prefixes.is_none() && declared.query_prefix.is_none() {
            let set = format!("{} and {} set one", Setting("query_prefix"), Setting("document_prefix"));
            self.notes.push(format!("no file states a prefix for questions and documents, so they get none; {set}"));
        }
        let (query_prefix, document_prefix) = prefixes.unwrap_or_default();
        let pooling = match chosen {
            Some(chosen) => Some(chosen.pooling),
            None => declared.pooling.or(namesake.map(|known| known.pooling)).or(family.map(|family| family.pooling)),
        };
        if pooling.is_none() && !opened.is_pooled {
            self.notes.push("no file states how the vectors of tokens are pooled, so their mean is taken".to_owned());
        }
        let most = [declared.max_tokens, namesake.map(|known| known.max_tokens as u64)].into_iter().flatten().min();
        let max_tokens = most.map_or(DEFAULT_TOKENS, |most| most as usize);
        let (files, tokenizer) = opened.tokenizer(max_tokens)?;
        let quantization = match chosen {
            // The graph itself shows dynamic quantisation, which overrides the catalogue.
            _ if self.graph_facts.is_dynamic => Quantization::Dynamic,
            Some(chosen) => chosen.quantization,
            None => Quantization::None,
        };
        let scripts = match namesake {
            Some(known) => known.scripts.clone(),
            None => {
                self.languages = summary(&card.languages);
                scripts_of_codes(&card.languages).unwrap_or_else(|| scripts_of_vocabulary(&tokenizer))
            }
        };
        let embedding_config = EmbeddingConfig {
            dimension: chosen.and_then(|known| known.dimension).unwrap_or(0),
            max_tokens,
            pooling: pooling.unwrap_or_default(),
            quantization,
            query_prefix: options.query_prefix.clone().unwrap_or(query_prefix),
            document_prefix: options.document_prefix.clone().unwrap_or(document_prefix),
            languages: Coverage { scripts },
            output,
        };
        Ok(TextCandidate { embedding_config, files, tried: rare_texts(&tokenizer) })
    }
}

/// The requested name, or that of the folder.
fn name_of<'n>(folder: &'n Path, options: &'n AddOptions) -> Option<&'n str> {
    options.name.as_deref().or_else(|| folder.file_name()?.to_str())
}

/// The prefixes of questions and documents: for a downloaded model those of the catalogue, otherwise those that the
/// folder declares, then those that its name implies (`named`).
fn prefixes(
    declared: &DeclaredConfig,
    chosen: Option<&KnownModel>,
    named: Option<(String, String)>,
) -> Option<(String, String)> {
    match (chosen, &declared.query_prefix, &declared.document_prefix) {
        (Some(chosen), _, _) => Some(of_known(chosen)),
        (None, Some(query), Some(document)) => Some((query.clone(), document.clone())),
        _ => named,
    }
}

fn of_known(known: &KnownModel) -> (String, String) {
    (known.query_prefix.clone(), known.document_prefix.clone())
}

/// A text of the tokens with the highest ids; none if they are blank.
fn rare_texts(tokenizer: &Tokenizer) -> Vec<String> {
    let highest = tokenizer.get_vocab(false).into_values().max().unwrap_or(0);
    let ids: Vec<u32> = (highest.saturating_sub(HIGHEST_TRIED)..=highest).collect();
    let words = ids.iter().filter_map(|id| tokenizer.decode(&[*id], false).ok()).collect::<Vec<_>>().join(" ");
    if words.trim().is_empty() { Vec::new() } else { vec![words] }
}

/// The scripts of languages by their codes; `None` if the codes do not say.
fn scripts_of_codes(codes: &[String]) -> Option<Vec<Script>> {
    let mut scripts = Vec::new();
    for code in codes {
        let base = code.split(['-', '_']).next().unwrap_or_default();
        let own: &[Script] = match base {
            "multilingual" | "mul" => return None,
            "code" => &[],
            "zh" | "zho" | "yue" | "wuu" => &[Script::Han],
            "ja" | "jpn" => &[Script::Kana, Script::Han],
            "ko" | "kor" => &[Script::Hangul],
            _ if LATIN.split_whitespace().any(|latin| latin == base) => &[Script::Latin],
            // A name (`english`), or no language at all.
            _ if base.len() != 2 => return None,
            _ => &[Script::Other],
        };
        own.iter().for_each(|script| {
            if !scripts.contains(script) {
                scripts.push(*script)
            }
        });
    }
    (!scripts.is_empty()).then_some(scripts)
}

/// The languages of a card for people: up to five codes, or the number of more.
fn summary(codes: &[String]) -> Option<String> {
    match codes.len() {
        0 => None,
        1..=5 => Some(codes.join(", ")),
        many => Some(many.to_string()),
    }
}

fn scripts_of_vocabulary(tokenizer: &Tokenizer) -> Vec<Script> {
    let mut counts = [0; ENOUGH.len()];
    for (token, id) in tokenizer.get_vocab(false) {
        // Byte-level tokens show their text only when decoded.
        let script = tokenizer.decode(&[id], false).unwrap_or(token).chars().find_map(script_of);
        if let Some(place) = ENOUGH.iter().position(|(known, _)| Some(*known) == script) {
            counts[place] += 1;
        }
    }
    ENOUGH.iter().zip(counts).filter(|((_, enough), count)| count >= enough).map(|((script, _), _)| *script).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::in_repository;

    #[test]
    fn prefixes_have_an_order_of_precedence() {
        let declared = DeclaredConfig {
            query_prefix: Some("q".to_owned()),
            document_prefix: Some("p".to_owned()),
            ..DeclaredConfig::default()
        };
        let pair = |query: &str, document: &str| Some((query.to_owned(), document.to_owned()));
        let e5 = known("multilingual-e5-small");
        assert_eq!(prefixes(&declared, e5, None), pair("query: ", "passage: "));
        assert_eq!(prefixes(&declared, None, pair("a", "b")), pair("q", "p"));
        assert_eq!(prefixes(&DeclaredConfig::default(), None, pair("a", "b")), pair("a", "b"));
        assert_eq!(prefixes(&DeclaredConfig::default(), None, None), None);
    }

    fn codes(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn codes_imply_scripts() {
        assert_eq!(scripts_of_codes(&codes("en de")), Some(vec![Script::Latin]));
        assert_eq!(scripts_of_codes(&codes("zh-Hant en")), Some(vec![Script::Han, Script::Latin]));
        assert_eq!(scripts_of_codes(&codes("ja ru")), Some(vec![Script::Kana, Script::Han, Script::Other]));
        for unclear in ["en multilingual", "english"] {
            assert_eq!(scripts_of_codes(&codes(unclear)), None, "the vocabulary decides");
        }
        assert_eq!((scripts_of_codes(&codes("code")), scripts_of_codes(&[])), (None, None));
        assert_eq!(summary(&codes("en zh")), Some("en, zh".to_owned()));
        assert_eq!(summary(&codes("a b c d e f")), Some("6".to_owned()));
    }

    #[test]
    fn the_vocabulary_of_the_embedded_model_is_english() {
        let file = in_repository("models/tokenizer.json");
        assert_eq!(scripts_of_vocabulary(&Tokenizer::from_file(file).unwrap()), [Script::Latin]);
    }
}
