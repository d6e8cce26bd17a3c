//! The flags that choose events, the same for a list, a search, a wait and a watch.

use clap::Args;
use loggia_domain::{Column, Filter, timestamp};

use crate::cli::output::Failure;
use crate::logstream::read::MAX_LIMIT;

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

/// From when on, and how many: the same for everything that answers a list.
#[derive(Args)]
pub(in crate::cli) struct Bounds {
    /// Only events created at or after this date or RFC 3339 time
    #[arg(long, value_name = "TIME")]
    since_created_at: Option<String>,
    /// At most so many, 500 at the most
    #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    limit: i64,
}

impl Bounds {
    /// The filter that the flags mean, with the time from which on, and how many are asked for.
    pub(in crate::cli) fn check(self, filters: &Filters) -> Result<(Filter, usize), Failure> {
        let limit = usize::try_from(self.limit).ok().filter(|limit| *limit > 0);
        let limit = limit.ok_or_else(|| Failure::new("limit must be a positive integer"))?;
        let mut filter = filters.filter()?;
        filter.since_created_at = timestamp::since_created_at(self.since_created_at.into())?;
        Ok((filter, limit.min(MAX_LIMIT)))
    }
}
