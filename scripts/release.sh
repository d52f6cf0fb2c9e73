#!/usr/bin/env bash
# Builds kb with the release profile and packs it: dist/kb-VERSION-TARGET.tar.gz with the program, its licences,
# README, CHANGELOG, docs, completions and manual pages, and a .sha256 file beside the archive.
set -euo pipefail
cd "$(dirname "$0")/.."

target_dir=${CARGO_TARGET_DIR:-target}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
target=$(rustc -vV | sed -n 's/^host: //p')
name="kb-$version-$target"

cargo build --release --locked

rm -rf "dist/$name"
mkdir -p "dist/$name"
cp "$target_dir/release/kb" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "dist/$name/"
cp -r docs completions "dist/$name/"
"$target_dir/release/kb" man "dist/$name/man"
# The same files give the same archive: sorted names, no owner, the time of the commit.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
  -C dist -cf - "$name" | gzip -n >"dist/$name.tar.gz"
(cd dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
"dist/$name/kb" --version
ls -l "dist/$name/kb" "dist/$name.tar.gz"
