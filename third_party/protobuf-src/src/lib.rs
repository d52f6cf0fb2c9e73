//! Stands in for the crate `protobuf-src`, which compiles protobuf from C++ source for ten minutes and needs
//! `autoconf` and `make`. Lance asks it only one question, where `protoc` is; the prebuilt compiler of the crate
//! `protoc-bin-vendored` answers that with nothing to install.

use std::path::PathBuf;

/// The path of a `protoc` that runs on this machine.
///
/// # Panics
/// On a platform for which no prebuilt `protoc` exists. Only build scripts call this, so the panic ends a build, with
/// the platform in its message.
pub fn protoc() -> PathBuf {
    protoc_bin_vendored::protoc_bin_path().expect("no prebuilt protoc for this platform")
}
