//! Text to vectors. kb computes the embedded model itself; an engine runs other models and cross-encoders.
//!
//! Vectors have length 1, so a dot product is the cosine. The same text gives the same vector in every batch;
//! processors and engines differ by at most 0.001 in the cosine.

mod crash;
mod cross_encoder;
mod cross_encoder_folder;
mod device;
mod embedder;
mod embedding_folder;
mod endpoint;
mod engine;
mod folder;
mod late_chunking;
mod minilm;
mod model;
mod onnx;
mod readability;
mod reranker;
mod sessions;
mod tokens;
mod trial;
mod wordpiece;

pub use crash::on_engine_crash;
pub use cross_encoder::CrossEncoder;
pub use device::{Device, slow_processor};
pub use embedder::Embedder;
pub(crate) use embedding_folder::{DEFAULT_TOKENS, DeclaredConfig, EmbeddingFolder};
pub use endpoint::{endpoint_model_name, is_endpoint_model};
pub use engine::{Engine, EngineChoice, devices, select, select_available};
pub(crate) use folder::{GRAPHS, ModelFolder};
pub use late_chunking::ParentVectors;
pub use model::{
    Coverage, EMBEDDED, EmbeddingConfig, GRAPH, Model, ModelFiles, Pooling, Quantization, Source, VectorOutput,
    is_known_word,
};
pub use reranker::Reranker;
pub use tokens::{TokenCounter, token_count};
pub(crate) use trial::{Trial, try_out};
