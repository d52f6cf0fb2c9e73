//! All targets in one program, because linking each would take longer than many of them run. `KB_FUZZ_TARGET` names the
//! one that runs.

#![no_main]

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::OnceLock;

use kb::fuzzing::{TARGETS, Target};

/// A panic in our code is a finding. One in a library ends a worker process in the program, and nothing here.
fn report(panic: &PanicHookInfo<'_>) {
    let ours =
        panic.location().is_none_or(|place| place.file().starts_with("src/") || place.file().starts_with("/rustc/"));
    if ours {
        eprintln!("{panic}\n{}", std::backtrace::Backtrace::force_capture());
        std::process::abort();
    }
}

fn target() -> &'static Target {
    static CHOSEN: OnceLock<&Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        std::panic::set_hook(Box::new(report));
        let name = std::env::var("KB_FUZZ_TARGET").unwrap_or_default();
        TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            eprintln!("KB_FUZZ_TARGET={name} is no target; there are {}", names.join(" "));
            std::process::exit(2);
        })
    })
}

libfuzzer_sys::fuzz_target!(init: { target(); }, |input: &[u8]| {
    let run = target().run;
    // The hook has already aborted on a panic of our code.
    drop(catch_unwind(AssertUnwindSafe(|| run(input))));
});
