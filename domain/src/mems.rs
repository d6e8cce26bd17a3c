//! Hot session memory (L0): whose it is, what a write asks, and what a snapshot becomes by it (`contract: mems`).
//!
//! Pure: stores give the time and the random bytes, and keep what comes out. What is remembered for longer is the palace's.

pub mod event;
pub mod key;
pub mod request;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How many messages the window of a session holds.
pub const WINDOW: usize = 20;
/// How long a snapshot lives when nothing is said, in seconds.
pub const DEFAULT_TTL_S: u64 = 1800;
/// How long one may live, in seconds: a week.
pub const MAX_TTL_S: u64 = 604_800;
/// How large the variables of a session may be in all, and its metadata likewise, in bytes of JSON. Writes merge into them, so no limit
/// on a single write would bound them.
pub const MAX_MERGED_BYTES: usize = 1024 * 1024;

/// Whose memory it is. Matched exactly; what is not set is a slot of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Owner {
    /// The tenant.
    pub tenant_id: Option<String>,
    /// The user.
    pub user_id: Option<String>,
    /// The scope.
    pub scope: Option<String>,
    /// The agent.
    pub agent_id: String,
    /// The session.
    pub session_id: String,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it: `user`, `assistant`, `tool`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// A write, its fields checked.
#[derive(Debug, Clone, PartialEq)]
pub struct NewWrite {
    /// Whose memory.
    pub owner: Owner,
    /// What is new; may be empty.
    pub messages: Vec<Message>,
    /// The plan, when one is given.
    pub active_plan: Option<String>,
    /// Variables to merge.
    pub temp_variables: Map<String, Value>,
    /// What else is known; merged as the variables are.
    pub metadata: Map<String, Value>,
    /// How long a snapshot lives that this write creates, in seconds.
    pub ttl_s: u64,
}

/// A message with its place in the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The id of the write that brought it, and its place there: `<event id>-<4 digits>`. Ids of a session sort as it was said.
    pub id: String,
    /// The message.
    #[serde(flatten)]
    pub message: Message,
}

/// What a session remembers at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The id of the write that made it. The first member: the script of the Redis store reads it by its position.
    pub event_id: String,
    /// When the first write came, ms since 1970.
    pub created_at_ms: u64,
    /// When the last write came.
    pub updated_at_ms: u64,
    /// When it is gone: by the first write's time, whatever later ones say.
    pub expires_at_ms: u64,
    /// The window, oldest first.
    pub messages: Vec<Kept>,
    /// The plan.
    pub active_plan: Option<String>,
    /// The variables.
    pub temp_variables: Map<String, Value>,
    /// What else is known.
    pub metadata: Map<String, Value>,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// It created the snapshot.
    Write,
    /// It went on with a live one.
    Append,
}

impl Did {
    /// As events name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Append => "append",
        }
    }
}

/// A session would hold more than it may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} must have at most {max_bytes} bytes of JSON together with what the session holds, not {bytes}")]
pub struct TooLarge {
    /// The field that is too large.
    pub field: &'static str,
    /// How large it may be.
    pub max_bytes: usize,
    /// How large it would be.
    pub bytes: usize,
}

/// The id of a message of a write.
pub fn message_id(event_id: &str, index: usize) -> String {
    format!("{event_id}-{index:04}")
}

impl Snapshot {
    /// What a write makes of the live snapshot, if there is one. `event_id` must sort after the one before. What comes out is kept only
    /// if it has [room](Self::room).
    pub fn after(live: Option<&Self>, new: &NewWrite, event_id: String, now_ms: u64) -> (Self, Did) {
        let kept =
            |(index, message): (usize, &Message)| Kept { id: message_id(&event_id, index), message: message.clone() };
        let before = live.map(|s| s.messages.as_slice()).unwrap_or_default();
        let surplus = (before.len() + new.messages.len()).saturating_sub(WINDOW);
        let mut messages = before[surplus.min(before.len())..].to_vec();
        messages.extend(new.messages.iter().enumerate().skip(surplus.saturating_sub(before.len())).map(kept));
        let merged = |before: Option<&Map<String, Value>>, more: &Map<String, Value>| {
            let mut merged = before.cloned().unwrap_or_default();
            merged.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            merged
        };
        let snapshot = Self {
            event_id,
            created_at_ms: live.map_or(now_ms, |s| s.created_at_ms),
            updated_at_ms: now_ms,
            expires_at_ms: live.map_or(now_ms.saturating_add(new.ttl_s * 1000), |s| s.expires_at_ms),
            messages,
            active_plan: new.active_plan.clone().or_else(|| live.and_then(|s| s.active_plan.clone())),
            temp_variables: merged(live.map(|s| &s.temp_variables), &new.temp_variables),
            metadata: merged(live.map(|s| &s.metadata), &new.metadata),
        };
        (snapshot, if live.is_some() { Did::Append } else { Did::Write })
    }

    /// Whether what a write merged into it fits. A session that a write left alone is as large as it was.
    pub fn room(&self, new: &NewWrite) -> Result<(), TooLarge> {
        let merged = [
            ("temp_variables", &new.temp_variables, &self.temp_variables),
            ("metadata", &new.metadata, &self.metadata),
        ];
        for (field, brought, all) in merged {
            let bytes = if brought.is_empty() { 0 } else { json_bytes(all) };
            if bytes > MAX_MERGED_BYTES {
                return Err(TooLarge { field, max_bytes: MAX_MERGED_BYTES, bytes });
            }
        }
        Ok(())
    }

    /// Whether it is still there.
    pub fn is_live(&self, now_ms: u64) -> bool {
        now_ms < self.expires_at_ms
    }

    /// What events tell of it: all but the plan, the variables and the metadata, which may be large.
    #[must_use]
    pub fn told(&self) -> Self {
        Self {
            event_id: self.event_id.clone(),
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            expires_at_ms: self.expires_at_ms,
            messages: self.messages.clone(),
            active_plan: None,
            temp_variables: Map::new(),
            metadata: Map::new(),
        }
    }

    /// Whether events tell all of it.
    pub fn is_told(&self) -> bool {
        self.active_plan.is_none() && self.temp_variables.is_empty() && self.metadata.is_empty()
    }

    /// The window without the ids.
    pub fn window(&self) -> Vec<&Message> {
        self.messages.iter().map(|kept| &kept.message).collect()
    }

    /// The window as text: a line `role: content` for each message.
    pub fn text(&self) -> String {
        text(self.messages.iter().map(|kept| &kept.message))
    }
}

/// Messages as text: a line `role: content` for each.
pub fn text<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let lines: Vec<String> = messages.into_iter().map(|m| format!("{}: {}", m.role, m.content)).collect();
    lines.join("\n")
}

/// How many bytes an object has as JSON.
fn json_bytes(map: &Map<String, Value>) -> usize {
    // Keys are texts and nothing here fails; what could not be written would be too large.
    serde_json::to_string(map).map_or(usize::MAX, |text| text.len())
}

/// A clock that never goes back and never stands still: however the machine's is set, what has expired stays so, and what lives
/// does not outlive its time.
#[derive(Debug, Clone, Copy)]
pub struct Steady {
    now_ms: u64,
    steady_ms: u64,
}

impl Steady {
    /// Begins at a moment, at the latest one known. `steady_ms` is any counter that never jumps.
    pub fn new(wall_ms: u64, known_ms: u64, steady_ms: u64) -> Self {
        Self { now_ms: wall_ms.max(known_ms), steady_ms }
    }

    /// Now.
    pub fn tick(&mut self, wall_ms: u64, steady_ms: u64) -> u64 {
        let passed = steady_ms.saturating_sub(self.steady_ms);
        self.now_ms = wall_ms.max(self.now_ms + passed);
        self.steady_ms = steady_ms;
        self.now_ms
    }
}

#[cfg(test)]
mod tests;
