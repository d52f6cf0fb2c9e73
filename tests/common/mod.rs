//! Scratch folders in which tests run the real binary, and stores that are ingested once and copied for each test.

// Each test binary uses its own part of this, and a helper that fails ends its test.
#![allow(dead_code, unused_imports, clippy::expect_used, clippy::unwrap_used)]

mod files;
pub mod http;
mod json;
mod process;
pub mod repository;
pub mod schema;
#[cfg(target_os = "linux")]
pub mod terminal;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use files::copy_tree;
pub use files::{copy_files, expected_of, files_below, fixtures, names_in};
pub use json::{has_stage, hits, of_hits, row, stage, text, texts, titles, titles_of};
use kb::internals::config::KnownStores;
use kb::internals::embed::{EmbeddingConfig, GRAPH, Model, ModelFiles};
use kb::internals::models::{ModelFile, ModelKind, Record, record_of};
use kb::internals::store::{Change, NewDocument, Snapshot, Store, Writer};
pub use process::{Process, end, kill_after, run, start, wait_for, wait_until};
#[cfg(unix)]
pub use process::{interrupt, signal_to};

/// A folder of its own for a test, with a store in it once something is ingested.
pub struct Sandbox {
    folder: tempfile::TempDir,
    /// The user that runs the program, if it is not the one that runs the tests.
    user: Option<u32>,
    /// Whether even small tables have indexes.
    indexed: bool,
}

/// The outcome of a run of the program.
#[derive(Debug)]
pub struct Run {
    /// What was asked, for messages of failed tests.
    asked: String,
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    /// With a scan of two pages, `scan.pdf`, and a program that reads its pages, `ocr.sh`.
    pub fn with_scan(program: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("scan.pdf", std::fs::read(fixtures().join("hostile/scanned.pdf")).unwrap());
        sandbox.write("ocr.sh", program);
        sandbox
    }

    /// With a document in the store, ingested with these flags.
    pub fn of_document(name: &str, content: impl AsRef<[u8]>, flags: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write(name, content);
        sandbox.kb(&[&["ingest", name], flags].concat()).ok();
        sandbox
    }

    /// With a document on valves and one on pumps in the store.
    pub fn of_two_documents() -> Self {
        Sandbox::prepared("two documents", Sandbox::ingest_two_documents)
    }

    pub fn ingest_two_documents(&self) {
        self.write("a.md", "# Valves\n\nClose the valve slowly.");
        self.write("b.md", "# Pumps\n\nPrime the pump first.");
        self.json(&["ingest", "."]);
    }

    pub fn new() -> Self {
        Sandbox { folder: tempfile::tempdir().expect("a scratch folder"), user: None, indexed: false }
    }

    /// With indexes of all tables, even small ones.
    pub fn indexed() -> Self {
        Sandbox { indexed: true, ..Sandbox::new() }
    }

    /// A sandbox in which permissions count. They do not hold root back: where root runs the tests, the program is run
    /// as nobody.
    #[cfg(unix)]
    pub fn without_privileges() -> Self {
        use std::os::unix::fs::{MetadataExt, chown};
        const NOBODY: u32 = 65534;
        let mut sandbox = Sandbox::new();
        if std::fs::metadata(sandbox.folder.path()).expect("a folder").uid() == 0 {
            chown(sandbox.folder.path(), Some(NOBODY), Some(NOBODY)).expect("a folder of nobody");
            sandbox.user = Some(NOBODY);
            let run = sandbox.command(&["--version"]).output().map(Run::of);
            assert!(
                run.as_ref().is_ok_and(|run| run.code == 0),
                "this test runs kb as another user, because root may write to what is read-only; that user cannot run \
                 {} in {}: {}: give everybody read access to them, or run the tests as another user than root",
                env!("CARGO_BIN_EXE_kb"),
                sandbox.folder.path().display(),
                run.map_or_else(|error| error.to_string(), |run| run.err)
            );
        }
        sandbox
    }

    /// Writes a manual of pumps and valves with sections of known parent chunks, `rest` after them, and two notes that
    /// say the same.
    pub fn write_manuals(&self, rest: &str) {
        let manual = format!(
            "# Pumps\n\nAll about pumps.\n\n## Introduction\n\nA pump moves water.\n\n## Priming the pump\n\n{}\n\n\
             ### Venting\n\nOpen the vent before the casing is filled.\n\n## Bearings\n\nGrease the bearings every month.\n\n\
             # Valves\n\n## Introduction\n\nA valve stops water. Never force it.\n{rest}",
            steps(6)
        );
        self.write("pumps.md", &manual);
        self.write("notes.md", "# Notes\n\nThe apprentice asked about priming, and was shown the handle.\n");
        self.write("copy.md", "# Copied\n\nThe apprentice asked about priming, and was shown the handle.\n");
    }

    /// Takes the permission to change the store from everybody, or returns it to the owner.
    #[cfg(unix)]
    pub fn set_store_writable(&self, writable: bool) {
        use std::os::unix::fs::PermissionsExt;
        let mut left = vec![self.path(".kb")];
        while let Some(path) = left.pop() {
            let folder = path.is_dir();
            if folder {
                left.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            }
            let mode = if folder { 0o555 } else { 0o444 } | if writable { 0o200 } else { 0 };
            match std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)) {
                // The keyword index may just have deleted a file of its own.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                done => done.expect("permissions"),
            }
        }
    }

    /// A sandbox with the documents of `fixtures/docs` in `docs/`, ingested with vectors.
    pub fn with_fixtures() -> Self {
        Sandbox::prepared("fixtures", |sandbox| sandbox.ingest_fixtures(&[]))
    }

    /// The same without vectors: enough for every test that does not search by meaning.
    pub fn with_keyword_fixtures() -> Self {
        Sandbox::prepared("keyword fixtures", |sandbox| sandbox.ingest_fixtures(&["--no-embed"]))
    }

    fn ingest_fixtures(&self, flags: &[&str]) {
        copy_files(&fixtures().join("docs"), &self.path("docs"));
        self.kb(&[&["ingest", "docs"], flags].concat()).ok();
    }

    /// A copy of a sandbox that `prepare` fills once in a run of this test binary. `name` tells it from others.
    pub fn prepared(name: &str, prepare: impl FnOnce(&Sandbox)) -> Self {
        Sandbox::new().filled(name, prepare)
    }

    /// This sandbox, until now empty, with a copy of what `prepare` makes once in a run of this test binary.
    pub fn filled(self, name: &str, prepare: impl FnOnce(&Sandbox)) -> Self {
        type Templates = Mutex<HashMap<String, Arc<OnceLock<PathBuf>>>>;
        static TEMPLATES: OnceLock<Templates> = OnceLock::new();
        let slot = TEMPLATES
            .get_or_init(Mutex::default)
            .lock()
            .expect("the list of templates")
            .entry(name.to_owned())
            .or_default()
            .clone();
        let template = slot.get_or_init(|| {
            let folder = tempfile::tempdir_in(templates()).expect("a scratch folder");
            let sandbox = Sandbox { folder, user: None, indexed: self.indexed };
            prepare(&sandbox);
            sandbox.folder.keep()
        });
        copy_tree(template, self.folder.path());
        // A copy is another store to kb, and would be read without caches.
        let state = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
        KnownStores::at(&self.path(state).join("kb/stores")).add(&self.path(".kb")).expect("a note");
        self
    }

    /// Writes the `kb.toml` of the store, and trusts it. Invalid settings are refused, but still written.
    pub fn configure(&self, settings: impl AsRef<[u8]>) {
        self.write(".kb/kb.toml", settings);
        let run = self.kb(&["trust"]);
        assert!(matches!(run.code, 0 | 2), "{}", run.err);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// The program, not yet started, without the user's environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kb"));
        command.args(args);
        self.isolate(&mut command);
        command
    }

    /// The same after a line of shell, for things that a process inherits: limits, ignored signals.
    pub fn command_behind(&self, shell: &str, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_kb")]).args(args);
        self.isolate(&mut command);
        command
    }

    /// Takes everything from the environment that is not needed to start a program.
    fn isolate(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).stdin(Stdio::null()).env_clear();
        for name in ["PATH", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "SYSTEMROOT", "TEMP", "TMP"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.folder.path()).env("KB_MODELS_DIR", self.path("models"));
        // The same engine on every machine.
        command.env("KB_ONNXRUNTIME", "off");
        if self.indexed {
            command.env("KB_TEST_INDEX_ROWS", "1");
        }
        #[cfg(unix)]
        if let Some(user) = self.user {
            std::os::unix::process::CommandExt::uid(command, user);
            std::os::unix::process::CommandExt::gid(command, user);
        }
    }

    pub fn kb(&self, args: &[&str]) -> Run {
        self.kb_with::<&str>(&[], args)
    }

    /// Runs with more variables.
    pub fn kb_with<V: AsRef<OsStr>>(&self, variables: &[(&str, V)], args: &[&str]) -> Run {
        let variables = variables.iter().map(|(name, value)| (name, value));
        let output = self.command(args).envs(variables).output().expect("kb runs");
        let run = Run { asked: args.join(" "), ..Run::of(output) };
        if args.windows(2).any(|pair| pair == ["--format", "json"]) {
            assert_has_its_shape(&run);
        }
        run
    }

    pub fn kb_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        let mut child = start(self.command(args).stdin(Stdio::piped()));
        child.stdin.take().expect("a pipe").write_all(input).expect("input is taken");
        end(child)
    }

    /// Installs the small embedding model of the fixtures under a name, with the embedding settings that `change`
    /// makes.
    pub fn add_model(&self, name: &str, change: impl Fn(&mut EmbeddingConfig)) {
        let folder = self.path("models").join(name);
        copy_files(&fixtures().join("embedding"), &folder);
        let mut embedding_config =
            EmbeddingConfig { dimension: 12, max_tokens: 64, ..Model::embedded().embedding_config.clone() };
        change(&mut embedding_config);
        let files = ModelFiles { folder: folder.clone(), external: Vec::new() };
        let model = Model::in_folder(name, embedding_config, files).expect("a model");
        let bytes = std::fs::metadata(folder.join(GRAPH)).expect("a graph").len();
        let record = Record {
            format: Record::FORMAT,
            name: name.to_owned(),
            kind: ModelKind::Text,
            embedding_config: Some(model.embedding_config),
            languages: None,
            licence: None,
            external: Vec::new(),
            files: vec![ModelFile { path: GRAPH.to_owned(), bytes }],
            fingerprint: Some(model.fingerprint),
            unrelated: Some(model.unrelated),
            from: "fixtures".to_owned(),
        };
        record.write(&folder).expect("a record");
    }

    /// The lock of a namespace, held as by another process that writes.
    pub fn locked(&self, namespace: &str) -> std::fs::File {
        let path = self.path(".kb/namespaces").join(namespace).join("lock");
        let lock = std::fs::File::options().write(true).open(path).expect("a lock");
        lock.lock().expect("nobody else writes");
        lock
    }

    /// Runs and expects success; returns the list of the JSON it printed.
    pub fn items(&self, args: &[&str]) -> serde_json::Value {
        self.json(args)["items"].take()
    }

    /// The hits of a search that finds something, in groups or not.
    pub fn hits(&self, args: &[&str]) -> Vec<serde_json::Value> {
        hits(&self.json(&[&["search"], args].concat()))
    }

    /// The same; none if it finds nothing or no document fits.
    pub fn hits_if_any(&self, args: &[&str]) -> Vec<serde_json::Value> {
        let run = self.kb(&[&["search"], args, &["--format", "json"]].concat());
        assert!(run.code <= 1, "{args:?}: {}", run.err);
        // Where no document fits, there is no JSON.
        if run.out.is_empty() { Vec::new() } else { hits(&run.json()) }
    }

    /// How many items a command lists.
    pub fn count(&self, args: &[&str]) -> usize {
        self.items(args).as_array().expect("a list").len()
    }

    /// The figures of `kb status`.
    pub fn status(&self) -> serde_json::Value {
        self.items(&["status"])[0].take()
    }

    /// The id of a document.
    pub fn id(&self, document: &str) -> String {
        text(&self.items(&["docs", document])[0], "doc_id").to_owned()
    }

    /// The sections of a document, one after the other; none if it has no table of contents.
    pub fn sections(&self, document: &str) -> Vec<serde_json::Value> {
        let run = self.kb(&["toc", document, "--format", "jsonl"]);
        assert!(run.code <= 1, "{document}: {}", run.err);
        let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.filter(|line: &serde_json::Value| line["type"] == "section").collect()
    }

    /// Runs and expects success; returns the JSON it printed.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let run = self.kb(&[args, &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{args:?}: {}{}", run.err, run.out);
        run.json()
    }
}

impl Run {
    /// Expects success.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.expect(0, &[], &[])
    }

    /// Expects this exit code, and these words in what it wrote to standard error.
    #[track_caller]
    pub fn tells(self, code: i32, words: &str) -> Self {
        self.expect(code, &[], &[words])
    }

    /// Expects this exit code, and all these words in what it wrote to standard error.
    #[track_caller]
    pub fn tells_all(self, code: i32, words: &[&str]) -> Self {
        self.expect(code, &[], words)
    }

    /// Expects this exit code, and these words in its result.
    #[track_caller]
    pub fn shows(self, code: i32, words: &str) -> Self {
        self.expect(code, &[words], &[])
    }

    /// Expects this exit code, and all these words in its result.
    #[track_caller]
    pub fn shows_all(self, code: i32, words: &[&str]) -> Self {
        self.expect(code, words, &[])
    }

    /// Expects these words nowhere in what it wrote.
    #[track_caller]
    pub fn lacks(self, words: &str) -> Self {
        let is_free = !self.out.contains(words) && !self.err.contains(words);
        assert!(is_free, "{words:?}: {}: {}{}", self.asked, self.out, self.err);
        self
    }

    /// Expects this exit code, no result, and these words in what it wrote to standard error.
    #[track_caller]
    pub fn refuses(self, code: i32, words: &str) -> Self {
        assert!(self.out.is_empty(), "no result: {}: {}", self.asked, self.out);
        self.tells(code, words)
    }

    #[track_caller]
    fn expect(self, code: i32, out: &[&str], err: &[&str]) -> Self {
        let Run { asked, code: own, out: shown, err: told } = &self;
        let missing = out.iter().filter(|words| !shown.contains(**words));
        let missing: Vec<&&str> = missing.chain(err.iter().filter(|words| !told.contains(**words))).collect();
        let is_so = *own == code && missing.is_empty();
        assert!(is_so, "exit code {own}, not {code}, or without {missing:?}: {asked}: {shown}{told}");
        self
    }

    /// The JSON that it printed, whatever its exit code.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }

    pub fn of(output: Output) -> Self {
        Run {
            asked: String::new(),
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// The JSON of a command, results and errors, must match its schema.
fn assert_has_its_shape(run: &Run) {
    let schemas: serde_json::Value =
        serde_json::from_str(include_str!("../../src/render/schema.json")).expect("the schemas are JSON");
    let errors = run.err.lines().filter(|line| line.starts_with("{\"error\""));
    for (text, kind) in std::iter::once((run.out.as_str(), None)).chain(errors.map(|line| (line, Some("error")))) {
        let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        let kind = kind.unwrap_or_else(|| json["kind"].as_str().unwrap_or_default());
        assert!(schemas.get(kind).is_some(), "no schema for {text}");
        let checked = schema::check(&serde_json::json!({ "$ref": format!("#/$defs/{kind}") }), &json, &schemas, kind);
        assert!(checked.is_ok(), "{}\n{text}", checked.unwrap_err());
    }
}

/// The ONNX Runtime for tests that need one. They are ignored unless asked for.
pub fn onnxruntime() -> String {
    let named = std::env::var("KB_TEST_ONNXRUNTIME").ok().filter(|path| !path.is_empty());
    named.expect(
        "KB_TEST_ONNXRUNTIME must name the library of an ONNX Runtime. `pip download --no-deps onnxruntime` fetches a \
         wheel that contains one as onnxruntime/capi/libonnxruntime.so.*; .ci/run does it too",
    )
}

/// The folder of prepared sandboxes. Those of earlier runs are removed: nothing runs when a test binary ends.
fn templates() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = || {
        const ONE_HOUR: std::time::Duration = std::time::Duration::from_secs(3600);
        let folder = std::env::temp_dir().join("kb-test-templates");
        std::fs::create_dir_all(&folder).expect("a folder");
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > ONE_HOUR) {
                // Another run may be removing it too.
                std::fs::remove_dir_all(entry.path()).unwrap_or_default();
            }
        }
        folder
    };
    FOLDER.get_or_init(folder).clone()
}

/// So many parent chunks about the priming of a pump.
pub fn steps(count: usize) -> String {
    let step = |number: usize| {
        let text = format!("Step {number} of priming turns the handle number {number} by one notch and waits. ");
        text.repeat(11).trim_end().to_owned()
    };
    (1..=count).map(step).collect::<Vec<_>>().join("\n\n")
}

/// `kb check` finds nothing wrong.
pub fn assert_sound(sandbox: &Sandbox) {
    sandbox.kb(&["check"]).ok();
}

/// Changes a stored document and returns its id.
pub fn rewrite(sandbox: &Sandbox, source: &str, change: impl Fn(&mut NewDocument)) -> String {
    let work = async {
        let store = Store::open(Some(&sandbox.path(".kb")), &sandbox.path(".")).unwrap();
        let namespace = store.namespace("default").unwrap();
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        let document = snapshot.documents().await.unwrap().into_iter().find(|row| row.source == source).unwrap();
        let id = document.doc_id.clone();
        let sections = snapshot.sections(&id).await.unwrap();
        let mut new = NewDocument { document, sections, parents: snapshot.parents_of(&id).await.unwrap() };
        change(&mut new);
        let model = record_of(&Model::embedded());
        let mut writer = Writer::open(&namespace, &model).await.unwrap();
        writer.publish(&Change { remove: vec![id.clone()], add: vec![new], ..Change::default() }).await.unwrap();
        id.into()
    };
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}
