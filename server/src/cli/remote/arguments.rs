//! Drafts as the arguments of a hub's tools. Nothing is checked here: the hub's rules are the same, and its words are repeated.

use loggia_domain::task::TaskDraft;
use loggia_domain::{AckDraft, ArtifactDraft, EventDraft, Raw};
use serde_json::{Map, Value};

/// For `mempalace_event_append`.
pub(in crate::cli) fn event_arguments(draft: EventDraft) -> Value {
    object([
        ("type", draft.event_type),
        ("stream", draft.stream),
        ("room", draft.room),
        ("topic", draft.topic),
        ("from_agent", draft.from_agent),
        ("to_agent", draft.to_agent),
        ("correlation_id", draft.correlation_id),
        ("branch", draft.branch),
        ("base_commit", draft.base_commit),
        ("status", draft.status),
        ("body", draft.body),
        ("metadata", draft.metadata),
        ("artifact_ids", draft.artifact_ids),
    ])
}

/// For `mempalace_event_ack`.
pub(in crate::cli) fn ack_arguments(event_id: String, draft: AckDraft) -> Value {
    object([
        ("event_id", event_id.into()),
        ("from_agent", draft.from_agent),
        ("status", draft.status),
        ("body", draft.body),
        ("topic", draft.topic),
    ])
}

/// For `mempalace_task_create`.
pub(super) fn task_arguments(draft: TaskDraft) -> Value {
    object([
        ("project", draft.project),
        ("from_agent", draft.from_agent),
        ("to_agent", draft.to_agent),
        ("goal", draft.goal),
        ("branch", draft.branch),
        ("base_commit", draft.base_commit),
        ("done", draft.done),
    ])
}

/// For `mempalace_artifact_put`.
pub(super) fn artifact_arguments(draft: ArtifactDraft) -> Value {
    object([
        ("kind", draft.kind),
        ("content", draft.content),
        ("created_by", draft.created_by),
        ("metadata", draft.metadata),
    ])
}

/// What was not given is left out.
fn object<const N: usize>(arguments: [(&str, Raw); N]) -> Value {
    let mut object = Map::new();
    for (name, raw) in arguments {
        match raw {
            Raw::Absent => {}
            Raw::Text(text) => drop(object.insert(name.to_owned(), Value::String(text))),
            Raw::Other(value) => drop(object.insert(name.to_owned(), value)),
        }
    }
    Value::Object(object)
}
