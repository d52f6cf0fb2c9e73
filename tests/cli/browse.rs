//! `kb browse`, at a pseudo-terminal.

use crate::common::Sandbox;

fn pumps() -> Sandbox {
    Sandbox::prepared("browse::pumps", |sandbox| {
        sandbox.write("pumps.md", "# Pumps\n\n## Priming\n\nFill the casing with water before the start.\n");
        sandbox.write("手册.md", "# 泵站手册\n\n启动前先关闭阀门。\n");
        assert_eq!(sandbox.kb(&["ingest", ".", "--no-embed"]).code, 0);
    })
}

#[test]
fn without_a_terminal_it_says_so() {
    let run = pumps().kb(&["browse"]);
    assert!(run.code == 2 && run.err.contains("needs a terminal"), "{}", run.err);
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::process::Child;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use super::*;

    /// A terminal of 100 columns with a program in it.
    struct Terminal {
        keyboard: File,
        shown: Arc<Mutex<String>>,
        program: Child,
    }

    impl Terminal {
        fn run(sandbox: &Sandbox, args: &[&str]) -> Self {
            let (mut outer, mut inner) = (0, 0);
            let size = libc::winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
            let none = std::ptr::null_mut();
            // SAFETY: the two descriptors are written by the call and owned by nobody else; the size is only read.
            let (outer, inner) = unsafe {
                assert_eq!(libc::openpty(&mut outer, &mut inner, none, none.cast(), &size), 0);
                (OwnedFd::from_raw_fd(outer), OwnedFd::from_raw_fd(inner))
            };
            let end = || inner.try_clone().unwrap();
            let mut command = sandbox.command(args);
            let program =
                command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color").spawn().unwrap();
            drop(inner);
            let mut screen = File::from(outer.try_clone().unwrap());
            let shown = Arc::new(Mutex::new(String::new()));
            let to = shown.clone();
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                // Reading fails when the program has left the terminal.
                while let Ok(count) = screen.read(&mut bytes) {
                    to.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
                }
            });
            Terminal { keyboard: File::from(outer), shown, program }
        }

        fn press(&mut self, keys: &str) {
            self.shown.lock().unwrap().clear();
            self.keyboard.write_all(keys.as_bytes()).unwrap();
        }

        fn waits_for(&self, text: &str) {
            let begun = Instant::now();
            while !self.shown.lock().unwrap().contains(text) {
                let shown = self.shown.lock().unwrap().clone();
                assert!(begun.elapsed() < Duration::from_secs(60), "{text:?} is not in {shown:?}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    impl Drop for Terminal {
        fn drop(&mut self) {
            self.program.kill().unwrap_or_default();
            self.program.wait().unwrap();
        }
    }

    #[test]
    fn documents_are_unfolded_searched_read_and_changed() {
        let sandbox = pumps();
        let mut terminal = Terminal::run(&sandbox, &["browse"]);
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
        let code = terminal.program.wait().unwrap().code();
        assert_eq!(code, Some(0), "{}", terminal.shown.lock().unwrap());
        assert_eq!(sandbox.kb(&["search", "casing"]).code, 1, "the chunk is gone");
        assert_eq!(sandbox.kb(&["undo"]).code, 0);
    }

    #[test]
    fn a_query_of_the_command_line_is_searched_for_and_the_terminal_is_given_back() {
        let sandbox = pumps();
        let mut terminal = Terminal::run(&sandbox, &["browse", "阀门"]);
        // The cursor is set anew after each wide character.
        terminal.waits_for("闭");
        terminal.press("\u{3}");
        assert_eq!(terminal.program.wait().unwrap().code(), Some(0));
        terminal.waits_for("\u{1b}[?1049l");
    }
}
