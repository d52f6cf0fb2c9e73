# Daily commands. `just` lists them.

# Keep build output outside the clone where a shared folder exists (the one that .ci/run uses).
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", if path_exists("/var/cache/kb-target") == "true" { "/var/cache/kb-target" } else { "target" })

_default:
    @just --list

# Type-check everything
check:
    cargo check --locked --all-targets

# Run all tests, or those whose name contains FILTER
test FILTER="":
    cargo test --locked {{ FILTER }}

# Format, then lint
lint:
    cargo fmt
    cargo clippy --locked --all-targets -- -D warnings

# Run the program: just run search "how is the pump primed?"
run *ARGS:
    cargo run --locked --profile quick -- {{ ARGS }}

# Measure retrieval on a set in the BEIR layout
eval SET:
    cargo run --locked --profile quick -- eval {{ SET }}

# Write completions/ again after a change of options
completions:
    cargo build --locked
    for pair in bash:kb.bash zsh:_kb fish:kb.fish powershell:_kb.ps1 elvish:kb.elv nushell:kb.nu; do \
        "$CARGO_TARGET_DIR/debug/kb" completions "${pair%%:*}" > "completions/${pair#*:}"; done

# Draw the picture of the README again
picture:
    cargo build --locked
    python3 scripts/picture.py "$CARGO_TARGET_DIR/debug/kb"

# Build the fixtures again
fixtures:
    python3 -m pip install -r fixtures/requirements.txt
    python3 fixtures/generate.py

# Build the release archive
archive:
    scripts/release.sh

# Fuzz the parsers for SECONDS each, or those that are named: just fuzz 180 html
fuzz SECONDS *TARGETS:
    fuzz/run {{ SECONDS }} {{ TARGETS }}

# Everything that must pass before a change lands
ci:
    .ci/run

# What takes an hour or more: fuzzing, the model test, a thousand kills
long:
    .ci/long
