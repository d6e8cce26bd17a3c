//! The hub's answers to the pages of the agents, and what their form posts: that an inbox was read.

use std::collections::HashMap;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::response::Response;
use loggia_app::backend::people::{
    AGENTS_SHOWN, AgentPage, AgentsPage, HOURS_SHOWN, INBOX_SHOWN, LOOPS_SHOWN, People, Unread, WROTE_SHOWN,
};
use loggia_domain::presence::{Agent, key};
use loggia_domain::ring::rings;
use loggia_domain::{ApiError, Column, ErrorCode, Event, Filter, Raw, field, refusal, timestamp};
use serde::Deserialize;

use super::own;
use crate::AppState;
use crate::auth::Caller;
use crate::error::{HttpError, of_store};
use crate::logstream::inbox::{Inbox, MAX_UNREAD};
use crate::logstream::projection::agents::Side;
use crate::logstream::read::{ListQuery, Order};
use crate::session;
use crate::tokens::Identity;

const HOUR_MS: u64 = 3600 * 1000;
/// How many of the newest replies are looked at for rings: a ring writes some of every few.
const REPLIES: usize = 200;

/// The last event that a viewer has read in each inbox, by the agent's key.
type Marks = HashMap<String, String>;

/// What the form under an inbox sends.
#[derive(Deserialize)]
pub struct Read {
    agent: String,
    event: String,
}

/// `POST /agent/read`: the viewer has read an agent's inbox up to an event. Nothing is deleted, and nobody else sees it.
pub async fn mark_read(
    State(state): State<AppState>,
    caller: Caller,
    form: Result<Form<Read>, FormRejection>,
) -> Result<Response, HttpError> {
    let viewer = caller.poster()?;
    let form = own::form(&viewer, &state, form, "the form needs `agent` and `event`")?;
    let agent = field::routing("agent", Raw::Text(form.agent)).map_err(|r| HttpError::new(r.into()))?;
    let event = field::routing("event", Raw::Text(form.event)).map_err(|r| HttpError::new(r.into()))?;
    let state = state.seen_by(&viewer);
    // Only what is in the log can have been read.
    let read = state.log.seq_of("event", event.clone()).await?;
    let act = state.audit.begin(&viewer.name, "inbox.read", agent.clone());
    // A tab that was opened earlier takes nothing back of what another has read since.
    let before = marks(&state, &viewer).await.remove(&key(&agent));
    let before = match before {
        Some(id) => state.log.seq_of("event", id).await.ok(),
        None => None,
    };
    if before.is_none_or(|before| before < read) {
        let agent = agent.clone();
        let kept = own::keep(&state, move |viewers| viewers.mark(viewer.viewer(), &agent, &event)).await;
        if let Err(error) = kept {
            act.ended("failed");
            return Err(error);
        }
    }
    act.ended("ok");
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("id", &agent).finish();
    Ok(session::see_other(&format!("/agent?{query}")))
}

/// What `/agents` shows.
pub(super) async fn agents(state: &AppState, viewer: &Identity) -> Result<AgentsPage, ApiError> {
    let mut everybody = state.presence.everybody(&state.log, &state.live).await.map_err(of_store)?;
    let total = everybody.agents.len();
    everybody.agents.truncate(AGENTS_SHOWN);
    let marks = marks(state, viewer).await;
    let inboxes = everybody.agents.iter().map(|agent| inbox(agent, viewer, &marks)).collect();
    let unread = state.log.unread(inboxes).await.map_err(of_store)?;
    Ok(AgentsPage {
        agents: everybody.agents.into_iter().zip(unread.into_iter().map(counted)).collect(),
        total,
        unnamed: everybody.unnamed,
        now_ms: everybody.now_ms,
    })
}

/// What `/agent` shows.
pub(super) async fn agent(state: &AppState, viewer: &Identity, name: String) -> Result<AgentPage, ApiError> {
    let name = field::routing("id", Raw::Text(name))?;
    let everybody = state.presence.everybody(&state.log, &state.live).await.map_err(of_store)?;
    let found = everybody.agents.into_iter().find(|agent| key(&agent.agent) == key(&name));
    let agent = found.ok_or_else(|| {
        ApiError::new(ErrorCode::NotFound, format!("agent {} not found", refusal::quoted(&name)))
            .hint("an agent is known once it has written, was written to, or listens")
    })?;
    let inbox = inbox(&agent, viewer, &marks(state, viewer).await);
    let unread = state.log.unread(vec![inbox.clone()]).await.map_err(of_store)?.pop().unwrap_or(0);
    let mut received = state.log.inbox(inbox, INBOX_SHOWN).await.map_err(of_store)?;
    for (event, _) in &mut received {
        event.preview();
    }
    let wrote = ListQuery {
        filter: agent.names.iter().fold(Filter::default(), |filter, name| filter.with(Column::FromAgent, name)),
        since_event_id: None,
        before_event_id: None,
        order: Order::Desc,
        limit: WROTE_SHOWN,
    };
    let mut wrote = state.log.list(wrote).await.map_err(of_store)?.events;
    wrote.iter_mut().for_each(Event::preview);
    let projection = state.live.projection();
    Ok(AgentPage {
        unread: counted(unread),
        inbox: received,
        open_to: projection.loops_of(&agent.agent, Side::To, LOOPS_SHOWN).await.map_err(of_store)?,
        open_from: projection.loops_of(&agent.agent, Side::From, LOOPS_SHOWN).await.map_err(of_store)?,
        wrote,
        agent,
        may_mark: own::allow(viewer, state).is_ok(),
        stalled_after_ms: u64::try_from(state.settings.stalled_after.as_millis()).unwrap_or(u64::MAX),
        now_ms: everybody.now_ms,
    })
}

/// What the strip of Now shows.
pub(super) async fn people(state: &AppState) -> Result<People, ApiError> {
    let everybody = state.presence.everybody(&state.log, &state.live).await.map_err(of_store)?;
    let hours: Vec<String> = (0..HOURS_SHOWN)
        .rev()
        .filter_map(|ago| timestamp::created_at_ms(everybody.now_ms.saturating_sub(ago * HOUR_MS)))
        .filter_map(|at| at.get(..13).map(str::to_owned))
        .collect();
    let since = hours.first().cloned().unwrap_or_default();
    let counted = state.live.projection().hours(since).await.map_err(of_store)?;
    let events_of =
        |hour: &String| counted.iter().find(|(counted, _)| counted == hour).map_or(0, |(_, events)| *events);
    let replies = state.log.last_replies(REPLIES).await.map_err(of_store)?;
    Ok(People {
        rings: rings(&replies, everybody.now_ms),
        hours: hours.into_iter().map(|hour| (hour.clone(), events_of(&hour))).collect(),
        agents: everybody.agents,
        unnamed: everybody.unnamed,
        pages: everybody.pages,
        now_ms: everybody.now_ms,
    })
}

/// Up to where the viewer has read each inbox. Without the file everything is unread, and the hub's log says why.
async fn marks(state: &AppState, viewer: &Identity) -> Marks {
    let viewer = viewer.clone();
    own::known(state, move |viewers| viewers.marks(viewer.viewer())).await.unwrap_or_default()
}

/// An agent's inbox as a viewer has read it. What the agent wrote itself, or the viewer's own agents, is no news.
fn inbox(agent: &Agent, viewer: &Identity, marks: &Marks) -> Inbox {
    let own = agent.names.iter().chain(viewer.agents()).cloned().collect();
    Inbox { names: agent.names.clone(), read: marks.get(&key(&agent.agent)).cloned(), own }
}

fn counted(count: usize) -> Unread {
    Unread { count, or_more: count >= MAX_UNREAD }
}
