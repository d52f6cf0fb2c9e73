#!/usr/bin/env bash
# Builds kb with the release profile and packs it (see package.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked
scripts/package.sh "${CARGO_TARGET_DIR:-target}/release/kb"
