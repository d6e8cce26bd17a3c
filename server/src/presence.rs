//! Who listens to this hub and who called it: its open streams and waits, by agent, and when each agent last called a tool.
//!
//! In memory alone, since it ends with the hub. What agents wrote is in the log; `everybody` puts the two together. It knows no surface:
//! those that open streams and waits register here, and what they register is gone when its guard is dropped.

pub mod everybody;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loggia_domain::presence::{Listener, Way, key};
use loggia_domain::{Filter, Raw, field, timestamp};

use crate::clock::now_ms;

/// How many callers are remembered; beyond, who called longest ago is forgotten.
const MAX_CALLERS: usize = 4096;
/// How many characters of a filter are told.
const FILTER_CHARS: usize = 200;

/// Who is there, as one caller sees and is seen. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    inner: Arc<Inner>,
    /// The agents to which the caller's token is bound; none for one that may be anybody.
    bound: Arc<[String]>,
}

#[derive(Debug, Default)]
struct Inner {
    open: Mutex<Open>,
    callers: Mutex<HashMap<String, Call>>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    by_id: BTreeMap<u64, Arc<Held>>,
}

#[derive(Debug)]
struct Call {
    name: String,
    at_ms: u64,
}

/// An open stream or wait.
#[derive(Debug)]
struct Held {
    way: Way,
    who: Who,
    filter: String,
    since_ms: u64,
    cursor: Arc<AtomicI64>,
    unsent: AtomicUsize,
}

/// Who listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// An agent, by name.
    Agent(String),
    /// Somebody who gave no name.
    Unnamed,
    /// A page in a browser.
    Page,
}

/// A stream or wait while it is open; dropping it ends it, however its task ended.
#[derive(Debug)]
pub struct Here {
    presence: Presence,
    id: u64,
    held: Arc<Held>,
}

impl Here {
    /// Says how many events were taken from the log and not handed on yet.
    pub fn unsent(&self, events: usize) {
        self.held.unsent.store(events, Ordering::Relaxed);
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        lock(&self.presence.inner.open).by_id.remove(&self.id);
        if let Who::Agent(name) = &self.held.who {
            self.presence.inner.seen(name);
        }
    }
}

impl Inner {
    /// An agent was there just now.
    fn seen(&self, name: &str) {
        let mut callers = lock(&self.callers);
        let own = key(name);
        if callers.len() >= MAX_CALLERS && !callers.contains_key(&own) {
            let oldest = callers.iter().min_by_key(|(_, call)| call.at_ms).map(|(key, _)| key.clone());
            oldest.map(|key| callers.remove(&key));
        }
        callers.insert(own, Call { name: name.to_owned(), at_ms: now_ms() });
    }
}

impl Presence {
    /// The same, for a caller whose token is bound to agents.
    #[must_use]
    pub fn bound_to(&self, agents: &[String]) -> Self {
        Self { inner: Arc::clone(&self.inner), bound: agents.into() }
    }

    /// Who a caller is: the first of these that is the name of an agent (`*` is nobody's) and that its token may be; else the one agent
    /// of its token.
    pub fn who(&self, named: &[Option<&str>]) -> Who {
        let may_be = |name: &String| self.bound.is_empty() || self.bound.contains(name);
        let named = named.iter().copied().flatten().filter_map(agent_name).find(may_be);
        let only = || if let [only] = &*self.bound { Some(only.clone()) } else { None };
        named.or_else(only).map_or(Who::Unnamed, Who::Agent)
    }

    /// Registers a stream or wait, whose `cursor` says up to where it has looked.
    #[must_use]
    pub fn enter(&self, way: Way, who: Who, filter: &Filter, cursor: Arc<AtomicI64>) -> Here {
        let held = Arc::new(Held { way, who, filter: words(filter), since_ms: now_ms(), cursor, unsent: 0.into() });
        let mut open = lock(&self.inner.open);
        let id = open.next;
        open.next += 1;
        open.by_id.insert(id, Arc::clone(&held));
        drop(open);
        Here { presence: self.clone(), id, held }
    }

    /// Takes note that an agent called a tool.
    pub fn called(&self, named: &[Option<&str>]) {
        if let Who::Agent(name) = self.who(named) {
            self.inner.seen(&name);
        }
    }

    /// Who listens at this moment, the oldest first; `tip` is the log's newest arrival number.
    fn listeners(&self, tip: i64) -> Vec<(Who, Listener)> {
        let open: Vec<Arc<Held>> = lock(&self.inner.open).by_id.values().cloned().collect();
        let listener = |held: Arc<Held>| {
            let ahead = u64::try_from(tip - held.cursor.load(Ordering::Relaxed)).unwrap_or(0);
            let unsent = held.unsent.load(Ordering::Relaxed);
            let listener = Listener {
                way: held.way,
                filter: held.filter.clone(),
                behind: ahead + u64::try_from(unsent).unwrap_or(0),
                since: timestamp::created_at_ms(held.since_ms).unwrap_or_default(),
            };
            (held.who.clone(), listener)
        };
        open.into_iter().map(listener).collect()
    }

    /// How many pages are open in browsers.
    pub fn pages(&self) -> usize {
        lock(&self.inner.open).by_id.values().filter(|held| held.who == Who::Page).count()
    }

    /// Who called, by the name that was given last, and when, ms since 1970.
    fn callers(&self) -> Vec<(String, u64)> {
        lock(&self.inner.callers).values().map(|call| (call.name.clone(), call.at_ms)).collect()
    }
}

/// The name of one agent; `None` for everybody and for what is no name.
fn agent_name(name: &str) -> Option<String> {
    field::optional_routing("agent", Raw::Text(name.to_owned())).ok().flatten().filter(|name| name != "*")
}

fn words(filter: &Filter) -> String {
    let pairs: Vec<String> = filter.pairs().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(" ").chars().take(FILTER_CHARS).collect()
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use loggia_domain::Column;

    use super::*;

    #[test]
    fn whoever_listens_is_there_until_the_guard_is_dropped() {
        let presence = Presence::default();
        let cursor = Arc::new(AtomicI64::new(3));
        let filter = Filter::default().with(Column::Type, "task.request");
        let who = presence.who(&[None, Some("*"), Some(" win:codex ")]);
        let here = presence.enter(Way::Wait, who, &filter, Arc::clone(&cursor));
        here.unsent(2);
        let (who, listener) = presence.listeners(10).remove(0);
        assert_eq!((who, listener.behind), (Who::Agent("win:codex".to_owned()), 9));
        assert_eq!(listener.filter, "type=task.request");
        // A cursor that is ahead of what was said to be the tip is not behind it.
        cursor.store(12, Ordering::Relaxed);
        here.unsent(0);
        assert_eq!(presence.listeners(10)[0].1.behind, 0);
        drop(here);
        assert_eq!(presence.listeners(10), []);
    }

    #[test]
    fn the_token_says_who_calls_and_then_the_caller() {
        let presence = Presence::default();
        assert_eq!(presence.who(&[Some(""), Some("*"), None]), Who::Unnamed);
        assert_eq!(presence.who(&[Some("a\nb")]), Who::Unnamed);
        let of = |name: &str| Who::Agent(name.to_owned());
        let bound = presence.bound_to(&["ci:runner".to_owned()]);
        assert_eq!(bound.who(&[Some("somebody")]), of("ci:runner"));
        let bound = presence.bound_to(&["ci:one".to_owned(), "ci:two".to_owned()]);
        assert_eq!(bound.who(&[Some("somebody"), Some("ci:two")]), of("ci:two"));
        assert_eq!(bound.who(&[Some("somebody")]), Who::Unnamed);
    }

    #[test]
    fn callers_are_remembered_up_to_a_bound() {
        let presence = Presence::default();
        for n in 0..=MAX_CALLERS {
            presence.called(&[Some(&format!("agent:{n}"))]);
        }
        presence.called(&[Some("AGENT:7")]);
        presence.called(&[None]);
        let callers = presence.callers();
        assert_eq!(callers.len(), MAX_CALLERS);
        assert!(callers.iter().filter(|(name, _)| key(name) == "agent:7").count() <= 1);
    }
}
