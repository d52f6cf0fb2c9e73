//! What one of many namespaces costs, and twenty of them at once.
//!
//! ```sh
//! cargo bench --bench measure -- namespaces --chunks 10000 --namespaces 1000 --keep DIR
//! ```
//!
//! All namespaces are links to the files of one, so that a thousand fit on a disk; kb cannot tell. At the end twenty
//! are searched by a process that may open 256 files.

use std::path::Path;
use std::process::Command;

use crate::synthetic::stores::{CHUNKS, Options, fail, kb, make, report, report_head};
use crate::synthetic::{Random, document};

/// How many are searched at once.
const AT_ONCE: u64 = 20;

pub fn run(options: &Options) {
    let chunks = options.chunks[0];
    let (small, many) = (options.folder(chunks), options.folder(chunks).with_extension("many"));
    for folder in [&small, &many] {
        make(folder, chunks / CHUNKS).unwrap_or_else(|error| fail(&error.to_line()));
    }
    let namespaces = many.join(".kb/namespaces");
    for number in 0..options.namespaces {
        let to = namespaces.join(name(number));
        if !to.exists() {
            link(&namespaces.join("default"), &to).unwrap_or_else(|error| fail(&format!("{}: {error}", to.display())));
        }
    }
    println!(
        "{} namespaces of {chunks} chunks; {} bytes of text in a document",
        options.namespaces,
        document(1, 8).len()
    );
    report_head();
    let middle = options.namespaces / 2;
    let one = name(middle);
    let several: Vec<String> = (middle..middle + AT_ONCE).map(name).collect();
    let several = several.join(",");
    let mut random = Random::of(7);
    for (what, folder, args) in [
        ("a store of one, keyword search", &small, &["--method", "keyword"][..]),
        ("one of many, keyword search", &many, &["--method", "keyword", "-n", &one]),
        ("twenty of many, keyword search", &many, &["--method", "keyword", "-n", &several]),
        ("a store of one, hybrid search", &small, &[]),
        ("one of many, hybrid search", &many, &["-n", &one]),
        ("twenty of many, hybrid search", &many, &["-n", &several]),
    ] {
        report(what, options.runs(15), || {
            let question = format!("how does {} work", random.words(4));
            kb(folder, &[&["search", &question], args].concat())
        });
    }
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "ulimit -n 256; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_kb"),
        "search",
        "how does it work",
        "-n",
    ]);
    let run = limited.arg(&several).current_dir(&many).env("KB_ONNXRUNTIME", "off").output();
    let run = run.unwrap_or_else(|error| fail(&format!("sh: {error}")));
    println!(
        "twenty with 256 open files: exit code {:?} {}",
        run.status.code(),
        String::from_utf8_lossy(&run.stderr).trim()
    );
}

fn name(number: u64) -> String {
    format!("n{number:04}")
}

/// A folder with the same files. What is written in place is copied.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link(&path, &to)?;
        } else if path.to_string_lossy().ends_with("lock") {
            std::fs::copy(&path, &to)?;
        } else {
            std::fs::hard_link(&path, &to)?;
        }
    }
    Ok(())
}
