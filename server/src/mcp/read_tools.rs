//! The tools that read the log: event_list, event_wait, event_get, artifact_get.

use std::time::Duration;

use loggia_domain::presence::Way;
use loggia_domain::{Column, Event, Filter, Raw, Refusal, field, refusal, timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::args::{Args, Kind, Param, joined, optional, required};
use super::tool::{Answer, Effect, Failure, Tool, answer, long_answer};
use super::write_tools::event_not_found;
use crate::AppState;
use crate::logstream::Tail;
use crate::logstream::read::{DEFAULT_LIMIT, ListQuery, MAX_LIMIT, Order};
use crate::tokens::Scope;

const NOTE: &str = "from_agent is your identity and does not filter event_list/event_wait. Filter by who wrote an event with writer=<agent>; for your inbox use to_agent=<you>.";

const SINCE: &str = "Only what arrived after this event: the next_cursor of your last answer";

/// What a list, a wait and a search have in common; [`filter`], [`note`] and [`limit`] read them.
pub(super) const FILTERS: [Param; 11] = [
    optional("stream", Kind::Text, "The wide channel"),
    optional("room", Kind::Text, "The channel within the stream"),
    optional("topic", Kind::Text, "What it is about"),
    optional("type", Kind::Text, "What kind of event"),
    optional("to_agent", Kind::Text, "For whom; also gives what is for everybody (*)"),
    optional("writer", Kind::Text, "Who wrote it"),
    optional("from_agent", Kind::Text, "You; does not filter"),
    optional("correlation_id", Kind::Text, "One delegation"),
    optional("status", Kind::Text, "open, claimed, ready, applied, blocked, failed or superseded"),
    optional(
        "since_created_at",
        Kind::Text,
        "Only events created at or after this date or RFC 3339 time; a window, never a cursor",
    ),
    optional("limit", Kind::Integer, "At most so many, 500 at the most; default 50"),
];

/// How long a wait lasts when nothing is said, and at the most.
const DEFAULT_TIMEOUT_MS: i64 = 60_000;
const MAX_TIMEOUT_MS: i64 = 300_000;

/// `mempalace_event_list`
pub const EVENT_LIST: Tool = Tool {
    name: "mempalace_event_list",
    about: "List events. Newest first by default, oldest first after a since_event_id. To page or resume, pass next_cursor as since_event_id, or older_cursor as before_event_id. Bodies are whole unless preview is true.",
    params: &joined::<15>(
        &FILTERS,
        &[
            optional("since_event_id", Kind::Text, SINCE),
            optional("before_event_id", Kind::Text, "Only what arrived before this event"),
            optional("order", Kind::Text, "asc or desc"),
            optional("preview", Kind::Boolean, "Cut bodies to 200 characters"),
        ],
    ),
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(event_list(state, args)),
};

/// `mempalace_event_wait`
pub const EVENT_WAIT: Tool = Tool {
    name: "mempalace_event_wait",
    about: "Wait until matching events arrive, and get them, oldest first. Answers at once if there are any after since_event_id. A timeout is a normal answer: call again with next_cursor as since_event_id and nothing is missed. If your client gives up on calls after a minute, use timeout_ms 55000.",
    params: &joined::<13>(
        &FILTERS,
        &[
            optional("since_event_id", Kind::Text, SINCE),
            optional("timeout_ms", Kind::Millis, "How long to wait; default 60000, at most 300000"),
        ],
    ),
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(event_wait(state, args)),
};

/// `mempalace_event_get`
pub const EVENT_GET: Tool = Tool {
    name: "mempalace_event_get",
    about: "Get one event by its id, whole.",
    params: &[required("event_id", "The event")],
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(event_get(state, args)),
};

/// `mempalace_artifact_get`
pub const ARTIFACT_GET: Tool = Tool {
    name: "mempalace_artifact_get",
    about: "Get an artifact with its exact content. Check the SHA-256 before you apply a patch.",
    params: &[required("artifact_id", "The artifact")],
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(artifact_get(state, args)),
};

async fn event_list(state: AppState, mut args: Args) -> Answer {
    let note = note(&mut args);
    let filter = filter(&mut args)?;
    let since_event_id = field::optional_routing("since_event_id", args.raw("since_event_id"))?;
    let before_event_id = field::optional_routing("before_event_id", args.raw("before_event_id"))?;
    let order = order(args.raw("order"), since_event_id.is_some())?;
    let limit = limit(&mut args)?;
    let preview = args.boolean("preview")?;
    let query = ListQuery { filter, since_event_id, before_event_id, order, limit };
    let mut listed = state.log.list(query).await?;
    if preview {
        listed.events.iter_mut().for_each(Event::preview);
    }
    let last = listed.events.last().map(|e| e.id.clone()).filter(|_| listed.has_more);
    let (next_cursor, older_cursor) = match order {
        Order::Asc => (last.or(listed.newest.id), None),
        Order::Desc => (listed.newest.id, last),
    };
    let page = Page {
        count: listed.events.len(),
        events: &listed.events,
        limit,
        has_more: listed.has_more,
        next_cursor,
        older_cursor,
        note,
    };
    long_answer(&page, 256 + listed.events.iter().map(|e| EVENT_BYTES + e.body.len()).sum::<usize>())
}

/// How long the JSON of an event is without its body, about.
const EVENT_BYTES: usize = 768;

/// What a list answers.
#[derive(Serialize)]
struct Page<'a> {
    events: &'a [Event],
    count: usize,
    limit: usize,
    has_more: bool,
    next_cursor: Option<String>,
    older_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

async fn event_wait(state: AppState, mut args: Args) -> Answer {
    let who = state.presence.who(&[text(&args, "from_agent"), text(&args, "to_agent")]);
    let note = note(&mut args);
    let filter = filter(&mut args)?;
    let since_event_id = field::optional_routing("since_event_id", args.raw("since_event_id"))?;
    let limit = limit(&mut args)?;
    let timeout = timeout(&mut args)?;
    let deadline = Instant::now() + timeout;

    // The list and the tail meet at `newest`: nothing falls between what was and what comes.
    let query = ListQuery {
        filter: filter.clone(),
        since_event_id: since_event_id.clone(),
        before_event_id: None,
        order: Order::Asc,
        limit,
    };
    let listed = state.log.list(query).await?;
    if !listed.events.is_empty() {
        let last = listed.events.last().map(|e| e.id.clone()).filter(|_| listed.has_more);
        let next_cursor = last.or(listed.newest.id);
        return answer(&Waited::new(listed.events.iter().collect(), next_cursor, note));
    }
    let _waiting = state.figures.waits.enter();
    let mut tail = Tail::new(&state.log, state.live.pump(), filter.clone(), listed.newest.seq);
    let _here = state.presence.enter(Way::Wait, who, &filter, tail.shared_cursor());
    let frames = tokio::select! {
        frames = tail.next() => frames?,
        () = tokio::time::sleep_until(deadline) => Vec::new(),
        () = state.stop.cancelled() => Vec::new(),
    };
    let events: Vec<&Event> = frames.iter().map(|f| &f.event).take(limit).collect();
    // What lies between the last event and the tip was not looked at by the caller's filter alone: its cursor is the last event. A
    // timeout keeps the cursor that it came with unless the log moved on without a match.
    let next_cursor = match events.last() {
        Some(last) => Some(last.id.clone()),
        None => listed.newest.id.or(since_event_id),
    };
    answer(&Waited::new(events, next_cursor, note))
}

/// What a wait answers.
#[derive(Serialize)]
struct Waited<'a> {
    timed_out: bool,
    events: Vec<&'a Event>,
    count: usize,
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl<'a> Waited<'a> {
    fn new(events: Vec<&'a Event>, next_cursor: Option<String>, note: Option<&'static str>) -> Self {
        Self { timed_out: events.is_empty(), count: events.len(), events, next_cursor, note }
    }
}

async fn event_get(state: AppState, mut args: Args) -> Answer {
    let id = field::routing("event_id", args.raw("event_id"))?;
    let event = state.log.event(id.clone()).await?.ok_or_else(|| event_not_found(&id))?;
    answer(&json!({"event": event}))
}

async fn artifact_get(state: AppState, mut args: Args) -> Answer {
    let given = args.raw("artifact_id");
    let id = field::routing("artifact_id", given.clone())?;
    let artifact = state.log.artifact(id.clone()).await?.ok_or_else(|| {
        // As it was sent: that is what the caller will look for.
        let shown = if let Raw::Text(text) = &given { text.clone() } else { id.clone() };
        Failure::Refused(
            Refusal::new("artifact_id", format!("artifact {} not found", refusal::quoted(&shown))).value(id.as_str()),
        )
    })?;
    answer(&json!({"artifact": artifact}))
}

/// An argument that is a text, left where it is.
fn text<'a>(args: &'a Args, name: &str) -> Option<&'a str> {
    args.peek(name).and_then(Value::as_str)
}

/// The filters that a list, a wait and a search have in common.
pub(super) fn filter(args: &mut Args) -> Result<Filter, Refusal> {
    let mut filter = Filter::default();
    for column in Column::ALL {
        // Agents know the sentence with the column's name; the field says what the argument is called here.
        let argument = if column == Column::FromAgent { "writer" } else { column.as_str() };
        let checked = column.check(column.as_str(), args.raw(argument));
        let checked = checked.map_err(|refusal| Refusal { field: argument.to_owned(), ..refusal });
        if let Some(value) = checked? {
            filter.any.insert(column, vec![value]);
        }
    }
    filter.since_created_at = timestamp::since_created_at(args.raw("since_created_at"))?;
    Ok(filter)
}

/// The caller's identity filters nothing; whoever gave it without a writer may have meant it to, so it is said.
pub(super) fn note(args: &mut Args) -> Option<&'static str> {
    // Not checked: it filters nothing, whatever it is.
    let named = args.has("from_agent");
    args.raw("from_agent");
    (named && !args.has("writer")).then_some(NOTE)
}

/// Adds the note of [`note`] to an answer.
pub(super) fn with_note(mut answer: Value, note: Option<&str>) -> Value {
    if let Some(note) = note {
        answer["note"] = note.into();
    }
    answer
}

fn order(raw: Raw, has_since: bool) -> Result<Order, Refusal> {
    let value = match raw {
        Raw::Absent => return Ok(if has_since { Order::Asc } else { Order::Desc }),
        Raw::Text(text) => match text.trim_matches(field::is_blank).to_ascii_lowercase() {
            word if word == "asc" => return Ok(Order::Asc),
            word if word == "desc" => return Ok(Order::Desc),
            word => Value::String(word),
        },
        Raw::Other(value) => value,
    };
    Err(Refusal::new("order", format!("order={} must be 'asc' or 'desc'", refusal::shown(&value)))
        .value(value)
        .accepted("asc, desc"))
}

/// How many a list or a search gives.
pub(super) fn limit(args: &mut Args) -> Result<usize, Refusal> {
    let Some(wanted) = args.integer("limit") else { return Ok(DEFAULT_LIMIT) };
    usize::try_from(wanted)
        .ok()
        .filter(|n| *n > 0)
        .map(|n| n.min(MAX_LIMIT))
        .ok_or_else(|| Refusal::new("limit", "limit must be a positive integer").value(wanted).limit(MAX_LIMIT))
}

fn timeout(args: &mut Args) -> Result<Duration, Refusal> {
    let wanted = args.integer("timeout_ms").unwrap_or(DEFAULT_TIMEOUT_MS).min(MAX_TIMEOUT_MS);
    u64::try_from(wanted)
        .map(Duration::from_millis)
        .map_err(|_| Refusal::new("timeout_ms", "timeout_ms must be a non-negative number").value(wanted))
}
