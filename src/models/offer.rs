//! A folder that is offered as a model: what kind of model it is, and how it wants to be used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use tokenizers::Tokenizer;

use super::catalogue::{KnownModel, family, known};
use super::languages;
use super::record::ModelKind;
use super::weights::{Survey, survey, whole};
use crate::embed::bert::Checkpoint;
use crate::embed::{
    Coverage, CrossEncoder, EmbeddingFolder, Habits, ModelFolder, Pooling, Quantization, SaidHabits, VectorOutput,
    usual_tokens,
};
use crate::error::{Error, Result};
use crate::text::script::Script;

/// Graphs of more bytes cannot be one file: protobuf ends there.
const LARGEST_WHOLE: u64 = (2 << 30) - (1 << 20);
/// Weights as they are published, in one file or several.
const WEIGHTS: [&str; 2] = ["model.safetensors", "model.safetensors.index.json"];
/// Tokens with the highest numbers that are tried: a model that does not know them fails on them.
const HIGHEST_TRIED: u32 = 64;

/// What is wished of a model that is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// What it is to be called.
    pub name: Option<String>,
    /// What is to stand in front of questions.
    pub query_prefix: Option<String>,
    /// What is to stand in front of passages.
    pub passage_prefix: Option<String>,
}

/// A folder, looked at.
pub(super) struct Offer {
    /// The folder.
    pub folder: PathBuf,
    /// The ONNX file.
    pub graph: PathBuf,
    /// What is in that.
    pub survey: Survey,
    /// The graph with the weights in it that were in files beside it, where there were any …
    pub made: Option<Vec<u8>>,
    /// … but for these files, which are too large for that.
    pub kept: BTreeSet<String>,
    /// What is known of it.
    pub subject: Subject,
    /// Its languages, in words.
    pub languages: Option<String>,
    /// Its licence.
    pub licence: Option<String>,
    /// What had to be assumed.
    pub notes: Vec<String>,
}

/// What it is for.
pub(super) enum Subject {
    /// Embedding.
    Text(Box<TextOffer>),
    /// Reranking.
    Rerank,
}

/// A model for embedding; its dimension is found out when it is tried.
pub(super) struct TextOffer {
    pub habits: Habits,
    pub files: TokenizerFiles,
    /// Texts of odd tokens of its own, to be tried.
    pub tried: Vec<String>,
}

impl Offer {
    /// Looks at a folder; `chosen` is what it was downloaded as, `made` the graph that was made of its weights.
    ///
    /// # Errors
    /// Where there is no model in it that kb can run.
    pub fn of(folder: &Path, made: Option<&str>, chosen: Option<&KnownModel>, wish: &Wish) -> Result<Self> {
        let graph = match (made, chosen) {
            (Some(made), _) => made,
            (None, Some(chosen)) => chosen.model_file.as_str(),
            (None, None) => EmbeddingFolder::graph_in(folder).ok_or_else(|| without_graph(folder))?,
        };
        let is_reranker = match chosen {
            Some(chosen) => chosen.kind == ModelKind::Rerank,
            None => EmbeddingFolder::gives_logits(folder, graph)?,
        };
        // A folder may have the name of a model that is known, and be another: what it says itself comes first then.
        let namesake = wish.name.as_deref().or_else(|| folder.file_name()?.to_str());
        let namesake = if chosen.is_some() { chosen } else { namesake.map(known).transpose()?.flatten() };
        let bytes =
            std::fs::read(folder.join(graph)).map_err(|error| Error::io("read", &folder.join(graph), &error))?;
        let wrong = |told: String| {
            let error = ModelFolder::new(folder, "the model").wrong(graph, &told);
            error.hint("download the folder again, with all its files")
        };
        let survey = survey(&bytes).map_err(wrong)?;
        let mut offer = Offer {
            folder: folder.to_owned(),
            graph: folder.join(graph),
            made: None,
            kept: BTreeSet::new(),
            subject: Subject::Rerank,
            languages: namesake.map(|known| known.languages.clone()),
            licence: namesake.and_then(|known| known.licence.clone()),
            notes: Vec::new(),
            survey,
        };
        if is_reranker {
            // One that was made is checked where it lies, when it is loaded.
            if made.is_none() {
                CrossEncoder::check(folder)?;
            }
            refuse_prefixes(wish)?;
        } else {
            offer.subject = Subject::Text(Box::new(offer.text(graph, chosen, namesake, wish)?));
        }
        if made.is_some() {
            offer.kept = offer.survey.external.clone();
        } else if !offer.survey.external.is_empty() {
            offer.kept = kept(bytes.len() as u64, &offer.survey.external, offer.beside());
            let made = whole(&bytes, offer.beside(), &offer.kept, LARGEST_WHOLE);
            offer.made = Some(made.map_err(wrong)?);
        }
        Ok(offer)
    }

    /// The folder of the ONNX file, from which it names others.
    pub fn beside(&self) -> &Path {
        self.graph.parent().unwrap_or(&self.folder)
    }

    /// What it is for.
    pub fn kind(&self) -> ModelKind {
        match self.subject {
            Subject::Text(_) => ModelKind::Text,
            Subject::Rerank => ModelKind::Rerank,
        }
    }

    fn text(
        &mut self,
        graph: &str,
        chosen: Option<&KnownModel>,
        namesake: Option<&KnownModel>,
        wish: &Wish,
    ) -> Result<TextOffer> {
        let output = match chosen.and_then(|chosen| chosen.output.as_deref()) {
            Some("sentence_embedding") => VectorOutput::SentenceEmbedding,
            _ => VectorOutput::Usual,
        };
        let opened = EmbeddingFolder::open(&self.folder, graph, output)?;
        let said = opened.habits()?;
        let card = opened.card();
        self.licence = self.licence.take().or_else(|| card.licence.clone());
        let name = wish.name.as_deref().or_else(|| self.folder.file_name()?.to_str()).unwrap_or_default();
        let family = family(name)?;
        let prefixes = prefixes(
            &said,
            chosen,
            namesake
                .map(of_known)
                .or(family.map(|family| (family.query_prefix.clone(), family.passage_prefix.clone()))),
        );
        if prefixes.is_none() && said.query_prefix.is_none() {
            self.notes.push(
                "nothing says whether questions and passages want a prefix, so they get none; --query-prefix and \
                 --passage-prefix set one"
                    .to_owned(),
            );
        }
        let (query_prefix, passage_prefix) = prefixes.unwrap_or_default();
        let pooling = match chosen {
            Some(chosen) => Some(chosen.pooling),
            None => said.pooling.or(namesake.map(|known| known.pooling)).or(family.map(|family| family.pooling)),
        };
        if pooling.is_none() && !opened.is_pooled {
            self.notes.push("nothing says how the vectors of tokens are pooled, so their mean is taken".to_owned());
        }
        let declared = namesake.map(|known| known.max_tokens as u64);
        let most = [said.max_tokens, declared].into_iter().flatten().min();
        let max_tokens = most.map_or_else(usual_tokens, |most| most as usize);
        let (files, tokenizer) = opened.tokenizer(max_tokens)?;
        let scripts = self.scripts(&card.languages, namesake, &tokenizer);
        let habits = Habits {
            dimension: 0,
            max_tokens,
            pooling: pooling.unwrap_or(Pooling::Mean),
            quantization: self.quantization(chosen),
            query_prefix: wish.query_prefix.clone().unwrap_or(query_prefix),
            passage_prefix: wish.passage_prefix.clone().unwrap_or(passage_prefix),
            languages: Coverage { scripts },
            output,
        };
        Ok(TextOffer { habits, files, tried: odd_texts(&tokenizer) })
    }

    /// A graph that rounds by what it is given says so itself, whatever is said of it.
    fn quantization(&self, chosen: Option<&KnownModel>) -> Quantization {
        match chosen.map(|chosen| chosen.quantization) {
            _ if self.survey.is_dynamic => Quantization::Dynamic,
            Some(said) => said,
            None => Quantization::None,
        }
    }

    fn scripts(&mut self, codes: &[String], namesake: Option<&KnownModel>, tokenizer: &Tokenizer) -> Vec<Script> {
        if let Some(known) = namesake {
            return known.scripts.clone();
        }
        self.languages = languages::in_words(codes);
        languages::of_codes(codes).unwrap_or_else(|| languages::of_vocabulary(tokenizer))
    }
}

/// Which files of weights stay beside a graph, so that it remains below what one file can have: the largest ones.
fn kept(graph: u64, files: &BTreeSet<String>, folder: &Path) -> BTreeSet<String> {
    // One that cannot be read is told when its weights are.
    let size = |name: &String| std::fs::metadata(folder.join(name)).map_or(0, |about| about.len());
    let mut by_size: Vec<(u64, &String)> = files.iter().map(|name| (size(name), name)).collect();
    by_size.sort();
    let mut total = graph;
    let too_large = |(size, _): &(u64, &String)| {
        total = total.saturating_add(*size);
        total >= LARGEST_WHOLE
    };
    by_size.into_iter().filter(too_large).map(|(_, name)| name.clone()).collect()
}

/// What stands in front of questions and passages, where anything is known: of a model that was downloaded what the
/// catalogue has, otherwise what the folder says, then what its name does.
fn prefixes(
    said: &SaidHabits,
    chosen: Option<&KnownModel>,
    named: Option<(String, String)>,
) -> Option<(String, String)> {
    if let Some(chosen) = chosen {
        return Some(of_known(chosen));
    }
    match (&said.query_prefix, &said.passage_prefix) {
        (Some(query), Some(passage)) => Some((query.clone(), passage.clone())),
        _ => named,
    }
}

fn of_known(known: &KnownModel) -> (String, String) {
    (known.query_prefix.clone(), known.passage_prefix.clone())
}

/// A reranking model reads question and passage as they are.
fn refuse_prefixes(wish: &Wish) -> Result<()> {
    if wish.query_prefix.is_some() || wish.passage_prefix.is_some() {
        return Err(Error::usage(
            "--query-prefix and --passage-prefix are for embedding models; this is one for reranking",
        ));
    }
    Ok(())
}

/// Texts of the tokens with the highest numbers: a model with fewer fails on them.
fn odd_texts(tokenizer: &Tokenizer) -> Vec<String> {
    let highest = tokenizer.get_vocab(false).into_values().max().unwrap_or(0);
    let ids: Vec<u32> = (highest.saturating_sub(HIGHEST_TRIED)..=highest).collect();
    let words = ids.iter().filter_map(|id| tokenizer.decode(&[*id], false).ok()).collect::<Vec<_>>().join(" ");
    if words.trim().is_empty() { Vec::new() } else { vec![words] }
}

/// The weights in a folder that has no graph, where there are any that one can be made of.
///
/// # Errors
/// Where it is no folder, or the weights are of a network that kb does not know.
pub(super) fn weights_of(folder: &Path) -> Result<Option<Checkpoint>> {
    check_folder(folder)?;
    let has = |name: &str| folder.join(name).exists();
    let is_wanted = EmbeddingFolder::graph_in(folder).is_none() && WEIGHTS.iter().any(|name| has(name));
    if is_wanted { Checkpoint::open(folder).map(Some) } else { Ok(None) }
}

fn check_folder(folder: &Path) -> Result<()> {
    match std::fs::metadata(folder) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(Error::usage(format!("{} is a file; a model is a folder", folder.display()))
            .hint("name the folder that has model.onnx and tokenizer.json in it")),
        Err(error) => Err(Error::io("read", folder, &error)),
    }
}

/// The error about a folder without an ONNX file.
fn without_graph(folder: &Path) -> Error {
    let has = |name: &str| folder.join(name).exists();
    let told = |why: &str| Error::failed(format!("the model in {} cannot be used: {why}", folder.display()));
    if has("pytorch_model.bin") {
        return told(
            "its weights are a pickle (pytorch_model.bin), which can do anything when it is read, so kb never does",
        )
        .hint("`optimum-cli export onnx --task feature-extraction` writes it as ONNX");
    }
    told("there is no model.onnx in it nor in a folder onnx, and no model.safetensors")
        .hint("name the folder that has model.onnx and tokenizer.json in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_stay_beside_a_graph_that_would_be_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let files: BTreeSet<String> = [("large", 3 << 30), ("half", 1 << 30), ("other", 1 << 30), ("small", 100)]
            .into_iter()
            .map(|(name, bytes)| {
                // Holes: they take no room on the disk.
                std::fs::File::create(folder.path().join(name)).unwrap().set_len(bytes).unwrap();
                name.to_owned()
            })
            .collect();
        let kept = |graph| kept(graph, &files, folder.path()).into_iter().collect::<Vec<_>>();
        assert_eq!(kept(1000), ["large", "other"]);
        assert_eq!(kept(LARGEST_WHOLE - 50), ["half", "large", "other", "small"]);
    }

    #[test]
    fn what_is_known_of_prefixes_comes_in_its_order() {
        let said = SaidHabits {
            query_prefix: Some("q".to_owned()),
            passage_prefix: Some("p".to_owned()),
            ..SaidHabits::default()
        };
        let pair = |query: &str, passage: &str| Some((query.to_owned(), passage.to_owned()));
        let e5 = known("multilingual-e5-small").unwrap();
        assert_eq!(prefixes(&said, e5, None), pair("query: ", "passage: "));
        assert_eq!(prefixes(&said, None, pair("a", "b")), pair("q", "p"));
        assert_eq!(prefixes(&SaidHabits::default(), None, pair("a", "b")), pair("a", "b"));
        assert_eq!(prefixes(&SaidHabits::default(), None, None), None);
    }
}
