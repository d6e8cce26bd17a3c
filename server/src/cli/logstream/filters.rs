//! The flags that choose events, the same for a list, a wait and a watch.

use clap::Args;
use loggia_domain::{Column, Filter};

use crate::cli::output::Failure;

/// Values of one flag are alternatives, flags are combined, exclusion beats inclusion.
#[derive(Args)]
pub(in crate::cli) struct Filters {
    /// The wide channel; this and the other filters may be repeated, any value then matches
    #[arg(long)]
    stream: Vec<String>,
    /// The channel within the stream
    #[arg(long)]
    room: Vec<String>,
    /// What it is about
    #[arg(long)]
    topic: Vec<String>,
    /// What kind of event
    #[arg(long = "type")]
    event_type: Vec<String>,
    /// For whom; also gives what is for everybody
    #[arg(long)]
    to_agent: Vec<String>,
    /// Who wrote it
    #[arg(long)]
    from_agent: Vec<String>,
    /// Leave out what this agent wrote
    #[arg(long)]
    exclude_from_agent: Vec<String>,
    /// One delegation
    #[arg(long)]
    correlation_id: Vec<String>,
    /// open, claimed, ready, applied, blocked, failed or superseded
    #[arg(long)]
    status: Vec<String>,
}

impl Filters {
    /// The filter that the flags mean. Empty values are none.
    pub(in crate::cli) fn filter(&self) -> Result<Filter, Failure> {
        let mut filter = Filter::default();
        let wanted = [
            (Column::Stream, &self.stream),
            (Column::Room, &self.room),
            (Column::Topic, &self.topic),
            (Column::Type, &self.event_type),
            (Column::ToAgent, &self.to_agent),
            (Column::FromAgent, &self.from_agent),
            (Column::CorrelationId, &self.correlation_id),
            (Column::Status, &self.status),
        ];
        for (column, values) in wanted {
            for value in values {
                filter.take_pair(column.as_str(), value)?;
            }
        }
        for agent in &self.exclude_from_agent {
            filter.take_pair("exclude_from_agent", agent)?;
        }
        Ok(filter)
    }
}
