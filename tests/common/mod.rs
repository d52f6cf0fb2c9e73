//! A scratch folder in which the real binary is run.

// Each test file uses its own part of this; and what goes wrong in here ends the test, as it should.
#![allow(dead_code, clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for a test, with a store in it once something is ingested.
pub struct Sandbox {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Sandbox { folder: tempfile::tempdir().expect("a scratch folder") }
    }

    /// A sandbox with the good fixtures in `docs/`, ingested.
    pub fn with_fixtures() -> Self {
        let sandbox = Sandbox::new();
        copy_folder(&fixtures().join("docs"), &sandbox.path("docs"));
        let run = sandbox.kb(&["ingest", "docs"]);
        assert_eq!(run.code, 0, "{}", run.err);
        sandbox
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

    /// The program, not yet started, with nothing of the user's environment that it heeds.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kb"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        for name in [
            "KB_DIR",
            "KB_NAMESPACE",
            "KB_PASSWORD",
            "KB_SEARCH_METHOD",
            "ORT_DYLIB_PATH",
            "NO_COLOR",
            "CLICOLOR_FORCE",
        ] {
            command.env_remove(name);
        }
        // The same engine on every machine.
        command.env("KB_ONNXRUNTIME", "off");
        command
    }

    pub fn kb(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().expect("kb runs"))
    }

    pub fn kb_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kb runs");
        child.stdin.take().expect("a pipe").write_all(input).expect("input is taken");
        Run::of(child.wait_with_output().expect("kb ends"))
    }

    /// Runs and expects success; gives the JSON it printed.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let run = self.kb(&[args, &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", run.out))
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}
