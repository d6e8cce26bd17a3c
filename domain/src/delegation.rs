//! One correlation, folded into the story of a delegation (`design: the delegation fold`).

use serde::{Deserialize, Serialize};

/// Where a delegation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Asked for, nobody has taken it.
    Open,
    /// Somebody works on it.
    Claimed,
    /// A result waits to be looked at.
    Ready,
    /// The result was taken over.
    Applied,
    /// The worker cannot go on without somebody.
    Blocked,
    /// It was tried and did not work.
    Failed,
    /// Something else took its place.
    Superseded,
    /// Its events name no status that we know.
    Other,
}

/// One event of a delegation, in the order across hubs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The event.
    pub event_id: String,
    /// Its local arrival order.
    pub seq: i64,
    /// Milliseconds since 1970 by the author's hybrid clock (or by `created_at` where the stamp is malformed).
    pub at_ms: u64,
    /// `YYYY-MM-DDTHH:MM:SSZ`, as authored.
    pub created_at: String,
    /// Who wrote it.
    pub from_agent: String,
    /// For whom.
    pub to_agent: Option<String>,
    /// What kind of event.
    pub event_type: String,
    /// The status it carries, known or not.
    pub status: Option<String>,
    /// The event that it acknowledges (`metadata.ack_of`).
    pub ack_of: Option<String>,
    /// Time since the step before, never negative; `None` on the first.
    pub after_ms: Option<u64>,
    /// Set where the authors' clocks contradict the order of cause and effect: by how much they differ at least, in ms.
    pub skew_ms: Option<u64>,
    /// A claim that came second, or a later status by its author: it does not change the task.
    pub lost_race: bool,
    /// Type ending in `.question`, or `metadata.question` = true.
    pub question: bool,
    /// The first line of the body that says something, at most 200 characters.
    pub line: String,
    /// The artifacts it references.
    pub artifact_ids: Vec<String>,
}

/// A delegation: the events of one correlation id and what follows from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// What ties the events together.
    pub correlation_id: String,
    /// One line that tells it apart: the goal's first line, else the first event's.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// The stream of its first event.
    pub stream: String,
    /// Who asked: the author of the first `task.request`, else of the first event.
    pub requester: String,
    /// Who was asked (`*` is everybody).
    pub assignee: Option<String>,
    /// Who works on it: the claim with the lowest hlc.
    pub claimant: Option<String>,
    /// Who claimed too and lost the race, in order.
    pub lost_claims: Vec<String>,
    /// The branch that the request names.
    pub branch: Option<String>,
    /// The commit that the request names.
    pub base_commit: Option<String>,
    /// When it counts as done, from the request's body.
    pub done: Option<String>,
    /// Every event, in (hlc, id) order.
    pub steps: Vec<Step>,
    /// Everybody who wrote, in order of appearance.
    pub agents: Vec<String>,
    /// Every artifact referenced, in order of appearance.
    pub artifact_ids: Vec<String>,
    /// When the state was entered that still waits for somebody; `None` once the state is final.
    pub pending_since_ms: Option<u64>,
    /// The last event of any kind.
    pub last_at_ms: u64,
    /// `metadata.expires_at` of the newest event that has one.
    pub expires_at_ms: Option<i64>,
    /// The last step is a question nobody has answered.
    pub open_question: bool,
}
