//! Confines a worker: limited memory, few environment variables, no network, and an end with its parent.
//!
//! An OCR program that it starts inherits the limits.

use std::path::Path;
use std::process::{Child, Command};

use crate::text::lists;

/// The variables that a worker and its OCR program get besides `LC_*`. All others may hold secrets.
const VARIABLES: &str = "PATH HOME LANG LANGUAGE TESSDATA_PREFIX OMP_THREAD_LIMIT LD_LIBRARY_PATH DYLD_LIBRARY_PATH \
    SystemRoot";

/// The variables that name the folder for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TEMP", "TMP"];

/// Prepares the environment of a worker, with its folder for temporary files, and on Unix its own process group.
pub(super) fn prepare(command: &mut Command, temporary: &Path) {
    command.env_clear();
    let needed = |name: &str| name.starts_with("LC_") || lists(VARIABLES, name);
    command.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(needed)));
    command.envs(TEMPORARY.map(|name| (name, temporary)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Ends a worker, and on Unix everything that it started.
pub(super) fn end(mut child: Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // An error means that the group has ended already.
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap_or_default();
    }
    if child.kill().is_ok() {
        child.wait().map(drop).unwrap_or_default();
    }
}

/// Limits the memory of the process, in bytes; `None` lifts the limit between two files. The limit is on data, not on
/// address space, because the program maps far more than it touches.
#[cfg(unix)]
pub(super) fn limit_memory(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Data).maximum;
    let current = bytes.into_iter().chain(maximum).min();
    // A system that refuses has a limit of its own.
    setrlimit(Resource::Data, Rlimit { current, maximum }).unwrap_or_default();
}

#[cfg(not(unix))]
pub(super) fn limit_memory(_bytes: Option<u64>) {}

/// The data of this process in bytes; 0 if the system does not say.
pub(super) fn data_in_use() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0).saturating_mul(1 << 10)
}

/// Ends this process and everything that it started when its parent is gone, so that no OCR program outlives a killed
/// parent.
#[cfg(unix)]
pub(super) fn end_with_parent() -> std::io::Result<()> {
    use rustix::process::{Signal, getpgrp, getppid, kill_process_group};
    use std::time::Duration;

    /// How often to check. The system does not tell a worker's grandchildren that the parent died.
    const PAUSE: Duration = Duration::from_millis(100);
    /// In bytes. Small, because the stacks of threads count against the worker's memory limit.
    const STACK: usize = 64 << 10;

    let parent = getppid();
    let watch = move || {
        while getppid() == parent {
            std::thread::sleep(PAUSE);
        }
        // The group is the worker's own, unless a person started it in a terminal.
        kill_process_group(getpgrp(), Signal::KILL).unwrap_or_default();
        std::process::abort();
    };
    std::thread::Builder::new().name("parent".to_owned()).stack_size(STACK).spawn(watch).map(drop)
}

#[cfg(not(unix))]
pub(super) fn end_with_parent() -> std::io::Result<()> {
    Ok(())
}

/// Forbids sockets to this process and everything that it starts, except Unix sockets: a compromised parser cannot send
/// anything. A program that uses the library may have threads already, such as those of `#[tokio::main]`.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn forbid_network() {
    // Some systems refuse filters; a worker runs without one there.
    network::forbid().unwrap_or_default();
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn forbid_network() {}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod network {
    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch, apply_filter_all_threads,
    };

    /// The second set of system calls on x86-64 (x32), which some systems still offer.
    #[cfg(target_arch = "x86_64")]
    const X32: i64 = 0x4000_0000;

    pub(super) fn forbid() -> Result<(), Error> {
        let other_machines = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)
            .and_then(|not_local| SeccompRule::new(vec![not_local]))?;
        // io_uring opens sockets without the system call `socket`.
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            BTreeMap::from([(libc::SYS_socket, vec![other_machines]), (libc::SYS_io_uring_setup, Vec::new())]);
        #[cfg(target_arch = "x86_64")]
        rules.extend([(X32 + libc::SYS_socket, Vec::new()), (X32 + libc::SYS_io_uring_setup, Vec::new())]);
        let denied = SeccompAction::Errno(libc::EACCES as u32);
        let filter =
            SeccompFilter::new(rules, SeccompAction::Allow, denied, TargetArch::try_from(std::env::consts::ARCH)?)?;
        let program: BpfProgram = filter.try_into()?;
        apply_filter_all_threads(&program)
    }
}
