//! `loggia logstream search`: full text over events and artifacts, newest first.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use loggia_domain::field;
use loggia_domain::search::{Excerpt, Query};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::logstream::{Bounds, Filters};
use super::output::{Failure, Out, notice, on_one_line};
use super::target::{Place, Target};
use crate::logstream::Logstream;
use crate::logstream::search::{self, Pace, SearchQuery};

#[derive(Args)]
pub(super) struct Search {
    /// The words: all must be there, the last may be the beginning of one; nothing in them is an operator
    #[arg(required = true, value_name = "QUERY")]
    words: Vec<String>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    bounds: Bounds,
    /// Only what arrived before this event
    #[arg(long, value_name = "ID")]
    before_event_id: Option<String>,
    /// Search the contents of artifacts too, at most 50 of them
    #[arg(long)]
    artifacts: bool,
    /// Only artifacts that were stored before this one
    #[arg(long, value_name = "ID", requires = "artifacts")]
    before_artifact_id: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Search {
    pub(super) async fn run(self, place: Place, out: &Out) -> Result<ExitCode, Failure> {
        let (filter, limit) = self.bounds.check(&self.filters)?;
        let query = SearchQuery {
            query: Query::check("query", self.words.join(" ").into())?,
            filter,
            before_event_id: field::optional_routing("before_event_id", self.before_event_id.into())?,
            artifacts: self.artifacts,
            before_artifact_id: field::optional_routing("before_artifact_id", self.before_artifact_id.into())?,
            limit,
        };
        let answer = place
            .with(async |target| match target {
                Target::Files(log) => in_files(log, query).await,
                Target::Hub(hub) => hub.search(&query).await,
            })
            .await?;
        out.styled(&answer, || text(&answer))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Brings the index up to date, beside a hub or without one, and asks it.
async fn in_files(log: &Logstream, query: SearchQuery) -> Result<Value, Failure> {
    let (stop, limit) = (CancellationToken::new(), query.limit);
    let _ended = stop.clone().drop_guard();
    let palace = log.path().parent().unwrap_or_else(|| Path::new("."));
    let search = search::Search::start(log, palace, Pace::Fast, stop)?;
    search.bring_up(log, |now, tip| notice(&format!("indexing the log: {now} of {tip} events"))).await?;
    Ok(search.find(log, query).await?.to_json(limit))
}

/// The answer for people: a line for each hit, and below it where it answers.
fn text(answer: &Value) -> String {
    let mut lines = Vec::new();
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    let events = list("events");
    lines.push(if events.is_empty() { "no matching events".to_owned() } else { format!("{} event(s):", events.len()) });
    for event in events {
        let said = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let to = event["to_agent"].as_str().map(|to| format!("->{to}")).unwrap_or_default();
        let status = event["status"].as_str().map(|status| format!(" [{status}]")).unwrap_or_default();
        let (id, at, kind, from) = (said("id"), said("created_at"), said("type"), said("from_agent"));
        let line = format!("  {id}  {at}  {kind}  {}/{}  {from}{to}{status}", said("stream"), said("room"));
        lines.extend([on_one_line(&line), excerpt(&event["excerpt"])]);
    }
    if let Some(id) = answer["older_cursor"].as_str() {
        lines.push(format!("older ones: --before-event-id {}", on_one_line(id)));
    }
    if answer["artifacts"].is_array() {
        let artifacts = list("artifacts");
        lines.push(format!("{} artifact(s):", artifacts.len()));
        for artifact in artifacts {
            let said = |name: &str| artifact[name].as_str().unwrap_or_default();
            let bytes = &artifact["size_bytes"];
            let line = format!(
                "  {}  {}  {}  {bytes} bytes  {}",
                said("id"),
                said("created_at"),
                said("kind"),
                said("created_by")
            );
            lines.extend([on_one_line(&line), excerpt(&artifact["excerpt"])]);
        }
        if let Some(id) = answer["older_artifact_cursor"].as_str() {
            lines.push(format!("older ones: --before-artifact-id {}", on_one_line(id)));
        }
    }
    if let Some(behind) = answer["behind"].as_i64().filter(|behind| *behind > 0) {
        lines.push(format!("the index is {behind} events behind the log"));
    }
    lines.join("\n")
}

/// An excerpt on one line, its hits bold where somebody looks at them.
fn excerpt(value: &Value) -> String {
    let Ok(excerpt) = serde_json::from_value::<Excerpt>(value.clone()) else { return String::new() };
    let (bold, plain_again) = if io::stdout().is_terminal() { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let mut line = format!("      {}: ", excerpt.field);
    line.push_str(if excerpt.cut_before { "…" } else { "" });
    for (piece, is_hit) in excerpt.pieces() {
        let (before, after) = if is_hit { (bold, plain_again) } else { ("", "") };
        line.extend([before, &on_one_line(piece), after]);
    }
    line.push_str(if excerpt.cut_after { "…" } else { "" });
    line
}
