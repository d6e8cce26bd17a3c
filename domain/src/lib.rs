//! What the words of Loggia mean: ids, events, artifacts, statuses, field rules, the hybrid clock, filters and cursors.
//!
//! Everything here is pure. It compiles to WebAssembly, so the hub, the command line and the page in a browser decide by the same
//! code. It never does I/O, never reads a clock, never draws a random number: callers pass the time and the random bytes in.

pub mod ack;
pub mod artifact;
pub mod clock;
pub mod delegation;
pub mod error;
pub mod event;
pub mod field;
pub mod filter;
pub mod human;
pub mod id;
pub mod mems;
pub mod metadata;
pub mod palace;
pub mod presence;
pub mod reach;
pub mod refusal;
pub mod remote;
pub mod ring;
pub mod search;
pub mod status;
pub mod task;
pub mod timestamp;

pub use ack::AckDraft;
pub use artifact::{Artifact, ArtifactDraft, ArtifactKind, ArtifactRecord, NewArtifact};
pub use error::{ApiError, ErrorCode};
pub use event::{Event, EventDraft, NewEvent};
pub use field::Raw;
pub use filter::{Column, Filter};
pub use metadata::Metadata;
pub use reach::Reach;
pub use refusal::Refusal;
pub use status::Status;
