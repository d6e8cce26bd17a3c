//! What the pages of the diaries and of the palace ask, and the shapes of the answers. These stay on the hub, which writes both pages
//! whole; the browser gets a [`Sheet`](super::Sheet).

/// How many entries a page of a diary holds at most.
pub const DIARY_PAGE_ENTRIES: usize = 20;
/// How many drawers a page of a list holds.
pub const DRAWERS_PAGE: usize = 20;
/// How many hits a search shows.
pub const HITS_SHOWN: usize = 20;
/// How many facts a page of them holds.
pub const FACTS_PAGE: usize = 50;

/// An answer of the palace, which may be off while all else works.
#[derive(Debug, Clone, PartialEq)]
pub enum Memory<T> {
    /// It answers.
    On(T),
    /// It cannot, and why.
    Off(String),
}

/// Which part of which diary a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiaryQuery {
    /// Whose; `None` for the list of those who keep one.
    pub agent: Option<String>,
    /// Whether the probable aliases' entries are shown among his.
    pub together: bool,
    /// Only entries of this topic.
    pub topic: Option<String>,
    /// How many of the newest entries are passed over.
    pub from: usize,
}

/// Somebody who keeps a diary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diarist {
    /// The name in lower case; empty for entries that name nobody.
    pub agent: String,
    /// The name as it was last spelled.
    pub spelling: String,
    /// How many entries.
    pub entries: u64,
    /// When the last one was written: the hub's local time, without a zone.
    pub newest: String,
}

/// An entry, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Who wrote it, as spelled.
    pub agent: String,
    /// The day, by the hub that wrote it: `YYYY-MM-DD`.
    pub date: String,
    /// When: local time of the hub that wrote it, without a zone.
    pub timestamp: String,
    /// What it is about.
    pub topic: String,
    /// The wing it lies in.
    pub wing: String,
    /// The text.
    pub text: String,
}

/// What `/diary` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiaryPage {
    /// Who keeps a diary, the last writer first.
    Diarists(Vec<Diarist>),
    /// One diary.
    Diary(Diary),
}

/// A part of a diary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diary {
    /// Whose, in lower case.
    pub agent: String,
    /// The name as it was last spelled, or as it was asked for.
    pub spelling: String,
    /// How many entries are his alone.
    pub own: u64,
    /// Who probably is the same, by name.
    pub aliases: Vec<Diarist>,
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// How many there are in all, of the asked topic.
    pub total: u64,
    /// Topics with their counts, most first.
    pub topics: Vec<(String, u64)>,
    /// The hub's local day, `YYYY-MM-DD`.
    pub today: String,
}

/// Which part of the palace a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PalaceQuery {
    /// Only this wing.
    pub wing: Option<String>,
    /// Only this room.
    pub room: Option<String>,
    /// What is searched for; empty for nothing.
    pub q: String,
    /// The drawer that is read beside the list.
    pub id: Option<String>,
    /// Whether facts are wanted instead of drawers.
    pub facts: bool,
    /// Only facts about this entity.
    pub entity: Option<String>,
    /// How many of a list are passed over.
    pub from: usize,
}

/// A wing and its rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wing {
    /// Its name.
    pub name: String,
    /// How many rows lie in it.
    pub rows: u64,
    /// Its rooms, each with how many rows lie in it.
    pub rooms: Vec<(String, u64)>,
}

/// A drawer in a list, or a hit of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawerRow {
    /// Its id.
    pub id: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// When it was filed: local time of the hub that wrote it, without a zone; may be empty.
    pub filed_at: String,
    /// The beginning of its text, or the piece that answers, in pieces that are ordinary and found by turns.
    pub pieces: Vec<String>,
}

/// A drawer, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawer {
    /// Its id.
    pub id: String,
    /// Its wing.
    pub wing: String,
    /// Its room.
    pub room: String,
    /// Its text.
    pub text: String,
    /// What else is known about it, key and value.
    pub metadata: Vec<(String, String)>,
}

/// Something that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// When: the hub's local time, without a zone.
    pub at: String,
    /// What was done: `filed`, `changed`, `deleted`.
    pub verb: &'static str,
    /// What kind of thing it was done to, with places for what tells it apart: `a drawer in {it}`.
    pub noun: &'static str,
    /// What stands at `{it}`.
    pub what: String,
    /// What stands at `{other}`.
    pub other: String,
    /// Where it is to be seen, as a page of ours.
    pub target: Option<Target>,
    /// Who did it, where that is known.
    pub by: Option<String>,
}

/// What a change or a piece of text leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A room.
    Room(String, String),
    /// A drawer.
    Drawer(String),
    /// A diary.
    Diary(String),
    /// The facts about something.
    Entity(String),
}

/// A tunnel that was dug, or the like that was imported.
#[derive(Debug, Clone, PartialEq)]
pub struct Tunnel {
    /// Wing and room where it begins.
    pub source: (String, String),
    /// Wing and room where it leads.
    pub target: (String, String),
    /// Why the two belong together.
    pub label: String,
    /// `explicit`, `topic` or `entity`.
    pub kind: String,
    /// From 1 to 5.
    pub strength: f64,
    /// How often it was followed.
    pub followed: i64,
}

/// What joins the rooms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joints {
    /// Tunnels, in the order in which they came.
    pub tunnels: Vec<Tunnel>,
    /// Rooms of one name that several wings have, with those wings.
    pub shared: Vec<(String, Vec<String>)>,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Whom it is about.
    pub subject: String,
    /// What is said.
    pub predicate: String,
    /// What or whom it says it of.
    pub object: String,
    /// Its first day or second, UTC.
    pub from: Option<String>,
    /// Its last day or second, UTC.
    pub to: Option<String>,
}

/// What stands in the middle of `/palace`.
#[derive(Debug, Clone, PartialEq)]
pub enum PalaceBody {
    /// The palace as a whole.
    Overview {
        /// What was written last, newest first.
        changes: Vec<Change>,
        /// What joins the rooms.
        joints: Joints,
        /// The latest facts.
        facts: Vec<Fact>,
        /// How many facts there are.
        facts_total: u64,
    },
    /// Drawers, by id.
    Drawers {
        /// One page of them.
        rows: Vec<DrawerRow>,
        /// How many there are.
        total: u64,
    },
    /// What a search found, best first.
    Hits {
        /// The hits.
        rows: Vec<DrawerRow>,
        /// What was searched for, when the query was shortened.
        shortened: Option<String>,
        /// Why only words were searched for, when that is so.
        words_only: Option<String>,
    },
    /// Facts, the latest start first.
    Facts {
        /// One page of them.
        facts: Vec<Fact>,
        /// How many there are.
        total: u64,
        /// Names that may have been meant, when nothing is known.
        candidates: Vec<String>,
    },
}

/// What `/palace` shows.
#[derive(Debug, Clone, PartialEq)]
pub struct PalacePage {
    /// All wings, by name.
    pub wings: Vec<Wing>,
    /// What stands in the middle.
    pub body: PalaceBody,
    /// The drawer that was asked for; the inner `None` when there is none of this id.
    pub drawer: Option<Option<Drawer>>,
    /// What the viewer searched for lately, the last first.
    pub searches: Vec<String>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}
