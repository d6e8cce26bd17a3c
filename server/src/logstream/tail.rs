//! The one way to follow the log: a cursor of one's own, woken by commits.
//!
//! Register, take the position, read what lies after the cursor, sleep until woken. No event travels in a channel, so a slow reader
//! loses nothing and harms nobody, and there is no gap between what was and what comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use loggia_domain::Filter;
use tokio::sync::watch;

use super::pump::{Frame, Pump};
use super::read::{self, Order};
use super::sql::Conditions;
use super::{Logstream, StoreError};

/// How many events one step gives at most.
pub const STEP_EVENTS: usize = 256;
/// How many bytes it gives, and one event more at most: a slow reader holds them meanwhile.
pub const STEP_BYTES: usize = 1024 * 1024;

/// A reader that follows the log from a cursor.
pub struct Tail {
    log: Logstream,
    pump: Arc<Pump>,
    filter: Filter,
    /// Shared with whoever tells how far this reader is.
    cursor: Arc<AtomicI64>,
    newest: watch::Receiver<i64>,
}

impl Tail {
    /// Follows what arrives after `cursor` and passes the filter.
    pub fn new(log: &Logstream, pump: &Arc<Pump>, mut filter: Filter, cursor: i64) -> Self {
        filter.within = log.reach().clone();
        let cursor = Arc::new(AtomicI64::new(cursor));
        Self { log: log.clone(), pump: Arc::clone(pump), filter, cursor, newest: pump.subscribe() }
    }

    /// The same for one of many streams, see [`Pump::subscribe_paced`].
    pub fn paced(log: &Logstream, pump: &Arc<Pump>, filter: Filter, cursor: i64) -> Self {
        Self { newest: pump.subscribe_paced(), ..Self::new(log, pump, filter, cursor) }
    }

    /// The arrival number up to which everything was looked at, matching or not.
    pub fn cursor(&self) -> i64 {
        self.cursor.load(Ordering::Relaxed)
    }

    /// The same, kept up while the reader goes on.
    pub fn shared_cursor(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.cursor)
    }

    /// What there is now after the cursor, at most [`STEP_EVENTS`], possibly nothing. Never waits for an event.
    pub async fn step(&mut self) -> Result<Vec<Arc<Frame>>, StoreError> {
        loop {
            let tip = *self.newest.borrow_and_update();
            let cursor = self.cursor();
            if cursor >= tip {
                return Ok(Vec::new());
            }
            let (frames, examined) = match self.pump.after(cursor, STEP_EVENTS, STEP_BYTES) {
                Some(frames) => {
                    let examined = frames.last().map_or(tip, |f| f.event.seq);
                    (frames.into_iter().filter(|f| self.filter.matches(&f.event)).collect(), examined)
                }
                None => self.read_file().await?,
            };
            self.cursor.store(examined, Ordering::Relaxed);
            if !frames.is_empty() {
                return Ok(frames);
            }
        }
    }

    /// Waits until there is something to give. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Vec<Arc<Frame>>, StoreError> {
        loop {
            let frames = self.step().await?;
            if !frames.is_empty() {
                return Ok(frames);
            }
            self.newest.changed().await.map_err(|_| StoreError::Closed)?;
        }
    }

    /// The same from the database, for a cursor that fell out of the ring: what matches, and how far was looked.
    async fn read_file(&self) -> Result<(Vec<Arc<Frame>>, i64), StoreError> {
        let (filter, cursor) = (self.filter.clone(), self.cursor());
        self.log
            .read(move |conn| {
                read::in_snapshot(conn, |conn| {
                    let newest = read::newest(conn)?.seq;
                    let mut wanted = Conditions::default();
                    wanted.push("rowid > ?", cursor);
                    wanted.push_filter(&filter);
                    let (events, is_all) = read::matching_up_to(conn, &wanted, Order::Asc, STEP_EVENTS, STEP_BYTES)?;
                    let examined = events.last().filter(|_| !is_all).map_or(newest, |e| e.seq);
                    Ok((events.into_iter().map(|e| Arc::new(Frame::new(e))).collect(), examined))
                })
            })
            .await
    }
}
