//! `loggia logstream watch`: blocks until something of interest arrives, prints it, and remembers how far it has looked.
//!
//! # Design
//! What is there already is listed; then matches come from following the log, which wakes and never asks. What passed by unmatched is
//! examined by a list behind the cursor: when it is empty, nothing up to the newest event of that same moment matches, and the cursor may
//! move there. After the beginning that list is asked before an idle end and now and then between, never to find events.

mod state;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use loggia_domain::{Event, Filter, field, timestamp};
use serde_json::json;
use time::OffsetDateTime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

use super::logstream::{Filters, LONGEST, TIMED_OUT};
use super::output::{Failure, Out, deliver, event_lines, notice};
use super::target::{Follow, Place, Target, unknown_cursor};
use crate::config;
use crate::logstream::read::{ListQuery, MAX_LIMIT, Order};
use state::{Start, StateFile, Stored};

/// The exit code of a watch that was interrupted: 128 and the number of SIGINT.
const INTERRUPTED: u8 = 130;
/// How often the position is looked after where that costs nothing while nothing arrives.
const LOOK: Duration = Duration::from_secs(1);
/// How long a hub may take to say what passed by; an interrupt waits as long.
const EXAMINE_LIMIT: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(super) struct Watch {
    /// What is for this agent or everybody, without what it wrote itself; keeps the position in a file of its own
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    filters: Filters,
    /// Begin behind this event
    #[arg(long, value_name = "ID")]
    since_event_id: Option<String>,
    /// On a first run, begin with the first event of the log instead of at its end
    #[arg(long)]
    from_start: bool,
    /// Where the position is kept; '' keeps none [default with --agent: ~/.mempalace/watch/<agent>.json]
    #[arg(long, value_name = "FILE")]
    state_file: Option<OsString>,
    /// Go on after the first match
    #[arg(long)]
    follow: bool,
    /// End after so many milliseconds without a match, with exit code 2 if there was none; 0 is never
    #[arg(long, value_name = "MS", default_value_t = 0, allow_negative_numbers = true)]
    idle_exit_ms: i64,
    /// The position is saved at least so often, in milliseconds, while nothing matches
    #[arg(long, value_name = "MS", default_value_t = 300_000, allow_negative_numbers = true)]
    poll_timeout_ms: i64,
    /// At most so many events at once
    #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    limit: i64,
    /// Answer in JSON: one document, or with --follow one line for each batch
    #[arg(long)]
    json: bool,
}

/// The checked flags.
struct Asked {
    filter: Filter,
    whom: String,
    since_event_id: Option<String>,
    from_start: bool,
    state: Option<StateFile>,
    follow: bool,
    idle: Option<Duration>,
    save_every: Duration,
    limit: usize,
    json: bool,
}

impl Watch {
    pub(super) fn json(&self) -> bool {
        self.json
    }

    pub(super) async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        // Everything is checked before a palace is made or a file is written.
        let asked = self.check(out)?;
        at.with(async |target| watch(target, asked).await).await
    }

    fn check(self, out: &Out) -> Result<Asked, Failure> {
        let positive = |n: i64| u64::try_from(n).ok().filter(|n| *n > 0);
        let save_every = positive(self.poll_timeout_ms).ok_or_else(|| {
            let given = self.poll_timeout_ms;
            Failure::new(format!("--poll-timeout-ms must be a positive number of milliseconds, not {given}"))
        })?;
        let limit = positive(self.limit)
            .ok_or_else(|| Failure::new(format!("--limit must be a positive integer, not {}", self.limit)))?;
        let idle_ms = u64::try_from(self.idle_exit_ms).map_err(|_| {
            let given = self.idle_exit_ms;
            Failure::new(format!("--idle-exit-ms must be 0 (never) or a positive number of milliseconds, not {given}"))
        })?;
        let mut filter = self.filters.filter()?;
        let agent = self.agent.filter(|a| !a.is_empty());
        if let Some(agent) = &agent {
            // Its own broadcasts would wake it.
            filter.take_pair("to_agent", agent)?;
            filter.take_pair("exclude_from_agent", agent)?;
        }
        let state = StateFile::choose(self.state_file.map(PathBuf::from), agent.as_deref(), config::home().as_deref())?;
        Ok(Asked {
            whom: agent.unwrap_or_else(|| "the log".to_owned()),
            filter,
            since_event_id: field::optional_routing("since_event_id", self.since_event_id.into())?,
            from_start: self.from_start,
            state,
            follow: self.follow,
            idle: (idle_ms > 0).then(|| Duration::from_millis(idle_ms).min(LONGEST)),
            save_every: Duration::from_millis(save_every).min(LONGEST),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            json: out.is_json(),
        })
    }
}

async fn watch(target: &Target, asked: Asked) -> Result<ExitCode, Failure> {
    let (cursor, notices) = begin(target, &asked).await?;
    // From here on an interrupt is ours to answer; whoever reads the notices may send one.
    let mut interrupt = signal(SignalKind::interrupt())?;
    for text in notices {
        notice(&text);
    }
    let mut position = Position { cursor, asked: &asked, has_matched: false, is_warned: false };
    let is_done = tokio::select! {
        biased;
        _ = interrupt.recv() => return Ok(stopped(&asked)),
        caught_up = position.catch_up(target) => caught_up?,
    };
    if is_done {
        return Ok(ExitCode::SUCCESS);
    }
    let follow = target.follow(asked.filter.clone(), position.cursor.clone()).await?;
    run(target, follow, position, interrupt).await
}

fn stopped(asked: &Asked) -> ExitCode {
    if !asked.json {
        notice("stopped");
    }
    ExitCode::from(INTERRUPTED)
}

/// Finds the cursor to begin behind and makes sure of a first note; the cursor, and what to tell people about it.
async fn begin(target: &Target, asked: &Asked) -> Result<(Option<String>, Vec<String>), Failure> {
    let mut notices = Vec::new();
    let stored = asked.state.as_ref().map_or(Stored::Absent, StateFile::read);
    let start = Start::choose(asked.since_event_id.clone(), asked.from_start, &stored);
    let at_tip = start == Start::Tip;
    let cursor = match start {
        Start::Tip => target.newest().await?,
        Start::Beginning => None,
        Start::Asked(id) if !target.knows(&id).await? => {
            return Err(unknown_cursor(&id).hint("nothing was written to the state file"));
        }
        Start::Resumed(id) if !target.knows(&id).await? => {
            notices.push(format!("the stored position {id} is not in this log: starting over with its first event"));
            None
        }
        Start::Asked(id) | Start::Resumed(id) => Some(id),
    };
    if let (Some(state), Stored::Absent) = (&asked.state, &stored) {
        // Without it a restart would be a first run again, and pass over what arrived in between.
        state.write(cursor.as_deref(), &now()).map_err(|e| {
            Failure::new(format!("the first position cannot be written to {}: {e}", state.path().display()))
                .hint("without it a restart would miss events; name another --state-file")
        })?;
    }
    if !asked.json {
        let from = cursor.as_deref().unwrap_or("the beginning");
        notices.push(format!("watching {} from {from}; Ctrl-C ends", asked.whom));
    }
    if let (true, Some(id)) = (at_tip, &cursor) {
        notices
            .push(format!("starting at the newest event ({id}), earlier ones are not shown; --from-start shows them"));
    }
    if let (Some(state), Stored::Unreadable) = (&asked.state, &stored) {
        let path = state.path().display();
        notices.push(format!("the state file {path} cannot be read: starting over, so that nothing is missed"));
    }
    Ok((cursor, notices))
}

async fn run(
    target: &Target,
    mut follow: Follow,
    mut position: Position<'_>,
    mut interrupt: Signal,
) -> Result<ExitCode, Failure> {
    let asked = position.asked;
    let mut idle_until = asked.idle.map(|idle| Instant::now() + idle);
    let mut examined_tip = None;
    let every = if follow.tip().is_some() { asked.save_every.min(LOOK) } else { asked.save_every };
    let mut look = tokio::time::interval(every);
    look.reset();
    loop {
        tokio::select! {
            biased;
            _ = interrupt.recv() => return Ok(stopped(asked)),
            arrived = follow.next() => {
                let mut arrived = VecDeque::from(arrived?);
                while !arrived.is_empty() {
                    let batch: Vec<Event> = arrived.drain(..arrived.len().min(asked.limit)).collect();
                    position.print(&batch)?;
                    if !asked.follow {
                        return Ok(ExitCode::SUCCESS);
                    }
                }
                idle_until = asked.idle.map(|idle| Instant::now() + idle);
            }
            () = until(idle_until) => {
                position.examine(target).await;
                position.print_idle()?;
                return Ok(if position.has_matched { ExitCode::SUCCESS } else { ExitCode::from(TIMED_OUT) });
            }
            _ = look.tick() => {
                let tip = follow.tip();
                if tip.is_none() || tip != examined_tip {
                    position.examine(target).await;
                    examined_tip = tip;
                }
            }
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// How far the log was examined.
struct Position<'a> {
    cursor: Option<String>,
    asked: &'a Asked,
    has_matched: bool,
    is_warned: bool,
}

impl Position<'_> {
    /// Prints what lies behind the cursor already, in whole batches; whether that was all that was asked for.
    async fn catch_up(&mut self, target: &Target) -> Result<bool, Failure> {
        loop {
            let listed = match target.list(self.question(self.asked.limit.min(MAX_LIMIT))).await {
                // A hub that was there a moment ago: following takes up from the cursor, and tries again.
                Err(_) if self.has_matched => return Ok(false),
                listed => listed?,
            };
            if listed.events.is_empty() {
                self.move_to(listed.newest);
                return Ok(false);
            }
            self.print(&listed.events)?;
            if !self.asked.follow {
                return Ok(true);
            }
        }
    }

    /// What matches behind the cursor.
    fn question(&self, limit: usize) -> ListQuery {
        ListQuery {
            filter: self.asked.filter.clone(),
            since_event_id: self.cursor.clone(),
            before_event_id: None,
            order: Order::Asc,
            limit,
        }
    }

    /// Prints matches, and only then notes that they were seen.
    fn print(&mut self, batch: &[Event]) -> Result<(), Failure> {
        let cursor = batch.last().map(|e| e.id.clone());
        let text = if self.asked.json {
            let count = batch.len();
            self.document(&json!({"events": batch, "count": count, "cursor": cursor, "timed_out": false}))?
        } else {
            event_lines(&format!("{} event(s):", batch.len()), batch)
        };
        deliver(format!("{text}\n").as_bytes())?;
        self.has_matched = true;
        self.move_to(cursor);
        Ok(())
    }

    fn print_idle(&self) -> Result<(), Failure> {
        let text = if self.asked.json {
            self.document(&json!({"events": [], "count": 0, "cursor": self.cursor, "timed_out": true}))?
        } else {
            "idle: no matching events".to_owned()
        };
        Ok(deliver(format!("{text}\n").as_bytes())?)
    }

    /// One document alone is for people too; many of them are one line each, so that a program can tell them apart.
    fn document(&self, value: &serde_json::Value) -> Result<String, Failure> {
        let text = if self.asked.follow { serde_json::to_string(value) } else { serde_json::to_string_pretty(value) };
        text.map_err(|e| Failure::new(e.to_string()))
    }

    /// Moves over what does not match. A log that cannot be asked now is asked later: the cursor stays where it is.
    async fn examine(&mut self, target: &Target) {
        if let Ok(Ok(listed)) = tokio::time::timeout(EXAMINE_LIMIT, target.list(self.question(1))).await
            && listed.events.is_empty()
        {
            self.move_to(listed.newest);
        }
    }

    /// Notes that everything up to an event was examined; without one (an empty log) nothing moves.
    fn move_to(&mut self, cursor: Option<String>) {
        if cursor.is_none() || cursor == self.cursor {
            return;
        }
        self.cursor = cursor;
        let Some(state) = &self.asked.state else { return };
        // A lost note costs a repetition; a watch that ended would cost every event after it.
        if let Err(error) = state.write(self.cursor.as_deref(), &now())
            && !self.is_warned
        {
            self.is_warned = true;
            notice(&format!("the position cannot be written to {}: {error}", state.path().display()));
        }
    }
}

fn now() -> String {
    timestamp::created_at(OffsetDateTime::now_utc())
}
