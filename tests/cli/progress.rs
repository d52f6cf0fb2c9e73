//! An ingest at a terminal: its progress, and what it asks.

#[cfg(target_os = "linux")]
#[test]
fn no_line_of_progress_wraps_and_messages_stay() {
    use crate::common::{Sandbox, terminal::Terminal};

    for columns in [60, 80, 100] {
        let sandbox = Sandbox::new();
        for number in 0..300 {
            let text = format!("The part number {number} is green and has been looked after since its first year. ");
            sandbox.write(&format!("docs/{number}.md"), format!("# Part {number}\n\n{}", text.repeat(10)));
        }
        sandbox.write("docs/broken.pdf", "%PDF-1.4 nothing");
        let mut terminal = Terminal::run(&sandbox, columns, &["ingest", "docs"]);
        terminal.waits_for("300 added");
        assert_eq!(terminal.exit_code(), Some(4));
        let shown = terminal.shown();
        let drawn: Vec<&str> = shown.split(['\r', '\n']).filter(|line| line.contains(" left  ")).collect();
        assert!(!drawn.is_empty(), "no progress in {shown:?}");
        for line in drawn {
            let printed: String = line
                .split('\u{1b}')
                .map(|part| part.split_once(['m', 'K', 'A']).map_or(part, |(_, rest)| rest))
                .collect();
            assert!(printed.chars().count() <= usize::from(columns), "{columns} columns: {printed:?}");
        }
        // A bar of two lines moves the cursor up and clears what is above; one without a length was drawn too early.
        assert!(!shown.contains("\u{1b}[1A") && !shown.contains("0/0"), "{columns} columns: {shown:?}");
        assert_eq!(shown.matches("failed: docs/broken.pdf").count(), 1, "{columns} columns: {shown:?}");
        for message in ["made a new knowledge base", "failed: docs/broken.pdf"] {
            let before = &shown[..shown.find(message).unwrap_or_else(|| panic!("no {message:?} in {shown:?}"))];
            // The report paints failures.
            let before = before.strip_suffix("\u{1b}[31m").unwrap_or(before);
            let begins = before.is_empty() || before.ends_with('\n') || before.ends_with("\u{1b}[2K");
            assert!(begins, "{message:?} is not at the beginning of a line: {before:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_ingest_offers_a_model_that_reads_the_documents() {
    use crate::common::{Sandbox, terminal::Terminal};

    let ingest = |sandbox: &Sandbox| {
        let mut command = sandbox.command(&["ingest", "docs"]);
        // Nobody listens there.
        command.env("HF_ENDPOINT", "http://127.0.0.1:1");
        Terminal::with(command, 100)
    };
    let prepared = || {
        let sandbox = Sandbox::new();
        sandbox.write("docs/a.md", "# 水泵\n\n离心泵在启动前必须灌满水，否则泵轮空转。\n");
        sandbox
    };
    let sandbox = prepared();
    let mut terminal = ingest(&sandbox);
    terminal.waits_for("download the model bge-small-zh-v1.5 (about 96 MB)");
    terminal.press("n\n");
    assert_eq!(terminal.exit_code(), Some(0));
    sandbox.write("docs/b.md", "# 阀门\n\n关闭阀门要慢。\n");
    let mut terminal = ingest(&sandbox);
    terminal.waits_for("1 added");
    assert_eq!(terminal.exit_code(), Some(0), "it asks once");
    let sandbox = prepared();
    let mut terminal = ingest(&sandbox);
    terminal.waits_for("[y/N]");
    terminal.press("y\n");
    terminal.waits_for("folder");
    assert_eq!(terminal.exit_code(), Some(0), "what was read is in: {}", terminal.shown());
    assert_eq!(sandbox.count(&["docs"]), 1, "what was read is in the store");
}
