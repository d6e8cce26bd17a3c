//! The small shapes that every page is made of.

mod agent;
mod busy;
mod copy;
mod event_table;
mod failure;
mod first_event;
mod moment;
mod revealed;
mod status;

pub use agent::{Agent, AgentPair, hue};
pub use busy::Busy;
pub use copy::{CopyButton, CopyLine};
pub use event_table::{EventRow, EventTable, Marks, last_part, marked};
pub use failure::Failure;
pub use first_event::FirstEvent;
pub use moment::{Ago, Form, Moment};
pub use revealed::revealed;
pub use status::{StateBadge, StatusBadge};
