//! The tools that add to the log: task_create, event_append, event_ack, artifact_put, patch_submit.

use loggia_domain::{AckDraft, ArtifactDraft, EventDraft, NewArtifact, NewEvent, Raw, Refusal, field, refusal, task};
use serde_json::json;

use super::args::{Args, Kind, optional, required};
use super::tool::{Answer, Effect, Failure, Tool, answer};
use crate::AppState;
use crate::logstream::StoreError;
use crate::tokens::Scope;

const BODY: &str = "Text, stored byte for byte, at most 262144 bytes; store longer text as an artifact";
const METADATA: &str = "A JSON object of your own, at most 65536 bytes as text";
const STATUS: &str = "open, claimed, ready, applied, blocked, failed or superseded";
const TOPIC: &str = "What it is about, within the room";
const TO_AGENT: &str = "For whom; * is everybody";
const CORRELATION: &str = "What ties a request and its answers together: use the request's own";
const BRANCH: &str = "The git branch that the work is about";
const BASE_COMMIT: &str = "The commit that the work starts from";

/// `mempalace_task_create`
pub const TASK_CREATE: Tool = Tool {
    name: "mempalace_task_create",
    about: "Delegate work to another agent: appends a task.request with a fresh correlation id and answers a one-line handoff text that wakes the worker.",
    params: &[
        required("project", "The project; the stream becomes project/<slug>"),
        required("from_agent", "You"),
        required("to_agent", "The agent that shall do it"),
        required("goal", "What is wanted, in full; its first line is the title that people see"),
        required("branch", "The git branch to work on"),
        required("base_commit", "The commit to start from: 7 to 64 hexadecimal digits, never a branch or tag"),
        required("done", "When it counts as done"),
    ],
    scope: Scope::Write,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(task_create(state, args)),
};

/// `mempalace_event_append`
pub const EVENT_APPEND: Tool = Tool {
    name: "mempalace_event_append",
    about: "Append one event to the log. It is on disk when the answer comes, and everybody who waits for it is woken. To acknowledge an event use mempalace_event_ack, to hand in a patch mempalace_patch_submit.",
    params: &[
        required("type", "What kind of event, for example task.reply, status, room.message"),
        required("stream", "The wide channel, for example project/atlas"),
        required("room", "The channel within the stream, for example delegation"),
        required("from_agent", "You"),
        optional("to_agent", Kind::Text, TO_AGENT),
        optional("topic", Kind::Text, TOPIC),
        optional("correlation_id", Kind::Text, CORRELATION),
        optional("branch", Kind::Text, BRANCH),
        optional("base_commit", Kind::Text, BASE_COMMIT),
        optional("status", Kind::Text, STATUS),
        optional("body", Kind::Text, BODY),
        optional("metadata", Kind::Object, METADATA),
        optional("artifact_ids", Kind::List, "Ids of artifacts that are stored already"),
    ],
    scope: Scope::Write,
    effect: Effect::Adds,
    run: |state, args, broken| Box::pin(event_append(state, args, broken)),
};

/// `mempalace_event_ack`
pub const EVENT_ACK: Tool = Tool {
    name: "mempalace_event_ack",
    about: "Answer an event with a status: claimed when you take a task, applied when you took a patch over, blocked or failed with the reason in body. Appends event.ack to the writer of that event; the event itself never changes.",
    params: &[
        required("event_id", "The event that you answer"),
        required("from_agent", "You"),
        optional("status", Kind::Text, STATUS),
        optional("body", Kind::Text, BODY),
        optional("topic", Kind::Text, "Another topic than the event's"),
    ],
    scope: Scope::Write,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(event_ack(state, args)),
};

/// `mempalace_artifact_put`
pub const ARTIFACT_PUT: Tool = Tool {
    name: "mempalace_artifact_put",
    about: "Store exact text (a patch, a file, a log) and get its id and SHA-256 for events to reference. Nothing is trimmed or converted.",
    params: &[
        required("kind", "patch, file, log, json or note"),
        required("content", "The exact text, at most 4194304 bytes"),
        required("created_by", "You"),
        optional("metadata", Kind::Object, METADATA),
    ],
    scope: Scope::Write,
    effect: Effect::Adds,
    run: |state, args, broken| Box::pin(artifact_put(state, args, broken)),
};

/// `mempalace_patch_submit`
pub const PATCH_SUBMIT: Tool = Tool {
    name: "mempalace_patch_submit",
    about: "Hand in a patch: stores the unified diff as an artifact and appends patch.ready with status ready, both or neither.",
    params: &[
        required("content", "The unified diff, exact, with its final newline"),
        required("from_agent", "You"),
        required("stream", "The stream of the request"),
        optional("room", Kind::Text, "Default patches"),
        optional("to_agent", Kind::Text, TO_AGENT),
        optional("topic", Kind::Text, TOPIC),
        optional("correlation_id", Kind::Text, CORRELATION),
        optional("branch", Kind::Text, BRANCH),
        optional("base_commit", Kind::Text, BASE_COMMIT),
        optional("body", Kind::Text, BODY),
        optional("metadata", Kind::Object, METADATA),
    ],
    scope: Scope::Write,
    effect: Effect::Adds,
    run: |state, args, broken| Box::pin(patch_submit(state, args, broken)),
};

async fn task_create(state: AppState, mut args: Args) -> Answer {
    let draft = task::TaskDraft {
        project: args.raw("project"),
        from_agent: args.raw("from_agent"),
        to_agent: args.raw("to_agent"),
        goal: args.raw("goal"),
        branch: args.raw("branch"),
        base_commit: args.raw("base_commit"),
        done: args.raw("done"),
    };
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|e| StoreError::Storage(format!("no random bytes: {e}")))?;
    let task = state.log.append(draft.check(random)?).await?;
    let handoff =
        task::handoff(task.correlation_id.as_deref().unwrap_or_default(), task.to_agent.as_deref().unwrap_or_default());
    answer(&json!({"success": true, "task": task, "handoff": handoff}))
}

async fn event_append(state: AppState, mut args: Args, broken_metadata: bool) -> Answer {
    let mut draft = routing(&mut args);
    draft.event_type = args.raw("type");
    draft.room = args.raw("room");
    draft.status = args.raw("status");
    draft.artifact_ids = args.raw("artifact_ids");
    let event = refuse_broken(draft.check()?, broken_metadata)?;
    let event = state.log.append(event).await?;
    answer(&json!({"success": true, "event": event}))
}

async fn event_ack(state: AppState, mut args: Args) -> Answer {
    let target_id = field::routing("event_id", args.raw("event_id"))?;
    let target = state.log.event(target_id.clone()).await?.ok_or_else(|| event_not_found(&target_id))?;
    let draft = AckDraft {
        from_agent: args.raw("from_agent"),
        status: args.raw("status"),
        body: args.raw("body"),
        topic: args.raw("topic"),
    };
    let event = state.log.append(draft.check(&target)?).await?;
    answer(&json!({"success": true, "event": event}))
}

async fn artifact_put(state: AppState, mut args: Args, broken_metadata: bool) -> Answer {
    let draft = ArtifactDraft {
        kind: args.raw("kind"),
        content: args.raw("content"),
        created_by: args.raw("created_by"),
        metadata: args.raw("metadata"),
    };
    let artifact = check_artifact(draft).await?;
    if broken_metadata {
        return Err(lone_surrogate().into());
    }
    let warnings = artifact.warnings();
    let record = state.log.put_artifact(artifact).await?;
    answer(&json!({"success": true, "artifact": with_warnings(json!(record), &warnings)}))
}

async fn patch_submit(state: AppState, mut args: Args, broken_metadata: bool) -> Answer {
    let from_agent = args.raw("from_agent");
    let metadata = args.raw("metadata");
    let draft = ArtifactDraft {
        kind: "patch".into(),
        content: args.raw("content"),
        created_by: from_agent.clone(),
        metadata: metadata.clone(),
    };
    // Agents know the sentence with the artifact's word for the author; the field says what the argument is called here.
    let artifact = check_artifact(draft).await.map_err(|failure| match failure {
        Failure::Refused(r) if r.field == "created_by" => {
            Failure::Refused(Refusal { field: "from_agent".to_owned(), ..r })
        }
        other => other,
    })?;
    let mut draft = EventDraft { from_agent, metadata, ..routing(&mut args) };
    draft.event_type = "patch.ready".into();
    draft.status = "ready".into();
    draft.room = match args.raw("room") {
        Raw::Absent => "patches".into(),
        room => room,
    };
    let event = refuse_broken(draft.check()?, broken_metadata)?;
    let warnings = artifact.warnings();
    let written = state.log.submit(artifact, event).await?;
    let artifact = with_warnings(json!(written.artifact), &warnings);
    answer(&json!({"success": true, "artifact": artifact, "event": written.event}))
}

/// The fields that an append and a patch have in common.
fn routing(args: &mut Args) -> EventDraft {
    EventDraft {
        stream: args.raw("stream"),
        topic: args.raw("topic"),
        from_agent: args.raw("from_agent"),
        to_agent: args.raw("to_agent"),
        correlation_id: args.raw("correlation_id"),
        branch: args.raw("branch"),
        base_commit: args.raw("base_commit"),
        body: args.raw("body"),
        metadata: args.raw("metadata"),
        ..EventDraft::default()
    }
}

/// The refusal for an event id that is not in the log.
pub fn event_not_found(id: &str) -> Failure {
    Failure::Refused(Refusal::new("event_id", format!("event {} not found", refusal::quoted(id))).value(id))
}

/// Checks and hashes; 4 MiB take a while, so not on the threads that serve everybody.
async fn check_artifact(draft: ArtifactDraft) -> Result<NewArtifact, Failure> {
    let checked = tokio::task::spawn_blocking(move || draft.check()).await.map_err(|_| StoreError::Closed)?;
    Ok(checked?)
}

fn refuse_broken(event: NewEvent, broken_metadata: bool) -> Result<NewEvent, Refusal> {
    if broken_metadata { Err(lone_surrogate()) } else { Ok(event) }
}

fn lone_surrogate() -> Refusal {
    Refusal::new("metadata", "metadata contains a lone surrogate (half of a character pair such as \\ud83d)")
        .hint("send whole characters; a text was probably cut in the middle of an emoji")
}

fn with_warnings(mut record: serde_json::Value, warnings: &[&str]) -> serde_json::Value {
    if !warnings.is_empty() {
        record["warnings"] = json!(warnings);
    }
    record
}
