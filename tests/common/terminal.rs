//! The program at a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Sandbox;

/// Far more than any test needs, also beside other work: it ends tests of programs that hang.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// A terminal with a program in it.
pub struct Terminal {
    keyboard: File,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Reads what the program writes.
    reader: Option<JoinHandle<()>>,
    program: Child,
}

impl Terminal {
    pub fn run(sandbox: &Sandbox, columns: u16, args: &[&str]) -> Self {
        Terminal::with(sandbox.command(args), columns)
    }

    pub fn with(mut command: Command, columns: u16) -> Self {
        let (mut outer, mut inner) = (0, 0);
        let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let none = std::ptr::null_mut();
        // SAFETY: the two descriptors are written by the call and owned by nobody else; the size is only read.
        let (outer, inner) = unsafe {
            assert_eq!(libc::openpty(&mut outer, &mut inner, none, none.cast(), &size), 0);
            (OwnedFd::from_raw_fd(outer), OwnedFd::from_raw_fd(inner))
        };
        // Programs of other tests do not inherit clones, and so do not keep this terminal open.
        let [outer, inner] = [outer, inner].map(|end| end.try_clone().unwrap());
        let end = || inner.try_clone().unwrap();
        let program = command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color").spawn().unwrap();
        drop(inner);
        let mut screen = File::from(outer.try_clone().unwrap());
        let shown = Arc::new(Mutex::new(Vec::new()));
        let to = shown.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the program has left the terminal.
            while let Ok(count) = screen.read(&mut bytes) {
                to.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Terminal { keyboard: File::from(outer), shown, reader: Some(reader), program }
    }

    pub fn press(&mut self, keys: &str) {
        self.shown.lock().unwrap().clear();
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    pub fn waits_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.shown().contains(text) {
            assert!(begun.elapsed() < LONGEST_WAIT, "{text:?} is not in {:?}", self.shown());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything since the last keys, with what moves the cursor.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Waits for the end of the program.
    pub fn exit_code(&mut self) -> Option<i32> {
        self.program.wait().unwrap().code()
    }

    /// Waits for the end of the program. Returns its exit code and all that it has shown.
    pub fn end(mut self) -> (Option<i32>, String) {
        let code = self.exit_code();
        self.reader.take().unwrap().join().unwrap();
        (code, self.shown())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.program.kill().unwrap_or_default();
        self.program.wait().unwrap();
    }
}
