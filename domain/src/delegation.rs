//! One correlation, folded into the story of a delegation: who asked, who took it, where it stands, what waits for whom.
//!
//! Not a projection and not a store: [`fold`] is a pure function over events in memory. The same code runs at first paint, in the
//! browser on each live event, in the tools and on the command line, so that all of them say the same.
//!
//! # Rules
//! Steps stand in the order across hubs, (hlc, id), so every hub that has the same events tells the same story, whatever arrived
//! first. The last known status in that order is the state (a `task.request` without a status counts as `open`), with two
//! exceptions:
//! * *Finality.* `applied`, `failed` and `superseded` stay until a new `open`.
//! * *Claim races.* The first claim of a round (any event with status `claimed`) wins. A claim by another agent has lost, and no
//!   status of its author changes the task while that round lasts. A loser's `superseded` ends the loser's part only. Two claims
//!   by one agent, from two windows for example, are one.
//!
//! A new round, in which everybody may claim afresh, starts with
//! * an `open` after a final state;
//! * an `open` by the requester who has asked before: the request itself is no second asking, even where a wrong clock put a
//!   claim in front of it;
//! * an `open` by the winner, who gives the task back;
//! * a claim after the winner's own `superseded`: the winner stepped down, which is final until somebody claims or opens. A
//!   `superseded` by anybody else withdraws the task itself, and only an `open` brings it back.
//!
//! The winner's `blocked` and `ready` release nothing: the worker waits, it has not left. Nor do `applied` and `failed`: a claim
//! after them changes nothing. An earlier losing claim never moves up by itself, since nobody is assigned work without saying so.
//!
//! A requester who claimed its own task and lost can still say `open` and `applied`: these are a requester's words, and without
//! them nobody could finish the task.

mod course;
pub mod gaps;
mod order;
pub mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::status::Status;
use crate::task;

/// How many characters of a title or a step's line are kept.
pub const LINE_CHARS: usize = 200;

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

impl State {
    /// All of them, in the order of a delegation's life: the lanes of a board.
    pub const ALL: [Self; 8] = [
        Self::Open,
        Self::Claimed,
        Self::Ready,
        Self::Applied,
        Self::Blocked,
        Self::Failed,
        Self::Superseded,
        Self::Other,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => Status::Open.as_str(),
            Self::Claimed => Status::Claimed.as_str(),
            Self::Ready => Status::Ready.as_str(),
            Self::Applied => Status::Applied.as_str(),
            Self::Blocked => Status::Blocked.as_str(),
            Self::Failed => Status::Failed.as_str(),
            Self::Superseded => Status::Superseded.as_str(),
            Self::Other => "other",
        }
    }

    /// Whether nothing is expected to follow, short of a new `open`.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Applied | Self::Failed | Self::Superseded)
    }
}

impl From<Status> for State {
    fn from(status: Status) -> Self {
        match status {
            Status::Open => Self::Open,
            Status::Claimed => Self::Claimed,
            Status::Ready => Self::Ready,
            Status::Applied => Self::Applied,
            Status::Blocked => Self::Blocked,
            Status::Failed => Self::Failed,
            Status::Superseded => Self::Superseded,
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One event of a delegation, in the order across hubs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The event.
    pub event_id: String,
    /// Its local arrival order.
    pub seq: i64,
    /// Milliseconds since 1970 by the author's hybrid clock; by `created_at` where the stamp is malformed; that of the step
    /// before where neither can be read.
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
    /// Written by a person in a browser, as its metadata says (`metadata.human` = true); like every name, a claim and no proof.
    #[serde(default)]
    pub human: bool,
    /// The first line of the body that says something, at most [`LINE_CHARS`] characters.
    pub line: String,
    /// The artifacts it references.
    pub artifact_ids: Vec<String>,
}

/// A delegation: the events of one correlation id and what follows from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// What ties the events together.
    pub correlation_id: String,
    /// One line that tells it apart, at most [`LINE_CHARS`] characters: the goal's first line, else that of the first event that
    /// has one, else the correlation id.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// The stream of its first event.
    pub stream: String,
    /// Who asked: the author of the first `task.request`, else of the first event.
    pub requester: String,
    /// Who was asked (`*` is everybody).
    pub assignee: Option<String>,
    /// Who works on it: the claim with the lowest hlc of the current round. Kept when the work has ended.
    pub claimant: Option<String>,
    /// Who claimed too in the current round and lost the race, in order.
    pub lost_claims: Vec<String>,
    /// Those of `lost_claims` who have not posted `superseded` since: they may still be working in vain.
    pub unsettled_claims: Vec<String>,
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
    /// `metadata.expires_at` of the newest event that has a readable one; that of a lost claim does not count.
    pub expires_at_ms: Option<i64>,
    /// Somebody asked, and neither has another agent written since, nor has the asker closed the matter with a final status.
    pub open_question: bool,
    /// Why it needs somebody, in the author's words: the line of the event that blocked or failed it, else that of the newest
    /// open question.
    pub reason: Option<String>,
    /// Who wrote the event that `reason` is taken from, also where it says nothing.
    #[serde(default)]
    pub reason_by: Option<String>,
}

impl Delegation {
    /// Open or claimed, and no event for so long. A clock ahead of ours is no silence.
    pub fn is_stalled(&self, now_ms: u64, stalled_after_ms: u64) -> bool {
        matches!(self.state, State::Open | State::Claimed)
            && now_ms.checked_sub(self.last_at_ms).is_some_and(|silent_ms| silent_ms >= stalled_after_ms)
    }

    /// Not final, although its time is over.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        !self.state.is_final() && self.expires_at_ms.is_some_and(|at| i128::from(at) <= i128::from(now_ms))
    }

    /// Claimed, and somebody who lost the race may be at work in vain too.
    pub fn is_claimed_twice(&self) -> bool {
        self.state == State::Claimed && !self.unsettled_claims.is_empty()
    }

    /// Whether somebody has to look: blocked, failed, stalled, expired, claimed twice, or a question nobody has answered.
    pub fn needs_someone(&self, now_ms: u64, stalled_after_ms: u64) -> bool {
        matches!(self.state, State::Blocked | State::Failed)
            || self.open_question
            || self.is_stalled(now_ms, stalled_after_ms)
            || self.is_expired(now_ms)
            || self.is_claimed_twice()
    }
}

/// The story that the events of one correlation tell. `None` only for no events.
///
/// The events may come in any order and more than once; the answer does not depend on it. Every one becomes a step, also of an
/// unknown type or status.
pub fn fold(events: &[Event]) -> Option<Delegation> {
    let entries = order::entries(events);
    let first = entries.first()?.event;
    let request = entries.iter().map(|e| e.event).find(|e| e.event_type == "task.request");
    let root = request.unwrap_or(first);

    let mut course = course::Course::new(root);
    let mut steps: Vec<Step> = Vec::with_capacity(entries.len());
    let mut expires_at_ms = None;
    for (index, entry) in entries.iter().enumerate() {
        let lost_race = course.take(index, entry.event);
        if !lost_race {
            expires_at_ms = entry.expires_at_ms.or(expires_at_ms);
        }
        let after_ms = steps.last().map(|before| entry.at_ms.saturating_sub(before.at_ms));
        steps.push(step(entry, after_ms, lost_race));
    }

    let (state, entered, said) = course.standing();
    let correlation_id = correlation_id(&entries, first);
    let open_question = open_question(&steps);
    let reason = match state {
        State::Blocked | State::Failed => Some(said),
        _ => open_question,
    };
    Some(Delegation {
        title: title(&entries, request).unwrap_or_else(|| head(&correlation_id)),
        correlation_id,
        state,
        stream: first.stream.clone(),
        requester: root.from_agent.clone(),
        assignee: root.to_agent.clone(),
        claimant: course.claimant().map(str::to_owned),
        lost_claims: course.lost_claims().map(str::to_owned).collect(),
        unsettled_claims: course.unsettled_claims().map(str::to_owned).collect(),
        branch: root.branch.clone(),
        base_commit: root.base_commit.clone(),
        done: task::definition_of_done(&root.body).map(str::to_owned),
        agents: distinct(entries.iter().map(|e| &e.event.from_agent)),
        artifact_ids: distinct(entries.iter().flat_map(|e| &e.event.artifact_ids)),
        pending_since_ms: (!state.is_final()).then(|| entries[entered].at_ms),
        last_at_ms: entries.iter().map(|e| e.at_ms).max().unwrap_or(0),
        expires_at_ms,
        open_question: open_question.is_some(),
        reason: reason.map(|index| steps[index].line.clone()).filter(|line| !line.is_empty()),
        reason_by: reason.map(|index| steps[index].from_agent.clone()),
        steps,
    })
}

fn step(entry: &order::Entry<'_>, after_ms: Option<u64>, lost_race: bool) -> Step {
    let event = entry.event;
    Step {
        event_id: event.id.clone(),
        seq: event.seq,
        at_ms: entry.at_ms,
        created_at: event.created_at.clone(),
        from_agent: event.from_agent.clone(),
        to_agent: event.to_agent.clone(),
        event_type: event.event_type.clone(),
        status: event.status.clone().filter(|s| !s.is_empty()),
        ack_of: entry.ack_of.clone(),
        after_ms,
        skew_ms: entry.skew_ms,
        lost_race,
        question: entry.question,
        human: entry.human,
        line: head(task::title(&event.body)),
        artifact_ids: event.artifact_ids.clone(),
    }
}

/// An acknowledgement of an event without a correlation id uses that event's id: then the event itself names none.
fn correlation_id(entries: &[order::Entry<'_>], first: &Event) -> String {
    entries.iter().find_map(|e| e.event.correlation_id.as_ref()).unwrap_or(&first.id).clone()
}

fn title(entries: &[order::Entry<'_>], request: Option<&Event>) -> Option<String> {
    let mut lines = request.into_iter().chain(entries.iter().map(|e| e.event)).map(|e| task::title(&e.body));
    lines.find(|line| !line.is_empty()).map(head)
}

fn head(line: &str) -> String {
    line.chars().take(LINE_CHARS).collect()
}

/// The newest question that nobody has answered. Only the steps after the last change of author can hold one, since any other
/// agent's event answers all that was asked before it.
fn open_question(steps: &[Step]) -> Option<usize> {
    let author = &steps.last()?.from_agent;
    let closes = |s: &Step| s.status.as_deref().and_then(Status::parse).is_some_and(Status::is_final);
    let run = steps.iter().enumerate().rev().take_while(|(_, s)| s.from_agent == *author);
    // A step may ask and close at once ("failed: which compiler do you use?"): then the question stands.
    for (index, step) in run {
        if step.question {
            return Some(index);
        }
        if closes(step) {
            return None;
        }
    }
    None
}

/// Every value once, in order of appearance.
fn distinct<'a>(values: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    values.filter(|value| seen.insert(*value)).cloned().collect()
}
