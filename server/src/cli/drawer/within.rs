//! Where in the palace a list or a search looks: the flags, checked.

use clap::Args;
use loggia_domain::palace::{name, window};
use loggia_domain::{Raw, Refusal};
use serde_json::{Value, json};

use crate::palace::drawers::Filter;

/// The flags that a list and a search share.
#[derive(Args)]
pub(in crate::cli) struct Flags {
    /// Only this wing
    #[arg(long)]
    wing: Option<String>,
    /// Only this room
    #[arg(long)]
    room: Option<String>,
    /// Only what was filed at or after this date or time, the hub's local time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what was filed before this date or time
    #[arg(long, value_name = "TIME")]
    before: Option<String>,
}

/// Checked filters, and the bounds as they were given: a hub repeats those in its answer.
pub(in crate::cli) struct Within {
    /// The filter.
    pub(in crate::cli) filter: Filter,
    since: Option<String>,
    before: Option<String>,
}

impl Flags {
    /// Checks them, with the source that a search may name.
    pub(in crate::cli) fn check(self, source_file: Option<&str>) -> Result<Within, Refusal> {
        let window = window::window(Raw::from(self.since.clone()), Raw::from(self.before.clone()))?;
        let filter = Filter {
            wing: name::optional("wing", self.wing.into())?,
            room: name::optional("room", self.room.into())?,
            source_file: name::source_file(source_file.map(str::to_owned).into())?,
            window,
        };
        Ok(Within { filter, since: self.since, before: self.before })
    }
}

impl Within {
    /// They as arguments of the tool that lists, which knows no source. What is null is not given.
    pub(in crate::cli) fn arguments(&self) -> Value {
        json!({"wing": self.filter.wing, "room": self.filter.room, "since": self.since, "before": self.before})
    }

    /// They as a search repeats them, and as arguments of its tool.
    pub(in crate::cli) fn filters(&self) -> Value {
        let Filter { wing, room, source_file, .. } = &self.filter;
        json!({"wing": wing, "room": room, "source_file": source_file, "since": self.since, "before": self.before})
    }
}
