//! Who there is: every agent that the log, an open stream or a call knows, with all that is known of it. One answer, for the tool and for
//! the pages.

use std::collections::BTreeMap;

use loggia_domain::presence::{Agent, Listener, key, ms_of};
use loggia_domain::timestamp;

use super::{Presence, Who};
use crate::clock::now_ms;
use crate::logstream::projection::agents::AgentFigures;
use crate::logstream::{Live, Logstream, StoreError};

/// Everybody at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Everybody {
    /// Agents: who listens first, then who was seen last.
    pub agents: Vec<Agent>,
    /// Listeners that gave no name; none for whoever sees some streams only.
    pub unnamed: Vec<Listener>,
    /// How many pages are open in browsers; 0 for whoever sees some streams only.
    pub pages: u64,
    /// The hub's clock, ms since 1970.
    pub now_ms: u64,
}

/// What is gathered of one agent.
#[derive(Default)]
struct Gathered {
    agent: Agent,
    /// How it is spelt mostly: in how many events, when last, ms since 1970, and how.
    spelt: (u64, u64, String),
    last_seq: i64,
    said_seq: i64,
    seen_ms: Option<u64>,
}

impl Gathered {
    fn add_name(&mut self, name: &str) {
        if !self.agent.names.iter().any(|known| known == name) {
            self.agent.names.push(name.to_owned());
        }
    }

    fn see(&mut self, name: &str, events: u64, at_ms: u64) {
        self.seen_ms = self.seen_ms.max(Some(at_ms));
        if self.spelt.2.is_empty() || (events, at_ms) > (self.spelt.0, self.spelt.1) {
            self.spelt = (events, at_ms, name.to_owned());
        }
    }

    /// What the log knows of one spelling. A clock of a peer that is ahead of ours was not seen in the future.
    fn take(&mut self, figures: AgentFigures, now_ms: u64) {
        self.add_name(&figures.name);
        self.agent.events += figures.events;
        if figures.last_seq > self.last_seq {
            self.last_seq = figures.last_seq;
            self.agent.last_event.clone_from(&figures.last_at);
        }
        if figures.said_seq > self.said_seq {
            self.said_seq = figures.said_seq;
            self.agent.announced = figures.said;
        }
        if let Some(at_ms) = figures.last_at.as_deref().and_then(ms_of) {
            self.see(&figures.name, figures.events, at_ms.min(now_ms));
        }
    }

    fn told(self) -> Agent {
        let Self { mut agent, spelt: (_, _, spelt), seen_ms, .. } = self;
        if let Some(at) = agent.names.iter().position(|name| *name == spelt) {
            agent.names[..=at].rotate_right(1);
        }
        agent.agent = agent.names.first().cloned().unwrap_or_default();
        agent.last_seen = seen_ms.and_then(timestamp::created_at_ms);
        agent
    }
}

impl Presence {
    /// Everybody, as far as the log is seen here.
    pub async fn everybody(&self, log: &Logstream, live: &Live) -> Result<Everybody, StoreError> {
        let now_ms = now_ms();
        let mut found: BTreeMap<String, Gathered> = BTreeMap::new();
        for figures in live.projection().agents().await? {
            found.entry(key(&figures.name)).or_default().take(figures, now_ms);
        }
        // Whoever sees some streams only learns nothing of those who are in none of them.
        let sees_all = log.reach().is_everything();
        for (name, at_ms) in self.callers() {
            let own = key(&name);
            if sees_all || found.contains_key(&own) {
                let gathered = found.entry(own).or_default();
                gathered.add_name(&name);
                gathered.see(&name, 0, at_ms);
            }
        }
        let (mut unnamed, mut pages) = (Vec::new(), 0);
        for (who, listener) in self.listeners(live.pump().newest()) {
            match who {
                Who::Agent(name) if sees_all || found.contains_key(&key(&name)) => {
                    let gathered = found.entry(key(&name)).or_default();
                    gathered.add_name(&name);
                    gathered.see(&name, 0, now_ms);
                    // A filter may name streams that are not to be seen.
                    let filter = if sees_all { listener.filter.clone() } else { String::new() };
                    gathered.agent.listeners.push(Listener { filter, ..listener });
                }
                Who::Unnamed if sees_all => unnamed.push(listener),
                Who::Page if sees_all => pages += 1,
                Who::Agent(_) | Who::Unnamed | Who::Page => {}
            }
        }
        let loops = live.projection().open_loops().await?;
        let mut agents: Vec<Agent> = found
            .into_iter()
            .map(|(key, mut gathered)| {
                (gathered.agent.open_to, gathered.agent.open_from) = loops.get(&key).copied().unwrap_or_default();
                gathered.told()
            })
            .collect();
        agents.sort_by(|a, b| {
            let order = |agent: &Agent| (!agent.listeners.is_empty(), agent.last_seen.clone());
            order(b).cmp(&order(a)).then_with(|| a.agent.cmp(&b.agent))
        });
        Ok(Everybody { agents, unnamed, pages, now_ms })
    }
}
