//! The stamps of events: every author's numbers are there once, and its clock grows with them.

use loggia_domain::clock::{MAX_AHEAD_MS, Stamp};
use rusqlite::Connection;

use super::{Progress, Report, StoreError};

/// Streams whose events were backdated when they were written: an invented day has the times of its story.
const BACKDATED: &str = "demo/";

/// The event before, by the same author.
struct Before {
    replica: String,
    origin_seq: i64,
    stamp: Option<Stamp>,
}

pub(super) fn check(log: &Connection, report: &mut Report, progress: Progress<'_>) -> Result<(), StoreError> {
    let total: i64 = log.query_row("SELECT coalesce(max(rowid), 0) FROM events", [], |r| r.get(0))?;
    let total = u64::try_from(total).unwrap_or(0);
    let mut statement = log.prepare(
        "SELECT id, origin_replica, origin_seq, hlc, stream FROM events ORDER BY origin_replica, origin_seq, rowid",
    )?;
    let mut rows = statement.query([])?;
    let mut before: Option<Before> = None;
    let mut steps_back = StepsBack::default();
    while let Some(row) = rows.next()? {
        report.events += 1;
        if report.events.is_multiple_of(4096) {
            progress("stamps", report.events, Some(total));
        }
        let id: String = row.get(0)?;
        let (replica, origin_seq): (Option<String>, Option<i64>) = (row.get(1)?, row.get(2)?);
        let (Some(replica), Some(origin_seq)) = (replica, origin_seq) else {
            report.fault("stamps", format!("{id} names no author or no number of its author"));
            continue;
        };
        let text: Option<String> = row.get(3)?;
        let stamp = text.as_deref().and_then(Stamp::parse);
        if stamp.is_none() {
            let text = text.unwrap_or_else(|| "nothing".to_owned());
            report.fault("stamps", format!("{id}: its hlc is {text}, not <13 digits>-<6 hex digits>-<replica id>"));
        }
        let mut last_stamp = None;
        if let Some(before) = before.take().filter(|b| b.replica == replica) {
            if before.origin_seq == origin_seq {
                report.fault("stamps", format!("{id}: origin_seq {origin_seq} of {replica} is there more than once"));
            }
            last_stamp = before.stamp;
        }
        let backdated = row.get_ref(4)?.as_str().is_ok_and(|stream| stream.starts_with(BACKDATED));
        if let (Some(last), Some(now), false) = (last_stamp, stamp, backdated)
            && now <= last
        {
            steps_back.take(&id, last, now, report);
        }
        // What was backdated, or has no stamp, is passed over: the next event is compared with the last one that counts.
        let stamp = if backdated { last_stamp } else { stamp.max(last_stamp) };
        before = Some(Before { replica, origin_seq, stamp });
    }
    steps_back.tell(report);
    Ok(())
}

/// Where an author's clock did not grow.
#[derive(Default)]
struct StepsBack {
    count: u64,
    widest_ms: u64,
}

impl StepsBack {
    /// Two processes that write one log, and two threads of MemPalace, take their stamps before it is their turn: their order may
    /// be the other way round by as long as one waits for the other. A hub's clock never goes back by a minute.
    fn take(&mut self, id: &str, last: Stamp, now: Stamp, report: &mut Report) {
        let back_ms = last.ms.saturating_sub(now.ms);
        if back_ms > MAX_AHEAD_MS {
            report.fault("stamps", format!("{id}: its author's clock went back by {back_ms} ms"));
        } else {
            self.count += 1;
            self.widest_ms = self.widest_ms.max(back_ms);
        }
    }

    fn tell(&self, report: &mut Report) {
        if self.count > 0 {
            report.notes.push(format!(
                "{} events have a stamp that is not later than that of their author's event before, by {} ms at most: two writers on one log",
                self.count, self.widest_ms
            ));
        }
    }
}
