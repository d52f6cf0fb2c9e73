//! The progress of an ingest at a terminal.

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
        // Nothing clears a line that is not the bar's own.
        let message = shown.find("made a new knowledge base").expect("the message");
        assert!(shown[message..].contains("failed: docs/broken.pdf"), "{shown:?}");
        assert!(!shown.contains("\u{1b}[2A"), "{columns} columns: a bar of two lines: {shown:?}");
    }
}
