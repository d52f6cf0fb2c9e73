//! Stores in object storage: S3 and what speaks its protocol, Google Cloud Storage, Azure.
//!
//! Every machine has a whole copy of the namespaces that it uses, an ordinary store in the user's cache folder, and
//! searches that. So a search costs one small request, and works from the copy while the storage does not answer.
//!
//! ```text
//! s3://bucket/prefix/
//!   kb.json                          its presence makes a prefix a store
//!   lease.json                       who may write, and until when
//!   namespaces/default/head.json     the list of the files of the published generation, with their hashes
//!   namespaces/default/files/3f9a…   a file, under the hash of its content
//! ```
//!
//! Promises: a reader gets exactly the files of one generation, because names are hashes and are checked; of two
//! writers one publishes, because `head.json` is replaced only if it is still the one that the writer began with. The
//! lease only saves work that would be refused in the end.

mod copy;
mod http;
mod lease;
mod objects;

pub use copy::{LocalCopy, StateBefore};
pub use lease::Lease;
pub use objects::{Objects, is_unavailable};
