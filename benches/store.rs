//! What corrections and checks cost in a large store, each in fresh processes of the real binary.
//!
//! ```sh
//! cargo bench --bench store -- --documents 10000 --pieces 8 --runs 15
//! ```
//!
//! The documents are small Markdown files, English and Chinese by turns, made from a fixed seed; the store is made
//! through the library with random vectors of length 1, because 80,000 real ones would take an hour and cost the disk
//! the same. Runs follow one another in one store, as corrections do, so that the worst of them is one in which tables
//! are compacted. At the end `kb check` says whether the store is still sound. `--keep DIR` keeps documents and store
//! there, and uses them where they are there already.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::time::{Instant, UNIX_EPOCH};

use kb::chunk::ChunkConfig;
use kb::embed::MODEL;
use kb::error::Result;
use kb::ingest::{SourceFacts, prepare};
use kb::load::{Format, LoadOptions, parse};
use kb::store::{Change, ChunkRow, ChunkType, ModelRecord, NewDocument, Store, Writer, document_id};

/// As many as an ingest publishes at once.
const BATCH: usize = 256;
/// Characters of a piece; four make a passage.
const PIECE: usize = 240;
const SYLLABLES: [&str; 24] = [
    "ka", "lor", "min", "tes", "vra", "pol", "ne", "shi", "dor", "quen", "ba", "rit", "sol", "um", "tra", "fen", "gi",
    "hal", "jo", "wex", "cy", "mer", "zan", "oth",
];

struct Options {
    documents: usize,
    pieces: usize,
    runs: usize,
    keep: Option<PathBuf>,
    onnxruntime: String,
}

/// A store and the documents in it.
struct Place {
    folder: PathBuf,
    onnxruntime: String,
}

fn main() {
    let options = options();
    let scratch = tempfile::tempdir().unwrap_or_else(|error| fail(&format!("no scratch folder: {error}")));
    let folder = options.keep.clone().unwrap_or_else(|| scratch.path().to_owned());
    let place = Place { folder, onnxruntime: options.onnxruntime.clone() };
    if !place.folder.join(".kb").exists() {
        let start = Instant::now();
        write_documents(&place.folder.join("docs"), &options);
        make_store(&place.folder).unwrap_or_else(|error| fail(&error.to_line()));
        println!("documents and store made in {:.0} s", start.elapsed().as_secs_f64());
    }
    let status = place.json(&["status"]);
    println!(
        "{} documents, {} chunks ({} passages), {} MB; {} runs, milliseconds\n",
        status["documents"],
        status["chunks"],
        status["keyword_chunks"],
        status["bytes"].as_u64().unwrap_or(0) >> 20,
        options.runs
    );
    println!("{:<52} {:>8} {:>8} {:>8}", "", "best", "median", "worst");
    let version = timed(options.runs, |_| place.run(&["--version"]));
    report("bare process start (kb --version)", version);
    report("kb docs", timed(options.runs, |_| place.run(&["docs"])));
    report("kb chunks-list --limit 20", timed(options.runs, |_| place.run(&["chunks-list", "--limit", "20"])));
    report("kb ingest docs, nothing changed", timed(options.runs, |_| place.run(&["ingest", "docs"])));
    report("kb check", timed(options.runs.min(5), |_| place.run(&["check"])));
    let ids = some_children(&place, options.runs * 2);
    let (to_delete, to_edit) = ids.split_at(options.runs);
    report(
        "kb chunk-delete ID --yes",
        timed(options.runs, |run| place.run(&["chunk-delete", &to_delete[run], "--yes"])),
    );
    let edited = timed(options.runs, |run| {
        place.run(&["chunk-edit", &to_edit[run], "--content", &format!("The valve was closed again, {run}.")]);
    });
    report("kb chunk-edit ID --content TEXT", edited);
    report("kb check, after these", timed(1, |_| place.run(&["check"])));
}

/// Writes the documents, the same for the same options.
fn write_documents(folder: &Path, options: &Options) {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for number in 0..options.documents {
        // A thousand files to a folder.
        let folder = folder.join(format!("{:03}", number / 1000));
        let mut text = format!("# {} {number}\n", random.words(3));
        for piece in 0..options.pieces {
            if piece % 4 == 0 {
                text.push_str(&format!("\n## {}\n", random.words(2)));
            }
            text.push_str(&format!("\n{}\n", random.paragraph(number % 2 == 1)));
        }
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join(format!("{number:05}.md")), text))
            .unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display())));
    }
}

/// Makes the store as `kb ingest` would, but for the vectors.
fn make_store(folder: &Path) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let (store, _) = Store::open_or_create(None, folder)?;
    let namespace = store.namespace("default")?;
    let model = ModelRecord { name: MODEL.name.to_owned(), dimension: MODEL.dimension };
    let mut files: Vec<PathBuf> = Vec::new();
    for below in std::fs::read_dir(folder.join("docs"))? {
        for file in std::fs::read_dir(below?.path())? {
            files.push(file?.path());
        }
    }
    files.sort();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    runtime.block_on(async {
        let mut writer = Writer::open(&namespace, &model).await?;
        for batch in files.chunks(BATCH) {
            let add: Vec<NewDocument> =
                batch.iter().map(|file| rows(file, &store, &mut random)).collect::<Result<_>>()?;
            writer.publish(&Change { add, ..Change::default() }).await?;
        }
        Ok(())
    })
}

/// The rows of a document, with random vectors.
fn rows(file: &Path, store: &Store, random: &mut Random) -> Result<NewDocument> {
    let bytes = std::fs::read(file)?;
    let facts = std::fs::metadata(file)?;
    let changed = facts.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let source = store.source_name(file);
    let facts = SourceFacts {
        doc_id: document_id(&source, 0),
        source,
        content_hash: blake3::hash(&bytes).to_hex().to_string(),
        size: facts.len(),
        mtime_ns: i64::try_from(changed.as_nanos()).unwrap_or_default(),
        corrected_toc: None,
        time: None,
    };
    let document = parse(&bytes, Format::Markdown, &LoadOptions::default())?;
    let now = jiff::Timestamp::now().to_string();
    let mut new = prepare(&document, &facts, &ChunkConfig::default(), &now).new;
    new.document.embedded = true;
    set_vectors(&mut new.chunks, random);
    Ok(new)
}

/// Gives each child a random vector of length 1 and each parent the mean of its children's.
fn set_vectors(chunks: &mut [ChunkRow], random: &mut Random) {
    let mut sum: Vec<f32> = Vec::new();
    // From the end, where a parent comes behind its children.
    for chunk in chunks.iter_mut().rev() {
        let mut vector = match chunk.chunk_type {
            ChunkType::Parent => std::mem::take(&mut sum),
            ChunkType::Child => (0..MODEL.dimension).map(|_| random.number()).collect(),
        };
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::EPSILON);
        vector.iter_mut().for_each(|x| *x /= length);
        if chunk.chunk_type == ChunkType::Child {
            sum.resize(vector.len(), 0.0);
            sum.iter_mut().zip(&vector).for_each(|(sum, x)| *sum += x);
        }
        chunk.vector = vector;
    }
}

/// Ids of children, spread over the store and each of another document.
fn some_children(place: &Place, wanted: usize) -> Vec<String> {
    let list = place.run(&["chunks-list", "--limit", "10000000", "--format", "paths"]);
    let mut ids: Vec<&str> = list.lines().filter(|id| id.contains('.')).collect();
    ids.dedup_by_key(|id| id.split(':').next());
    if ids.len() < wanted {
        fail("too few documents for so many runs");
    }
    ids.iter().step_by(ids.len() / wanted).take(wanted).map(|id| (*id).to_owned()).collect()
}

impl Place {
    /// Runs the program, which must succeed, and gives its output.
    fn run(&self, args: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_kb"))
            .args(args)
            .current_dir(&self.folder)
            .env_remove("KB_DIR")
            .env("KB_ONNXRUNTIME", &self.onnxruntime)
            .output()
            .unwrap_or_else(|error| fail(&format!("kb does not start: {error}")));
        if !output.status.success() {
            fail(&format!("kb {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
        }
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.run(&[args, &["--format", "json"]].concat())).unwrap_or_default()
    }
}

/// The wall times of `runs` calls, in milliseconds.
fn timed<T>(runs: usize, call: impl Fn(usize) -> T) -> Vec<f64> {
    (0..runs)
        .map(|run| {
            let start = Instant::now();
            call(run);
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect()
}

fn report(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |place: usize| times.get(place).copied().unwrap_or(0.0);
    println!("{what:<52} {:>8.0} {:>8.0} {:>8.0}", at(0), at(times.len() / 2), at(times.len().saturating_sub(1)));
}

/// The same numbers on every machine: xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn word(&mut self) -> String {
        (0..2 + self.below(2)).map(|_| SYLLABLES[self.below(SYLLABLES.len())]).collect()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A piece of one sentence.
    fn paragraph(&mut self, chinese: bool) -> String {
        let mut text = String::new();
        let mut length = 0;
        while length < PIECE {
            let word = if chinese { self.ideograph().to_string() } else { format!("{} ", self.word()) };
            length += word.chars().count();
            text.push_str(&word);
        }
        format!("{}{}", text.trim_end(), if chinese { '。' } else { '.' })
    }

    /// One of the first thousand ideographs.
    fn ideograph(&mut self) -> char {
        u32::try_from(0x4E00 + self.below(1000)).ok().and_then(char::from_u32).unwrap_or('中')
    }
}

fn options() -> Options {
    let mut options = Options { documents: 10_000, pieces: 8, runs: 15, keep: None, onnxruntime: "off".to_owned() };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        // `cargo bench` adds this one.
        if flag == "--bench" {
            continue;
        }
        let value = args.next().unwrap_or_else(|| fail(&format!("{flag} needs a value")));
        let number = || value.parse().unwrap_or_else(|_| fail(&format!("{flag} needs a number")));
        match flag.as_str() {
            "--documents" => options.documents = number(),
            "--pieces" => options.pieces = number(),
            "--runs" => options.runs = number(),
            "--keep" => options.keep = Some(PathBuf::from(&value)),
            "--onnxruntime" => options.onnxruntime = value,
            _ => fail(&format!("unknown flag {flag}")),
        }
    }
    options
}

fn fail(message: &str) -> ! {
    eprintln!("{}", message.trim());
    exit(1)
}
