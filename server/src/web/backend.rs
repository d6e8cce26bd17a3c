//! The hub's answers to the questions of pages: one method each, in terms of the log.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use loggia_app::backend::memory::{DiaryPage, DiaryQuery, Memory, PalacePage, PalaceQuery};
use loggia_app::backend::{
    ArtifactPage, Backend, FAILED_SHOWN, FAILED_SHOWN_MS, LOG_PAGE_EVENTS, LogPage, LogQuery, Overview, RoomCount,
    StreamCount, TaskPage, Tip, Viewer,
};
use loggia_domain::search::Query;
use loggia_domain::{ApiError, ArtifactRecord, ErrorCode, Event, Filter, Raw, field, refusal};

use super::{hits, memory};
use crate::AppState;
use crate::clock::now_ms;
use crate::error::of_store;
use crate::logstream::projection::RoomFigures;
use crate::logstream::read::{ListQuery, Listed, MAX_LIMIT, Newest, Order};
use crate::logstream::search::SearchQuery;
use crate::tokens::{Identity, Scope};

/// How many events the home page shows.
const NEWEST_EVENTS: usize = 20;
/// How many cards the board holds.
const BOARD_CARDS: usize = 500;
/// How long a page waits for the counts to catch up with what was just written.
const PATIENCE: Duration = Duration::from_millis(250);

/// The hub as one viewer sees it.
pub struct HubBackend {
    state: AppState,
    identity: Option<Identity>,
}

impl HubBackend {
    /// For a viewer, or for nobody yet (the sign-in page).
    pub fn new(state: AppState, identity: Option<Identity>) -> Self {
        Self { state, identity }
    }

    /// Every page needs `read`; what agents remember needs a scope of its own beside it, as for agents.
    fn allowed(&self, scope: Scope) -> Result<(), ApiError> {
        let Some(who) = &self.identity else {
            return Err(ApiError::new(ErrorCode::Unauthorized, "you are not signed in"));
        };
        match [Scope::Read, scope].into_iter().find(|scope| !who.may(*scope)).map(Scope::as_str) {
            None => Ok(()),
            Some(word) => {
                let error = format!("token `{}` lacks the scope `{word}`", who.name);
                let hint = format!("sign out and sign in with a token that has the scope `{word}`");
                Err(ApiError::new(ErrorCode::Forbidden, error).hint(hint))
            }
        }
    }

    async fn list(&self, query: ListQuery) -> Result<Listed, ApiError> {
        self.state.log.list(query).await.map_err(of_store)
    }

    /// The rooms, after a moment for the counts to catch up with the newest event.
    async fn rooms(&self) -> Result<Vec<RoomFigures>, ApiError> {
        let projection = self.state.live.projection();
        let newest = self.state.log.newest().await.map_err(of_store)?;
        projection.caught_up(newest.seq, PATIENCE).await;
        projection.rooms().await.map_err(of_store)
    }

    /// A search, newest first; a search has no `after`.
    async fn search(&self, words: Query, query: LogQuery, limit: usize) -> Result<LogPage, ApiError> {
        let asked = SearchQuery {
            query: words,
            filter: checked(&query.filter)?,
            before_event_id: query.before,
            artifacts: false,
            before_artifact_id: None,
            limit,
        };
        let found = self.state.live.search().find(&self.state.log, asked).await.map_err(of_store)?;
        Ok(hits::page(found, now_ms()))
    }

    fn stalled_after_ms(&self) -> u64 {
        u64::try_from(self.state.settings.stalled_after.as_millis()).unwrap_or(u64::MAX)
    }
}

#[async_trait]
impl Backend for HubBackend {
    fn viewer(&self) -> Viewer {
        let may = |scope| self.identity.as_ref().is_some_and(|who| who.may(scope));
        Viewer {
            name: self.identity.as_ref().map(|who| who.name.clone()).unwrap_or_default(),
            admin: may(Scope::Admin),
            write: may(Scope::Write) && !self.state.settings.read_only,
            no_auth: self.state.settings.no_auth,
            read_only: self.state.settings.read_only,
            replica_id: self.state.log.replica_id().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    async fn overview(&self) -> Result<Overview, ApiError> {
        self.allowed(Scope::Read)?;
        let rooms = self.rooms().await?;
        let mut listed = self
            .list(ListQuery {
                filter: Filter::default(),
                since_event_id: None,
                before_event_id: None,
                order: Order::Desc,
                limit: NEWEST_EVENTS,
            })
            .await?;
        listed.events.iter_mut().for_each(Event::preview);
        let now_ms = now_ms();
        let projection = self.state.live.projection();
        let (open, open_total) = projection.open_delegations(BOARD_CARDS).await.map_err(of_store)?;
        let failed_since_ms = now_ms.saturating_sub(FAILED_SHOWN_MS);
        let failed = projection.failed_delegations(failed_since_ms, FAILED_SHOWN).await.map_err(of_store)?;
        Ok(Overview {
            events: rooms.iter().map(|r| r.events).sum(),
            tip: tip(&listed.newest),
            streams: streams(rooms),
            newest: listed.events,
            open,
            open_total,
            failed,
            now_ms,
            stalled_after_ms: self.stalled_after_ms(),
        })
    }

    async fn streams(&self) -> Result<Vec<StreamCount>, ApiError> {
        self.allowed(Scope::Read)?;
        Ok(streams(self.rooms().await?))
    }

    async fn log(&self, query: LogQuery) -> Result<LogPage, ApiError> {
        self.allowed(Scope::Read)?;
        let order = if query.after.is_some() { Order::Asc } else { Order::Desc };
        let limit = query.limit.unwrap_or(LOG_PAGE_EVENTS).clamp(1, MAX_LIMIT);
        let mut unsearched = None;
        if !query.q.is_empty() {
            match Query::check("q", query.q.clone().into()) {
                Ok(words) => return self.search(words, query, limit).await,
                // As a mistyped filter: the page shows the log and says why it was not searched.
                Err(refusal) => unsearched = Some(refusal.message),
            }
        }
        let mut listed = self
            .list(ListQuery {
                filter: checked(&query.filter)?,
                since_event_id: query.after,
                before_event_id: query.before,
                order,
                limit,
            })
            .await?;
        listed.events.iter_mut().for_each(Event::preview);
        Ok(LogPage {
            tip: tip(&listed.newest),
            events: listed.events,
            has_more: listed.has_more,
            excerpts: Vec::new(),
            behind: 0,
            unsearched,
            now_ms: now_ms(),
        })
    }

    async fn event(&self, id: String) -> Result<Event, ApiError> {
        self.allowed(Scope::Read)?;
        let found = self.state.log.event(id.clone()).await.map_err(of_store)?;
        found.ok_or_else(|| missing("event", &id))
    }

    async fn task(&self, correlation_id: String) -> Result<TaskPage, ApiError> {
        self.allowed(Scope::Read)?;
        let id = field::routing("id", Raw::Text(correlation_id))?;
        let (mut events, total, newest) = self.state.log.correlation(id.clone()).await.map_err(of_store)?;
        if events.is_empty() {
            return Err(missing("delegation", &id));
        }
        events.sort_by(|a, b| a.order_key().cmp(&b.order_key()));
        let request = events.iter().position(|e| e.event_type == "task.request").unwrap_or(0);
        events.iter_mut().enumerate().filter(|(at, _)| *at != request).for_each(|(_, e)| e.preview());
        let wanted: BTreeSet<String> = events.iter().flat_map(|e| e.artifact_ids.iter().cloned()).collect();
        let found = self.state.log.artifact_records(wanted.into_iter().collect()).await.map_err(of_store)?;
        let mut artifacts: Vec<ArtifactRecord> = found.into_values().collect();
        artifacts.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let shown = u64::try_from(events.len()).unwrap_or(u64::MAX);
        Ok(TaskPage {
            events,
            events_total: (total > shown).then_some(total),
            artifacts,
            tip: tip(&newest),
            now_ms: now_ms(),
            stalled_after_ms: self.stalled_after_ms(),
        })
    }

    async fn artifact(&self, id: String) -> Result<ArtifactPage, ApiError> {
        self.allowed(Scope::Read)?;
        let found = self.state.log.artifact(id.clone()).await.map_err(of_store)?;
        let artifact = found.ok_or_else(|| missing("artifact", &id))?;
        let mut referenced_by = self.state.log.references(id, MAX_LIMIT).await.map_err(of_store)?;
        referenced_by.iter_mut().for_each(Event::preview);
        Ok(ArtifactPage { artifact, referenced_by })
    }

    async fn diary(&self, query: DiaryQuery) -> Result<Memory<DiaryPage>, ApiError> {
        self.allowed(Scope::Memory)?;
        memory::on_page(async { memory::diary(&self.state.palace.store().await?, query).await }.await)
    }

    async fn palace(&self, query: PalaceQuery) -> Result<Memory<PalacePage>, ApiError> {
        self.allowed(Scope::Memory)?;
        memory::on_page(async { memory::palace(&self.state.palace.store().await?, query, now_ms()).await }.await)
    }

    async fn memory_version(&self) -> Result<String, ApiError> {
        self.allowed(Scope::Memory)?;
        // That it is off is said by the page itself.
        Ok(async { self.state.palace.store().await?.version().await }.await.unwrap_or_default())
    }
}

/// A filter out of an address, checked by the fields' own rules.
fn checked(filter: &Filter) -> Result<Filter, ApiError> {
    let mut checked = Filter::default();
    for (key, value) in filter.pairs() {
        checked.take_pair(&key, &value)?;
    }
    Ok(checked)
}

/// Rooms, newest activity first, gathered under their streams in the same order.
fn streams(rooms: Vec<RoomFigures>) -> Vec<StreamCount> {
    let mut streams: Vec<StreamCount> = Vec::new();
    let mut at = std::collections::HashMap::new();
    for r in rooms {
        let index = *at.entry(r.stream.clone()).or_insert_with(|| {
            streams.push(StreamCount {
                stream: r.stream,
                events: 0,
                newest_at: r.newest_at.clone(),
                rooms: Vec::new(),
            });
            streams.len() - 1
        });
        streams[index].events += r.events;
        streams[index].rooms.push(RoomCount { room: r.room, events: r.events, newest_at: r.newest_at });
    }
    streams
}

fn tip(newest: &Newest) -> Option<Tip> {
    newest.id.clone().map(|id| Tip { seq: newest.seq, id })
}

fn missing(what: &str, id: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("{what} {} not found", refusal::quoted(id)))
        .hint("it may be on another hub that has not been pulled yet, or the address was cut")
}
