//! The program as a process beside the test: started, waited for, stopped.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Run;

/// A process that ends with the test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().unwrap();
    }
}

/// Starts a program whose output `end` returns.
pub fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Runs a program to its end.
pub fn run(command: &mut Command) -> Run {
    Run::of(command.output().expect("it runs"))
}

/// Waits for the end of a program.
pub fn end(child: Child) -> Run {
    Run::of(child.wait_with_output().expect("it ends"))
}

#[cfg(unix)]
pub fn signal_to(child: &Child, signal: rustix::process::Signal) {
    use rustix::process::{Pid, kill_process};
    kill_process(Pid::from_child(child), signal).expect("a process");
}

/// Does as Ctrl-C does.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    signal_to(child, rustix::process::Signal::INT);
}

/// Starts a program and kills it after a time. Returns whether it was done by then.
pub fn kill_after(time: Duration, command: &mut Command) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(time);
    // It may have ended.
    child.kill().unwrap_or_default();
    child.wait().expect("it ends").success()
}

/// Waits until there is something, for at most two minutes.
#[track_caller]
pub fn wait_for<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until something is so, for at most two minutes.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
