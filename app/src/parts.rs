//! The small shapes that every page is made of.

mod agent;
mod busy;
mod copy;
mod event_table;
mod failure;
mod first_event;
mod moment;
mod revealed;
mod searches;
mod status;
#[cfg(feature = "ssr")]
mod text_area;
mod time_slider;
#[cfg(feature = "ssr")]
mod written_time;

pub use agent::{Agent, AgentPair, hue};
pub use busy::Busy;
pub use copy::{CopyButton, CopyLine, copy_button, copy_what_was_clicked};
#[cfg(feature = "ssr")]
pub use event_table::marked;
pub use event_table::{EventRow, EventTable, Marks, last_part};
pub use failure::Failure;
pub use first_event::FirstEvent;
pub use moment::{Ago, Form, Moment};
pub use revealed::revealed;
pub use searches::searches_list;
pub use status::{StateBadge, StatusBadge};
#[cfg(feature = "ssr")]
pub use text_area::TextArea;
pub use time_slider::Playing;
#[cfg(feature = "ssr")]
pub use time_slider::bar as time_bar;
#[cfg(feature = "ssr")]
pub use written_time::written_time;
