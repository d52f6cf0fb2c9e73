//! Models that users choose: the catalogue, the folder of installed models, and adding and removing them.
//!
//! Promise: every model in the folder of models was checked and tried as a whole. A model is assembled under another
//! name and then renamed, so a crash, a full disk or a broken download leaves no partial model.

mod add;
mod candidate;
mod catalogue;
mod choice;
mod download;
mod fetch;
mod hub;
mod installed;
mod record;
mod weights;
mod work_folders;

pub use add::Added;
pub use candidate::AddOptions;
pub use catalogue::{KnownModel, catalogue, nearest};
pub use choice::{ModelChoice, record_of, suggested};
pub use download::{DownloadProgress, HubModel};
pub use hub::Hub;
pub use installed::{Installed, Models, is_endpoint};
pub use record::{ModelFile, ModelKind, Record};
