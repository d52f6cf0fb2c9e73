//! Which engine runs ONNX models: ONNX Runtime where its library is found, otherwise tract, in pure Rust.
//!
//! The choice is made once per process; `ort` cannot change its mind. A library that is named must load; one that is
//! merely lying around in the system and does not is passed over, and `kb status` says so.

use std::ffi::c_char;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::device::{self, Device};
use crate::error::{Error, Result};

/// What runs the models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// ONNX Runtime, from the library at `library`.
    OnnxRuntime {
        /// Where the library was found.
        library: PathBuf,
        /// What it runs models on.
        device: Device,
    },
    /// tract.
    Tract,
}

impl Engine {
    /// The engine's name for people.
    pub fn name(&self) -> String {
        match self {
            Engine::OnnxRuntime { library, device } if device.is_cpu() => {
                format!("ONNX Runtime ({})", library.display())
            }
            Engine::OnnxRuntime { library, device } => {
                format!("ONNX Runtime ({}) on {}", library.display(), device.name())
            }
            Engine::Tract => "tract (pure Rust)".to_owned(),
        }
    }

    /// What it runs models on.
    pub fn device(&self) -> Device {
        match self {
            Engine::OnnxRuntime { device, .. } => *device,
            Engine::Tract => Device::Cpu,
        }
    }
}

/// What the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineChoice {
    /// Look for a library, otherwise tract.
    Auto,
    /// tract, whatever is there.
    Tract,
    /// The library at this path, or fail.
    Library(PathBuf),
    /// One of the others on this device, or fail.
    On(Box<EngineChoice>, Device),
}

impl EngineChoice {
    /// From what was typed: a path, `off`, or nothing.
    pub fn parse(typed: Option<&Path>) -> Self {
        match typed {
            None => EngineChoice::Auto,
            Some(path) if path.as_os_str() == "off" => EngineChoice::Tract,
            Some(path) => EngineChoice::Library(path.to_owned()),
        }
    }

    /// The same on a device.
    pub fn on(self, device: Device) -> Self {
        if device.is_cpu() { self } else { EngineChoice::On(Box::new(self), device) }
    }
}

/// Starts the engine. Later calls give the engine that is running, whatever they ask for.
///
/// # Errors
/// Where a library that was named, by flag or by `ORT_DYLIB_PATH`, is not there or does not load, or does not offer the
/// device.
pub fn select(choice: &EngineChoice) -> Result<Engine> {
    static SELECTED: OnceLock<Engine> = OnceLock::new();
    // Two models may be loaded at once, and only one of them starts the engine. What a start that panicked has left is
    // no more than what `ort` itself keeps.
    static STARTING: Mutex<()> = Mutex::new(());
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = SELECTED.get() {
        return Ok(engine.clone());
    }
    let engine = start(choice)?;
    Ok(SELECTED.get_or_init(|| engine).clone())
}

/// The engine that is there, for whoever is only told of it: with why not, where it has not the device that was asked for.
///
/// # Errors
/// Where there is none, as for [`select`].
pub fn select_at_hand(choice: &EngineChoice) -> Result<(Engine, Option<Error>)> {
    match (select(choice), choice) {
        (Err(refused), EngineChoice::On(choice, _)) => Ok((select(choice)?, Some(refused))),
        (selected, _) => Ok((selected?, None)),
    }
}

fn start(choice: &EngineChoice) -> Result<Engine> {
    match choice {
        EngineChoice::On(choice, wanted) => {
            let mut engine = start(choice)?;
            device::check(&engine, *wanted)?;
            if let Engine::OnnxRuntime { device, .. } = &mut engine {
                *device = *wanted;
            }
            Ok(engine)
        }
        EngineChoice::Tract => Ok(start_tract()),
        EngineChoice::Library(path) => load(path).map_err(|reason| {
            Error::failed(format!("cannot load ONNX Runtime: {reason}"))
                .hint("name another library with --onnxruntime PATH, or use --onnxruntime off")
        }),
        EngineChoice::Auto => {
            if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
                return load(Path::new(&path)).map_err(|reason| {
                    Error::failed(format!("cannot load the ONNX Runtime that ORT_DYLIB_PATH names: {reason}"))
                        .hint("correct or unset ORT_DYLIB_PATH, or use --onnxruntime off")
                });
            }
            Ok(candidates().iter().find_map(|path| load(path).ok()).unwrap_or_else(start_tract))
        }
    }
}

fn load(path: &Path) -> std::result::Result<Engine, String> {
    if !path.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let library = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // The one thing that `ort` answers with a bool: false where an environment exists already, which is as good.
    ort::init_from(&library).map(|environment| environment.commit()).map_err(|error| error.to_string())?;
    Ok(Engine::OnnxRuntime { library, device: Device::Cpu })
}

fn start_tract() -> Engine {
    let mut api = ort_tract::api();
    // ort-tract leaves this one out, and `ort` panics on its absence when it builds tensor types. Symbolic names of
    // dimensions are of no use to tract.
    api.SetSymbolicDimensions = set_symbolic_dimensions;
    // False where an API is set already: then the engine is running, and that is what was asked for.
    ort::set_api(api);
    Engine::Tract
}

unsafe extern "system" fn set_symbolic_dimensions(
    _info: *mut ort::sys::OrtTensorTypeAndShapeInfo,
    _names: *mut *const c_char,
    _count: usize,
) -> ort::sys::OrtStatusPtr {
    ort::sys::OrtStatusPtr::default()
}

/// Where libraries lie: beside the program, then in the system's places.
fn candidates() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Ok(program) = std::env::current_exe()
        && let Some(folder) = program.parent()
    {
        folders.push(folder.to_owned());
        folders.push(folder.join("lib"));
    }
    let system: &[&str] = if cfg!(target_os = "windows") {
        &[]
    } else {
        &[
            "/usr/local/lib",
            "/usr/local/lib64",
            "/opt/homebrew/lib",
            "/usr/lib",
            "/usr/lib64",
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/opt/onnxruntime/lib",
        ]
    };
    folders.extend(system.iter().map(PathBuf::from));
    let mut found = Vec::new();
    for folder in folders {
        // A folder that is not there or cannot be read holds no library for us.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut here: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.file_name().is_some_and(|name| is_library(&name.to_string_lossy())))
            .collect();
        // The plain name first, then the newest version.
        here.sort_by_key(|path| (path.as_os_str().len(), std::cmp::Reverse(path.clone())));
        found.extend(here);
    }
    found
}

fn is_library(name: &str) -> bool {
    name == "onnxruntime.dll"
        || name == "libonnxruntime.so"
        || name.starts_with("libonnxruntime.so.")
        || (name.starts_with("libonnxruntime.") && name.ends_with(".dylib"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_names() {
        assert!(is_library("libonnxruntime.so.1.31.1") && is_library("libonnxruntime.1.31.1.dylib"));
        assert!(!is_library("libonnxruntime_providers_shared.so"));
    }

    #[test]
    fn off_means_tract_and_anything_else_a_library() {
        assert_eq!(EngineChoice::parse(Some(Path::new("off"))), EngineChoice::Tract);
        assert_eq!(EngineChoice::parse(None), EngineChoice::Auto);
        assert!(matches!(EngineChoice::parse(Some(Path::new("/x.so"))), EngineChoice::Library(_)));
    }
}
