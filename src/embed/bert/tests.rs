//! What is made of folders, good and bad. That the graphs compute what they should is told on the engines, in
//! `tests/engines`.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::outline::{FLOAT, Output, outline};
use super::*;
use crate::repository::in_repository;

fn fixture(name: &str) -> PathBuf {
    in_repository("fixtures/embedding-safetensors").join(name)
}

/// A copy of a fixture that a test may change.
fn copied(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture(name)).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

/// What is said of a folder; nothing, where it can be made into a graph.
fn told(folder: &Path) -> String {
    let into = tempfile::tempdir().unwrap();
    let made = Checkpoint::open(folder).and_then(|checkpoint| checkpoint.write(into.path()));
    made.map_or_else(|error| error.to_line(), |()| String::new())
}

fn change_config(folder: &Path, name: &str, value: Value) {
    let path = folder.join(CONFIG);
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config[name] = value;
    fs::write(path, config.to_string()).unwrap();
}

/// The header and the numbers of a file.
fn taken_apart(path: &Path) -> (Value, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let end = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[8..end]).unwrap(), bytes[end..].to_vec())
}

fn put_together(path: &Path, header: &[u8], numbers: &[u8]) {
    fs::write(path, [&(header.len() as u64).to_le_bytes(), header, numbers].concat()).unwrap();
}

fn change_header(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("model.safetensors");
    let (mut header, numbers) = taken_apart(&path);
    change(&mut header);
    put_together(&path, header.to_string().as_bytes(), &numbers);
}

#[test]
fn every_family_becomes_a_graph_with_its_inputs_and_outputs() {
    for (name, task, inputs, tokens) in [
        ("bert", Task::Embedding, 3, 24),
        ("roberta", Task::Embedding, 2, 22),
        ("distilbert", Task::Embedding, 2, 24),
        ("reranker", Task::Classification, 3, 24),
    ] {
        let checkpoint = Checkpoint::open(&fixture(name)).unwrap();
        assert_eq!((checkpoint.task(), checkpoint.dimension(), checkpoint.max_tokens()), (task, 16, tokens), "{name}");
        let into = tempfile::tempdir().unwrap();
        checkpoint.write(into.path()).unwrap();
        assert!(!into.path().join(DATA).exists());
        let found = outline(&mut File::open(into.path().join(MODEL)).unwrap()).unwrap();
        assert_eq!(found.inputs, ["input_ids", "attention_mask", "token_type_ids"][..inputs], "{name}");
        let (output, shape) = match task {
            Task::Embedding => ("last_hidden_state", vec![None, None, Some(16)]),
            Task::Classification => ("logits", vec![None, Some(1)]),
        };
        assert_eq!(found.outputs, [Output { name: output.to_owned(), kind: Some(FLOAT), shape: Some(shape) }]);
    }
}

#[test]
fn large_weights_are_kept_beside_and_nothing_else_changes() {
    let checkpoint = Checkpoint::open(&fixture("bert")).unwrap();
    let (whole, split) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    checkpoint.write(whole.path()).unwrap();
    checkpoint.write_split(split.path(), 0).unwrap();
    let size = |folder: &tempfile::TempDir, name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(size(&split, MODEL) < size(&whole, MODEL));
    let read = |folder: &tempfile::TempDir| outline(&mut File::open(folder.path().join(MODEL)).unwrap()).unwrap();
    assert_eq!(read(&whole), read(&split));
    // The table of words is the first that is kept, as the file has it.
    let (header, numbers) = taken_apart(&fixture("bert").join("model.safetensors"));
    let place = &header["embeddings.word_embeddings.weight"]["data_offsets"];
    let [start, end] = [0, 1].map(|i| place[i].as_u64().unwrap() as usize);
    let beside = fs::read(split.path().join(DATA)).unwrap();
    assert!(beside.starts_with(&numbers[start..end]));
    let entries = fs::read(split.path().join(MODEL)).unwrap();
    assert!(memchr::memmem::find(&entries, DATA.as_bytes()).is_some());
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let query = "encoder.layer.1.attention.self.query.weight";
    let bert = copied("bert");
    change_header(bert.path(), |header| header[query]["shape"] = json!([8, 32]));
    assert!(
        told(bert.path()).contains(&format!("{query} has the shape [8, 32], and by config.json it would be [16, 16]"))
    );
    change_header(bert.path(), |header| {
        header[query] = json!({"dtype": "I32", "shape": [16, 16],
        "data_offsets": header[query]["data_offsets"]})
    });
    assert!(told(bert.path()).contains(&format!("{query} is of the type I32")));
    change_header(bert.path(), |header| {
        let value = header[query].take();
        header.as_object_mut().unwrap().remove(query);
        header["another"] = value;
    });
    assert!(told(bert.path()).contains(&format!("model.safetensors: {query} is missing")));
}

#[test]
fn settings_that_the_weights_contradict_are_refused() {
    for (name, value, says) in [
        ("num_hidden_layers", json!(1_000_000), "encoder.layer.2.attention.self.query.weight is missing"),
        ("num_hidden_layers", json!(1), "encoder.layer.1.attention.output.LayerNorm.bias is in it"),
        ("hidden_size", json!(32), "embeddings.word_embeddings.weight has the shape"),
        ("vocab_size", json!(1_000_000_000), "embeddings.word_embeddings.weight has the shape"),
        ("max_position_embeddings", json!(512), "embeddings.position_embeddings.weight has the shape [24, 16]"),
        ("type_vocab_size", json!(3), "embeddings.token_type_embeddings.weight has the shape [2, 16]"),
        ("intermediate_size", json!(64), "encoder.layer.0.intermediate.dense.weight has the shape [24, 16]"),
        ("model_type", json!("distilbert"), "config.json: its architecture is \"BertModel\""),
        ("model_type", json!("nomic_bert"), "nomic_bert"),
        ("architectures", json!(["BertForSequenceClassification"]), "pooler.dense.weight is missing"),
    ] {
        let folder = copied("bert");
        change_config(folder.path(), name, value);
        let found = told(folder.path());
        assert!(found.contains(says), "{name}: {found:?} does not say {says:?}");
    }
}

#[test]
fn hostile_headers_are_refused_before_they_are_read() {
    let folder = copied("bert");
    let path = folder.path().join("model.safetensors");
    let (header, numbers) = taken_apart(&path);
    let whole = fs::read(&path).unwrap();
    let with_length = |length: u64| [&length.to_le_bytes(), &whole[8..]].concat();
    let entry = |shape: Value, start: u64, end: u64| {
        json!({"a": {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}}).to_string()
    };
    let deep = format!("{}{}", r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    for (bytes, says) in [
        (Vec::new(), "it ends before"),
        (with_length(1 << 60), "header is longer than the file"),
        (with_length(u64::MAX), "header is longer than the file"),
        (with_length(3), "its header is broken"),
        (whole[..whole.len() - 1].to_vec(), "it is not whole"),
        ([&whole[..], b"x"].concat(), "it is not whole"),
        (b"version https://git-lfs.github.com/spec/v1\n".to_vec(), "git lfs pull"),
        (b"PK\x03\x04 no weights at all".to_vec(), "header is longer than the file"),
    ] {
        fs::write(&path, bytes).unwrap();
        let found = told(folder.path());
        assert!(found.contains(says), "{found:?} does not say {says:?}");
    }
    let mut overlapping = header.clone();
    overlapping["encoder.layer.0.output.dense.bias"]["data_offsets"] = json!([0, 64]);
    for text in [
        overlapping.to_string(),
        deep,
        "[]".to_owned(),
        "{}".to_owned(),
        entry(json!([1u64 << 62, 4]), 0, 16),
        entry(json!([4]), 16, 0),
        entry(json!([4]), u64::MAX - 16, u64::MAX),
        entry(json!([-4]), 0, 16),
        entry(json!(vec![0; 1000]), 0, numbers.len() as u64),
    ] {
        put_together(&path, text.as_bytes(), &numbers);
        assert!(told(folder.path()).contains("model.safetensors: it"), "{text:.200}");
    }
    // A hole: it takes no room on the disk.
    fs::write(&path, (5u64 << 20).to_le_bytes()).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(6 << 20).unwrap();
    assert!(told(folder.path()).contains("its header has 5 MB"));
}

#[test]
fn escape_sequences_in_a_header_do_not_reach_a_terminal() {
    let folder = copied("bert");
    change_header(folder.path(), |header| {
        header["\u{1b}[2Jgone"] = json!({"dtype": "F32", "shape": [4], "data_offsets": [1, 17]});
    });
    let found = told(folder.path());
    assert!(!found.is_empty() && !found.contains('\u{1b}'), "{found:?}");
}

#[test]
fn an_index_is_held_against_its_files() {
    let index = "model.safetensors.index.json";
    let change = |folder: &Path, tensor: &str, file: Value| {
        let mut content: Value = serde_json::from_slice(&fs::read(folder.join(index)).unwrap()).unwrap();
        content["weight_map"][tensor] = file;
        fs::write(folder.join(index), content.to_string()).unwrap();
    };
    let norm = "roberta.embeddings.LayerNorm.bias";
    for (file, says) in [
        (json!("/etc/passwd"), "is in no safetensors file of this folder"),
        (json!("../x.safetensors"), "is in no safetensors file of this folder"),
        (json!(7), "is in no safetensors file of this folder"),
        (json!("model-00002-of-00002.safetensors"), "should be in it, and is not"),
        (json!("model-00003-of-00002.safetensors"), "model-00003-of-00002.safetensors: it is not there"),
    ] {
        let folder = copied("roberta");
        change(folder.path(), norm, file);
        let found = told(folder.path());
        assert!(found.contains(says), "{found:?} does not say {says:?}");
    }
    let folder = copied("roberta");
    for number in 0..200 {
        change(folder.path(), &format!("more.{number}"), json!(format!("{number}.safetensors")));
    }
    assert!(told(folder.path()).contains("it names 202 files"));
    fs::write(folder.path().join(index), "{}").unwrap();
    assert!(told(folder.path()).contains("it has no weight_map"));
}

#[test]
fn values_that_are_no_numbers_and_lost_files_are_told() {
    let folder = copied("bert");
    let path = folder.path().join("model.safetensors");
    let (header, mut numbers) = taken_apart(&path);
    let name = "encoder.layer.1.output.dense.weight";
    let at = header[name]["data_offsets"][0].as_u64().unwrap() as usize;
    numbers[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    put_together(&path, header.to_string().as_bytes(), &numbers);
    assert!(told(folder.path()).contains(&format!("{name} has values that are no numbers")));

    fs::remove_file(folder.path().join(CONFIG)).unwrap();
    assert!(told(folder.path()).contains("config.json: it is not there"));
    fs::remove_file(&path).unwrap();
    assert!(told(folder.path()).contains("model.safetensors: it is not there"));
    fs::write(folder.path().join("pytorch_model.bin"), "x").unwrap();
    assert!(told(folder.path()).contains("pytorch_model.bin, which can run any program"));
    fs::create_dir(&path).unwrap();
    assert!(told(folder.path()).contains("model.safetensors: it is no file"));
}

#[test]
fn two_encoders_are_not_one() {
    let folder = copied("bert");
    change_header(folder.path(), |header| {
        let end = header.as_object().unwrap().values().filter_map(|value| value["data_offsets"][1].as_u64()).max();
        let name = "teacher.embeddings.word_embeddings.weight";
        header[name] = json!({"dtype": "F32", "shape": [0], "data_offsets": [end, end]});
    });
    assert!(told(folder.path()).contains("it has several encoders"));
}

#[test]
fn what_cannot_be_written_is_told_as_that() {
    let checkpoint = Checkpoint::open(&fixture("bert")).unwrap();
    let error = checkpoint.write(Path::new("/nowhere/at/all")).unwrap_err();
    assert!(error.message().contains("cannot write a model into /nowhere/at/all"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever becomes of the bytes, it is a graph or an error.
    #[test]
    fn bent_and_cut_files_never_panic(
        family in prop::sample::select(vec!["bert", "roberta", "distilbert", "reranker"]),
        which in any::<prop::sample::Index>(),
        bent in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        // Most of a file of weights are numbers; what decides is in front.
        in_front in any::<bool>(),
    ) {
        let folder = copied(family);
        let mut names: Vec<PathBuf> = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name == CONFIG || name.starts_with("model")
            })
            .collect();
        names.sort();
        let path = which.get(&names);
        let mut bytes = fs::read(path).unwrap();
        for (at, value) in bent {
            let length = if in_front { bytes.len().min(400) } else { bytes.len() };
            bytes[at.index(length)] ^= value;
        }
        if let Some(at) = cut {
            bytes.truncate(at.index(bytes.len()));
        }
        fs::write(path, bytes).unwrap();
        let found = told(folder.path());
        prop_assert!(found.is_empty() || found.contains("cannot be used"), "{}", found);
    }

    /// The same of whole values in JSON, where bent bytes mostly make no JSON at all.
    #[test]
    fn odd_settings_never_panic(
        family in prop::sample::select(vec!["bert", "roberta", "distilbert", "reranker"]),
        which in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(Value::Null), Just(json!(true)), Just(json!([])), Just(json!({})), Just(json!("x")), Just(json!(-1)),
            Just(json!(0.5)), Just(json!(1e300)), Just(json!(u64::MAX)), (0u64..100).prop_map(|n| json!(n)),
        ],
    ) {
        let folder = copied(family);
        let config: Value = serde_json::from_slice(&fs::read(folder.path().join(CONFIG)).unwrap()).unwrap();
        let names: Vec<String> = config.as_object().unwrap().keys().cloned().collect();
        let name: &String = which.get(&names);
        change_config(folder.path(), name, value);
        let found = told(folder.path());
        prop_assert!(found.is_empty() || found.contains("cannot be used"), "{}", found);
    }
}
