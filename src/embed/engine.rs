//! The engine that runs ONNX models: ONNX Runtime if its library is found, otherwise tract, in pure Rust.
//!
//! The choice is made once per process, because `ort` cannot change it. A named library must load. A library in a
//! system folder that does not load is skipped; `kb status` reports the engine in use.

use std::ffi::c_char;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;

use super::device::Device;
use crate::error::{Error, Result, Setting};
use crate::text::squeeze;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    OnnxRuntime { library: PathBuf, device: Device },
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

    pub fn device(&self) -> Device {
        if let Engine::OnnxRuntime { device, .. } = self { *device } else { Device::Cpu }
    }

    /// The error after this engine failed. `message` states the reason, `hint` is the hint on the processor. On an
    /// accelerator, the reason is rarely the model: its libraries are missing, or its driver finds no device.
    pub(super) fn failure(
        &self,
        cause: fastembed::Error,
        message: impl FnOnce(&str) -> Error,
        hint: impl FnOnce() -> String,
    ) -> Error {
        let text = squeeze(&cause.to_string());
        if self.device().is_cpu() {
            return message(&text).hint(hint());
        }
        let (device, setting) = (self.device().name(), Setting("device"));
        let check = format!("check driver, libraries and memory of {device}, or use the processor ({setting} cpu)");
        message(reason_of_accelerator(&text)).caused_by(cause).hint(check)
    }
}

/// The reason in an error of ONNX Runtime, without its source files and signatures in front and the state of the call
/// behind.
fn reason_of_accelerator(text: &str) -> &str {
    const IN_FRONT: [&str; 2] = [" : FAIL : ", " = void] "];
    let start = IN_FRONT.iter().filter_map(|mark| Some(text.rfind(mark)? + mark.len())).max();
    let reason = start.map_or(text, |start| &text[start..]);
    reason.split_once(" ; GPU=").map_or(reason, |(reason, _)| reason)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineChoice {
    /// ONNX Runtime if a library is found, otherwise tract.
    Auto,
    Tract,
    /// The library at this path; an error if it does not load.
    Library(PathBuf),
    /// The inner choice on this device; an error if it is not offered.
    On(Box<EngineChoice>, Device),
}

impl EngineChoice {
    /// From the setting `onnxruntime`: a path, `off`, or nothing.
    pub fn parse(setting: Option<&Path>) -> Self {
        match setting {
            None => EngineChoice::Auto,
            Some(path) if path.as_os_str() == "off" => EngineChoice::Tract,
            Some(path) => EngineChoice::Library(path.to_owned()),
        }
    }

    /// The same choice on a device.
    pub fn on(self, device: Device) -> Self {
        if device.is_cpu() { self } else { EngineChoice::On(Box::new(self), device) }
    }
}

/// Starts the engine. Later calls return the running engine and ignore `choice`.
///
/// # Errors
/// The library that the setting or `ORT_DYLIB_PATH` names is missing or does not load, or does not offer the device.
pub fn select(choice: &EngineChoice) -> Result<Engine> {
    // Two models may load at once, but only one of them starts the engine. A start that panicked leaves no state
    // outside `ort`.
    static SELECTED: Mutex<Option<Engine>> = Mutex::new(None);
    let mut selected = SELECTED.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = match &*selected {
        Some(engine) => engine.clone(),
        None => start(choice)?,
    };
    Ok(selected.insert(engine).clone())
}

/// The selected engine, and why the requested device is unavailable.
///
/// # Errors
/// As for [`select`], except an unavailable device.
pub fn select_available(choice: &EngineChoice) -> Result<(Engine, Option<Error>)> {
    match (select(choice), choice) {
        (Err(refused), EngineChoice::On(choice, _)) => Ok((select(choice)?, Some(refused))),
        (selected, _) => Ok((selected?, None)),
    }
}

/// The devices of an engine, the processor first.
pub fn devices(engine: &Engine) -> Vec<Device> {
    let runs_on = |device: &Device| match engine {
        Engine::Tract => *device == Device::Cpu,
        Engine::OnnxRuntime { .. } => device.is_offered(),
    };
    Device::value_variants().iter().copied().filter(runs_on).collect()
}

/// A hint after the engine failed on a model.
pub(super) fn other_engine() -> String {
    format!("try the other engine ({}), or another model", Setting("onnxruntime"))
}

fn check_device(engine: &Engine, device: Device) -> Result<()> {
    let offered = devices(engine);
    if device.is_cpu() || offered.contains(&device) {
        return Ok(());
    }
    let names: Vec<String> = offered.into_iter().map(Device::name).collect();
    let message = format!("{} offers no device {}, only {}", engine.name(), device.name(), names.join(", "));
    let hint = format!("set {} to the path of an ONNX Runtime that was built for it", Setting("onnxruntime"));
    Err(Error::usage(message).hint(match engine {
        Engine::Tract => hint,
        Engine::OnnxRuntime { .. } => format!("{hint}, or choose another {}", Setting("device")),
    }))
}

fn start(choice: &EngineChoice) -> Result<Engine> {
    match choice {
        EngineChoice::On(choice, wanted) => {
            let mut engine = start(choice)?;
            check_device(&engine, *wanted)?;
            if let Engine::OnnxRuntime { device, .. } = &mut engine {
                *device = *wanted;
            }
            Ok(engine)
        }
        EngineChoice::Tract => Ok(start_tract()),
        EngineChoice::Library(path) => load(path).map_err(|reason| {
            Error::failed(format!("cannot load ONNX Runtime: {reason}"))
                .hint(format!("name another library with {0} PATH, or use {0} off", Setting("onnxruntime")))
        }),
        EngineChoice::Auto => {
            if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
                return load(Path::new(&path)).map_err(|reason| {
                    Error::failed(format!("cannot load the ONNX Runtime that ORT_DYLIB_PATH names: {reason}"))
                        .hint(format!("correct or unset ORT_DYLIB_PATH, or use {} off", Setting("onnxruntime")))
                });
            }
            Ok(candidates().iter().find_map(|path| load(path).ok()).unwrap_or_else(start_tract))
        }
    }
}

fn load(path: &Path) -> Result<Engine, String> {
    // The library would bring a second C library with it.
    if cfg!(all(unix, target_feature = "crt-static")) {
        return Err("this kb is linked statically and loads no libraries".to_owned());
    }
    if !path.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let library = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // `commit` returns false if an environment exists already; that one serves as well.
    ort::init_from(&library).map(|environment| environment.commit()).map_err(|error| error.to_string())?;
    Ok(Engine::OnnxRuntime { library, device: Device::Cpu })
}

fn start_tract() -> Engine {
    let mut api = ort_tract::api();
    // ort-tract lacks this function, and `ort` panics without it when it builds tensor types. tract ignores symbolic
    // names of dimensions.
    api.SetSymbolicDimensions = set_symbolic_dimensions;
    // It returns false if an API is set already: then the engine is running.
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

/// The folders of libraries of systems other than Windows.
const SYSTEM_FOLDERS: &str = "/usr/local/lib /usr/local/lib64 /opt/homebrew/lib /usr/lib /usr/lib64 \
    /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /opt/onnxruntime/lib";

/// Libraries of ONNX Runtime beside the program, then those in the system's folders.
fn candidates() -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    let beside = own.into_iter().flat_map(|folder| [folder.clone(), folder.join("lib")]);
    let of_system = if cfg!(target_os = "windows") { "" } else { SYSTEM_FOLDERS };
    let libraries = |folder: PathBuf| {
        // Missing and unreadable folders are skipped.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter(|entry| is_library(&entry.file_name().to_string_lossy()));
        let mut here: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
        // The plain name first, then the newest version.
        here.sort_by_key(|path| (path.as_os_str().len(), std::cmp::Reverse(path.clone())));
        here
    };
    beside.chain(of_system.split_whitespace().map(PathBuf::from)).flat_map(libraries).collect()
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
    fn libraries_are_recognised_by_name() {
        assert!(is_library("libonnxruntime.so.1.31.1") && is_library("libonnxruntime.1.31.1.dylib"));
        assert!(!is_library("libonnxruntime_providers_shared.so"));
    }

    #[test]
    fn an_accelerator_that_does_not_start_is_named_with_the_reason_alone() {
        // As ONNX Runtime 1.31.1 wrote them: without libraries of CUDA, and without a device.
        let library = "Failed to build ONNX session: /src/provider_bridge_ort.cc:2043 onnxruntime::Provider& \
            onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library \
            /x/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared object file \n";
        let no_device = "ONNX runtime error: /src/cuda_call.cc:154 std::conditional_t<THRW, void, Status> \
            onnxruntime::CudaCall(ERRTYPE) [with ERRTYPE = cudaError; bool THRW = true; \
            std::conditional_t<THRW, void, common::Status> = void] /src/cuda_call.cc:146 CudaCall(ERRTYPE) \
            [with bool THRW = true; std::conditional_t<THRW, void, common::Status> = void] CUDA failure 100: no \
            CUDA-capable device is detected ; GPU=-1 ; hostname=vm ; expr=cudaSetDevice(info_.device_id);";
        let is_missing = "Failed to load library /x/libonnxruntime_providers_cuda.so with error: \
            libcublasLt.so.13: cannot open shared object file";
        let failure = |device, text: &str| {
            let engine = Engine::OnnxRuntime { library: PathBuf::from("/x.so"), device };
            let cause = fastembed::Error::Other(text.to_owned());
            let message = |reason: &str| Error::failed(format!("cannot load: {reason}"));
            engine.failure(cause, message, || "add it again".to_owned())
        };
        for (text, reason) in [
            (library, is_missing),
            (no_device, "CUDA failure 100: no CUDA-capable device is detected"),
            ("out of memory", "out of memory"),
        ] {
            let error = failure(Device::Cuda, text);
            assert_eq!(error.message(), format!("cannot load: {reason}"));
            assert!(error.next_step().is_some_and(|hint| hint.contains("libraries and memory of cuda")), "{error}");
            assert_eq!(error.causes().next(), Some(crate::text::printable(text)));
        }
        assert_eq!(failure(Device::Cpu, "no model").to_line(), "cannot load: no model; add it again");
    }
}
