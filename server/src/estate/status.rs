//! What is known about the estate: the peers, how far each is ahead or behind, what blocks an origin, and whether this hub was
//! restored from a backup. For pages, tools and figures; never a token, never a text of a peer that is longer than a line.

use std::collections::{BTreeMap, BTreeSet};

use loggia_domain::timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

/// The whole estate at one moment.
#[derive(Debug, Clone, Serialize)]
pub struct EstateStatus {
    /// This hub.
    pub replica_id: String,
    /// What people call it.
    pub name: String,
    /// The highest number of each author here.
    pub version_vector: BTreeMap<String, i64>,
    /// Seconds between two rounds; 0 is off.
    pub interval_s: f64,
    /// In the order of `peers.json`.
    pub peers: Vec<PeerStatus>,
    /// Authors that are neither this hub nor a peer that was reached.
    pub unnamed_origins: Vec<String>,
    /// What is wrong with `peers.json`.
    pub file_faults: Vec<String>,
    /// Set when a peer held events of this hub that its own log lacked, until that is acknowledged or the hub ends.
    pub restore: Option<Restore>,
    /// Events of other hubs taken since the start.
    pub pulled_events: u64,
    /// Artifacts of other hubs taken since the start.
    pub pulled_artifacts: u64,
}

/// One peer.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PeerStatus {
    /// Its name in `peers.json`.
    pub name: String,
    /// Its address, without user information.
    pub url: String,
    /// Who it says it is, once it was reached.
    pub replica_id: Option<String>,
    /// Its vector at the last contact.
    pub version_vector: BTreeMap<String, i64>,
    /// What it says about itself: a JSON object, not more than a few kilobytes.
    pub profile: Option<Value>,
    /// What it passes on about others, by replica id.
    #[serde(skip)]
    pub profiles: BTreeMap<String, Value>,
    /// By author: how many numbers it is ahead of this hub (negative: behind). Numbers have gaps, so it is a bound, not a count.
    pub drift: BTreeMap<String, i64>,
    /// When it last answered at all.
    pub last_contact_at: Option<String>,
    /// When a round last ended well.
    pub last_success_at: Option<String>,
    /// Why the last round did not, if it did not.
    pub last_error: Option<String>,
    /// When that was.
    pub last_error_at: Option<String>,
    /// Rounds that failed since the last one that ended well.
    pub failures: u32,
    /// How many milliseconds its clock is ahead of ours (negative: behind), to a second; `None` when it does not say.
    pub clock_difference_ms: Option<i64>,
    /// By author: what keeps its events from coming from this peer.
    pub blocks: BTreeMap<String, Block>,
    /// Entries of its vector that are none.
    pub odd_entries: Vec<String>,
    /// Events taken from it since the start.
    pub pulled_events: u64,
    /// Artifacts taken from it since the start.
    pub pulled_artifacts: u64,
}

/// Why an author's events stopped.
#[derive(Debug, Clone, Serialize)]
pub struct Block {
    /// The event that was not taken, if it is known.
    pub event_id: Option<String>,
    /// The artifact at fault, if it is one.
    pub artifact_id: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// Since when.
    pub since: String,
}

/// A peer held more of this hub's own events than its log did.
#[derive(Debug, Clone, Serialize)]
pub struct Restore {
    /// The peer that showed it.
    pub peer: String,
    /// When.
    pub detected_at: String,
    /// The same, ms since 1970.
    #[serde(skip)]
    pub detected_at_ms: u64,
    /// Our highest number then.
    pub ours: i64,
    /// What the peer had.
    pub theirs: i64,
    /// How many of our own events came back.
    pub taken_back: u64,
    /// How many events written since got a new number.
    pub renumbered: u64,
    /// How far it is.
    pub state: RestoreState,
    /// What kept it from being repaired.
    pub reason: Option<String>,
}

/// How far a repair is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RestoreState {
    /// Our own events are being taken back.
    Repairing,
    /// All that the peer had are here again.
    Repaired,
    /// The peer could not give what it said it had.
    Incomplete,
}

/// What the workers write down.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) peers: Vec<PeerStatus>,
    pub(super) file_faults: Vec<String>,
    pub(super) restore: Option<Restore>,
    /// Peers that have not yet been heard since the start; appends wait for them for a moment.
    pub(super) awaited: BTreeSet<String>,
}

impl Book {
    /// Writes about a peer; one that was removed meanwhile is let go.
    pub(super) fn peer(&mut self, name: &str, write: impl FnOnce(&mut PeerStatus)) {
        if let Some(peer) = self.peers.iter_mut().find(|p| p.name == name) {
            write(peer);
        }
    }
}

/// Now, as text.
pub(super) fn now() -> String {
    timestamp::created_at(OffsetDateTime::now_utc())
}

impl EstateStatus {
    /// How many authors are blocked at any peer.
    pub fn blocked_origins(&self) -> usize {
        let all: BTreeSet<&String> = self.peers.iter().flat_map(|p| p.blocks.keys()).collect();
        all.len()
    }

    /// How far this hub is behind the peer that is furthest ahead, author by author, in numbers.
    pub fn behind(&self) -> i64 {
        let mut behind: BTreeMap<&str, i64> = BTreeMap::new();
        for (origin, drift) in self.peers.iter().flat_map(|p| &p.drift) {
            let most = behind.entry(origin).or_default();
            *most = (*most).max(*drift);
        }
        behind.values().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// What `GET /sync/peers` and `mempalace_mesh_peers` answer: MemPalace's names, and more beside them.
    pub fn mesh(&self) -> Value {
        let profiles = profiles(&self.replica_id, &self.peers);
        let peers: Vec<Value> = self.peers.iter().map(PeerStatus::mesh).collect();
        let mut mesh = json!({
            "self": {
                "replica_id": self.replica_id,
                "name": self.name,
                "version_vector": self.version_vector,
                "profile": profiles.get(&self.replica_id),
            },
            "peers": peers,
            "unnamed_origins": self.unnamed_origins,
            "origin_profiles": profiles,
            "sync_interval_s": self.interval_s,
            "estate_source": {"in_process": true, "published_at": now(), "writer_alive": true},
        });
        if let Some(restore) = &self.restore {
            mesh["restore"] = json!(restore);
        }
        if !self.file_faults.is_empty() {
            mesh["peers_file_faults"] = json!(self.file_faults);
        }
        mesh
    }
}

impl PeerStatus {
    /// Whether the last round ended well.
    pub fn is_reachable(&self) -> bool {
        self.last_success_at.is_some() && self.last_error.is_none()
    }

    fn mesh(&self) -> Value {
        json!({
            "name": self.name,
            "url": self.url,
            "replica_id": self.replica_id,
            "reachable": self.is_reachable(),
            "last_error": self.last_error,
            "last_error_at": self.last_error_at,
            "last_success_at": self.last_success_at,
            "last_contact_at": self.last_contact_at,
            "remote_version_vector": self.replica_id.is_some().then_some(&self.version_vector),
            "profile": self.profile,
            "drift": self.drift,
            "blocks": self.blocks,
            "odd_entries": self.odd_entries,
            "clock_difference_ms": self.clock_difference_ms,
        })
    }
}

/// What everybody says about itself, by replica id: those that peers know, the peers, this hub.
pub(super) fn profiles(own: &str, peers: &[PeerStatus]) -> Map<String, Value> {
    let mut profiles = Map::new();
    for peer in peers {
        profiles.extend(peer.profiles.iter().map(|(id, profile)| (id.clone(), profile.clone())));
        if let (Some(id), Some(profile)) = (&peer.replica_id, &peer.profile) {
            profiles.insert(id.clone(), profile.clone());
        }
    }
    profiles.insert(own.to_owned(), profile());
    profiles
}

/// What this hub says about itself, with MemPalace's names.
fn profile() -> Value {
    json!({
        "roles": ["agents"],
        "accelerator": {"provider": "CPU", "embedder": "minilm"},
        "drawers": null,
        "hardware": format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        "program": concat!("loggia/", env!("CARGO_PKG_VERSION")),
        "advertised_at": now(),
    })
}
