//! What the pages of the agents show, and the strip of Now. On the hub alone: the browser gets these pages written.

use loggia_domain::Event;
use loggia_domain::delegation::Delegation;
use loggia_domain::presence::{Agent, Listener};
use loggia_domain::ring::Ring;

/// How many agents a page lists at most.
pub const AGENTS_SHOWN: usize = 500;
/// How many events of an inbox are shown, and how many of what an agent wrote.
pub const INBOX_SHOWN: usize = 30;
/// How many of the events that an agent wrote are shown.
pub const WROTE_SHOWN: usize = 12;
/// How many open delegations are shown on each side of an agent.
pub const LOOPS_SHOWN: usize = 50;
/// How many hours the figure of Now shows.
pub const HOURS_SHOWN: u64 = 24;

/// How much of an inbox a viewer has not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unread {
    /// How many events.
    pub count: usize,
    /// Whether there may be more: only so many are looked at.
    pub or_more: bool,
}

/// What `/agents` shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentsPage {
    /// Agents, who listens first, then who was seen last, at most [`AGENTS_SHOWN`], with what the viewer has not read of each inbox.
    pub agents: Vec<(Agent, Unread)>,
    /// How many there are.
    pub total: usize,
    /// Listeners that gave no name.
    pub unnamed: Vec<Listener>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}

/// What `/agent` shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPage {
    /// Who.
    pub agent: Agent,
    /// What the viewer has not read of the inbox.
    pub unread: Unread,
    /// The newest of what is addressed to it, newest first, bodies cut to previews, each with whether it is unread.
    pub inbox: Vec<(Event, bool)>,
    /// Open delegations that wait for it or that it works on, longest waiting first, without their steps.
    pub open_to: Vec<Delegation>,
    /// Open delegations that it asked for.
    pub open_from: Vec<Delegation>,
    /// The newest of what it wrote, newest first, bodies cut to previews.
    pub wrote: Vec<Event>,
    /// Whether the viewer may mark the inbox as read.
    pub may_mark: bool,
    /// After how long without any event an open or claimed delegation counts as stalled, in ms.
    pub stalled_after_ms: u64,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}

/// What the strip of Now shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct People {
    /// Agents, who listens first, then who was seen last.
    pub agents: Vec<Agent>,
    /// Listeners that gave no name.
    pub unnamed: Vec<Listener>,
    /// How many pages are open in browsers.
    pub pages: u64,
    /// How many events there were in each of the last [`HOURS_SHOWN`] hours, `YYYY-MM-DDTHH`, as authored, oldest first.
    pub hours: Vec<(String, u64)>,
    /// Agents that answer each other and move nothing.
    pub rings: Vec<Ring>,
    /// The hub's clock at the answer, ms since 1970.
    pub now_ms: u64,
}
