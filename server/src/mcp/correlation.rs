//! The tool that reads one delegation: correlation_get. The events of a correlation, folded by the domain into where it stands, who
//! has it and what waits for whom: the same answer as the task's page gives to a person.

use std::collections::BTreeSet;

use loggia_domain::delegation::{self, Delegation};
use loggia_domain::{Event, Refusal, field, refusal, timestamp};
use serde_json::{Value, json};

use super::args::{Args, Kind, optional, required};
use super::tool::{Answer, Effect, Failure, Tool, answer};
use crate::AppState;
use crate::clock::now_ms;
use crate::logstream::StoreError;
use crate::tokens::Scope;

/// `mempalace_correlation_get`
pub const CORRELATION_GET: Tool = Tool {
    name: "mempalace_correlation_get",
    about: "Get one delegation by its correlation id: where it stands (state), who works on it (claimant), what it waits for, whether it is stalled or expired, its steps with durations, its artifacts, and its events in order. Ask this instead of listing and interpreting the events yourself.",
    params: &[
        required("correlation_id", "The delegation: the correlation_id of its task.request"),
        optional("preview", Kind::Boolean, "Cut bodies to 200 characters"),
    ],
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(correlation_get(state, args)),
};

async fn correlation_get(state: AppState, mut args: Args) -> Answer {
    let id = field::routing("correlation_id", args.raw("correlation_id"))?;
    let preview = args.boolean("preview")?;
    let (mut events, total, newest) = state.log.correlation(id.clone()).await?;
    let Some(delegation) = delegation::fold(&events) else { return Err(unknown(&state, &id).await) };
    events.sort_by(|a, b| a.order_key().cmp(&b.order_key()));
    if preview {
        events.iter_mut().for_each(Event::preview);
    }
    let wanted: BTreeSet<String> = delegation.artifact_ids.iter().cloned().collect();
    let found = state.log.artifact_records(wanted.into_iter().collect()).await?;
    // In order of appearance; one that a peer's event names and that has not come yet is left out here and stays in artifact_ids.
    let artifacts: Vec<_> = delegation.artifact_ids.iter().filter_map(|id| found.get(id)).collect();

    let now_ms = now_ms();
    let stalled_after_ms = u64::try_from(state.settings.stalled_after.as_millis()).unwrap_or(u64::MAX);
    let mut told = standing(&delegation, now_ms, stalled_after_ms)?;
    told["artifacts"] = json!(artifacts);
    told["count"] = json!(events.len());
    told["total"] = json!(total);
    told["next_cursor"] = json!(newest.id);
    told["events"] = json!(events);
    answer(&told)
}

/// What the fold says, and what follows from the present moment.
fn standing(delegation: &Delegation, now_ms: u64, stalled_after_ms: u64) -> Result<Value, Failure> {
    let mut told = serde_json::to_value(delegation)
        .map_err(|e| StoreError::Storage(format!("a delegation cannot be written: {e}")))?;
    told["pending_since"] = json!(delegation.pending_since_ms.and_then(timestamp::created_at_ms));
    // A clock ahead of ours is no waiting.
    told["pending_ms"] = json!(delegation.pending_since_ms.map(|since| now_ms.saturating_sub(since)));
    told["last_at"] = json!(timestamp::created_at_ms(delegation.last_at_ms));
    let expires_ms = delegation.expires_at_ms.and_then(|at| u64::try_from(at).ok());
    told["expires_at"] = json!(expires_ms.and_then(timestamp::created_at_ms));
    told["stalled"] = json!(delegation.is_stalled(now_ms, stalled_after_ms));
    told["expired"] = json!(delegation.is_expired(now_ms));
    told["needs_someone"] = json!(delegation.needs_someone(now_ms, stalled_after_ms));
    told["skew_ms"] = json!(delegation.steps.iter().filter_map(|step| step.skew_ms).max());
    Ok(told)
}

/// The refusal for a correlation without events; whoever gave the id of an event is told which correlation it belongs to.
async fn unknown(state: &AppState, id: &str) -> Failure {
    let event = match state.log.event(id.to_owned()).await {
        Ok(event) => event,
        Err(error) => return error.into(),
    };
    let hint = match event.map(|e| e.correlation_id) {
        Some(Some(correlation_id)) => format!("this is an event; its correlation_id is {correlation_id}"),
        Some(None) => "this is an event without a correlation_id that nobody has acknowledged".to_owned(),
        None => "correlation ids are matched exactly; mempalace_event_list shows them".to_owned(),
    };
    let message = format!("correlation {} not found", refusal::quoted(id));
    Failure::Refused(Refusal::new("correlation_id", message).value(id).hint(hint))
}
