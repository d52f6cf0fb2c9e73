//! What corrections and checks cost in a large store, each in fresh processes of the real binary.
//!
//! ```sh
//! cargo bench --bench store -- --documents 10000 --children 8 --runs 15
//! ```
//!
//! Documents and store are made up (`synthetic`). The runs change one store, as corrections do, so the slowest one is a
//! run that compacts tables. At the end `kb check` says whether the store is still sound. `--keep DIR` keeps documents
//! and store there and uses them again.

mod synthetic;

use std::path::PathBuf;
use std::process::{Command, exit};
use std::time::Instant;

use synthetic::{make_store, write_documents};

struct Options {
    documents: usize,
    child_chunks: usize,
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
        write_documents(&place.folder.join("docs"), options.documents, options.child_chunks)
            .unwrap_or_else(|error| fail(&error.to_line()));
        make_store(&place.folder).unwrap_or_else(|error| fail(&error.to_line()));
        println!("documents and store made in {:.0} s", start.elapsed().as_secs_f64());
    }
    let status = place.json(&["status"])["items"][0].take();
    println!(
        "{} documents, {} chunks ({} parent chunks), {} MB; {} runs, milliseconds\n",
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
    /// Runs the program, which must succeed, and returns its output.
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

fn options() -> Options {
    let mut options =
        Options { documents: 10_000, child_chunks: 8, runs: 15, keep: None, onnxruntime: "off".to_owned() };
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
            "--children" => options.child_chunks = number(),
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
