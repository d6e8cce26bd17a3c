//! What `/hub` shows, and what every page says about the hub that it is on. It stays on the hub, which writes the page whole.
//!
//! Plain facts without a word for people: what they mean and what is to be done is the page's to say.

/// From how few free bytes on a disk is soon full.
pub const DISK_LOW_BYTES: u64 = 1024 * 1024 * 1024;
/// From how few free bytes on writes are about to be refused.
pub const DISK_FULL_BYTES: u64 = 64 * 1024 * 1024;
/// From how many bytes on a WAL is larger than it should be: what was written back is cut to a quarter of this.
pub const WAL_LARGE_BYTES: u64 = 256 * 1024 * 1024;
/// After how many failed rounds a peer is an alarm.
pub const FAILURES_ALARM: u32 = 3;

/// What `/hub` shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HubPage {
    /// Whether the viewer manages the hub: only then addresses and errors of peers are here.
    pub is_admin: bool,
    /// What is wrong.
    pub alarms: Vec<Alarm>,
    /// The hubs.
    pub estate: Estate,
    /// How this one is doing.
    pub health: Health,
    /// What it puts up with.
    pub limits: Vec<Limit>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}

/// Something that a person should know or do something about.
#[derive(Debug, Clone, PartialEq)]
pub enum Alarm {
    /// A peer had more of this hub's own events than its log.
    Restored(Restored),
    /// Authors whose events do not come, at these peers.
    Blocked {
        /// How many authors.
        authors: usize,
        /// The peers' names.
        peers: Vec<String>,
    },
    /// So little is free that writes are refused, or will be.
    DiskFull(u64),
    /// Little is free.
    DiskLow(u64),
    /// So many transactions of the log failed since the start.
    WritesFailed(u64),
    /// The log's WAL is large.
    WalLarge(u64),
    /// Diaries, drawers and facts are off; why is for who manages the hub.
    PalaceOff(Option<String>),
    /// Session memory is off.
    SessionsOff,
    /// Its output pipeline cannot publish.
    PipelineFails {
        /// Why, for who manages the hub.
        error: Option<String>,
        /// How many events it has dropped.
        dropped: u64,
    },
    /// Peers that were not reached for some rounds.
    Unreached(Vec<String>),
    /// `peers.json` has so many faults; their texts are for who manages the hub.
    PeersFile(usize, Vec<String>),
    /// Every place for a live stream is taken.
    StreamsTaken(usize),
    /// The hub was started with `--no-auth`.
    NoAuth,
    /// It was started with `--read-only`.
    ReadOnly,
    /// There are events of `loggia demo` in the log.
    Demo,
}

/// A hub that was restored from a backup.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// The peer that showed it.
    pub peer: String,
    /// When, RFC 3339.
    pub at: String,
    /// Our highest number then.
    pub ours: i64,
    /// What the peer had.
    pub theirs: i64,
    /// How many events came back.
    pub taken_back: u64,
    /// How many events written since got a new number.
    pub renumbered: u64,
    /// How far the repair is.
    pub repair: Repair,
}

/// How far the repair of a restored hub is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Under way.
    Going,
    /// All is here again.
    Done,
    /// The peer could not give what it said it had.
    Incomplete,
}

/// The hubs that this one knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estate {
    /// What people call this hub.
    pub name: String,
    /// Which one it is.
    pub replica_id: String,
    /// From one pull to the next, in seconds; 0 is never.
    pub interval_s: f64,
    /// The hubs that it pulls from.
    pub peers: Vec<Peer>,
    /// Authors that are neither this hub nor a peer that was reached, each with its highest number here.
    pub unnamed: Vec<(String, i64)>,
    /// The highest number of each author here.
    pub vector: Vec<(String, i64)>,
}

/// A hub that this one pulls from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Peer {
    /// Its name here.
    pub name: String,
    /// Its address; for who manages the hub.
    pub url: Option<String>,
    /// Which one it is, once it was reached.
    pub replica_id: Option<String>,
    /// What runs there, if it says so.
    pub program: Option<String>,
    /// Whether a round with it ever ended well.
    pub was_reached: bool,
    /// Rounds that failed since.
    pub failures: u32,
    /// When it last answered at all, RFC 3339.
    pub last_contact_at: Option<String>,
    /// When a round last ended well, RFC 3339.
    pub last_success_at: Option<String>,
    /// When the last round failed, if it did, RFC 3339.
    pub last_error_at: Option<String>,
    /// Why; for who manages the hub.
    pub last_error: Option<String>,
    /// How many milliseconds its clock is ahead of ours, to a second.
    pub clock_difference_ms: Option<i64>,
    /// The authors of whom one has more than the other, the widest apart first.
    pub drift: Vec<Drift>,
    /// The authors whose events do not come from it.
    pub blocks: Vec<Block>,
    /// How many entries of its vector are none.
    pub odd_entries: usize,
    /// Up to which number it has the events that this hub wrote; `None` for none.
    pub has_ours: Option<i64>,
    /// Up to which number this hub wrote.
    pub ours: i64,
    /// Events taken from it since the start.
    pub pulled_events: u64,
    /// Artifacts taken from it since the start.
    pub pulled_artifacts: u64,
}

/// An author of whom one of two hubs has more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Its id.
    pub origin: String,
    /// Its name, where a hub here has it.
    pub name: Option<String>,
    /// The highest number here.
    pub here: i64,
    /// The highest number there.
    pub there: i64,
}

/// What keeps an author's events from coming.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The author's id.
    pub origin: String,
    /// Its name, where a hub here has it.
    pub name: Option<String>,
    /// The event that was not taken.
    pub event: Option<Thing>,
    /// The artifact at fault.
    pub artifact: Option<Thing>,
    /// What is wrong.
    pub reason: String,
    /// Since when, RFC 3339.
    pub since: String,
}

/// An event or an artifact by its id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thing {
    /// Its id.
    pub id: String,
    /// Whether this hub has one of that id.
    pub is_here: bool,
}

/// How a hub is doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Health {
    /// The version of the running program.
    pub version: String,
    /// When it was started, RFC 3339.
    pub started_at: String,
    /// For how many seconds it has been running.
    pub uptime_s: u64,
    /// The version of the palace's schema.
    pub palace_schema: i64,
    /// How many tools agents have here.
    pub tools: usize,
    /// Events, as far as the viewer sees them.
    pub events: u64,
    /// The newest arrival number.
    pub newest_seq: i64,
    /// How many events the counts are behind.
    pub counts_lag: i64,
    /// Every SQLite file with its bytes.
    pub files: Vec<(String, u64)>,
    /// Free bytes on the disk, where the system says so.
    pub disk_free_bytes: Option<u64>,
    /// Writes of the log that wait.
    pub writer_waiting: i64,
    /// How many may wait before callers do.
    pub writer_queue: usize,
    /// Transactions since the start.
    pub transactions: u64,
    /// Writes since the start.
    pub writes: u64,
    /// Writes that were refused since the start.
    pub writes_refused: u64,
    /// Transactions that failed since the start.
    pub transactions_failed: u64,
    /// How long the last transaction took.
    pub last_commit_ms: Option<f64>,
    /// Open streams of agents and pages.
    pub streams: usize,
    /// How many there may be.
    pub streams_max: usize,
    /// How many of them are pages in browsers.
    pub pages: u64,
    /// Waits of agents.
    pub waits: i64,
    /// Events handed to streams since the start.
    pub stream_events: u64,
    /// Open connections.
    pub connections: i64,
    /// How many there may be.
    pub connections_max: usize,
    /// Connections refused since the start, since there were too many.
    pub connections_refused: u64,
    /// Connections cut since their client took nothing.
    pub connections_cut: u64,
    /// Connections cut since a request took too long to arrive.
    pub connections_slow: u64,
    /// Requests since the start.
    pub requests: u64,
    /// Those that were refused.
    pub requests_refused: u64,
    /// Those that failed through a fault of the hub.
    pub requests_failed: u64,
    /// Calls of tools since the start, and how many of them did not do what was asked.
    pub tool_calls: (u64, u64),
    /// The model of meaning; `None` while diaries and drawers are off.
    pub model: Option<Model>,
    /// Whether session memory lies in a Redis.
    pub sessions_shared: bool,
    /// The output pipeline; `None` when nothing is published.
    pub pipeline: Option<Pipeline>,
}

/// The model of meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Whether it answers.
    pub is_on: bool,
    /// How many texts have a vector.
    pub vectors: u64,
    /// How many wait for one.
    pub waiting: u64,
}

/// The output pipeline of session memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// How many events were published.
    pub published: u64,
    /// How many wait.
    pub waiting: u64,
    /// How many never will be published.
    pub dropped: u64,
    /// Whether it cannot publish at the moment.
    pub is_failing: bool,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Its variable; for one that nobody can set a word of ours that is in no variable's name.
    pub name: &'static str,
    /// How much; `None` is no limit.
    pub value: Option<u64>,
    /// In what.
    pub unit: Unit,
}

/// In what a limit is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// Milliseconds, shown as seconds.
    Milliseconds,
    /// A number of things in each second.
    PerSecond,
}
