//! A store and a plain model of it, changed alike at random: files are written, ingested, edited, deleted, restored,
//! pruned, and the program is killed in the middle. After each step the store must hold what the model holds, or, where
//! the program was killed, what it held before.
//!
//! `KB_TEST_MODEL_SECONDS=3600` runs it for an hour; `KB_TEST_MODEL_SEED` chooses the steps (a number, or `random`). A failure
//! prints both.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use kb::internals::store::{STEPS, Snapshot, Store};
use tokio::runtime::Runtime;

use crate::common::{Sandbox, files_below, kill_after, run};

const SECONDS: u64 = 20;
const NAMESPACES: [&str; 2] = ["default", "other"];
/// How many generations the store keeps.
const KEPT: usize = 4;
const MOST_FILES: usize = 8;
const MOST_SECTIONS: usize = 5;

#[test]
fn the_store_holds_what_a_plain_model_of_it_holds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("KB_TEST_MODEL_SECONDS").unwrap_or(SECONDS);
    let seed = match std::env::var("KB_TEST_MODEL_SEED").as_deref() {
        Ok("random") => std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64,
        _ => number("KB_TEST_MODEL_SEED").unwrap_or(1),
    };
    let mut test = Test::new(seed);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        test.step();
    }
    test.end();
}

/// A document: its source as a text for each section, and a person's edits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Document {
    source: Vec<String>,
    /// By the text of the source: another text, or none where the chunk was deleted.
    edits: BTreeMap<String, Option<String>>,
    /// Typed texts whose source has changed since.
    conflicts: BTreeSet<String>,
}

impl Document {
    /// The texts of its parent chunks.
    fn texts(&self) -> Vec<String> {
        let text = |said: &String| self.edits.get(said).cloned().unwrap_or_else(|| Some(said.clone()));
        self.source.iter().filter_map(text).collect()
    }

    /// The source is read again. No text of it ever returns, so an edit whose place is gone stays in conflict.
    fn read(&mut self, source: &[String]) {
        source.clone_into(&mut self.source);
        let gone: Vec<String> = self.edits.keys().filter(|said| !source.contains(said)).cloned().collect();
        for said in gone {
            self.conflicts.extend(self.edits.remove(&said).flatten());
        }
    }
}

/// The documents of a namespace by their sources.
type Documents = BTreeMap<String, Document>;

/// A namespace.
#[derive(Debug, Clone, Default)]
struct Space {
    documents: Documents,
    /// 0 where nothing is published.
    generation: u64,
    /// The documents of each generation.
    history: BTreeMap<u64, Documents>,
    /// Commands in a row that were killed, each of which may have published without removing what is too old.
    killed: usize,
}

struct Test {
    seed: u64,
    steps: Vec<String>,
    random: fastrand::Rng,
    runtime: Runtime,
    sandbox: Sandbox,
    /// The files as they are, by name.
    files: BTreeMap<String, Vec<String>>,
    spaces: HashMap<&'static str, Space>,
    /// The ids of sources, which never change.
    ids: HashMap<String, String>,
    /// Texts are numbered, so that each differs from all others.
    texts: usize,
    /// How long the last command took.
    took: Duration,
    killed: usize,
    /// What this process holds as a reader of the store, after it has read it a few times.
    reader: Option<Reader>,
}

impl Drop for Test {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("KB_TEST_MODEL_SEED={}, {} steps:", self.seed, self.steps.len());
            self.steps.iter().for_each(|step| eprintln!("  {step}"));
        }
    }
}

impl Test {
    fn new(seed: u64) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write(".kb/kb.toml", format!("[history]\ngenerations = {KEPT}\n"));
        let mut test = Test {
            seed,
            steps: Vec::new(),
            random: fastrand::Rng::with_seed(seed),
            runtime: Runtime::new().unwrap(),
            sandbox,
            files: BTreeMap::new(),
            spaces: NAMESPACES.map(|name| (name, Space::default())).into(),
            ids: HashMap::new(),
            texts: 0,
            took: Duration::from_millis(200),
            killed: 0,
            reader: None,
        };
        test.write_a_file();
        test.ingest(NAMESPACES[0]);
        test
    }

    fn step(&mut self) {
        let space = NAMESPACES[usize::from(self.random.usize(..4) == 0)];
        match self.random.usize(..20) {
            0..4 => self.write_a_file(),
            4 => self.remove_a_file(),
            5..9 => self.ingest(space),
            9..12 => self.edit(space),
            12 => self.delete_a_chunk(space),
            13 => self.reset_a_chunk(space),
            14 => self.remove_a_document(space),
            15..17 => self.restore(space),
            17 => self.search(space),
            18 => self.repair(space),
            _ => self.rename_or_remove(space),
        }
        if self.steps.len() >= WARM_UP && self.reader.is_none() {
            self.reader = Reader::now();
        }
    }

    /// A new text, in one sentence with a word of its own.
    fn text(&mut self) -> String {
        self.texts += 1;
        format!("This says {} of part {}.", word(self.texts), self.texts)
    }

    /// Writes a new file or changes one: a section says something else, comes or goes.
    fn write_a_file(&mut self) {
        let name = format!("docs/{}.md", self.random.usize(..MOST_FILES));
        let mut sections = self.files.get(&name).cloned().unwrap_or_default();
        for _ in 0..=self.random.usize(..2) {
            let text = self.text();
            let at = self.random.usize(..=sections.len());
            match self.random.usize(..3) {
                0 if sections.len() > 1 && at < sections.len() => drop(sections.remove(at)),
                1 if at < sections.len() => sections[at] = text,
                _ if sections.len() < MOST_SECTIONS => sections.insert(at, text),
                _ => {}
            }
        }
        if sections.is_empty() || self.files.get(&name) == Some(&sections) {
            return;
        }
        let body: String = sections.iter().enumerate().map(|(i, text)| format!("## Part {i}\n\n{text}\n\n")).collect();
        self.sandbox.write(&name, format!("# {name}\n\n{body}"));
        self.steps.push(format!("write {name}: {sections:?}"));
        self.files.insert(name, sections);
    }

    fn remove_a_file(&mut self) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        // An empty folder is an error of its own.
        if let Some(name) = self.random.choice(&names).filter(|_| names.len() > 1) {
            std::fs::remove_file(self.sandbox.path(name)).unwrap();
            self.files.remove(name);
            self.steps.push(format!("rm {name}"));
        }
    }

    fn ingest(&mut self, space: &'static str) {
        let prune = self.random.usize(..3) == 0;
        let before = &self.spaces[space].documents;
        let mut after = before.clone();
        for (name, sections) in &self.files {
            let document = after.entry(name.clone()).or_default();
            if document.source != *sections {
                document.read(sections);
            }
        }
        if prune {
            after.retain(|name, _| self.files.contains_key(name));
        }
        let publishes = after != *before;
        let jobs = (self.random.usize(..3) + 1).to_string();
        let mut args = vec!["ingest", "docs", "--no-embed", "--jobs", &jobs];
        args.extend(prune.then_some(["--prune", "--yes"]).into_iter().flatten());
        self.change(space, &args, after, publishes);
    }

    fn edit(&mut self, space: &'static str) {
        let Some((source, said, id)) = self.a_chunk(space, |_| true) else { return };
        let text = self.text();
        let mut after = self.spaces[space].documents.clone();
        after.get_mut(&source).unwrap().edits.insert(said, Some(text.clone()));
        self.change(space, &["chunk-edit", &id, "--content", &text], after, true);
    }

    fn delete_a_chunk(&mut self, space: &'static str) {
        let Some((source, said, id)) = self.a_chunk(space, |_| true) else { return };
        let mut after = self.spaces[space].documents.clone();
        after.get_mut(&source).unwrap().edits.insert(said, None);
        self.change(space, &["chunk-delete", &id, "--yes"], after, true);
    }

    fn reset_a_chunk(&mut self, space: &'static str) {
        let Some((source, said, id)) = self.a_chunk(space, |edit| edit.is_some()) else { return };
        let mut after = self.spaces[space].documents.clone();
        after.get_mut(&source).unwrap().edits.remove(&said);
        self.change(space, &["chunk-edit", &id, "--reset"], after, true);
    }

    fn remove_a_document(&mut self, space: &'static str) {
        let sources: Vec<String> = self.spaces[space].documents.keys().cloned().collect();
        let Some(source) = self.random.choice(&sources) else { return };
        let mut after = self.spaces[space].documents.clone();
        after.remove(source);
        self.change(space, &["remove", source], after, true);
    }

    fn restore(&mut self, space: &'static str) {
        let Space { generation, history, .. } = &self.spaces[space];
        let mut kept: Vec<u64> = history.keys().rev().take(KEPT).copied().collect();
        kept.retain(|old| old != generation);
        let Some(old) = self.random.choice(&kept) else { return };
        let after = history[old].clone();
        self.change(space, &["restore", &old.to_string()], after, true);
    }

    /// Texts of the model are found, and others are not.
    fn search(&mut self, space: &'static str) {
        if self.spaces[space].generation == 0 {
            return;
        }
        let number = self.random.usize(..self.texts) + 1;
        let word = word(number);
        let documents = self.spaces[space].documents.values();
        let wanted: Vec<String> = documents.flat_map(Document::texts).filter(|text| text.contains(&word)).collect();
        let args =
            ["search", &word, "-n", space, "--method", "keyword", "--expand", "off", "--format", "json", "-k", "20"];
        let run = self.sandbox.kb(&args);
        let found = run.out.matches(&format!("{word} of part {number}.")).count();
        assert_eq!(found > 0, !wanted.is_empty(), "{args:?} with {wanted:?} in {space}: {}{}", run.out, run.err);
    }

    /// A repair of a sound store changes nothing.
    fn repair(&mut self, space: &'static str) {
        if self.spaces[space].generation == 0 {
            return;
        }
        self.steps.push(format!("check --repair -n {space}"));
        self.sandbox.kb(&["check", "--repair", "-n", space]).ok();
        assert_eq!(self.held(space), self.expected(space), "after a repair");
        self.sandbox.kb(&["check", "-n", space]).ok();
    }

    fn rename_or_remove(&mut self, space: &'static str) {
        let other = if space == NAMESPACES[0] { NAMESPACES[1] } else { NAMESPACES[0] };
        if self.spaces[space].generation == 0 {
            return;
        }
        if self.spaces[other].generation == 0 {
            self.steps.push(format!("namespaces rename {space} {other}"));
            self.sandbox.kb(&["namespaces", "rename", space, other]).ok();
            let moved = self.spaces.insert(space, Space::default()).unwrap();
            self.spaces.insert(other, moved);
        } else if self.random.usize(..3) == 0 {
            self.steps.push(format!("namespaces remove {space}"));
            self.sandbox.kb(&["namespaces", "remove", space, "--yes"]).ok();
            self.spaces.insert(space, Space::default());
        }
        for space in NAMESPACES {
            assert_eq!(self.held(space), self.expected(space), "{space}, after namespaces were renamed or removed");
        }
    }

    /// A parent chunk that can be edited: its document, its source text, and its id.
    fn a_chunk(
        &mut self,
        space: &'static str,
        fits: impl Fn(Option<&Option<String>>) -> bool,
    ) -> Option<(String, String, String)> {
        let mut all: Vec<(String, String, String)> = Vec::new();
        for (source, document) in &self.spaces[space].documents {
            for said in &document.source {
                let edit = document.edits.get(said);
                let text = edit.cloned().unwrap_or_else(|| Some(said.clone()));
                if let Some(text) = text.filter(|_| fits(edit)) {
                    all.push((source.clone(), said.clone(), text));
                }
            }
        }
        let (source, said, text) = self.random.choice(&all)?.clone();
        let id = self.chunks(space)?.1.remove(&text).expect("a chunk of this text");
        Some((source, said, id))
    }

    /// Runs a command that should make `after` of the documents; now and then it is killed on its way.
    fn change(&mut self, space: &'static str, args: &[&str], after: Documents, publishes: bool) {
        let args = [args, &["-n", space]].concat();
        let fault = match self.random.usize(..8) {
            0..2 => Fault::At(STEPS[self.random.usize(..STEPS.len())]),
            2 => Fault::Kill(self.took.mul_f64(self.random.usize(..120) as f64 / 100.0)),
            _ => Fault::None,
        };
        self.steps.push(format!("{} {fault:?}", args.join(" ")));
        let before = self.expected(space);
        let whole = self.run(&args, fault);
        let kept = self.spaces.get_mut(space).unwrap();
        match whole {
            false => kept.killed += 1,
            true if publishes => kept.killed = 0,
            true => {}
        }
        let generation = before.0 + u64::from(publishes);
        let next = (generation, texts(&after));
        let held = self.held(space);
        if held == next {
            let typed = self.typed(space);
            for text in
                after.values().flat_map(|document| document.conflicts.iter().chain(document.edits.values().flatten()))
            {
                assert!(typed.contains(text), "{text:?} was typed and is lost");
            }
            let kept = self.spaces.get_mut(space).unwrap();
            kept.documents = after.clone();
            kept.generation = generation;
            if generation > 0 {
                kept.history.insert(generation, after);
            }
        } else {
            assert!(!whole, "{args:?} did not do what it should: {held:?} instead of {next:?}");
            assert_eq!(held, before, "{args:?} was killed and left neither what was nor what should be ({next:?})");
            self.killed += 1;
        }
        if self.steps.len().is_multiple_of(16) {
            self.check(space);
        }
    }

    /// Whether the command finished.
    fn run(&mut self, args: &[&str], fault: Fault) -> bool {
        let mut command = self.sandbox.command(args);
        match fault {
            Fault::None => {
                let start = Instant::now();
                run(&mut command).ok();
                self.took = start.elapsed();
                true
            }
            Fault::At(step) => run(command.env("KB_TEST_FAULT", format!("abort:{step}"))).code == 0,
            Fault::Kill(after) => kill_after(after, &mut command),
        }
    }

    /// The generation that a namespace should have, and the texts of each document.
    fn expected(&self, space: &str) -> Held {
        let space = &self.spaces[space];
        (space.generation, texts(&space.documents))
    }

    /// The generation that a namespace has, and the texts of each document.
    fn held(&mut self, space: &str) -> Held {
        self.chunks(space).map_or_else(Held::default, |(held, _)| held)
    }

    /// What a namespace holds, and the ids of its texts.
    fn chunks(&mut self, space: &str) -> Option<(Held, HashMap<String, String>)> {
        let snapshot = self.snapshot(space)?;
        let mut ids = HashMap::new();
        let mut held: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.runtime.block_on(snapshot.documents()).unwrap() {
            let known = self.ids.entry(row.source.clone()).or_insert_with(|| row.doc_id.to_string());
            assert_eq!(*known, row.doc_id.to_string(), "the id of {}", row.source);
            let parents = self.runtime.block_on(snapshot.parents_of(&row.doc_id)).unwrap();
            assert_eq!(row.parents as usize, parents.len());
            let texts = held.entry(row.source).or_default();
            for parent in parents {
                let children: String = parent.children.iter().map(|child| child.content.as_str()).collect();
                assert_eq!(children, parent.content);
                let text = parent.content.trim_end().to_owned();
                ids.insert(text.clone(), parent.chunk_id.to_string());
                texts.push(text);
            }
        }
        Some(((snapshot.manifest().generation, held), ids))
    }

    /// All texts that people typed, also those in conflict.
    fn typed(&self, space: &str) -> BTreeSet<String> {
        let Some(snapshot) = self.snapshot(space) else { return BTreeSet::new() };
        let rows = self.runtime.block_on(snapshot.documents()).unwrap();
        let texts = rows.iter().flat_map(|row| row.edits.iter().filter_map(|edit| edit.content.as_deref()));
        texts.map(|text| text.trim_end().to_owned()).collect()
    }

    fn snapshot(&self, space: &str) -> Option<Snapshot> {
        let root = self.sandbox.path(".kb");
        let store = Store::open(Some(&root), &root).ok()?;
        let namespace = store.namespace(space).unwrap();
        match self.runtime.block_on(Snapshot::open(&namespace)) {
            // A first publication that was killed leaves no generation.
            Err(_) if !namespace.exists() => None,
            opened => Some(opened.unwrap()),
        }
    }

    /// The store is sound, and its history is that of the last generations.
    fn check(&mut self, space: &'static str) {
        let Space { generation, history, killed, .. } = &self.spaces[space];
        if *generation == 0 {
            return;
        }
        let log = self.sandbox.items(&["log", "-n", space]);
        let listed: Vec<u64> =
            log.as_array().unwrap().iter().map(|entry| entry["generation"].as_u64().unwrap()).collect();
        let known: Vec<u64> = history.keys().rev().copied().collect();
        // A restore holds the generation that it reads.
        assert!(listed.len() <= KEPT + 1 + killed && known.starts_with(&listed), "{listed:?} of {known:?}");
        assert!(listed.len() >= KEPT.min(known.len()), "{listed:?} of {known:?}");
    }

    /// Nothing is left over on the disk: with one generation kept, the store has no more files than its size needs.
    fn end(&mut self) {
        self.sandbox.write(".kb/kb.toml", "[history]\ngenerations = 1\nkeep = \"0s\"\n");
        for space in NAMESPACES {
            if self.spaces[space].generation == 0 {
                continue;
            }
            for _ in 0..2 {
                self.steps.push("the last changes".into());
                let name = self.files.keys().next().unwrap().clone();
                let text = self.text();
                self.sandbox.write(&name, format!("# {name}\n\n## Part 0\n\n{text}\n\n"));
                self.files.insert(name, vec![text]);
                self.sandbox.kb(&["ingest", "docs", "--no-embed", "-n", space]).ok();
            }
            self.sandbox.kb(&["check", "-n", space]).ok();
            // By the name of the folder.
            let mut files: BTreeMap<String, usize> = BTreeMap::new();
            for file in files_below(&self.sandbox.path(&format!(".kb/namespaces/{space}"))) {
                let folder = file.parent().unwrap().file_name().unwrap();
                *files.entry(folder.to_string_lossy().into_owned()).or_default() += 1;
            }
            println!("{space}: {files:?}");
            // A record without a note was rebuilt, and stays for an hour; any other was held by a reader.
            assert_eq!(files["history"], 1, "{files:?}, {}", self.sandbox.items(&["log", "-n", space]));
            let all: usize = files.values().sum();
            assert!(all < MOST_LEFT, "{all} files of {space}: {files:?}");
        }
        if let (Some(before), Some(now)) = (&self.reader, Reader::now()) {
            assert!(now.handles <= before.handles + MORE_HANDLES, "{before:?}, then {now:?}");
            assert!(now.memory <= before.memory + MORE_MEMORY, "{before:?}, then {now:?}");
        }
        println!("{} steps, {} killed", self.steps.len(), self.killed);
    }
}

/// More files than any store of so few documents needs with one generation.
const MOST_LEFT: usize = 150;

/// Steps after which a reader holds everything that it will ever need.
const WARM_UP: usize = 40;
/// Other tests of this process run meanwhile.
const MORE_HANDLES: usize = 100;
/// In kB; allocators keep some.
const MORE_MEMORY: usize = 300_000;

/// What this process holds.
#[derive(Debug)]
struct Reader {
    handles: usize,
    /// In kB.
    memory: usize,
}

impl Reader {
    /// `None` where the system does not say.
    fn now() -> Option<Self> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let memory = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(Reader { handles: std::fs::read_dir("/proc/self/fd").ok()?.count(), memory })
    }
}

type Held = (u64, BTreeMap<String, Vec<String>>);

#[derive(Debug, Clone, Copy)]
enum Fault {
    None,
    /// The program aborts at a step of its publication.
    At(&'static str),
    /// It is killed after a while.
    Kill(Duration),
}

fn texts(documents: &Documents) -> BTreeMap<String, Vec<String>> {
    documents.iter().map(|(source, document)| (source.clone(), document.texts())).collect()
}

/// A word for each number, unlike those of the others.
fn word(number: usize) -> String {
    let mut value = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let letter = |_| {
        value = value.rotate_left(9);
        char::from(b'a' + (value % 26) as u8)
    };
    (0..9).map(letter).collect()
}
