//! The hub's answers to the questions of pages: one method each, in terms of the log.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use loggia_app::backend::admin::{AuditPage, AuditQuery, TokensPage};
use loggia_app::backend::asked::{PageQuery, PastPage, Typed};
use loggia_app::backend::hub::{Alarm, HubPage};
use loggia_app::backend::memory::{DiaryPage, DiaryQuery, Memory, PalacePage, PalaceQuery};
use loggia_app::backend::people::{AgentPage, AgentsPage, People};
use loggia_app::backend::sessions::SessionsPage;
use loggia_app::backend::{
    ArtifactPage, Backend, Counts, FAILED_SHOWN, FAILED_SHOWN_MS, LOG_PAGE_EVENTS, LogPage, LogQuery, Matches,
    Overview, RoomCount, Sheet, StreamCount, TYPES_SHOWN, Tally, TaskPage, Tip, Viewer,
};
use loggia_domain::search::Query;
use loggia_domain::{ApiError, Artifact, ErrorCode, Event, Filter, Status, refusal, timestamp};

use super::tokens::Managed;
use super::{hits, hub, matches, memory, past, people, tasks, tokens, viewed};
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
    managed: Managed,
    typed: Typed,
}

impl HubBackend {
    /// For a viewer, or for nobody yet (the sign-in page).
    pub fn new(state: AppState, identity: Option<Identity>) -> Self {
        let state = match &identity {
            Some(who) => state.seen_by(who),
            None => state,
        };
        Self { state, identity, managed: Managed::default(), typed: Typed::default() }
    }

    /// With what only the pages of whoever manages the hub show.
    #[must_use]
    pub(super) fn managed(mut self, managed: Managed) -> Self {
        self.managed = managed;
        self
    }

    /// With what somebody typed into a form that was refused.
    #[must_use]
    pub(super) fn with_typed(self, typed: Typed) -> Self {
        Self { typed, ..self }
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

    /// The viewer, who may read the log.
    fn reader(&self) -> Result<&Identity, ApiError> {
        self.allowed(Scope::Read)?;
        self.identity.as_ref().ok_or_else(|| ApiError::new(ErrorCode::Unauthorized, "you are not signed in"))
    }

    /// A list. Of a window in time only that part of the log is looked through in which it lies, see [`Projection::places`].
    async fn list(&self, query: ListQuery) -> Result<Listed, ApiError> {
        let (since, before) = (query.filter.since_created_at.clone(), query.filter.before_created_at.clone());
        if since.is_none() && before.is_none() {
            return self.state.log.list(query).await.map_err(of_store);
        }
        let places = self.state.live.projection().places(since, before).await.map_err(of_store)?;
        self.state.log.list_between(query, places).await.map_err(of_store)
    }

    /// An event between those that arrived after and before it, at most `limit` on each side, newest first.
    async fn around(&self, filter: Filter, id: String, limit: usize) -> Result<Listed, ApiError> {
        let event = self.event(id.clone()).await?;
        let side = |order| ListQuery {
            filter: filter.clone(),
            since_event_id: (order == Order::Asc).then(|| id.clone()),
            before_event_id: (order == Order::Desc).then(|| id.clone()),
            order,
            limit,
        };
        let mut newer = self.list(side(Order::Asc)).await?.events;
        let mut listed = self.list(side(Order::Desc)).await?;
        newer.reverse();
        newer.push(event);
        newer.append(&mut listed.events);
        listed.events = newer;
        Ok(listed)
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
            forwarded: self
                .state
                .guard
                .forwarded()
                .map(|(count, last_ms)| (count, timestamp::created_at_ms(last_ms).unwrap_or_default())),
            replica_id: self.state.log.replica_id().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            notices: String::new(),
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
            whereabouts: Vec::new(),
            people: Sheet::default(),
            now_ms,
            stalled_after_ms: self.stalled_after_ms(),
        })
    }

    async fn streams(&self) -> Result<Counts, ApiError> {
        self.allowed(Scope::Read)?;
        // The rooms first: they wait for the counts to catch up.
        let streams = streams(self.rooms().await?);
        let projection = self.state.live.projection();
        let mut statuses = tallies(projection.statuses().await.map_err(of_store)?);
        // In the order of a task's course; words that this version does not know come last.
        let place = |word: &str| Status::ALL.iter().position(|status| status.as_str() == word).unwrap_or(usize::MAX);
        statuses.sort_by_key(|tally| place(&tally.word));
        let mut types = tallies(projection.types().await.map_err(of_store)?);
        types.sort_by_key(|tally| Reverse(tally.events));
        types.truncate(TYPES_SHOWN);
        Ok(Counts { streams, statuses, types })
    }

    async fn matches(&self, letters: String) -> Result<Matches, ApiError> {
        self.allowed(Scope::Read)?;
        matches::find(&self.state.log, self.state.live.projection(), &letters).await.map_err(of_store)
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
        let mut listed = match query.around {
            Some(id) => self.around(checked(&query.filter)?, id, limit / 2).await?,
            None => {
                self.list(ListQuery {
                    filter: checked(&query.filter)?,
                    since_event_id: query.after,
                    before_event_id: query.before,
                    order,
                    limit,
                })
                .await?
            }
        };
        listed.events.iter_mut().for_each(Event::preview);
        Ok(LogPage {
            tip: tip(&listed.newest),
            events: listed.events,
            has_more: listed.has_more,
            excerpts: Vec::new(),
            behind: 0,
            unsearched,
            searches: Vec::new(),
            now_ms: now_ms(),
        })
    }

    async fn event(&self, id: String) -> Result<Event, ApiError> {
        self.allowed(Scope::Read)?;
        let found = self.state.log.event(id.clone()).await.map_err(of_store)?;
        found.ok_or_else(|| missing("event", &id))
    }

    async fn task(&self, query: &PageQuery) -> Result<TaskPage, ApiError> {
        self.allowed(Scope::Read)?;
        tasks::task(&self.state, query, self.stalled_after_ms()).await
    }

    async fn past(&self, at: String) -> Result<PastPage, ApiError> {
        self.allowed(Scope::Read)?;
        past::board(&self.state, at, self.stalled_after_ms()).await
    }

    fn typed(&self) -> Typed {
        self.typed.clone()
    }

    async fn artifact(&self, id: String) -> Result<ArtifactPage, ApiError> {
        self.allowed(Scope::Read)?;
        tasks::artifact(&self.state, id).await
    }

    async fn artifact_alone(&self, id: String) -> Result<Artifact, ApiError> {
        self.allowed(Scope::Read)?;
        tasks::artifact_alone(&self.state, &id).await
    }

    async fn looked_through(&self, parts: Vec<String>) -> Option<HashSet<String>> {
        viewed::looked_through(&self.state, self.reader().ok()?, parts).await
    }

    async fn searches(&self, place: &'static str, words: &str) -> Vec<String> {
        match self.identity.as_ref() {
            Some(viewer) => viewed::searches(&self.state, viewer, place, words.trim()).await,
            None => Vec::new(),
        }
    }

    async fn agents(&self) -> Result<AgentsPage, ApiError> {
        people::agents(&self.state, self.reader()?).await
    }

    async fn agent(&self, name: String) -> Result<AgentPage, ApiError> {
        people::agent(&self.state, self.reader()?, name).await
    }

    async fn people(&self) -> Result<People, ApiError> {
        self.reader()?;
        people::people(&self.state).await
    }

    async fn diary(&self, query: DiaryQuery) -> Result<Memory<DiaryPage>, ApiError> {
        self.allowed(Scope::Memory)?;
        memory::on_page(async { memory::diary(&self.state.palace.store().await?, query).await }.await)
    }

    async fn palace(&self, query: PalaceQuery) -> Result<Memory<PalacePage>, ApiError> {
        self.allowed(Scope::Memory)?;
        let searches = self.searches("palace", &query.q).await;
        let page = async { memory::palace(&self.state.palace.store().await?, query, now_ms()).await };
        memory::on_page(page.await.map(|page| PalacePage { searches, ..page }))
    }

    async fn sessions(&self) -> Result<SessionsPage, ApiError> {
        self.allowed(Scope::Memory)?;
        Ok(super::sessions::page(&self.state.mems).await)
    }

    async fn hub(&self) -> Result<HubPage, ApiError> {
        hub::page(&self.state, self.reader()?).await
    }

    async fn notices(&self) -> Vec<Alarm> {
        if self.reader().is_ok() { hub::notices(&self.state).await } else { Vec::new() }
    }

    async fn memory_version(&self) -> Result<String, ApiError> {
        self.allowed(Scope::Memory)?;
        // That it is off is said by the page itself.
        Ok(async { self.state.palace.store().await?.version().await }.await.unwrap_or_default())
    }

    async fn tokens(&self) -> Result<TokensPage, ApiError> {
        tokens::tokens_page(&self.state, self.identity.as_ref(), self.managed.clone()).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<AuditPage, ApiError> {
        tokens::audit_page(&self.state, self.identity.as_ref(), query).await
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

fn tallies(counted: Vec<(String, u64)>) -> Vec<Tally> {
    counted.into_iter().map(|(word, events)| Tally { word, events }).collect()
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

pub(super) fn tip(newest: &Newest) -> Option<Tip> {
    newest.id.clone().map(|id| Tip { seq: newest.seq, id })
}

pub(super) fn missing(what: &str, id: &str) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("{what} {} not found", refusal::quoted(id)))
        .hint("it may be on another hub that has not been pulled yet, or the address was cut")
}
