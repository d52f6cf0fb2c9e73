//! `kb serve`: the same answers from a process that has the store open.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Process, Run, Sandbox, kill_after, row, run, wait_for};

const QUESTION: [&str; 5] = ["search", "how", "is", "it", "primed"];
const SERVED: &str = "answered by kb serve\n";

/// A server with the sandbox whose store it serves.
struct Serving<'s> {
    sandbox: &'s Sandbox,
    child: Process,
    /// Its first line.
    says: String,
    socket: PathBuf,
}

/// A command whose sockets lie in the sandbox.
fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    std::fs::create_dir_all(sandbox.path("run")).unwrap();
    let mut command = sandbox.command(args);
    command.env("XDG_RUNTIME_DIR", sandbox.path("run"));
    command
}

fn kb(sandbox: &Sandbox, args: &[&str]) -> Run {
    run(&mut command(sandbox, args))
}

/// The same by this process alone.
fn alone(sandbox: &Sandbox, args: &[&str]) -> Run {
    run(command(sandbox, args).env("KB_SERVE", "off"))
}

fn serve<'s>(sandbox: &'s Sandbox, args: &[&str]) -> Serving<'s> {
    let mut child = command(sandbox, &[&["serve"], args].concat()).stderr(Stdio::piped()).spawn().unwrap();
    let mut says = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut says).unwrap();
    let socket = says.split(' ').find(|word| word.ends_with(".sock")).unwrap_or_default().into();
    Serving { sandbox, child: Process(child), says, socket }
}

impl Serving<'_> {
    /// Runs a command and says whether the server answered it.
    fn answers(&self, args: &[&str]) -> bool {
        let run = kb(self.sandbox, &[args, &["-v"]].concat());
        assert_ne!(run.code, 3, "{}", run.err);
        run.err.contains(SERVED)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child.0), signal).unwrap();
    }

    /// Waits for its end.
    fn ends(&mut self) -> i32 {
        wait_for("its end", || self.child.0.try_wait().unwrap()).code().unwrap_or(-1)
    }
}

/// JSON without the time that each stage took.
fn without_times(text: &str) -> String {
    let mut parts = text.split("\"timings_ms\":");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('}').expect("an object of times").1);
    std::iter::once(first).chain(rest).collect()
}

#[test]
fn answers_are_the_same_byte_for_byte() {
    let sandbox = Sandbox::with_fixtures();
    sandbox.write("template.txt", "{{ query }}: {{ documents | length }}");
    sandbox.json(&["entity-set", "P12", "--state", "running"]);
    sandbox.json(&["ingest", "docs/network-guide.md", "-n", "drafts"]);
    let chunk = sandbox.items(&["chunks-list", "--type", "parent", "--limit", "1"])[0]["chunk_id"].clone();
    let chunk = chunk.as_str().unwrap();
    let (document, _) = chunk.split_once(':').unwrap();
    let section = format!("{document}#1");
    let commands: [&[&str]; 35] = [
        &QUESTION,
        &["search", "如何启动水泵"],
        &["search", "水泵", "--method", "keyword", "-k", "2"],
        &["search", "retry limit", "--mode", "section"],
        &["search", "retry limit", "--mode", "drill"],
        &["search", "retry limit", "--in", "sections"],
        &["search", "retry limit", "-n", "all"],
        &["search", "retry limit", "-n", "default,drafts", "--mode", "broad"],
        &["search", "what chapters does network-guide.md have"],
        &["search", "primming the pumpp"],
        &["search", "zzzzqqq"],
        &["search", "retry limit", "--filter", "format = pdf and page <= 20"],
        &["search", "retry limit", "--filter", "format ="],
        &["search", "retry limit", "--doc", "network", "--context", "1"],
        &["search", "retry limit", "--doc", "nothing.md"],
        &["search", "retry limit", "-n", "nowhere"],
        &["search", "retry limit", "--why", chunk],
        &["search", "retry limit", "--rerank", "no/such/model"],
        &["search", "x", "--half-life", "3"],
        &["search", "hello"],
        &["context", "how is it primed", "--max-tokens", "300"],
        &["context", "how is it primed", "--template", "template.txt"],
        &["context", "how is it primed", "--template", "missing.txt"],
        &["toc"],
        &["toc", "network-guide.md", "--provenance"],
        &["toc", "network-guide.md", "--editable"],
        &["toc", "none.md"],
        &["section", "network-guide.md", "1"],
        &["show", chunk],
        &["show", &section],
        &["show", "nothing:7"],
        &["docs"],
        &["docs", "network-guide.md"],
        &["chunks-list", "--limit", "3"],
        &["entities", "P12"],
    ];
    let formats: [&[&str]; 5] =
        [&["--format", "table"], &["--format", "json"], &["--format", "jsonl"], &["-0"], &["--format", "paths"]];
    let server = serve(&sandbox, &[]);
    // Each command in Markdown and in one of the other formats.
    for (args, other) in commands.into_iter().zip(formats.into_iter().cycle()) {
        // Some notes are shown once a day.
        alone(&sandbox, args);
        for format in [&[][..], other] {
            let args = [args, format].concat();
            let (alone, served) = (alone(&sandbox, &args), kb(&sandbox, &args));
            assert_eq!((served.code, &served.err), (alone.code, &alone.err), "{args:?}");
            assert_eq!(without_times(&served.out), without_times(&alone.out), "{args:?}");
        }
        let run = kb(&sandbox, &[args, &["-v"]].concat());
        let is_served = run.code != 3 && !args.contains(&"--template");
        assert_eq!(run.err.contains(SERVED), is_served, "{args:?}: {}", run.err);
    }
    for args in [&["search", "retry limit", "--color", "always", "--format", "table"][..], &["docs", "--quiet"]] {
        let (alone, served) = (alone(&sandbox, args), kb(&sandbox, args));
        assert_eq!((served.out, served.err), (alone.out, alone.err), "{args:?}");
    }
    // From another folder the same names mean other files.
    let below = |choice: &str, args: &[&str]| {
        run(command(&sandbox, args).current_dir(sandbox.path("docs")).env("KB_SERVE", choice))
    };
    for args in [
        &["docs", "--format", "paths"][..],
        &["context", "x", "--template", "template.txt"],
        &["docs", "--kb", "../.kb"],
    ] {
        let (alone, served) = (below("off", args), below("running", args));
        assert_eq!((served.code, served.out, served.err), (alone.code, alone.out, alone.err), "{args:?}");
    }
    drop(server);
}

#[test]
fn it_follows_new_generations_and_holds_no_lock() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write(".kb/kb.toml", "[history]\ngenerations = 1\n");
    let server = serve(&sandbox, &[]);
    let found = |word: &str| {
        let args = ["search", word, "--method", "keyword", "--keep-duplicates", "--format", "paths"];
        assert!(server.answers(&args));
        assert_eq!(kb(&sandbox, &args).out, alone(&sandbox, &args).out);
        kb(&sandbox, &args).out
    };
    assert_eq!(found("pump").lines().count(), 1);
    let records = || std::fs::read_dir(sandbox.path(".kb/namespaces/default/history")).unwrap().count();
    for version in 1..4 {
        sandbox.write(&format!("more{version}.md"), format!("# Pump number {version}\n\nA pump."));
        sandbox.json(&["ingest", "."]);
        assert_eq!(records(), 1, "the generation that is open was pruned");
        assert_eq!(found("pump").lines().count(), 1 + version);
    }
    sandbox.json(&["remove", "more1.md"]);
    assert_eq!(found("pump").lines().count(), 3);
    // Another store in the same place begins with the same number.
    std::fs::remove_dir_all(sandbox.path(".kb")).unwrap();
    sandbox.json(&["ingest", "a.md"]);
    assert_eq!(found("pump"), "");
    // Synonyms and settings are read anew.
    sandbox.write(".kb/synonyms.txt", "pump, valve\n");
    assert_eq!(found("pump").lines().count(), 1);
    sandbox.write(".kb/kb.toml", "[search]\nlimit = 0\n");
    let args = ["search", "valve"];
    assert_eq!(kb(&sandbox, &args).err, alone(&sandbox, &args).err);
}

#[test]
fn another_environment_or_no_wish_for_a_server_is_respected() {
    let sandbox = Sandbox::of_two_documents();
    let server = serve(&sandbox, &[]);
    assert!(server.answers(&QUESTION));
    assert!(!server.answers(&["status"]), "only reading commands are served");
    for (variable, value) in [("KB_SEARCH_LIMIT", "1"), ("TZ", "Asia/Shanghai")] {
        run(command(&sandbox, &["search", "the", "-v"]).env(variable, value))
            .tells(0, "kb serve declined: it has other environment variables");
    }
    for args in [&["search", "pump", "-v", "--serve", "off"][..], &["search", "pump", "-v", "--onnxruntime", "none.so"]]
    {
        assert!(!kb(&sandbox, args).err.contains(SERVED), "{args:?}");
    }
    // The server cannot read /dev/stdin or a pipe of the process.
    sandbox.write("template.txt", "Asked: {{ query }}");
    assert!(!server.answers(&["context", "pump", "--template", "template.txt"]));
    assert!(server.answers(&["context", "pump", "--tokenizer", "chars/4"]));
}

#[test]
fn the_socket_is_for_its_user_alone() {
    let sandbox = Sandbox::of_two_documents();
    let server = serve(&sandbox, &[]);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&server.socket), mode(server.socket.parent().unwrap())), (0o600, 0o700));
    // Where others could put a socket, none is used.
    std::fs::set_permissions(sandbox.path("run/kb"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!server.answers(&QUESTION));
    kb(&sandbox, &["serve"]).tells(3, "chmod 700");
}

#[test]
fn a_store_has_one_server_and_a_dead_one_is_replaced() {
    let sandbox = Sandbox::of_two_documents();
    let mut first = serve(&sandbox, &[]);
    kb(&sandbox, &["serve"]).tells(3, "already runs").tells(3, "--stop");
    first.signal(Signal::KILL);
    first.ends();
    assert!(first.socket.exists() && !first.answers(&QUESTION));
    let mut third = serve(&sandbox, &[]);
    assert!(third.answers(&QUESTION), "{}", third.says);
    assert_eq!(kb(&sandbox, &["serve", "--stop"]).code, 0);
    assert_eq!((third.ends(), third.socket.exists()), (0, false));
    kb(&sandbox, &["serve", "--stop"]).tells(1, "does not run");
}

#[test]
fn it_ends_when_it_is_told_to_or_idle() {
    let sandbox = Sandbox::of_two_documents();
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = serve(&sandbox, &[]);
        assert!(server.answers(&QUESTION));
        server.signal(signal);
        assert_eq!((server.ends(), server.socket.exists()), (0, false));
    }
    let mut server = serve(&sandbox, &[]);
    std::fs::remove_file(&server.socket).unwrap();
    assert_eq!(server.ends(), 0, "nobody can reach it");
    let mut server = serve(&sandbox, &["--idle", "300ms"]);
    assert_eq!((server.ends(), server.socket.exists()), (0, false));
    assert_eq!(kb(&sandbox, &["serve", "--idle", "soon"]).code, 2);
}

#[test]
fn a_stuck_or_senseless_server_costs_a_moment_and_no_answer() {
    let sandbox = Sandbox::of_two_documents();
    let server = serve(&sandbox, &[]);
    assert!(server.answers(&QUESTION));
    server.signal(Signal::STOP);
    let expected = alone(&sandbox, &QUESTION);
    let run = kb(&sandbox, &QUESTION);
    assert_eq!((run.code, &run.out, &run.err), (0, &expected.out, &expected.err));
    server.signal(Signal::CONT);
    // It may still have the request of the process that did not wait.
    assert!((0..50).any(|_| server.answers(&QUESTION)));
    let socket = server.socket.clone();
    drop(server);
    for reply in [&b""[..], b"HTTP/1.1 200 OK\r\n\r\n", b"\xff\xff\xff\xff", b"\x07\0\0\0\"Be"] {
        std::fs::remove_file(&socket).unwrap();
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let liar = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(reply).unwrap();
        });
        let run = kb(&sandbox, &QUESTION);
        assert_eq!((run.code, &run.out, &run.err), (0, &expected.out, &expected.err), "{reply:?}");
        liar.join().unwrap();
    }
}

#[test]
fn hostile_clients_stop_nobody_else() {
    let sandbox = Sandbox::of_two_documents();
    let server = serve(&sandbox, &[]);
    let connect = || UnixStream::connect(&server.socket).unwrap();
    for sent in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\xff\xff\xff\xff", &[0; 64], b"\x01\0\0\0{"] {
        let mut stream = connect();
        stream.write_all(sent).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = Vec::new();
        // The server closes the connection; what it did not read makes that an error.
        stream.read_to_end(&mut answer).unwrap_or_default();
        assert!(answer.is_empty());
        assert!(server.answers(&QUESTION), "{sent:?}");
    }
    // More than it takes, none of which says anything.
    let silent: Vec<UnixStream> = (0..100).map(|_| connect()).collect();
    assert_eq!(kb(&sandbox, &QUESTION).code, 0);
    std::thread::sleep(Duration::from_millis(2500));
    assert!(server.answers(&QUESTION), "silent connections end");
    drop(silent);
    // Processes that go away in the middle.
    for _ in 0..5 {
        kill_after(Duration::from_millis(8), &mut command(&sandbox, &QUESTION));
    }
    assert!((0..50).any(|_| server.answers(&QUESTION)));
}

#[test]
fn many_at_once_get_their_answers() {
    let sandbox = Sandbox::of_two_documents();
    let server = serve(&sandbox, &[]);
    let expected: Vec<Run> = ["pump", "valve"].iter().map(|word| alone(&sandbox, &["search", word])).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (word, expected) in ["pump", "valve"].iter().zip(&expected).cycle().take(10) {
                    let run = kb(&sandbox, &["search", word]);
                    assert_eq!((run.code, &run.out, &run.err), (expected.code, &expected.out, &expected.err));
                }
            });
        }
    });
    assert!(server.answers(&QUESTION));
}

/// Ends a server that was started in the background.
struct Stopping<'s>(&'s Sandbox);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        kb(self.0, &["serve", "--stop"]);
    }
}

fn is_served_soon(sandbox: &Sandbox) -> bool {
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(30));
        kb(sandbox, &["search", "pump", "-v"]).err.contains(SERVED)
    })
}

#[test]
fn none_is_started_unless_the_user_says_so() {
    let sandbox = Sandbox::of_two_documents();
    let _stopping = Stopping(&sandbox);
    let starts = |run: &Run| run.err.contains("started kb serve");
    assert!(!starts(&kb(&sandbox, &["search", "pump", "-v"])));
    // A store cannot say so by itself.
    sandbox.write(".kb/kb.toml", "serve = \"auto\"\n");
    let found = kb(&sandbox, &["search", "pump", "-v"]);
    assert!(!starts(&found) && found.err.contains("ignored serve, because this store is not trusted"), "{}", found.err);
    sandbox.write(".kb/kb.toml", "");
    let folder = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    sandbox.write(&format!("{folder}/kb/config.toml"), "serve = \"auto\"\n");
    assert_eq!(row(&sandbox.items(&["config"]), "setting", "serve")["value"], "auto");
    assert!(!starts(&kb(&sandbox, &["search", "pump", "-v", "--serve", "running"])));
    // Descriptors of a script stay with it: otherwise the pipe would be open as long as the server runs.
    let line = "\"$0\" search pump -v 3>&1 >out 2>err | timeout 20 cat";
    let kb = command(&sandbox, &[]);
    let mut script = Command::new("bash");
    script.args(["-c", &format!("set -o pipefail; {line}")]).arg(kb.get_program());
    script
        .current_dir(sandbox.path("."))
        .env_clear()
        .envs(kb.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run(script.env("PATH", std::env::var_os("PATH").unwrap())).ok();
    assert!(std::fs::read_to_string(sandbox.path("err")).unwrap().contains("started kb serve"));
    assert!(is_served_soon(&sandbox));
}

#[test]
fn none_is_started_for_a_store_of_others() {
    let sandbox = Sandbox::of_two_documents();
    let _stopping = Stopping(&sandbox);
    sandbox.kb(&["trust", "--revoke"]);
    kb(&sandbox, &["search", "pump", "-v", "--serve", "auto"]).ok().lacks("started kb serve");
}
