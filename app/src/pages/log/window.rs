//! The rows that a page of the log holds: a bounded window on a log without an end. Pure.
//!
//! While the reader follows, what arrives goes to the top and what no longer fits leaves at the bottom. While the reader reads, what
//! arrives waits and is counted. Whatever leaves or is left out is said in a row of its own, never silently.

use std::sync::Arc;

use loggia_domain::Event;

use crate::backend::LogPage;
use crate::live::Arrival;

/// How many rows a page holds at most.
pub(super) const MAX_ROWS: usize = 500;

/// How many rows that come at once are set off.
const MAX_FRESH: usize = 20;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Row {
    /// An event.
    Event {
        event: Box<Event>,
        /// Where it answers a search, in pieces that are ordinary and found by turns.
        excerpt: Vec<String>,
        /// The hub from which it came after newer events.
        late_from: Option<String>,
        /// It came while the page was open.
        fresh: bool,
        /// How many events in a row say the same; this is the newest of them.
        times: usize,
        /// The id of the oldest of them, where there are several: what is older still starts there.
        oldest: Option<String>,
    },
    /// A frame that could not be read.
    Unreadable { id: String },
    /// Events between the rows above and below that are not here; `before` is the row above, where loading them starts.
    Gap { missing: usize, before: String },
    /// The hub did not know where the page stood: events may be missing here.
    Resynced { before: Option<String> },
}

impl Row {
    fn id(&self) -> Option<&str> {
        match self {
            Self::Event { event, .. } => Some(&event.id),
            Self::Unreadable { id } => Some(id),
            Self::Gap { .. } | Self::Resynced { .. } => None,
        }
    }

    /// The id of the last event that it stands for.
    fn oldest_id(&self) -> Option<&str> {
        match self {
            Self::Event { oldest: Some(id), .. } => Some(id),
            row => row.id(),
        }
    }

    /// How many events it stands for.
    fn events(&self) -> usize {
        match self {
            Self::Event { times, .. } => *times,
            Self::Unreadable { .. } => 1,
            Self::Gap { missing, .. } => *missing,
            Self::Resynced { .. } => 0,
        }
    }

    /// Whether a row says what an older one says, so that one of them is enough. Only what a row shows or leads to counts, and the
    /// metadata; ids, numbers and times are always others.
    fn says_the_same(&self, older: &Self) -> bool {
        let (Self::Event { event: a, late_from: None, .. }, Self::Event { event: b, late_from: None, .. }) =
            (self, older)
        else {
            return false;
        };
        // The rest of a long body is not here.
        let is_whole = !a.body_truncated && !b.body_truncated;
        is_whole
            && a.body == b.body
            && a.event_type == b.event_type
            && a.status == b.status
            && a.from_agent == b.from_agent
            && a.to_agent == b.to_agent
            && a.room == b.room
            && a.stream == b.stream
            && a.topic == b.topic
            && a.correlation_id == b.correlation_id
            && a.artifact_ids == b.artifact_ids
            && a.metadata.text() == b.metadata.text()
    }
}

/// The window.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Window {
    /// Newest first.
    rows: Vec<Arc<Row>>,
    /// Rows that came while the reader was reading, oldest first.
    waiting: Vec<Arc<Row>>,
    /// How many of those did not fit.
    waiting_left_out: usize,
    /// How many events have left at the bottom.
    left: usize,
    /// How many newer events have left at the top, since the reader went on to older ones.
    cut: usize,
    /// Whether there is more below the last row on the hub.
    has_more: bool,
    /// The newest stamp seen, and from which hub.
    newest: Option<(String, Option<String>)>,
    /// Whether rows in a row that say the same become one.
    folds: bool,
}

impl Window {
    /// A page as the hub answered it, newest first.
    pub(super) fn of(page: LogPage) -> Self {
        let LogPage { events, excerpts, has_more, .. } = page;
        // Both are newest first, or there are no excerpts at all.
        let mut excerpts = excerpts.into_iter().rev();
        let mut window = Self { has_more, ..Self::default() };
        let mut rows = Vec::with_capacity(events.len());
        for event in events.into_iter().rev() {
            let late_from = window.late_from(&event);
            let (event, excerpt) = (Box::new(event), excerpts.next().unwrap_or_default());
            rows.push(Arc::new(Row::Event { event, excerpt, late_from, fresh: false, times: 1, oldest: None }));
        }
        rows.reverse();
        window.rows = rows;
        window
    }

    /// The same window, in which rows in a row that say the same become one.
    pub(super) fn folded(mut self) -> Self {
        self.folds = true;
        fold(&mut self.rows);
        self
    }

    /// The rows, newest first.
    pub(super) fn rows(&self) -> &[Arc<Row>] {
        &self.rows
    }

    /// How many events wait to be shown.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len() + self.waiting_left_out
    }

    /// How many events have left at the bottom to keep the page light.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// How many newer events have left at the top, to make room for older ones. From then on what arrives is only counted.
    pub(super) fn cut(&self) -> usize {
        self.cut
    }

    /// Puts what the hub answered as older than an event below the last row. An answer that comes too late changes nothing.
    pub(super) fn append_older(&mut self, than: &str, page: LogPage) {
        if self.older() != Some(than) {
            return;
        }
        self.left = self.left.saturating_sub(page.events.len());
        self.has_more = page.has_more;
        self.rows.append(&mut Self::of(page).rows);
        if self.folds {
            fold(&mut self.rows);
        }
        let over = self.rows.len().saturating_sub(MAX_ROWS);
        self.cut += self.rows.drain(..over).map(|row| row.events()).sum::<usize>();
    }

    /// Where older events start, if there are any: the last event of the last row.
    pub(super) fn older(&self) -> Option<&str> {
        if !self.has_more && self.left == 0 {
            return None;
        }
        self.rows.iter().rev().find_map(|row| row.oldest_id())
    }

    /// How many events stand below the first so many rows.
    pub(super) fn events_below(&self, rows: usize) -> usize {
        self.rows.iter().skip(rows).map(|row| row.events()).sum()
    }

    /// The id of the first row.
    pub(super) fn newest_id(&self) -> Option<&str> {
        self.rows.iter().find_map(|row| row.id())
    }

    /// Takes what arrived, oldest first. With `following` it is shown, else it waits.
    pub(super) fn arrive(&mut self, arrivals: Vec<Arrival>, following: bool) {
        // In a burst nothing stands out, and fading every row would only cost time.
        let fresh = arrivals.len() <= MAX_FRESH;
        for arrival in arrivals {
            let row = match arrival {
                Arrival::Event(event) if self.holds(&event.id) => continue,
                Arrival::Event(event) => {
                    let late_from = self.late_from(&event);
                    Row::Event { event, excerpt: Vec::new(), late_from, fresh, times: 1, oldest: None }
                }
                Arrival::Unreadable { id } if self.holds(&id) => continue,
                Arrival::Unreadable { id } => Row::Unreadable { id },
                Arrival::Resynced => Row::Resynced { before: None },
            };
            self.waiting.push(Arc::new(row));
            if self.waiting.len() > MAX_ROWS {
                self.waiting.remove(0);
                self.waiting_left_out += 1;
            }
        }
        if following {
            self.show_waiting();
        }
    }

    /// Shows what waits.
    pub(super) fn show_waiting(&mut self) {
        if self.waiting.is_empty() || self.cut > 0 {
            return;
        }
        let mut rows: Vec<Arc<Row>> = std::mem::take(&mut self.waiting);
        rows.reverse();
        // A mark of missing events says from where to load them: from the row above it.
        for at in 1..rows.len() {
            if *rows[at] == (Row::Resynced { before: None }) {
                let before = rows[at - 1].id().map(str::to_owned);
                rows[at] = Arc::new(Row::Resynced { before });
            }
        }
        let left_out = std::mem::take(&mut self.waiting_left_out);
        if left_out > 0
            && let Some(before) = rows.iter().rev().find_map(|row| row.id()).map(str::to_owned)
        {
            rows.push(Arc::new(Row::Gap { missing: left_out, before }));
        }
        rows.append(&mut self.rows);
        if self.folds {
            fold(&mut rows);
        }
        if rows.len() > MAX_ROWS {
            self.left += rows.drain(MAX_ROWS..).map(|row| row.events()).sum::<usize>();
        }
        self.rows = rows;
    }

    fn holds(&self, id: &str) -> bool {
        // What comes twice came a moment ago, so the newest rows are looked at first and the search is short.
        self.waiting.iter().rev().chain(&self.rows).any(|row| row.id() == Some(id))
    }

    /// The hub from which an event came after events that are newer by the authors' clocks. To be asked in arrival order.
    fn late_from(&mut self, event: &Event) -> Option<String> {
        let hlc = event.hlc.as_deref()?;
        match &self.newest {
            Some((newest, from)) if hlc < newest.as_str() => {
                (event.origin_replica != *from).then(|| event.origin_replica.clone())?
            }
            _ => {
                self.newest = Some((hlc.to_owned(), event.origin_replica.clone()));
                None
            }
        }
    }
}

/// Makes one row of those in a row that say the same: the newest, with their number. Rows are newest first.
fn fold(rows: &mut Vec<Arc<Row>>) {
    rows.dedup_by(|older, newer| {
        if !newer.says_the_same(older) {
            return false;
        }
        let (more, last) = (older.events(), older.oldest_id().map(str::to_owned));
        if let Row::Event { times, oldest, .. } = Arc::make_mut(newer) {
            *times += more;
            *oldest = last;
        }
        true
    });
}

#[cfg(test)]
mod tests;
