//! `loggia logstream append|list|wait|watch|ack|sync`: the log from a shell.

mod filters;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use loggia_domain::{AckDraft, EventDraft, Raw, field};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::output::{Failure, Out, event_lines, text_or_file};
use super::search::Search;
use super::sync::Sync;
use super::target::{Place, Remote, Target};
use super::watch::Watch;
use crate::logstream::read::{ListQuery, Order};
pub(super) use filters::{Bounds, Filters};

/// The exit code of a wait that ended without an event.
pub(super) const TIMED_OUT: u8 = 2;

/// What counts as for ever: beyond it clocks cannot count.
pub(super) const LONGEST: Duration = Duration::from_hours(24 * 365);

#[derive(Args)]
pub(super) struct Group {
    #[command(flatten)]
    pub(super) remote: Remote,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Append one event
    Append(Box<Append>),
    /// List events, oldest first
    List(Box<List>),
    /// Find events by words, newest first
    Search(Box<Search>),
    /// Wait until matching events are there, and print them; exit code 2 if none came in time
    Wait(Box<Wait>),
    /// Follow the log from where the last watch ended, and print what matches
    Watch(Box<Watch>),
    /// Answer an event with a status, to its writer
    Ack(Box<Ack>),
    /// Pull what is new from other hubs into the palace, once
    Sync(Box<Sync>),
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Append(c) => c.json,
            Command::List(c) => c.json,
            Command::Search(c) => c.json,
            Command::Wait(c) => c.json,
            Command::Watch(c) => c.json(),
            Command::Ack(c) => c.json,
            Command::Sync(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        if let Command::Sync(sync) = self.command {
            return sync.run(palace, self.remote.token_alone()?, out).await;
        }
        let at = Place::new(palace, self.remote);
        match self.command {
            Command::Append(append) => append.run(at, out).await,
            Command::List(list) => list.run(at, out).await,
            Command::Search(search) => search.run(at, out).await,
            Command::Wait(wait) => wait.run(at, out).await,
            Command::Watch(watch) => watch.run(at, out).await,
            Command::Ack(ack) => ack.run(at, out).await,
            Command::Sync(_) => Ok(ExitCode::SUCCESS),
        }
    }
}

#[derive(Args)]
struct Append {
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
    #[arg(long, allow_hyphen_values = true)]
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
struct List {
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    window: Window,
    /// Only what arrived before this event
    #[arg(long, value_name = "ID")]
    before_event_id: Option<String>,
    /// asc (oldest first) or desc
    #[arg(long, default_value = "asc", value_parser = ["asc", "desc"])]
    order: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Wait {
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    window: Window,
    /// How long to wait, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60_000, allow_negative_numbers = true)]
    timeout_ms: i64,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// What a list and a wait have in common beside the filters.
#[derive(Args)]
struct Window {
    /// Only what arrived after this event
    #[arg(long, value_name = "ID")]
    since_event_id: Option<String>,
    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Args)]
struct Ack {
    /// The event that is answered
    event_id: String,
    /// Who answers
    #[arg(long)]
    from_agent: String,
    /// open, claimed, ready, applied, blocked, failed or superseded
    #[arg(long)]
    status: Option<String>,
    /// Another topic than the event's
    #[arg(long)]
    topic: Option<String>,
    /// The text
    #[arg(long, allow_hyphen_values = true)]
    body: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Append {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
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
            body: text_or_file(("--body", "--body-file"), self.body, self.body_file.as_deref())?.into(),
            metadata: metadata(self.metadata)?,
            artifact_ids: Raw::Other(json!(self.artifact_ids)),
        };
        let event = at.with(async |target| target.append(draft).await).await?;
        out.answer(&event, || event_lines("appended:", [&event]))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Ack {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let draft = AckDraft {
            from_agent: self.from_agent.into(),
            status: self.status.into(),
            body: self.body.into(),
            topic: self.topic.into(),
        };
        let event = at.with(async |target| target.acknowledge(self.event_id, draft).await).await?;
        out.answer(&event, || event_lines("acknowledged:", [&event]))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Window {
    /// The question that the flags ask, oldest first.
    fn query(self, filters: &Filters) -> Result<ListQuery, Failure> {
        let (filter, limit) = self.bounds.check(filters)?;
        Ok(ListQuery {
            filter,
            since_event_id: field::optional_routing("since_event_id", self.since_event_id.into())?,
            before_event_id: None,
            order: Order::Asc,
            limit,
        })
    }
}

impl List {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let mut query = self.window.query(&self.filters)?;
        query.before_event_id = field::optional_routing("before_event_id", self.before_event_id.into())?;
        query.order = if self.order == "desc" { Order::Desc } else { Order::Asc };
        let listed = at.with(async |target| target.list(query).await).await?;
        let count = listed.events.len();
        let answer = json!({"events": listed.events, "count": count, "has_more": listed.has_more});
        out.answer(&answer, || match count {
            0 => "no matching events".to_owned(),
            _ => event_lines(&format!("{count} event(s):"), &listed.events),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Wait {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let timeout = u64::try_from(self.timeout_ms)
            .map_err(|_| Failure::new(format!("timeout_ms must be a non-negative number, not {}", self.timeout_ms)))?;
        let query = self.window.query(&self.filters)?;
        let deadline = Instant::now() + Duration::from_millis(timeout).min(LONGEST);
        let (events, next_cursor) = at.with(async |target| wait(target, query, deadline).await).await?;
        let (count, timed_out) = (events.len(), events.is_empty());
        let answer = json!({"timed_out": timed_out, "events": events, "count": count, "next_cursor": next_cursor});
        out.answer(&answer, || match count {
            0 => "timed out; no matching events".to_owned(),
            _ => event_lines(&format!("{count} event(s):"), &events),
        })?;
        Ok(if timed_out { ExitCode::from(TIMED_OUT) } else { ExitCode::SUCCESS })
    }
}

/// The oldest matches, as soon as there are any, and the cursor from which the next wait misses nothing.
async fn wait(
    target: &Target,
    query: ListQuery,
    deadline: Instant,
) -> Result<(Vec<loggia_domain::Event>, Option<String>), Failure> {
    let (filter, limit) = (query.filter.clone(), query.limit);
    // The list and what follows meet at `newest`: nothing falls between what was and what comes.
    let listed = target.list(query).await?;
    if let Some(last) = listed.events.last() {
        let cursor = if listed.has_more { Some(last.id.clone()) } else { listed.newest };
        return Ok((listed.events, cursor));
    }
    let mut follow = target.follow(filter, listed.newest.clone()).await?;
    let mut events = tokio::select! {
        events = follow.next() => events?,
        () = tokio::time::sleep_until(deadline) => Vec::new(),
    };
    events.truncate(limit);
    let cursor = events.last().map(|e| e.id.clone()).or(listed.newest);
    Ok((events, cursor))
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
