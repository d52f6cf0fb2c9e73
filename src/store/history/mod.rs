//! The history of a namespace: what each generation did, which are kept, and how two of them differ.
//!
//! Each generation has a record, `history/0000012.json`: the versions of its tables, and a note of what it did. The
//! record is written before the generation is announced, so a record above the published number is left over from a
//! crash; the next publication overwrites it. A reader holds a shared lock on the record of its generation
//! ([`record`]), and only generations without such a lock are removed ([`prune`]).
//!
//! If the record of the published generation was lost, the next publication writes one without a note.

mod compare;
mod diff;
mod generations;
mod prune;
mod record;
mod restore;
mod text_change;

pub use compare::{ChangeKind, Counts, Item};
pub use diff::{DocumentDiff, GenerationDiff, diff};
pub use generations::{LogEntry, log};
pub(super) use prune::{Pruned, Retention, prune};
pub use record::Note;
#[cfg(feature = "fuzzing")]
pub use record::record_is_readable;
pub(super) use record::{
    Lease, Record, RecordFile, older_generations, record, record_files, record_id, records_folder,
};
pub use restore::{Restored, plan_restore};
pub use text_change::TextChange;
