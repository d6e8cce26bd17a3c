//! The questions that pages ask, and the shapes of the answers.
//!
//! The hub implements [`Backend`]; nothing here knows how. Every server function is one line to it. All answers are plain data that
//! serialise to JSON, since the first paint carries them into the browser.

#[cfg(feature = "ssr")]
pub mod admin;
pub mod asked;
#[cfg(feature = "ssr")]
pub mod hub;
#[cfg(feature = "ssr")]
pub mod memory;
#[cfg(feature = "ssr")]
pub mod people;
#[cfg(feature = "ssr")]
pub mod sessions;

#[cfg(feature = "ssr")]
use std::collections::HashSet;
#[cfg(feature = "ssr")]
use std::sync::Arc;

#[cfg(feature = "ssr")]
use loggia_domain::ApiError;
use loggia_domain::delegation::Delegation;
use loggia_domain::{Artifact, ArtifactRecord, Event, Filter};
use serde::{Deserialize, Serialize};

/// How many events a page of the log holds.
pub const LOG_PAGE_EVENTS: usize = 100;

/// How many files of a patch a page names at most.
#[cfg(feature = "ssr")]
pub const FILES_SHOWN: usize = 300;

/// How many types of events the log page counts at most.
pub const TYPES_SHOWN: usize = 12;

/// How many failed delegations the home page shows at most.
pub const FAILED_SHOWN: usize = 20;
/// How long a failed delegation stays on the home page, in ms: three days.
pub const FAILED_SHOWN_MS: u64 = 3 * 24 * 3600 * 1000;

/// Who looks at the page, and at which hub.
#[expect(clippy::struct_excessive_bools, reason = "four independent facts, each said on the page")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Viewer {
    /// The name of the token behind the session.
    pub name: String,
    /// Whether it may manage the hub.
    pub admin: bool,
    /// Whether it may append events.
    pub write: bool,
    /// Set when the hub runs with `--no-auth`: every page says so.
    pub no_auth: bool,
    /// Set when the hub runs with `--read-only`.
    pub read_only: bool,
    /// On a hub with `--no-auth`: how many requests it refused since they came through a proxy, and when the last one did,
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    pub forwarded: Option<(u64, String)>,
    /// `rep_<hex>`, which hub this is.
    pub replica_id: String,
    /// Version of the running binary.
    pub version: String,
    /// What every page says of the hub beside that, as markup; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notices: String,
}

impl Viewer {
    /// Whether there is a session, or the hub asks for none.
    pub fn is_somebody(&self) -> bool {
        self.no_auth || !self.name.is_empty()
    }
}

/// The newest event of the log: where a live stream starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tip {
    /// Its local arrival order.
    pub seq: i64,
    /// Its id.
    pub id: String,
}

/// A room with its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomCount {
    /// The room's name.
    pub room: String,
    /// How many events it holds.
    pub events: u64,
    /// `created_at` of its newest event by arrival.
    pub newest_at: String,
}

/// A stream with its rooms, newest activity first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamCount {
    /// The stream's name.
    pub stream: String,
    /// How many events it holds.
    pub events: u64,
    /// `created_at` of its newest event by arrival.
    pub newest_at: String,
    /// Its rooms, newest activity first.
    pub rooms: Vec<RoomCount>,
}

/// How many events of the log have a status or are of a type, whatever a page is filtered by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The word of the status or type.
    pub word: String,
    /// How many events have it.
    pub events: u64,
}

/// What of the whole log is counted beside a part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Streams and their rooms, newest activity first.
    pub streams: Vec<StreamCount>,
    /// Statuses, in the order of a task's course.
    pub statuses: Vec<Tally>,
    /// The most frequent types, at most [`TYPES_SHOWN`].
    pub types: Vec<Tally>,
}

/// What has to do with a few letters that somebody typed, the most likely first.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Default)]
pub struct Matches {
    /// The event that has the letters as its id.
    pub event: Option<String>,
    /// The artifact that has the letters as its id.
    pub artifact: Option<String>,
    /// Delegations by id or title: id and title.
    pub tasks: Vec<(String, String)>,
    /// Names of streams.
    pub streams: Vec<String>,
    /// Names of agents that wrote.
    pub agents: Vec<String>,
}

/// What the home page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// How many events the log holds.
    pub events: u64,
    /// The newest event; `None` on an empty log.
    pub tip: Option<Tip>,
    /// Streams, newest activity first.
    pub streams: Vec<StreamCount>,
    /// The newest events, newest first, bodies cut to previews.
    pub newest: Vec<Event>,
    /// Delegations that are not final, longest waiting first; their `steps` are left empty.
    pub open: Vec<Delegation>,
    /// How many delegations are not final, if more than `open` holds.
    pub open_total: u64,
    /// Delegations whose state is `failed`, newest first, those of the last [`FAILED_SHOWN_MS`] and at most [`FAILED_SHOWN`];
    /// their `steps` are left empty. Failed is final, yet somebody has to read why.
    #[serde(default)]
    pub failed: Vec<Delegation>,
    /// Where those are who work on open delegations, or were asked by name: name and one line, as the hub says it.
    #[serde(default)]
    pub whereabouts: Vec<(String, String)>,
    /// Who listens, and how many events there were in each hour, written by the hub.
    #[serde(default)]
    pub people: Sheet,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
    /// After how long without any event an open or claimed delegation counts as stalled, in ms.
    pub stalled_after_ms: u64,
}

/// Which part of the log a page wants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogQuery {
    /// What passes.
    pub filter: Filter,
    /// The words of a search; empty for none.
    #[serde(default)]
    pub q: String,
    /// Only what arrived before this event id.
    pub before: Option<String>,
    /// Only what arrived after this event id, oldest first.
    pub after: Option<String>,
    /// What arrived around this event id, itself among it: half of the limit on each side.
    #[serde(default)]
    pub around: Option<String>,
    /// Whether the asker shows events that say the same one by one. It changes nothing in the answer.
    #[serde(default)]
    pub unfolded: bool,
    /// At most so many; [`LOG_PAGE_EVENTS`] when `None`, 500 at most.
    pub limit: Option<usize>,
}

/// A part of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogPage {
    /// Newest first (oldest first when `after` was asked), bodies cut to previews.
    pub events: Vec<Event>,
    /// Whether there are more in the same direction.
    pub has_more: bool,
    /// The newest event of the whole log at the read, matching or not: where the live stream starts.
    pub tip: Option<Tip>,
    /// Of a search: for each event where it answers, in pieces that are ordinary and found by turns. Empty otherwise.
    ///
    /// Cut and marked by the hub, which has the whole texts: the browser keeps only their beginnings.
    #[serde(default)]
    pub excerpts: Vec<Vec<String>>,
    /// How many of the newest events a search could not look into yet.
    #[serde(default)]
    pub behind: u64,
    /// Why the words were left out, when nothing can be searched for with them.
    #[serde(default)]
    pub unsearched: Option<String>,
    /// What the viewer searched for lately, the last first.
    #[serde(default)]
    pub searches: Vec<String>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}

/// One delegation with everything its page shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskPage {
    /// Its events, in (hlc, id) order, bodies cut to previews except the request's. The page folds them and folds again on every live event.
    pub events: Vec<Event>,
    /// Set when there are more events than are here: how many there are in all.
    pub events_total: Option<u64>,
    /// The artifacts that its events reference.
    pub artifacts: Vec<ArtifactRecord>,
    /// The newest event of the whole log at the read.
    pub tip: Option<Tip>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
    /// After how long without any event an open or claimed delegation counts as stalled, in ms.
    pub stalled_after_ms: u64,
    /// When somebody who is waited for was last heard of.
    #[serde(default)]
    pub seen: Option<asked::Seen>,
    /// Whether this is how it stood in the past; then `now_ms` lies there too.
    #[serde(default)]
    pub is_past: bool,
    /// Which moment of the past this is.
    #[cfg(feature = "ssr")]
    #[serde(skip)]
    pub moment: Option<asked::Moment>,
    /// The same events with their whole bodies, where the view `full` was asked for.
    #[cfg(feature = "ssr")]
    #[serde(skip)]
    pub whole: Vec<Event>,
    /// What the hub writes: the bar of the time machine, empty for now.
    #[serde(default, skip_serializing_if = "Html::is_sent")]
    pub time: Html,
    /// What the hub writes: the form for a person's answer, or why there is none.
    #[serde(default, skip_serializing_if = "Html::is_sent")]
    pub answer: Html,
    /// What the hub writes: every step with its whole text, in the view `full`.
    #[serde(default, skip_serializing_if = "Html::is_sent")]
    pub full: Html,
}

/// One artifact with everything its page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactPage {
    /// The artifact, content included.
    pub artifact: Artifact,
    /// The events that reference it, in arrival order, bodies cut to previews.
    pub referenced_by: Vec<Event>,
    /// The other patches of the delegations in which a patch was handed in.
    #[cfg(feature = "ssr")]
    #[serde(skip)]
    pub others: Vec<ArtifactRecord>,
    /// The commits that the requests of those delegations name.
    #[cfg(feature = "ssr")]
    #[serde(skip)]
    pub asked_on: Vec<String>,
    /// What the hub writes: the content as it is shown, with what a reader should know about it.
    #[serde(default, skip_serializing_if = "Html::is_sent")]
    pub shown: Html,
}

/// Which page that the hub writes whole is wanted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SheetQuery {
    /// Its path.
    pub path: String,
    /// The query string of its address.
    pub search: String,
    /// The version that the asker has; empty for none.
    pub known: String,
    /// Whether it is for the first paint: then its markup is in the page already and need not be sent beside it.
    pub in_page: bool,
}

/// A page that the hub writes whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Its title.
    pub title: String,
    /// Its markup; none when the asker has this version already.
    #[serde(default, skip_serializing_if = "Html::is_sent")]
    pub html: Html,
    /// Another one after every change; empty for a page that is not kept fresh.
    pub version: String,
}

/// Markup that the hub wrote.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Html {
    /// The markup.
    pub text: String,
    /// Whether it reaches the browser as part of the page.
    #[serde(skip)]
    pub in_page: bool,
}

impl Html {
    pub(crate) fn is_sent(&self) -> bool {
        self.in_page || self.text.is_empty()
    }
}

/// What pages ask of the hub. Errors are opaque at this boundary: their causes are logged by the hub.
#[cfg(feature = "ssr")]
#[async_trait::async_trait]
pub trait Backend: Send + Sync + 'static {
    /// Who looks, and at which hub. Never fails: pages below the sign-in have a session.
    fn viewer(&self) -> Viewer;
    /// What the home page shows.
    async fn overview(&self) -> Result<Overview, ApiError>;
    /// Streams, rooms and statuses of the whole log with their figures.
    async fn streams(&self) -> Result<Counts, ApiError>;
    /// What has to do with a few letters that somebody typed.
    async fn matches(&self, letters: String) -> Result<Matches, ApiError>;
    /// A part of the log.
    async fn log(&self, query: LogQuery) -> Result<LogPage, ApiError>;
    /// Which of these parts of patches the viewer has looked through; a part is the SHA-256 of what a patch says of one file.
    /// `None` where nothing can be marked.
    async fn looked_through(&self, parts: Vec<String>) -> Option<HashSet<String>>;
    /// What the viewer searched for in a place (`log`, `palace`), the last first; `words` become the last of them, unless they are empty.
    async fn searches(&self, place: &'static str, words: &str) -> Vec<String>;
    /// One event, whole.
    async fn event(&self, id: String) -> Result<Event, ApiError>;
    /// One delegation; an unknown correlation id is `not_found`.
    async fn task(&self, query: &asked::PageQuery) -> Result<TaskPage, ApiError>;
    /// The board as it stood when an event had arrived: its id, or an arrival number as text.
    async fn past(&self, at: String) -> Result<asked::PastPage, ApiError>;
    /// What a person typed into a form that this page shows again.
    fn typed(&self) -> asked::Typed;
    /// One artifact with what its page shows beside it; an unknown id is `not_found`.
    async fn artifact(&self, id: String) -> Result<ArtifactPage, ApiError>;
    /// One artifact alone; an unknown id is `not_found`.
    async fn artifact_alone(&self, id: String) -> Result<Artifact, ApiError>;
    /// What `/agents` shows.
    async fn agents(&self) -> Result<people::AgentsPage, ApiError>;
    /// What `/agent` shows of an agent, by any spelling of its name; an unknown one is `not_found`.
    async fn agent(&self, name: String) -> Result<people::AgentPage, ApiError>;
    /// What the strip of the home page shows.
    async fn people(&self) -> Result<people::People, ApiError>;
    /// What `/diary` shows.
    async fn diary(&self, query: memory::DiaryQuery) -> Result<memory::Memory<memory::DiaryPage>, ApiError>;
    /// What `/palace` shows.
    async fn palace(&self, query: memory::PalaceQuery) -> Result<memory::Memory<memory::PalacePage>, ApiError>;
    /// What `/sessions` shows.
    async fn sessions(&self) -> Result<sessions::SessionsPage, ApiError>;
    /// What `/hub` shows.
    async fn hub(&self) -> Result<hub::HubPage, ApiError>;
    /// What every page says of the hub; nothing for whoever may not read it.
    async fn notices(&self) -> Vec<hub::Alarm>;
    /// A text without blanks that is another one after every change of the palace; empty while it is off.
    async fn memory_version(&self) -> Result<String, ApiError>;
    /// What `/tokens` shows, for admins; with what came of the form that led there.
    async fn tokens(&self) -> Result<admin::TokensPage, ApiError>;
    /// What `/audit` shows, for admins.
    async fn audit(&self, query: admin::AuditQuery) -> Result<admin::AuditPage, ApiError>;
}

/// The backend of one request, as the hub provides it in the reactive context.
#[cfg(feature = "ssr")]
#[derive(Clone)]
pub struct BackendHandle(pub Arc<dyn Backend>);
