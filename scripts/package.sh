#!/usr/bin/env bash
# Packs a built kb into dist/: kb-VERSION-TARGET.tar.gz, a Debian package where dpkg-deb is installed, a list of all crates
# in the program (CycloneDX) where cargo-cyclonedx is, and the hashes of all in SHA256SUMS. A static kb, if one is named too,
# becomes kb-VERSION-TARGET-static.tar.gz. The same program and files in the same folder give the same packages.
#
#   scripts/package.sh target/release/kb [target/TARGET/release/kb]
set -euo pipefail
program=$(realpath "${1:?the built program, such as target/release/kb}")
static=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."

version=$("$program" --version | cut -d ' ' -f 2)
target=$(rustc -vV | sed -n 's/^host: //p')
# The time of the commit, for everything that has a time.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022

name=kb-$version-$target
rm -rf dist/kb-* dist/kb_*.deb dist/deb
mkdir -p "dist/$name/models"
cp "$program" "dist/$name/kb"
cp README.md CHANGELOG.md CONTRIBUTING.md LICENSE-MIT LICENSE-APACHE "dist/$name/"
cp models/README.md models/LICENSE "dist/$name/models/"
cp -r docs completions examples "dist/$name/"
"$program" --quiet man "dist/$name/man"

# An archive of a folder in dist/.
pack() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C dist -cf - "$1" |
    gzip -n >"dist/$1.tar.gz"
}

pack "$name"
packages=("$name.tar.gz")
if [ -n "$static" ]; then
  cp -r "dist/$name" "dist/$name-static"
  cp "$static" "dist/$name-static/kb"
  pack "$name-static"
  packages+=("$name-static.tar.gz")
fi

if command -v dpkg-deb >/dev/null; then
  architecture=$(dpkg --print-architecture)
  deb=kb_${version}_$architecture.deb
  root=dist/deb
  share=$root/usr/share
  install -Dm 755 "$program" "$root/usr/bin/kb"
  install -Dm 644 completions/kb.bash "$share/bash-completion/completions/kb"
  install -Dm 644 completions/_kb "$share/zsh/vendor-completions/_kb"
  install -Dm 644 completions/kb.fish "$share/fish/vendor_completions.d/kb.fish"
  for page in "dist/$name/man"/*.1; do
    install -Dm 644 "$page" "$share/man/man1/${page##*/}"
  done
  gzip -n9 "$share/man/man1"/*.1
  install -Dm 644 -t "$share/doc/kb" README.md CHANGELOG.md CONTRIBUTING.md
  install -Dm 644 -t "$share/doc/kb/models" models/README.md
  cp -r docs "$share/doc/kb/"
  cat LICENSE-MIT LICENSE-APACHE >"$share/doc/kb/copyright"
  mkdir -p "$root/DEBIAN"
  # The newest version of glibc whose symbols the program needs.
  glibc=$(grep -aoE 'GLIBC_[0-9]+\.[0-9]+' "$program" | sort -uV | tail -n 1)
  cat >"$root/DEBIAN/control" <<EOF
Package: kb
Version: $version
Architecture: $architecture
Maintainer: the kb authors <kb@localhost>
Depends: libc6 (>= ${glibc#GLIBC_}), libgcc-s1
Recommends: ca-certificates
Section: utils
Priority: optional
Description: knowledge base on the command line
 Answers questions with the right section of the right document, offline.
EOF
  find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "dist/$deb"
  packages+=("$deb")
fi

if cargo cyclonedx --version >/dev/null 2>&1; then
  cargo cyclonedx --quiet --format json --target "$target" --override-filename bom
  mv bom.json "dist/$name.cdx.json"
  rm -f models/bom.json fuzz/bom.json
  packages+=("$name.cdx.json")
fi

(cd dist && sha256sum "${packages[@]}" >SHA256SUMS && cat SHA256SUMS)
rm -rf dist/deb
