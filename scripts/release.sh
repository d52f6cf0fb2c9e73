#!/usr/bin/env bash
# Builds kb with the release profile and packs it (see package.sh). On Linux it also builds a static kb, which runs on any
# distribution but loads no ONNX Runtime.
set -euo pipefail
cd "$(dirname "$0")/.."

built=${CARGO_TARGET_DIR:-target}
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --locked
programs=("$built/release/kb")
if [[ $host == *-linux-gnu ]]; then
  RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --bin kb --target "$host"
  programs+=("$built/$host/release/kb")
fi
scripts/package.sh "${programs[@]}"
