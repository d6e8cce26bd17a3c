//! What the pages of one task and of one artifact show, in terms of the log.

use std::collections::BTreeSet;

use loggia_app::backend::asked::{Moment, PageQuery, Seen};
use loggia_app::backend::{ArtifactPage, Html, TaskPage};
use loggia_domain::delegation::{Delegation, State, fold};
use loggia_domain::{ApiError, Artifact, ArtifactKind, ArtifactRecord, Event, Raw, field};

use super::backend::{missing, tip};
use super::past::at;
use crate::AppState;
use crate::clock::now_ms;
use crate::error::of_store;
use crate::logstream::past::At;
use crate::logstream::read::{MAX_LIMIT, Newest};

/// How many delegations of an artifact are looked through for other patches.
const DELEGATIONS_LOOKED_AT: usize = 5;

/// One delegation, now or when an event had arrived.
pub(super) async fn task(state: &AppState, query: &PageQuery, stalled_after_ms: u64) -> Result<TaskPage, ApiError> {
    let id = field::routing("id", Raw::Text(query.id.clone()))?;
    let (mut events, mut total, newest) = state.log.correlation(id.clone()).await.map_err(of_store)?;
    if events.is_empty() {
        return Err(missing("delegation", &id));
    }
    let mut moment = None;
    if let Some(at) = at(&query.at) {
        let elsewhere = match &at {
            At::Event(id) if !events.iter().any(|event| event.id == *id) => {
                Some(state.log.point(at.clone()).await.map_err(of_store)?.event.seq)
            }
            _ => None,
        };
        let found = moment_of(&events, &at, elsewhere, &query.at)?;
        (events, total) = state.log.correlation_at(id.clone(), found.event.seq).await.map_err(of_store)?;
        moment = Some(found);
    }
    events.sort_by(|a, b| a.order_key().cmp(&b.order_key()));
    let whole = if query.view == "full" { events.clone() } else { Vec::new() };
    let seen = match fold(&events).filter(|_| moment.is_none()).as_ref().and_then(awaited) {
        Some(agent) => {
            let (newest, announced) = state.log.last_words(agent.clone()).await.map_err(of_store)?;
            Some(Seen::of(agent, newest.as_ref(), announced.as_ref()))
        }
        None => None,
    };
    let request = events.iter().position(|e| e.event_type == "task.request").unwrap_or(0);
    events.iter_mut().enumerate().filter(|(at, _)| *at != request).for_each(|(_, e)| e.preview());
    let artifacts = records(state, &events).await?;
    let shown = u64::try_from(events.len()).unwrap_or(u64::MAX);
    let past_ms = moment.as_ref().map(|m| m.event.at_ms().unwrap_or_else(now_ms));
    Ok(TaskPage {
        events,
        events_total: (total > shown).then_some(total),
        artifacts,
        tip: tip(&newest),
        now_ms: past_ms.unwrap_or_else(now_ms),
        stalled_after_ms,
        seen,
        is_past: moment.is_some(),
        moment,
        whole,
        ..TaskPage::default()
    })
}

/// A delegation with whole bodies and what is known of its artifacts, for the report.
pub(super) async fn told(
    state: &AppState,
    id: String,
) -> Result<Option<(Delegation, Vec<Event>, Vec<ArtifactRecord>)>, ApiError> {
    let (events, _, _): (_, _, Newest) = state.log.correlation(id).await.map_err(of_store)?;
    let artifacts = records(state, &events).await?;
    Ok(fold(&events).map(|delegation| (delegation, events, artifacts)))
}

/// One artifact, what references it, and other patches of the same work.
pub(super) async fn artifact(state: &AppState, id: String) -> Result<ArtifactPage, ApiError> {
    let artifact = artifact_alone(state, &id).await?;
    let mut referenced_by = state.log.references(id.clone(), MAX_LIMIT).await.map_err(of_store)?;
    let (mut others, mut asked_on): (Vec<ArtifactRecord>, Vec<String>) = (Vec::new(), Vec::new());
    if artifact.kind == ArtifactKind::Patch.as_str() {
        let delegations: BTreeSet<String> = referenced_by.iter().filter_map(|e| e.correlation_id.clone()).collect();
        for correlation_id in delegations.into_iter().take(DELEGATIONS_LOOKED_AT) {
            let (events, _, _) = state.log.correlation(correlation_id).await.map_err(of_store)?;
            others.extend(records(state, &events).await?);
            let asked = events.into_iter().filter(|event| event.event_type == "task.request");
            asked_on.extend(asked.filter_map(|event| event.base_commit));
        }
        others.retain(|other| other.kind == artifact.kind && other.id != id);
        others.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        others.dedup_by(|a, b| a.id == b.id);
    }
    referenced_by.iter_mut().for_each(Event::preview);
    Ok(ArtifactPage { artifact, referenced_by, others, asked_on, shown: Html::default() })
}

/// One artifact.
pub(super) async fn artifact_alone(state: &AppState, id: &str) -> Result<Artifact, ApiError> {
    let found = state.log.artifact(id.to_owned()).await.map_err(of_store)?;
    found.ok_or_else(|| missing("artifact", id))
}

/// What is known of the artifacts that events reference, oldest first.
async fn records(state: &AppState, events: &[Event]) -> Result<Vec<ArtifactRecord>, ApiError> {
    let wanted: BTreeSet<String> = events.iter().flat_map(|e| e.artifact_ids.iter().cloned()).collect();
    let found = state.log.artifact_records(wanted.into_iter().collect()).await.map_err(of_store)?;
    let mut artifacts: Vec<ArtifactRecord> = found.into_values().collect();
    artifacts.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    Ok(artifacts)
}

/// Who moves next: the worker, or the requester where a result or a problem waits.
fn awaited(d: &Delegation) -> Option<String> {
    let worker = || d.claimant.clone().or_else(|| d.assignee.clone().filter(|name| name != "*"));
    match d.state {
        State::Open | State::Claimed => worker(),
        State::Ready | State::Blocked => Some(d.requester.clone()),
        State::Applied | State::Failed | State::Superseded | State::Other => None,
    }
}

/// A moment among the events of one delegation, by their arrival here. A place counts from 1; another event of the log stands for the last
/// of these that had arrived with it: `elsewhere` is its arrival number.
fn moment_of(events: &[Event], at: &At, elsewhere: Option<i64>, asked: &str) -> Result<Moment, ApiError> {
    let mut arrived: Vec<&Event> = events.iter().collect();
    arrived.sort_by_key(|event| event.seq);
    let index = match at {
        At::Event(id) => {
            let named = arrived.iter().position(|event| event.id == *id);
            let before = || arrived.iter().rposition(|event| elsewhere.is_some_and(|seq| event.seq <= seq));
            named.or_else(before).ok_or_else(|| missing("event", asked))?
        }
        At::Seq(place) => usize::try_from(place.saturating_sub(1)).unwrap_or(0).min(arrived.len().saturating_sub(1)),
    };
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let id = |index: Option<usize>| Some(arrived.get(index?)?.id.clone());
    let mut event = (*arrived.get(index).ok_or_else(|| missing("event", asked))?).clone();
    event.preview();
    Ok(Moment {
        event,
        place: count(index + 1),
        places: count(arrived.len()),
        older: id(index.checked_sub(1)),
        newer: id(Some(index + 1)),
    })
}
