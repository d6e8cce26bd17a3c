//! How statuses move a delegation: finality, rounds and claim races. Takes events in their order, knows nothing of times or texts.
//!
//! The rules are those of the parent module; here each is one branch.

use std::collections::BTreeMap;

use super::State;
use crate::event::Event;
use crate::status::Status;

/// A delegation on its way: what the events so far have made of it.
pub(super) struct Course<'a> {
    /// The request, or the first event where there is none.
    root: &'a Event,
    /// Whether the requester has asked: sent the request or written an `open`.
    asked: bool,
    /// `None` until a known status was met.
    state: Option<State>,
    /// The event by which the state was entered.
    entered: usize,
    /// The last event that said the state: the one that entered it or that repeated it since.
    said: usize,
    claimant: Option<&'a str>,
    /// Whether the state is `superseded` by the winner's own word, so that a claim may follow.
    stepped_down: bool,
    /// Who lost the race of this round, in order.
    lost: Vec<&'a str>,
    /// The same, with whether the loser still holds on to its claim.
    holds_on: BTreeMap<&'a str, bool>,
}

/// The status that an event says. A request asks, also when its author left the word out.
pub(super) fn said(event: &Event) -> Option<Status> {
    let wordless = event.status.as_deref().is_none_or(str::is_empty);
    event.known_status().or_else(|| (wordless && event.event_type == "task.request").then_some(Status::Open))
}

impl<'a> Course<'a> {
    pub(super) fn new(root: &'a Event) -> Self {
        Self {
            root,
            asked: false,
            state: None,
            entered: 0,
            said: 0,
            claimant: None,
            stepped_down: false,
            lost: Vec::new(),
            holds_on: BTreeMap::new(),
        }
    }

    /// Takes the next event. Answers whether its status is void because its author lost a claim race.
    pub(super) fn take(&mut self, index: usize, event: &'a Event) -> bool {
        let author = event.from_agent.as_str();
        let status = said(event);
        let asks_again = self.hear_request(event, status);
        let Some(status) = status else {
            return event.status.as_deref().is_some_and(|s| !s.is_empty()) && self.is_void(author, None);
        };
        if self.is_void(author, Some(status)) {
            match status {
                Status::Claimed => self.holds_on.insert(author, true),
                Status::Superseded => self.holds_on.insert(author, false),
                _ => None,
            };
            return true;
        }
        let is_final = self.state.is_some_and(State::is_final);
        match status {
            Status::Open => {
                if is_final || asks_again || self.claimant == Some(author) {
                    self.start_round();
                }
                self.enter(index, status);
            }
            Status::Claimed => return self.claim(index, author),
            _ if !is_final => {
                self.stepped_down = status == Status::Superseded && self.claimant == Some(author);
                self.enter(index, status);
            }
            // Somebody else withdraws what the winner had only left.
            Status::Superseded if self.claimant != Some(author) => self.stepped_down = false,
            _ => {}
        }
        false
    }

    /// The state, the event that entered it, and the last one that said it.
    pub(super) fn standing(&self) -> (State, usize, usize) {
        (self.state.unwrap_or(State::Other), self.entered, self.said)
    }

    pub(super) fn claimant(&self) -> Option<&'a str> {
        self.claimant
    }

    pub(super) fn lost_claims(&self) -> impl Iterator<Item = &'a str> {
        self.lost.iter().copied()
    }

    pub(super) fn unsettled_claims(&self) -> impl Iterator<Item = &'a str> {
        self.lost.iter().copied().filter(|agent| self.holds_on.get(agent) == Some(&true))
    }

    /// Answers whether this is an `open` by the requester who has asked before.
    fn hear_request(&mut self, event: &Event, status: Option<Status>) -> bool {
        let opens = status == Some(Status::Open) && event.from_agent == self.root.from_agent;
        let again = opens && self.asked;
        self.asked |= opens || event.id == self.root.id;
        again
    }

    /// Whether what an author says does not count since it lost the race of this round.
    fn is_void(&self, author: &str, status: Option<Status>) -> bool {
        if !self.holds_on.contains_key(author) {
            return false;
        }
        match status {
            Some(Status::Open | Status::Applied) if author == self.root.from_agent => false,
            // The loser's own part, whatever the winner has done meanwhile.
            Some(Status::Superseded) => true,
            _ => !self.stepped_down,
        }
    }

    /// Answers whether the claim came second.
    fn claim(&mut self, index: usize, author: &'a str) -> bool {
        let too_late = self.state.is_some_and(State::is_final) && !self.stepped_down;
        if self.stepped_down {
            self.start_round();
        }
        if self.claimant.is_some_and(|winner| winner != author) {
            self.lost.push(author);
            self.holds_on.insert(author, true);
            return true;
        }
        if !too_late {
            self.claimant = Some(author);
            self.enter(index, Status::Claimed);
        }
        false
    }

    fn start_round(&mut self) {
        self.claimant = None;
        self.stepped_down = false;
        self.lost.clear();
        self.holds_on.clear();
    }

    fn enter(&mut self, index: usize, status: Status) {
        let state = State::from(status);
        if self.state != Some(state) {
            self.entered = index;
        }
        self.said = index;
        self.state = Some(state);
    }
}
