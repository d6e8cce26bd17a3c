//! `loggia logstream append|list`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use loggia_domain::{Column, EventDraft, Filter, Raw, field, timestamp};
use serde_json::{Value, json};

use super::output::{Failure, Out, event_line, read_text};
use crate::logstream::Logstream;
use crate::logstream::read::{DEFAULT_LIMIT, ListQuery, MAX_LIMIT, Order};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Append one event
    Append(Box<Append>),
    /// List events, oldest first
    List(Box<List>),
}

impl Command {
    pub(super) fn json(&self) -> bool {
        match self {
            Self::Append(a) => a.json,
            Self::List(l) => l.json,
        }
    }
}

#[derive(Args)]
pub(super) struct Append {
    /// What kind of event, for example task.reply
    #[arg(long = "type")]
    event_type: String,
    /// The wide channel, for example project/atlas
    #[arg(long)]
    stream: String,
    /// The channel within the stream
    #[arg(long)]
    room: String,
    /// What it is about
    #[arg(long)]
    topic: Option<String>,
    /// Who writes
    #[arg(long)]
    from_agent: String,
    /// For whom; * is everybody
    #[arg(long)]
    to_agent: Option<String>,
    /// What ties a request and its answers together
    #[arg(long)]
    correlation_id: Option<String>,
    /// The branch that the work is about
    #[arg(long)]
    branch: Option<String>,
    /// The commit that the work starts from
    #[arg(long)]
    base_commit: Option<String>,
    /// open, claimed, ready, applied, blocked, failed or superseded
    #[arg(long)]
    status: Option<String>,
    /// The text
    #[arg(long, conflicts_with = "body_file")]
    body: Option<String>,
    /// The text, byte for byte, from a file or (-) stdin
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,
    /// Fields of your own, a JSON object
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// An artifact that is stored already; may be repeated
    #[arg(long = "artifact-id", visible_alias = "artifact", value_name = "ID")]
    artifact_ids: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct List {
    /// The wide channel
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
    /// Who wrote it
    #[arg(long)]
    from_agent: Vec<String>,
    /// For whom; also gives what is for everybody
    #[arg(long)]
    to_agent: Vec<String>,
    /// One delegation
    #[arg(long)]
    correlation_id: Vec<String>,
    /// open, claimed, ready, applied, blocked, failed or superseded
    #[arg(long)]
    status: Vec<String>,
    /// Leave out what this agent wrote
    #[arg(long)]
    exclude_from_agent: Vec<String>,
    /// Only what arrived after this event
    #[arg(long, value_name = "ID")]
    since_event_id: Option<String>,
    /// Only what arrived before this event
    #[arg(long, value_name = "ID")]
    before_event_id: Option<String>,
    /// Only events created at or after this date or RFC 3339 time
    #[arg(long, value_name = "TIME")]
    since_created_at: Option<String>,
    /// At most so many, 500 at the most
    #[arg(long, default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    /// asc (oldest first) or desc
    #[arg(long, default_value = "asc", value_parser = ["asc", "desc"])]
    order: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(command: Command, log: &Logstream, out: &Out) -> Result<(), Failure> {
    match command {
        Command::Append(append) => append.run(log, out).await,
        Command::List(list) => list.run(log, out).await,
    }
}

impl Append {
    async fn run(self, log: &Logstream, out: &Out) -> Result<(), Failure> {
        let body = match self.body_file {
            Some(path) => Some(read_text(&path)?),
            None => self.body,
        };
        let draft = EventDraft {
            event_type: self.event_type.into(),
            stream: self.stream.into(),
            room: self.room.into(),
            topic: self.topic.into(),
            from_agent: self.from_agent.into(),
            to_agent: self.to_agent.into(),
            correlation_id: self.correlation_id.into(),
            branch: self.branch.into(),
            base_commit: self.base_commit.into(),
            status: self.status.into(),
            body: body.into(),
            metadata: metadata(self.metadata)?,
            artifact_ids: Raw::Other(json!(self.artifact_ids)),
        };
        let event = log.append(draft.check()?).await?;
        out.answer(&event, || format!("appended {} (seq {})", event.id, event.seq))
    }
}

impl List {
    async fn run(self, log: &Logstream, out: &Out) -> Result<(), Failure> {
        if self.limit == 0 {
            return Err(Failure::new("limit must be a positive integer"));
        }
        let mut filter = Filter {
            since_created_at: timestamp::since_created_at(self.since_created_at.into())?,
            ..Filter::default()
        };
        let columns = [
            (Column::Stream, self.stream),
            (Column::Room, self.room),
            (Column::Topic, self.topic),
            (Column::Type, self.event_type),
            (Column::FromAgent, self.from_agent),
            (Column::ToAgent, self.to_agent),
            (Column::CorrelationId, self.correlation_id),
            (Column::Status, self.status),
        ];
        for (column, values) in columns {
            for value in values {
                filter.take_pair(column.as_str(), &value)?;
            }
        }
        for agent in self.exclude_from_agent {
            filter.take_pair("exclude_from_agent", &agent)?;
        }
        let query = ListQuery {
            filter,
            since_event_id: field::optional_routing("since_event_id", self.since_event_id.into())?,
            before_event_id: field::optional_routing("before_event_id", self.before_event_id.into())?,
            order: if self.order == "desc" { Order::Desc } else { Order::Asc },
            limit: self.limit.min(MAX_LIMIT),
        };
        let listed = log.list(query).await?;
        let answer = json!({"events": listed.events, "count": listed.events.len(), "has_more": listed.has_more});
        out.answer(&answer, || {
            let lines: Vec<String> = listed.events.iter().map(event_line).collect();
            if lines.is_empty() { "no events match".to_owned() } else { lines.join("\n") }
        })
    }
}

/// A JSON object given as a text.
pub(super) fn metadata(text: Option<String>) -> Result<Raw, Failure> {
    let Some(text) = text else { return Ok(Raw::Absent) };
    let value: Value = serde_json::from_str(&text).map_err(|e| {
        Failure::new(format!("metadata is not JSON: {e}")).hint("for example --metadata '{\"tests\": \"pass\"}'")
    })?;
    Ok(match value {
        // Null would mean "none was given"; whoever writes it out means an object and is told so.
        Value::Null => Raw::Text(text),
        value => Raw::from(Some(value)),
    })
}
