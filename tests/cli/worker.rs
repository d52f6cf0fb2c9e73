//! What a hostile file can do to a run, and what a worker process may do: limits, secrets, network, children.

use crate::common::Sandbox;

#[test]
fn limits_beyond_reason_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves\n\nClose them slowly.");
    let limits = [
        ("--file-timeout", "86400"),
        ("--page-timeout", "86400"),
        ("--worker-memory", "1048576"),
        ("--max-file-size", "1048576"),
        ("--jobs", "1024"),
    ];
    let ingest = ["ingest", ".", "--no-embed"];
    for (flag, most) in limits {
        let run = sandbox.kb(&[&ingest[..], &[flag, "18446744073709551615"]].concat());
        run.tells_all(2, &[flag, &format!("from 1 to {most}")]);
    }
    let highest: Vec<&str> = limits.iter().flat_map(|(flag, most)| [*flag, *most]).collect();
    sandbox.kb(&[&ingest[..], &highest[..]].concat()).ok();
}

/// Parsing, cutting and the profile together stay within the limits.
#[test]
fn text_is_cut_within_the_limits_of_a_worker() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves\n\nClose them slowly.");
    sandbox.write("big.txt", "Open the drain. Close it.\n\n".repeat(400_000));
    sandbox.kb(&["ingest", ".", "--no-embed", "--file-timeout", "5"]).shows(4, "within 5 s").shows(4, "--file-timeout");
    #[cfg(target_os = "linux")]
    {
        sandbox.kb(&["ingest", ".", "--no-embed", "--worker-memory", "1"]).shows_all(4, &["memory", "--worker-memory"]);
    }
    assert_eq!(sandbox.count(&["docs"]), 1, "the other file is in");
}

#[cfg(target_os = "linux")]
mod ocr {
    use super::*;
    use crate::common::{wait_for, wait_until};

    const INGEST: [&str; 5] = ["ingest", "scan.pdf", "--no-embed", "--ocr-command", "bash ocr.sh"];

    /// The number that the program wrote into a file, as soon as it is there.
    fn process(sandbox: &Sandbox, file: &str) -> String {
        wait_for(&format!("{file} is written"), || {
            let text = std::fs::read_to_string(sandbox.path(file)).unwrap_or_default();
            text.strip_suffix('\n').map(str::to_owned)
        })
    }

    /// Waits until a process is gone, or waits for its parent to notice.
    fn assert_ends(process: &str) {
        let is_alive = || {
            let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
        };
        wait_until(&format!("{process} ends"), || !is_alive());
    }

    /// Starts a child of its own and waits for it.
    const HANGS: &str = "echo $PPID > worker; echo \"$1\" > image; sleep 600 & echo $! > child; wait";

    #[test]
    fn a_page_that_times_out_takes_the_ocr_program_and_its_children_along() {
        let sandbox = Sandbox::with_scan(HANGS);
        sandbox.write("a.md", "# Valves\n\nClose them slowly.");
        let temporary = sandbox.path("temporary");
        std::fs::create_dir(&temporary).unwrap();
        let args = [&INGEST[..], &["a.md", "--page-timeout", "1"]].concat();
        let run = sandbox.kb_with(&[("TMPDIR", &temporary)], &args);
        run.shows_all(4, &["took too long", "--page-timeout"]);
        assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "a.md\n", "the other file is in");
        assert_ends(&process(&sandbox, "child"));
        assert!(process(&sandbox, "image").starts_with(temporary.to_str().unwrap()));
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "no temporary file is left");
    }

    #[test]
    fn a_missing_folder_for_temporary_files_is_named() {
        let sandbox = Sandbox::with_scan(HANGS);
        let gone = sandbox.path("gone");
        let run = sandbox.kb_with(&[("TMPDIR", &gone)], &INGEST);
        run.shows_all(4, &["cannot make a folder for a worker in", "gone: no such file or directory", "with TMPDIR"]);
    }

    #[test]
    fn a_parent_that_is_killed_takes_workers_and_ocr_programs_along() {
        let sandbox = Sandbox::with_scan(HANGS);
        let mut parent = sandbox.command(&INGEST).spawn().unwrap();
        let (worker, child) = (process(&sandbox, "worker"), process(&sandbox, "child"));
        parent.kill().unwrap();
        parent.wait().unwrap();
        assert_ends(&worker);
        assert_ends(&child);
    }

    #[test]
    fn a_parser_that_dies_fails_its_file_alone() {
        let sandbox =
            Sandbox::with_scan("[ -e dead ] || { touch dead; kill -9 $PPID; }; echo The clerk read a letter.");
        let mut other = std::fs::read(sandbox.path("scan.pdf")).unwrap();
        other.push(b'\n');
        sandbox.write("z.pdf", other);
        sandbox.kb(&[&INGEST[..], &["z.pdf", "--jobs", "1"]].concat()).shows(4, "crashed");
        assert_eq!(sandbox.count(&["docs"]), 1, "the other file is in");
    }

    #[test]
    fn workers_get_no_secrets() {
        let sandbox = Sandbox::with_scan("env > seen; echo The clerk read a letter.");
        let variables = [("KB_PASSWORD", "harbour"), ("SERVICE_TOKEN", "harbour"), ("LC_TIME", "C")];
        sandbox.kb_with(&variables, &INGEST).ok();
        let seen = std::fs::read_to_string(sandbox.path("seen")).unwrap();
        assert!(!seen.contains("harbour") && seen.contains("PATH=") && seen.contains("LC_TIME=C"), "{seen}");
    }

    #[test]
    fn workers_have_no_network() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let program = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && touch connected\necho The clerk read a letter.");
        let sandbox = Sandbox::with_scan(&program);
        sandbox.kb(&INGEST).ok();
        assert!(!sandbox.path("connected").exists() && listener.accept().is_err());
        let free = std::process::Command::new("bash").arg("ocr.sh").current_dir(sandbox.path(".")).output().unwrap();
        assert!(free.status.success() && sandbox.path("connected").exists() && listener.accept().is_ok());
    }
}
