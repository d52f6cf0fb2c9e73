//! `kb browse`, at a pseudo-terminal.

use crate::common::Sandbox;

fn pumps() -> Sandbox {
    Sandbox::prepared("browse::pumps", |sandbox| {
        sandbox.write("pumps.md", "# Pumps\n\n## Priming\n\nFill the casing with water before the start.\n");
        sandbox.write("手册.md", "# 泵站手册\n\n启动前先关闭阀门。\n");
        sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    })
}

#[test]
fn without_a_terminal_it_says_so() {
    pumps().kb(&["browse"]).tells(2, "needs a terminal");
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use super::*;
    use crate::common::terminal::Terminal;

    /// Columns of a wide screen.
    const COLUMNS: u16 = 100;

    #[test]
    fn documents_are_unfolded_searched_read_and_changed() {
        let sandbox = pumps();
        let mut terminal = Terminal::run(&sandbox, COLUMNS, &["browse"]);
        terminal.waits_for("pumps.md");
        terminal.press("\r");
        terminal.waits_for("Priming");
        terminal.press("casing");
        terminal.waits_for("before");
        terminal.press("\u{18}");
        terminal.waits_for("delete");
        terminal.press("y");
        terminal.waits_for("deleted");
        terminal.press("\u{1b}");
        let code = terminal.exit_code();
        assert_eq!(code, Some(0), "{}", terminal.shown());
        assert_eq!(sandbox.kb(&["search", "casing"]).code, 1, "the chunk is gone");
        sandbox.kb(&["undo"]).ok();
    }

    /// This terminal, like some others, does not say where its cursor is.
    #[test]
    fn an_edited_chunk_is_shown_after_the_edit() {
        let sandbox = pumps();
        let mut command = sandbox.command(&["browse"]);
        // Only letters that change are drawn again.
        command.env("EDITOR", "sed -i s/water/brine/");
        let mut terminal = Terminal::with(command, COLUMNS);
        terminal.waits_for("pumps.md");
        terminal.press("casing");
        terminal.waits_for("before");
        terminal.press("\u{5}");
        terminal.waits_for("brine");
        terminal.press("\u{3}");
        assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.shown());
    }

    #[test]
    fn a_query_of_the_command_line_is_searched_for_and_the_terminal_is_given_back() {
        let sandbox = pumps();
        let mut terminal = Terminal::run(&sandbox, COLUMNS, &["browse", "阀门"]);
        // The cursor is set anew after each wide character.
        terminal.waits_for("闭");
        terminal.press("\u{3}");
        assert_eq!(terminal.exit_code(), Some(0));
        terminal.waits_for("\u{1b}[?1049l");
    }
}
