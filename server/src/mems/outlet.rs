//! Where events of writes go: into a bounded window in memory, from which live streams read, and to the publisher, if there is one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loggia_domain::mems::event::{FIELDS, fields};
use loggia_domain::mems::{Did, Owner, Snapshot};
use tokio::sync::watch;

use super::publisher::Publisher;

/// How many events the window holds.
const MAX_EVENTS: usize = 1000;
/// How many bytes of text they may have together.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What a write did, with what events tell of the snapshot that it left.
#[derive(Debug, Clone)]
pub struct Event {
    /// Whose memory.
    pub owner: Owner,
    /// What it is now, without the plan, the variables and the metadata.
    pub snapshot: Arc<Snapshot>,
    /// Whether it is new.
    pub did: Did,
}

impl Event {
    /// Of a write. What no event tells is let go here: thousands of events may wait, and the variables of each would be a copy of its own.
    pub fn new(owner: Owner, snapshot: &Arc<Snapshot>, did: Did) -> Self {
        let snapshot = if snapshot.is_told() { Arc::clone(snapshot) } else { Arc::new(snapshot.told()) };
        Self { owner, snapshot, did }
    }

    /// The flat fields.
    pub fn fields(&self) -> [(&'static str, String); FIELDS] {
        fields(&self.owner, &self.snapshot, self.did)
    }

    /// About how many bytes it has when it is written out.
    pub fn bytes(&self) -> usize {
        // The window is told twice: as text and as JSON.
        let said = self.snapshot.messages.iter().map(|kept| 2 * kept.message.content.len() + 64);
        512 + said.sum::<usize>()
    }
}

/// The events that a reader has not seen.
#[derive(Debug)]
pub struct Unseen {
    /// Each with its number.
    pub events: Vec<(u64, Arc<Event>)>,
    /// Whether others came before them that the window no longer holds.
    pub is_gap: bool,
}

/// The way out.
pub struct Outlet {
    window: Mutex<Window>,
    newest: watch::Sender<u64>,
    publisher: Option<Publisher>,
}

#[derive(Default)]
struct Window {
    events: VecDeque<Arc<Event>>,
    /// The number of the newest; numbers begin with 1.
    newest: u64,
    bytes: usize,
}

impl Outlet {
    /// An empty window, and whom to hand events on to.
    pub fn new(publisher: Option<Publisher>) -> Self {
        Self { window: Mutex::default(), newest: watch::Sender::new(0), publisher }
    }

    /// Who publishes.
    pub fn publisher(&self) -> Option<&Publisher> {
        self.publisher.as_ref()
    }

    /// Takes an event in. Never waits for anybody. `is_published`: it lies in the stream already.
    pub fn push(&self, event: Event, is_published: bool) {
        let event = Arc::new(event);
        let newest = {
            let mut window = self.window();
            window.bytes += event.bytes();
            window.events.push_back(Arc::clone(&event));
            window.newest += 1;
            while window.events.len() > MAX_EVENTS || (window.bytes > MAX_BYTES && window.events.len() > 1) {
                let oldest = window.events.pop_front();
                window.bytes -= oldest.map_or(0, |event| event.bytes());
            }
            window.newest
        };
        // Two writers may come here in either order: readers look at the window, not at this number.
        self.newest.send_if_modified(|known| {
            let is_newer = newest > *known;
            *known = newest.max(*known);
            is_newer
        });
        if let Some(publisher) = self.publisher.as_ref().filter(|_| !is_published) {
            publisher.enqueue(event);
        }
    }

    /// What wakes readers.
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The number of the newest event.
    pub fn newest(&self) -> u64 {
        self.window().newest
    }

    /// The number of an event that the window holds.
    pub fn number_of(&self, event_id: &str) -> Option<u64> {
        let window = self.window();
        let at = window.events.iter().position(|event| event.snapshot.event_id == event_id)?;
        Some(window.oldest() + at as u64)
    }

    /// The number of the event before all that the window holds.
    pub fn before_oldest(&self) -> u64 {
        self.window().oldest() - 1
    }

    /// What came after a number.
    pub fn after(&self, number: u64) -> Unseen {
        let window = self.window();
        let oldest = window.oldest();
        let skip = usize::try_from((number + 1).saturating_sub(oldest)).unwrap_or(usize::MAX);
        let events = (oldest..).zip(window.events.iter().cloned()).skip(skip).collect();
        Unseen { events, is_gap: number + 1 < oldest }
    }

    /// A panic elsewhere leaves nothing half-done behind this lock.
    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    fn oldest(&self) -> u64 {
        self.newest + 1 - self.events.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use loggia_domain::mems::{Message, NewWrite, key};

    use super::*;
    use crate::mems::file::File;

    #[test]
    fn a_reader_goes_on_where_it_was_or_learns_of_the_gap() {
        let outlet = Outlet::new(None);
        let write = NewWrite {
            owner: Owner::default(),
            messages: Vec::new(),
            active_plan: None,
            temp_variables: serde_json::Map::new(),
            metadata: serde_json::Map::new(),
            ttl_s: 1,
        };
        let push = |n: usize| {
            let (snapshot, did) = Snapshot::after(None, &write, format!("e{n}"), 0);
            outlet.push(Event::new(Owner::default(), &Arc::new(snapshot), did), false);
        };
        (1..=3).for_each(push);
        assert_eq!((outlet.number_of("e2"), outlet.number_of("e9"), outlet.before_oldest()), (Some(2), None, 0));
        let unseen = outlet.after(2);
        assert_eq!((unseen.events.len(), unseen.events[0].0, unseen.is_gap), (1, 3, false));
        assert_eq!(*outlet.follow().borrow(), 3);
        (4..=MAX_EVENTS + 5).for_each(push);
        let unseen = outlet.after(2);
        assert_eq!((unseen.events.len(), unseen.events[0].0, unseen.is_gap), (MAX_EVENTS, 6, true));
        assert!(outlet.after(outlet.newest()).events.is_empty());
    }

    #[tokio::test]
    async fn what_waits_holds_nothing_that_no_event_tells() {
        let folder = tempfile::tempdir().expect("temp dir");
        let outlet = Arc::new(Outlet::new(None));
        let file = File::open(folder.path(), Arc::clone(&outlet)).expect("opened");
        let large = serde_json::Map::from_iter([("k".to_owned(), "x".repeat(500_000).into())]);
        let write = NewWrite {
            owner: Owner { agent_id: "a".to_owned(), session_id: "s".to_owned(), ..Owner::default() },
            messages: vec![Message { role: "user".to_owned(), content: "hi".to_owned() }],
            active_plan: Some("plan".repeat(1000)),
            temp_variables: large.clone(),
            metadata: large.clone(),
            ttl_s: 60,
        };
        let owner = write.owner.clone();
        let answered = file.write(write).await.expect("written");
        let kept = file.read(&key::of(&owner)).expect("live");
        assert_eq!((&kept.temp_variables, &kept.metadata), (&large, &large));
        let unseen = outlet.after(0).events;
        for event in [&answered, &*unseen[0].1] {
            assert!(event.snapshot.is_told(), "as large as its session");
            assert_eq!(event.fields(), fields(&owner, &kept, Did::Write));
        }
    }
}
