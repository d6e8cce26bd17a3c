//! The one reader that follows the log for everybody: it wakes live readers and keeps the newest frames at hand.
//!
//! # Design
//! Ten thousand streams must not ask the database ten thousand times per event. One thread reads what was committed, by this
//! process or another, puts each event with its serialised frame into a bounded ring, and bumps a watch with the newest arrival
//! number. The watch carries no data: a reader takes what lies after its own cursor, and one that fell out of the ring goes back to
//! the database. While nobody listens nothing is read.
//!
//! There are three watches. Waits are woken at once. Streams are woken at once too, but where there are thousands of them not more often
//! than they can all be served: what arrives meanwhile goes out together, so that a burst costs one write per stream and not one per
//! event and stream. Whoever asks for the newest number alone, as a peer does, has a watch that makes nobody read.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use loggia_domain::Event;
use rusqlite::Connection;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::read::{self, Order};
use super::sql::Conditions;
use crate::db;

/// How often the file is looked at for another process's commits.
const LOOK: Duration = Duration::from_millis(25);
/// What waking one stream costs, with its write: the pause after waking them all grows with their number.
const PACE_PER_STREAM: Duration = Duration::from_micros(20);
/// The longest pause, and the shortest worth making.
const PACE: std::ops::RangeInclusive<Duration> = Duration::from_millis(2)..=Duration::from_millis(250);
/// How many events are read at once, and about how many bytes of them.
const PAGE: usize = 512;
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// How many frames are kept at hand.
const RING_FRAMES: usize = 4096;
/// How many bytes of frames are kept at hand.
const RING_BYTES: usize = 32 * 1024 * 1024;

/// One event and its server-sent frame, shared by all who send it.
#[derive(Debug)]
pub struct Frame {
    /// The event.
    pub event: Event,
    /// `id: …`, `event: logstream`, `data: …` and the blank line.
    pub sse: Bytes,
}

impl Frame {
    /// An event with its frame.
    pub fn new(event: Event) -> Self {
        // An event is plain text, numbers and JSON that was checked: it always serialises; the fallback only guards the frame's form.
        let data = serde_json::to_string(&event).unwrap_or_else(|_| "null".to_owned());
        let id: String = event.id.chars().filter(|c| !c.is_control()).collect();
        let sse = Bytes::from(format!("id: {id}\nevent: logstream\ndata: {data}\n\n"));
        Self { event, sse }
    }

    /// How much memory it takes, about: its texts stand in the event and in the frame.
    fn bytes(&self) -> usize {
        2 * self.sse.len()
    }
}

/// The newest frames, oldest first, without a hole.
#[derive(Default)]
struct Ring {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    /// The arrival number before the oldest frame: everything after it is here.
    floor: i64,
}

impl Ring {
    fn push(&mut self, frame: Arc<Frame>) {
        self.bytes += frame.bytes();
        self.frames.push_back(frame);
        while self.frames.len() > RING_FRAMES || self.bytes > RING_BYTES {
            let Some(old) = self.frames.pop_front() else { break };
            self.bytes -= old.bytes();
            self.floor = old.event.seq;
        }
    }
}

struct Shared {
    ring: RwLock<Ring>,
    newest: watch::Sender<i64>,
    paced: watch::Sender<i64>,
    numbers: watch::Sender<i64>,
}

impl Shared {
    /// Whether anybody waits for events.
    fn is_listened(&self) -> bool {
        self.newest.receiver_count() > 0 || self.paced.receiver_count() > 0
    }

    /// Whether anybody waits to be told of a commit.
    fn is_awaited(&self) -> bool {
        self.is_listened() || self.numbers.receiver_count() > 0
    }
}

/// The pump's handle.
pub struct Pump {
    shared: Arc<Shared>,
    wake: SyncSender<()>,
}

/// Tells the pump that something was committed.
pub struct Waker {
    shared: Arc<Shared>,
    wake: SyncSender<()>,
}

impl Waker {
    /// Never blocks: a wake-up that is already on its way is enough. While nobody listens there is no hurry, and the pump finds the
    /// commit at its next look: waking a thread for each would cost a lone writer a tenth of its time.
    pub fn wake(&self) {
        if self.shared.is_awaited() {
            let _ = self.wake.try_send(());
        }
    }
}

impl Pump {
    /// Starts to follow the log from its present end. `arrived` is called whenever there is something new, on the pump's thread: it
    /// must not block.
    pub fn start(path: &Path, arrived: impl Fn() + Send + 'static, stop: CancellationToken) -> rusqlite::Result<Self> {
        let conn = db::open_follower(path)?;
        let tip = read::newest(&conn)?.seq;
        let shared = Arc::new(Shared {
            ring: RwLock::new(Ring { floor: tip, ..Ring::default() }),
            newest: watch::Sender::new(tip),
            paced: watch::Sender::new(tip),
            numbers: watch::Sender::new(tip),
        });
        let (wake, woken) = sync_channel(1);
        let for_thread = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("log-pump".to_owned())
            .spawn(move || Follower { conn, tip, version: None, shared: for_thread }.run(&arrived, &woken, &stop))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(Self { shared, wake })
    }

    /// The way to say that something was committed.
    pub fn waker(&self) -> Waker {
        Waker { shared: Arc::clone(&self.shared), wake: self.wake.clone() }
    }

    /// The newest arrival number that readers may see, and its changes.
    pub fn subscribe(&self) -> watch::Receiver<i64> {
        self.shared.newest.subscribe()
    }

    /// The same for one of many streams: with thousands of them a change may come up to a quarter of a second later.
    pub fn subscribe_paced(&self) -> watch::Receiver<i64> {
        self.shared.paced.subscribe()
    }

    /// The same for who reads no event by it.
    pub fn subscribe_numbers(&self) -> watch::Receiver<i64> {
        self.shared.numbers.subscribe()
    }

    /// The newest arrival number that readers may see.
    pub fn newest(&self) -> i64 {
        *self.shared.newest.borrow()
    }

    /// At most `limit` frames after a cursor and about so many bytes, at least one, if the ring still holds everything after it.
    pub fn after(&self, cursor: i64, limit: usize, bytes: usize) -> Option<Vec<Arc<Frame>>> {
        let ring = self.shared.ring.read().unwrap_or_else(PoisonError::into_inner);
        if cursor < ring.floor {
            return None;
        }
        let start = ring.frames.partition_point(|f| f.event.seq <= cursor);
        let mut taken = 0;
        let fits = |frame: &&Arc<Frame>| {
            let is_first = taken == 0;
            taken += frame.bytes();
            is_first || taken <= bytes
        };
        Some(ring.frames.iter().skip(start).take(limit).take_while(fits).cloned().collect())
    }
}

/// The pump's thread.
struct Follower {
    conn: Connection,
    tip: i64,
    version: Option<i64>,
    shared: Arc<Shared>,
}

impl Follower {
    fn run(mut self, arrived: &dyn Fn(), woken: &Receiver<()>, stop: &CancellationToken) {
        let mut failing = false;
        let mut paced_until = Instant::now();
        while !stop.is_cancelled() {
            let pending = *self.shared.paced.borrow() < self.tip;
            let patience = if pending { paced_until.saturating_duration_since(Instant::now()).min(LOOK) } else { LOOK };
            let told = match woken.recv_timeout(patience) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match self.advance(told, arrived) {
                Ok(()) => failing = false,
                // Said once per change: the next look tries again.
                Err(error) if !failing => {
                    tracing::error!(%error, "the log cannot be followed for now; live readers wait");
                    failing = true;
                }
                Err(_) => {}
            }
            let now = Instant::now();
            if *self.shared.paced.borrow() < self.tip && now >= paced_until {
                self.shared.paced.send_replace(self.tip);
                paced_until = now + pause(self.shared.paced.receiver_count());
            }
        }
    }

    /// Reads what was committed after the tip, if anything was.
    fn advance(&mut self, told: bool, arrived: &dyn Fn()) -> Result<(), super::StoreError> {
        // Changes with every commit of another connection, ours and other processes' alike; a plain memory read.
        let now: i64 = self.conn.prepare_cached("PRAGMA data_version")?.query_row([], |r| r.get(0))?;
        if !told && self.version == Some(now) {
            return Ok(());
        }
        loop {
            let full = if self.shared.is_listened() { self.read_page()? } else { self.skip()? };
            if *self.shared.newest.borrow() < self.tip {
                arrived();
                self.shared.newest.send_replace(self.tip);
                self.shared.numbers.send_replace(self.tip);
            }
            if !full {
                self.version = Some(now);
                return Ok(());
            }
        }
    }

    /// Takes the next events into the ring; answers whether there may be more.
    fn read_page(&mut self) -> Result<bool, super::StoreError> {
        let mut wanted = Conditions::default();
        wanted.push("rowid > ?", self.tip);
        let (events, is_all) = read::matching_up_to(&self.conn, &wanted, Order::Asc, PAGE, PAGE_BYTES)?;
        if let Some(last) = events.last() {
            self.tip = last.seq;
            let frames: Vec<_> = events.into_iter().map(|e| Arc::new(Frame::new(e))).collect();
            let mut ring = self.shared.ring.write().unwrap_or_else(PoisonError::into_inner);
            for frame in frames {
                ring.push(frame);
            }
        }
        Ok(!is_all)
    }

    /// Goes to the log's end without reading it: whoever begins to listen in this moment finds the ring empty and asks the database.
    fn skip(&mut self) -> Result<bool, super::StoreError> {
        let newest = read::newest(&self.conn)?.seq;
        if newest > self.tip {
            self.tip = newest;
            let mut ring = self.shared.ring.write().unwrap_or_else(PoisonError::into_inner);
            *ring = Ring { floor: newest, ..Ring::default() };
        }
        Ok(false)
    }
}

/// How long so many streams are left alone after they were woken.
fn pause(streams: usize) -> Duration {
    let pause = PACE_PER_STREAM.saturating_mul(u32::try_from(streams).unwrap_or(u32::MAX));
    if pause < *PACE.start() { Duration::ZERO } else { pause.min(*PACE.end()) }
}
