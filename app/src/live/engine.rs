//! The connection behind [`Live`](super::Live): opens, watches, closes and reopens the one stream of the tab.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use loggia_domain::{Event, Filter};
use serde::Deserialize;

use super::cursor::{Cursor, Seen, backoff_ms, heartbeats_url, stream_url};
use super::socket::{Frame, Socket};
use super::{Arrival, Heartbeat, Link, SILENCE_MS};
use crate::backend::LogQuery;
use crate::clock::PageClock;
use crate::question::Question;
use crate::wire::read;
use crate::{ask, browser};

/// A batch that took longer to show was a large one, in ms.
const SLOW_SHOW_MS: u64 = 60;
/// The longest rest between two batches, in ms.
const MAX_REST_MS: u64 = 2000;

/// After how long a new follower is served, in ms: long enough for all changes of one moment.
const SOON_MS: u64 = 20;
/// How long the next page may take to follow before the stream falls back to heartbeats, in ms.
const NEXT_PAGE_MS: u64 = 600;

/// From which failed attempt on the page asks for what is new.
const POLL_FROM: u32 = 3;
/// The attempt whose pause it makes between two attempts then: two to four seconds.
const POLL_PACE: u32 = 4;

/// The engine of one tab.
#[derive(Clone)]
pub(super) struct Engine(Rc<Inner>);

struct Inner {
    link: RwSignal<Link>,
    heartbeat: RwSignal<Option<Heartbeat>>,
    started: Cell<bool>,
    follow: RefCell<Option<Follow>>,
    next_follow: Cell<u64>,
    socket: RefCell<Option<Socket>>,
    /// Counts connections: a frame of an earlier one is dropped.
    generation: Cell<u64>,
    attempt: Cell<u32>,
    retry: RefCell<Option<TimeoutHandle>>,
    last_sign_ms: Cell<u64>,
    arrived: RefCell<Vec<Arrival>>,
    frame_asked: Cell<bool>,
    /// How long the page took to show the last batch.
    last_show_ms: Cell<u64>,
    /// Counts wishes to reconnect: only the last of a moment is granted.
    switch: Cell<u64>,
}

struct Follow {
    id: u64,
    filter: Filter,
    cursor: Cursor,
    seen: Seen,
    deliver: Rc<dyn Fn(Vec<Arrival>)>,
}

/// Starts the engine after hydration and keeps it informed about the tab.
pub(super) fn start(engine: StoredValue<Engine, LocalStorage>, clock: PageClock) {
    let with = move |f: fn(&Engine)| {
        engine.try_with_value(f);
    };
    Effect::new(move |_| {
        with(Engine::wake);
        let visibility = browser::on_document("visibilitychange", move || {
            with(if browser::is_hidden() { Engine::sleep } else { Engine::wake });
        });
        // Kept by the arena, and with it by this effect, until the application is gone.
        StoredValue::new_local(visibility);
        let online = window_event_listener(leptos::ev::online, move |_| with(Engine::hurry));
        on_cleanup(move || {
            online.remove();
            with(Engine::sleep);
        });
    });
    Effect::new(move |_| {
        if clock.tick_ms().is_some() {
            with(Engine::watch);
        }
    });
}

impl Engine {
    pub(super) fn new(link: RwSignal<Link>, heartbeat: RwSignal<Option<Heartbeat>>) -> Self {
        Self(Rc::new(Inner {
            link,
            heartbeat,
            started: Cell::new(false),
            follow: RefCell::new(None),
            next_follow: Cell::new(1),
            socket: RefCell::new(None),
            generation: Cell::new(0),
            attempt: Cell::new(0),
            retry: RefCell::new(None),
            last_sign_ms: Cell::new(0),
            arrived: RefCell::new(Vec::new()),
            frame_asked: Cell::new(false),
            last_show_ms: Cell::new(0),
            switch: Cell::new(0),
        }))
    }

    /// Follows something from now on, and nothing else.
    pub(super) fn follow(&self, filter: Filter, cursor: Cursor, deliver: impl Fn(Vec<Arrival>) + 'static) -> u64 {
        let id = self.0.next_follow.replace(self.0.next_follow.get() + 1);
        self.forget();
        *self.0.follow.borrow_mut() =
            Some(Follow { id, filter, cursor, seen: Seen::default(), deliver: Rc::new(deliver) });
        self.switch(SOON_MS);
        id
    }

    /// Stops following, unless somebody else follows already.
    pub(super) fn unfollow(&self, id: u64) {
        let mine = self.0.follow.borrow().as_ref().is_some_and(|follow| follow.id == id);
        if mine {
            *self.0.follow.borrow_mut() = None;
            self.forget();
            self.switch(NEXT_PAGE_MS);
        }
    }

    /// Drops what arrived for the follower before, and hears no more of its stream: a late frame of that one would move the cursor of
    /// the next past events that it never saw.
    fn forget(&self) {
        self.close();
        self.0.arrived.borrow_mut().clear();
    }

    /// Connects: the tab became visible.
    fn wake(&self) {
        if !browser::is_hidden() && self.0.link.get_untracked() != Link::SignedOut {
            self.0.started.set(true);
            self.0.attempt.set(0);
            self.0.link.set(Link::Connecting);
            self.switch(SOON_MS);
        }
    }

    /// Closes the stream: the tab became hidden.
    fn sleep(&self) {
        self.close();
        self.0.started.set(false);
        self.0.link.try_set(Link::Hidden);
    }

    /// Tries again at once: the network came back.
    fn hurry(&self) {
        if self.0.link.get_untracked() == Link::Waiting {
            self.0.attempt.set(0);
            self.connect();
        }
    }

    /// Ends a connection that gives no sign of life.
    fn watch(&self) {
        let silent_ms = browser::now_ms().saturating_sub(self.0.last_sign_ms.get());
        let open = self.0.socket.borrow().is_some();
        if open && silent_ms > SILENCE_MS {
            self.failed();
        }
    }

    /// Reconnects for another follower, or for none, after a moment: where a page goes, another comes.
    fn switch(&self, after_ms: u64) {
        let mine = self.0.switch.get() + 1;
        self.0.switch.set(mine);
        let engine = self.clone();
        let granted = move || {
            let last = engine.0.switch.get() == mine;
            if last && engine.0.started.get() && engine.0.link.get_untracked() != Link::SignedOut {
                engine.connect();
            }
        };
        set_timeout(granted, Duration::from_millis(after_ms));
    }

    fn close(&self) {
        self.0.generation.set(self.0.generation.get() + 1);
        *self.0.socket.borrow_mut() = None;
        if let Some(retry) = self.0.retry.borrow_mut().take() {
            retry.clear();
        }
    }

    fn connect(&self) {
        self.close();
        let generation = self.0.generation.get();
        let url = match self.0.follow.borrow().as_ref() {
            Some(follow) => stream_url(&follow.filter, &follow.cursor),
            None => heartbeats_url(),
        };
        self.0.last_sign_ms.set(browser::now_ms());
        let engine = self.clone();
        let socket = Socket::open(&url, move |frame| {
            if engine.0.generation.get() == generation {
                engine.told(frame);
            }
        });
        let refused = socket.is_none();
        *self.0.socket.borrow_mut() = socket;
        if refused {
            self.failed();
        }
    }

    fn told(&self, frame: Frame) {
        let now_ms = browser::now_ms();
        match frame {
            Frame::Failed => return self.failed(),
            Frame::Opened => self.0.link.set(Link::Open),
            Frame::Heartbeat { data } => {
                if let Ok(beat) = read::<Beat>(&data) {
                    self.0.attempt.set(0);
                    self.0.link.set(Link::Open);
                    self.0.heartbeat.set(Some(Heartbeat { seq: beat.seq, at_ms: now_ms, asked: false }));
                }
            }
            Frame::Event { id, data } => self.event(id, &data),
            Frame::Resync { data } => {
                let newest = read::<Resync>(&data).ok().and_then(|resync| resync.id);
                self.resync(newest.map_or(Cursor::Start, Cursor::After));
            }
        }
        self.0.last_sign_ms.set(now_ms);
    }

    fn event(&self, id: String, data: &str) {
        let arrival = match read::<Event>(data) {
            Ok(mut event) => {
                event.preview();
                Arrival::Event(Box::new(event))
            }
            Err(_) => Arrival::Unreadable { id: id.clone() },
        };
        let id = match &arrival {
            Arrival::Event(event) if id.is_empty() => event.id.clone(),
            _ => id,
        };
        self.take(id, arrival);
    }

    /// Hands on what is new to the follower, and goes on from there.
    fn take(&self, id: String, arrival: Arrival) {
        let is_new = self.0.follow.borrow_mut().as_mut().is_some_and(|follow| {
            let is_new = follow.seen.is_new(&id);
            if !id.is_empty() {
                follow.cursor = Cursor::After(id);
            }
            is_new
        });
        if is_new {
            self.arrive(arrival);
        }
    }

    fn resync(&self, cursor: Cursor) {
        let following = self.0.follow.borrow_mut().as_mut().map(|follow| follow.cursor = cursor).is_some();
        if following {
            self.arrive(Arrival::Resynced);
        }
    }

    fn arrive(&self, arrival: Arrival) {
        self.0.arrived.borrow_mut().push(arrival);
        if self.0.frame_asked.replace(true) {
            return;
        }
        let engine = self.clone();
        // At most half of the time goes into showing, so that a page under a burst still hears its reader.
        let rest_ms = self.0.last_show_ms.get();
        if rest_ms < SLOW_SHOW_MS {
            request_animation_frame(move || engine.deliver());
        } else {
            set_timeout(move || request_animation_frame(move || engine.deliver()), Duration::from_millis(rest_ms));
        }
    }

    fn deliver(&self) {
        self.0.frame_asked.set(false);
        let batch = std::mem::take(&mut *self.0.arrived.borrow_mut());
        let deliver = self.0.follow.borrow().as_ref().map(|follow| Rc::clone(&follow.deliver));
        if let (Some(deliver), false) = (deliver, batch.is_empty()) {
            let started_ms = browser::now_ms();
            deliver(batch);
            let engine = self.clone();
            // The frame after next begins when the rows are built and laid out.
            request_animation_frame(move || {
                request_animation_frame(move || {
                    engine.0.last_show_ms.set(browser::now_ms().saturating_sub(started_ms).min(MAX_REST_MS));
                });
            });
        }
    }

    fn failed(&self) {
        self.close();
        self.0.link.set(Link::Waiting);
        let attempt = self.0.attempt.get() + 1;
        self.0.attempt.set(attempt);
        let engine = self.clone();
        let polls = attempt >= POLL_FROM;
        let wait = Duration::from_millis(backoff_ms(if polls { POLL_PACE } else { attempt }, js_sys::Math::random()));
        *self.0.retry.borrow_mut() = set_timeout_with_handle(move || engine.connect(), wait).ok();
        if attempt % 4 == 2 {
            self.ask_why();
        }
        if polls {
            self.poll();
        }
    }

    /// Asks for what the stream does not bring. Attempts for a stream go on all the while.
    fn poll(&self) {
        let follow = self.0.follow.borrow();
        let (id, query) = match follow.as_ref() {
            Some(follow) => {
                let (after, limit) = match &follow.cursor {
                    Cursor::After(event_id) => (Some(event_id.clone()), None),
                    Cursor::Start => (None, None),
                    // Whatever comes from now on: nothing that is there already.
                    Cursor::Tip => (None, Some(1)),
                };
                (Some(follow.id), LogQuery { filter: follow.filter.clone(), after, limit, ..LogQuery::default() })
            }
            // Nothing to bring: only that the hub answers can be told.
            None => (None, LogQuery { limit: Some(1), ..LogQuery::default() }),
        };
        let engine = self.clone();
        spawn_local(async move {
            let (is_after, is_whole) = (query.after.is_some(), query.limit.is_none());
            let Ok(mut page) = ask::log(query).await else { return };
            if engine.0.attempt.get() < POLL_FROM || engine.0.link.get_untracked() == Link::Hidden {
                return;
            }
            if id.is_some() && engine.0.follow.borrow().as_ref().map(|follow| follow.id) == id {
                // Without a cursor the newest come first.
                if !is_after {
                    page.events.reverse();
                }
                if is_whole {
                    for event in page.events {
                        engine.take(event.id.clone(), Arrival::Event(Box::new(event)));
                    }
                } else if let (Some(follow), Some(tip)) = (engine.0.follow.borrow_mut().as_mut(), &page.tip) {
                    follow.cursor = Cursor::After(tip.id.clone());
                }
                if is_after && page.has_more {
                    engine.poll();
                }
            }
            let seq = page.tip.map_or(0, |tip| tip.seq);
            engine.0.heartbeat.set(Some(Heartbeat { seq, at_ms: browser::now_ms(), asked: true }));
        });
    }

    /// An `EventSource` does not say why it failed. Two reasons no retry will mend: the session is over, or the hub's log no longer
    /// holds the event at which this page stands.
    fn ask_why(&self) {
        let engine = self.clone();
        let cursor = self.0.follow.borrow().as_ref().map(|follow| (follow.id, follow.cursor.clone()));
        spawn_local(async move {
            match ask::ask(Question::Viewer).await {
                Err(error) if error.is_unauthorized() => {
                    engine.close();
                    engine.0.link.try_set(Link::SignedOut);
                }
                Ok(_) => {
                    if let Some((id, Cursor::After(event_id))) = cursor
                        && ask::log(after(event_id)).await.is_err_and(|error| error.is_not_found())
                        && engine.0.follow.borrow().as_ref().is_some_and(|follow| follow.id == id)
                    {
                        engine.resync(Cursor::Tip);
                    }
                }
                Err(_) => {}
            }
        });
    }
}

/// Whether an event is there costs least as the question for one that came after it.
fn after(event_id: String) -> LogQuery {
    LogQuery { after: Some(event_id), limit: Some(1), ..LogQuery::default() }
}

#[derive(Deserialize)]
struct Beat {
    seq: i64,
}

#[derive(Deserialize)]
struct Resync {
    id: Option<String>,
}
