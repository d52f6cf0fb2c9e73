//! What a model runs on: the processor, or an accelerator that the ONNX Runtime at hand was built for.
//!
//! No accelerator is ever required. Which ones there are is what the library says; that one is asked for which is not
//! there is an error before anything is loaded, and one that is there and does not start is an error when it is.

use fastembed::ExecutionProviderDispatch;
use ort::ep::{self, ExecutionProvider};

use super::engine::Engine;
use crate::error::{Error, Result};

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// The processor. The same vectors everywhere; nothing but asking gets another one
    #[default]
    Auto,
    /// The processor
    Cpu,
    /// NVIDIA
    Cuda,
    /// NVIDIA, compiled for the model first
    Tensorrt,
    /// AMD
    Rocm,
    /// AMD, compiled for the model first
    Migraphx,
    /// Apple
    Coreml,
    /// Windows
    Directml,
    /// Intel
    Openvino,
}

/// All but the processor.
const ACCELERATORS: [Device; 7] = [
    Device::Cuda,
    Device::Tensorrt,
    Device::Rocm,
    Device::Migraphx,
    Device::Coreml,
    Device::Directml,
    Device::Openvino,
];

impl Device {
    /// Its name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Device::Auto | Device::Cpu => "cpu",
            Device::Cuda => "cuda",
            Device::Tensorrt => "tensorrt",
            Device::Rocm => "rocm",
            Device::Migraphx => "migraphx",
            Device::Coreml => "coreml",
            Device::Directml => "directml",
            Device::Openvino => "openvino",
        }
    }

    /// Whether it is the processor.
    pub fn is_cpu(self) -> bool {
        matches!(self, Device::Auto | Device::Cpu)
    }

    /// What the engine is told, so that it runs on this and on nothing else; what the accelerator has no operation for
    /// runs on the processor all the same.
    pub(super) fn providers(self) -> Vec<ExecutionProviderDispatch> {
        let provider = match self {
            Device::Auto | Device::Cpu => return Vec::new(),
            Device::Cuda => ep::CUDA::default().build(),
            Device::Tensorrt => ep::TensorRT::default().build(),
            Device::Rocm => ep::ROCm::default().build(),
            Device::Migraphx => ep::MIGraphX::default().build(),
            Device::Coreml => ep::CoreML::default().build(),
            Device::Directml => ep::DirectML::default().build(),
            Device::Openvino => ep::OpenVINO::default().build(),
        };
        vec![provider.error_on_failure()]
    }

    /// Whether the library that is loaded was built for it.
    fn is_offered(self) -> bool {
        let offered = match self {
            Device::Auto | Device::Cpu => return true,
            Device::Cuda => ep::CUDA::default().is_available(),
            Device::Tensorrt => ep::TensorRT::default().is_available(),
            Device::Rocm => ep::ROCm::default().is_available(),
            Device::Migraphx => ep::MIGraphX::default().is_available(),
            Device::Coreml => ep::CoreML::default().is_available(),
            Device::Directml => ep::DirectML::default().is_available(),
            Device::Openvino => ep::OpenVINO::default().is_available(),
        };
        // A library that cannot even say it has none.
        offered.unwrap_or(false)
    }
}

/// What an engine can run models on, the processor first.
pub fn devices(engine: &Engine) -> Vec<Device> {
    let accelerators = match engine {
        Engine::Tract => &[][..],
        Engine::OnnxRuntime { .. } => &ACCELERATORS,
    };
    let offered = accelerators.iter().copied().filter(|device| device.is_offered());
    [Device::Cpu].into_iter().chain(offered).collect()
}

/// Looks whether an engine offers a device.
///
/// # Errors
/// Where it does not, with those that it offers.
pub(super) fn check(engine: &Engine, device: Device) -> Result<()> {
    let offered = devices(engine);
    if device.is_cpu() || offered.contains(&device) {
        return Ok(());
    }
    let names: Vec<&str> = offered.into_iter().map(Device::name).collect();
    let hint = match engine {
        Engine::Tract => "name an ONNX Runtime that was built for it with --onnxruntime PATH",
        Engine::OnnxRuntime { .. } => {
            "name an ONNX Runtime that was built for it with --onnxruntime PATH, or another --device"
        }
    };
    let told = format!("{} offers no device {}, only {}", engine.name(), device.name(), names.join(", "));
    Err(Error::usage(told).hint(hint))
}

/// What is to be said of a processor on which engines are slow; nothing of others.
pub fn slow_processor() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("fma") {
        return Some(
            "this processor has no AVX2: models run on it with the instructions of older ones, and more slowly",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn tract_has_the_processor_alone() {
        assert_eq!(devices(&Engine::Tract), [Device::Cpu]);
        assert!(check(&Engine::Tract, Device::Auto).is_ok() && check(&Engine::Tract, Device::Cpu).is_ok());
        let told = check(&Engine::Tract, Device::Cuda).unwrap_err().to_line();
        assert!(told.contains("offers no device cuda, only cpu") && told.contains("--onnxruntime"), "{told}");
    }

    #[test]
    fn names_are_those_that_are_typed() {
        for device in ACCELERATORS.into_iter().chain([Device::Cpu]) {
            assert_eq!(Device::from_str(device.name(), false), Ok(device));
            assert_eq!(device.providers().is_empty(), device.is_cpu());
        }
    }
}
