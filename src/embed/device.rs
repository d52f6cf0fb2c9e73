//! The device that runs a model: the processor, or an accelerator that the loaded ONNX Runtime was built for.
//!
//! No accelerator is required. Requesting one that the library does not offer is an error before any model is loaded.
//! One that is offered but does not start is an error when it is used.

use clap::ValueEnum;
use fastembed::ExecutionProviderDispatch;
use ort::ep::{self, ExecutionProvider};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// The processor, which gives the same vectors everywhere
    #[default]
    #[value(alias = "auto")]
    #[serde(alias = "auto")]
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

/// An execution provider, and whether the library was built with it.
type Provider = (ExecutionProviderDispatch, Box<dyn Fn() -> ort::Result<bool>>);

impl Device {
    /// The name as a user types it.
    pub fn name(self) -> String {
        self.to_possible_value().expect("every device can be typed").get_name().to_owned()
    }

    pub fn is_cpu(self) -> bool {
        self == Device::Cpu
    }

    /// The execution providers for this device alone. Operations that the accelerator lacks still run on the processor.
    pub(super) fn providers(self) -> Vec<ExecutionProviderDispatch> {
        self.provider().map(|(provider, _)| provider.error_on_failure()).into_iter().collect()
    }

    /// Whether the loaded library was built for this device.
    pub(super) fn is_offered(self) -> bool {
        // A library that cannot answer offers none.
        self.provider().is_none_or(|(_, is_available)| is_available().unwrap_or(false))
    }

    /// The accelerator's provider, and a check whether the library has it; `None` for the processor.
    fn provider(self) -> Option<Provider> {
        fn of<P>(provider: P) -> Option<Provider>
        where
            P: ExecutionProvider + Clone + Into<ExecutionProviderDispatch> + 'static,
        {
            Some((provider.clone().into(), Box::new(move || provider.is_available())))
        }
        match self {
            Device::Cpu => None,
            Device::Cuda => of(ep::CUDA::default()),
            Device::Tensorrt => of(ep::TensorRT::default()),
            Device::Rocm => of(ep::ROCm::default()),
            Device::Migraphx => of(ep::MIGraphX::default()),
            Device::Coreml => of(ep::CoreML::default()),
            Device::Directml => of(ep::DirectML::default()),
            Device::Openvino => of(ep::OpenVINO::default()),
        }
    }
}

/// A warning about a processor on which engines are slow.
pub fn slow_processor() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("fma") {
        return Some("this processor has no AVX2, so models run more slowly");
    }
    None
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn device_names_can_be_typed() {
        for device in Device::value_variants().iter().copied() {
            assert_eq!(Device::from_str(&device.name(), false), Ok(device));
            assert_eq!(device.providers().is_empty(), device.is_cpu());
        }
    }
}
