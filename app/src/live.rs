//! The live stream of a page: one `EventSource` per visible tab, shared by everything on the page.
//!
//! A page says what it follows with [`Live::follow`]; the connection itself, its cursor, retries and watchdog are the engine's. A
//! page that follows nothing still listens to heartbeats, so that the badge in the top bar is honest everywhere.
//!
//! # Design
//! The browser's own reconnection is not used: after an answer that is no stream (a proxy's error page) it gives up for good, and it
//! repeats the address that it was opened with. Here every attempt builds its address from the cursor of the last event that really
//! arrived, and "live" is claimed only while heartbeats come. Where no stream comes about (no place left on the hub, a proxy that holds it
//! back), the page asks for what is new with each attempt, and the badge says so.

pub mod badge;
mod cursor;
#[cfg(feature = "hydrate")]
mod engine;
#[cfg(feature = "hydrate")]
mod socket;
mod throttle;

use leptos::prelude::*;
use loggia_domain::{Event, Filter};

pub use cursor::Cursor;
pub use throttle::Throttle;

use crate::clock::PageClock;

/// After how long without a heartbeat a connection counts as dead, in ms: three of the hub's beats.
pub const SILENCE_MS: u64 = 15_000;

/// What came over the stream.
#[cfg_attr(not(any(feature = "hydrate", test)), expect(dead_code, reason = "only a browser follows the stream"))]
#[derive(Debug, Clone, PartialEq)]
pub enum Arrival {
    /// An event, its body cut to a preview.
    Event(Box<Event>),
    /// A frame that this version cannot read; the event itself is in the log.
    Unreadable {
        /// The event's id, as the frame gives it.
        id: String,
    },
    /// The hub no longer knows where this page stood: events may be missing before what follows.
    Resynced,
}

/// A sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    /// The newest event of the whole log by arrival.
    pub seq: i64,
    /// When it came, by the reader's clock.
    pub at_ms: u64,
    /// Whether the page had to ask for it, since the stream does not come about.
    pub asked: bool,
}

/// What the connection does.
#[cfg_attr(not(any(feature = "hydrate", test)), expect(dead_code, reason = "only a browser follows the stream"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Nothing: the page is as it was rendered.
    Snapshot,
    /// The first attempt since the page is visible.
    Connecting,
    /// Open.
    Open,
    /// An attempt failed, another follows.
    Waiting,
    /// Closed while the tab is hidden.
    Hidden,
    /// The session is over.
    SignedOut,
}

/// The live stream, in the context of the application.
#[derive(Clone, Copy)]
pub struct Live {
    link: RwSignal<Link>,
    heartbeat: RwSignal<Option<Heartbeat>>,
    #[cfg(feature = "hydrate")]
    engine: StoredValue<engine::Engine, LocalStorage>,
}

/// Puts the stream into the context. It connects when somebody calls [`Live::start`].
pub fn provide_live() {
    let link = RwSignal::new(Link::Snapshot);
    let heartbeat = RwSignal::new(None);
    provide_context(Live {
        link,
        heartbeat,
        #[cfg(feature = "hydrate")]
        engine: StoredValue::new_local(engine::Engine::new(link, heartbeat)),
    });
}

/// The stream of this page.
pub fn use_live() -> Live {
    expect_context()
}

impl Live {
    /// What the connection does. Tracked.
    pub fn link(self) -> Link {
        self.link.get()
    }

    /// The last sign of life. Tracked.
    pub fn heartbeat(self) -> Option<Heartbeat> {
        self.heartbeat.get()
    }

    /// Connects after hydration, as long as the calling component lives: the frame of pages for somebody who is signed in.
    pub fn start(self, clock: PageClock) {
        #[cfg(not(feature = "hydrate"))]
        let _ = (self.link, clock);
        #[cfg(feature = "hydrate")]
        engine::start(self.engine, clock);
    }

    /// Hands over everything after a cursor that passes a filter, in batches of one animation frame, until the calling component is
    /// gone or somebody else follows. To be called in an effect.
    pub fn follow(self, filter: Filter, cursor: Cursor, deliver: impl Fn(Vec<Arrival>) + 'static) {
        #[cfg(not(feature = "hydrate"))]
        let _ = (self.link, filter, cursor, deliver);
        #[cfg(feature = "hydrate")]
        if let Some(id) = self.engine.try_with_value(|engine| engine.follow(filter, cursor, deliver)) {
            on_cleanup(move || {
                self.engine.try_with_value(|engine| engine.unfollow(id));
            });
        }
    }
}
