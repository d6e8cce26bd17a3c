//! Whether this hub was restored from an old backup, and the repair (`contract: sync`).
//!
//! # Design
//! A restored hub would give its new events numbers that its peers know for other ones, and they would never ask for them. So our own
//! origin is compared with that of each peer: does it claim a higher number than we gave, or is another event there where its maximum
//! is? Then the last event that both have is looked for by bisection, what was written here since gets numbers above everything that
//! was seen, and what the backup lacked is taken back. Until that is done nothing of our own is shown to peers: they would take the new
//! events and never again ask for the old ones. A claim that the peer does not prove, by showing the event at the number it claims, is
//! an alarm and nothing else. A peer that lies with proof costs a bounded jump of the numbers, an alarm, and a bounded time in which our
//! own events are held back ([`Repairs`]), never the hub.

use std::time::{Duration, Instant};

use loggia_domain::{Event, remote};

use super::client::Fault;
use super::round::{Memory, Round, Step};
use super::status::{Restore, RestoreState, now};
use crate::clock::now_ms;

/// By how much a peer may raise our numbers at most: more than a hub writes in years.
const MAX_JUMP: i64 = 1_000_000_000;
/// How long our own events are kept from peers after the last progress of a repair.
pub(super) const HOLD: Duration = Duration::from_mins(1);
/// How long one repair may take, with all its attempts: far more than a log needs to come back.
const MAX_REPAIR: Duration = Duration::from_mins(10);
/// How many repairs a peer may cause within [`REST`]; then its claims about us are left alone for as long.
const MAX_REPAIRS: usize = 3;
const REST: Duration = Duration::from_hours(1);

/// The repairs that one peer has caused.
#[derive(Default)]
pub(super) struct Repairs {
    /// When the one that is under way began.
    since: Option<Instant>,
    /// When others ended.
    ended: Vec<Instant>,
}

impl Repairs {
    /// Whether a repair may begin or go on at a time.
    fn may_go_on(&mut self, now: Instant) -> bool {
        self.ended.retain(|ended| now.saturating_duration_since(*ended) < REST);
        if self.since.is_some_and(|since| now.saturating_duration_since(since) >= MAX_REPAIR) {
            // It takes all that a peer may cause.
            self.since = None;
            self.ended = vec![now; MAX_REPAIRS];
        }
        if self.ended.len() >= MAX_REPAIRS {
            return false;
        }
        self.since.get_or_insert(now);
        true
    }

    fn end(&mut self, now: Instant) {
        if self.since.take().is_some() {
            self.ended.push(now);
        }
    }
}

/// Compares our own origin with a peer's and repairs it. Nonsense about us is an alarm and costs the peer's other events nothing.
pub(super) fn check(round: &mut Round<'_>, memory: &mut Memory, claimed: i64) -> Result<(), Fault> {
    let own = round.estate.log().replica_id().to_owned();
    let ours = round.ask(round.estate.log().highest(own.clone()))?;
    match compare(round, memory, &own, ours, claimed) {
        Err(fault @ (Fault::Malformed(_) | Fault::TooLarge(_))) => {
            memory.own_checked = true;
            memory.own_claimed = claimed;
            note(round, ours, claimed, 0, RestoreState::Incomplete, Some(format!("the peer {fault}")));
            Ok(())
        }
        done => done,
    }
}

fn compare(round: &mut Round<'_>, memory: &mut Memory, own: &str, ours: i64, claimed: i64) -> Result<(), Fault> {
    if claimed == 0 || (memory.own_checked && claimed <= ours.max(memory.own_claimed)) {
        memory.own_checked = true;
        return Ok(());
    }
    if claimed <= ours && same_at(round, own, claimed)? {
        memory.own_checked = true;
        return Ok(());
    }
    let doubt = if claimed.saturating_sub(ours) > MAX_JUMP {
        Some(format!("it claims number {claimed} of this hub, which cannot be: it is not believed"))
    } else if claimed > ours && !shows(round, own, claimed)? {
        Some(format!("it claims number {claimed} of this hub and does not show that event: it is not believed"))
    } else if !memory.repairs.may_go_on(Instant::now()) {
        Some(
            "it had this hub repaired too often or for too long: its claims about this hub are left alone for now"
                .to_owned(),
        )
    } else {
        None
    };
    if doubt.is_some() {
        memory.own_checked = true;
        memory.own_claimed = claimed;
        note(round, ours, claimed, 0, RestoreState::Incomplete, doubt);
        return Ok(());
    }
    // From now on no append gets a number that the peer has for another event.
    let estate = round.estate;
    estate.log().issue_above(claimed);
    // One repair at a time: the first to end would show what another has not taken back yet. The next round asks again.
    let Some(_alone) = estate.try_repair() else { return Ok(()) };
    // Before it is looked for what both have: that takes a while, and who asks meanwhile must not see the new events.
    estate.hold_own(HOLD);
    // Another may have ended meanwhile.
    let ours = round.ask(estate.log().highest(own.to_owned()))?;
    let common = last_common(round, own, ours.min(claimed))?;
    if common < claimed {
        let renumbered = if ours > common { round.ask(estate.log().renumber_own(common, claimed))? } else { 0 };
        note(round, ours, claimed, renumbered, RestoreState::Repairing, None);
        estate.heard(round.name);
        let outcome = take_back(round, own, common, claimed)?;
        let state = if outcome.is_none() { RestoreState::Repaired } else { RestoreState::Incomplete };
        estate.restored(state, outcome);
    }
    memory.own_checked = true;
    memory.own_claimed = claimed;
    memory.repairs.end(Instant::now());
    estate.hold_own(Duration::ZERO);
    Ok(())
}

/// Takes back what the peer has of us after a number; why not all, if not.
fn take_back(round: &mut Round<'_>, own: &str, common: i64, claimed: i64) -> Result<Option<String>, Fault> {
    let mut after = common;
    loop {
        let before = round.pulled.events;
        let step = round.step(own, after, claimed, None)?;
        round.estate.hold_own(HOLD);
        round.estate.taken_back(round.pulled.events - before);
        match step {
            Step::More(next) => after = next,
            Step::Done => return Ok(None),
            Step::Blocked(block) => return Ok(Some(block.reason)),
            Step::Later(fault) => return Err(fault),
        }
    }
}

/// Whether the peer shows the event at the number that it claims.
fn shows(round: &Round<'_>, own: &str, claimed: i64) -> Result<bool, Fault> {
    Ok(first_after(round, own, claimed - 1)?.is_some_and(|event| event.origin_seq == Some(claimed)))
}

/// Whether both have the same event at the peer's highest number. A peer that does not answer with one is not believed.
fn same_at(round: &mut Round<'_>, own: &str, number: i64) -> Result<bool, Fault> {
    let theirs = first_after(round, own, number - 1)?;
    let ours = round.ask(round.estate.log().ops(own.to_owned(), number - 1, 1))?.into_iter().next();
    Ok(theirs.is_none() || key(theirs.as_ref()) == key(ours.as_ref()))
}

/// The highest number up to `most` at which both have the same event; 0 if there is none. Up to it all is the same, behind it nothing.
fn last_common(round: &mut Round<'_>, own: &str, most: i64) -> Result<i64, Fault> {
    let (mut low, mut high, mut common) = (1, most, 0);
    while low <= high {
        let middle = low + (high - low) / 2;
        let ours = round.ask(round.estate.log().ops(own.to_owned(), middle - 1, 1))?.into_iter().next();
        let theirs = first_after(round, own, middle - 1)?;
        match ours.as_ref().and_then(|e| e.origin_seq) {
            Some(number) if key(ours.as_ref()) == key(theirs.as_ref()) => {
                common = number;
                low = number.max(middle) + 1;
            }
            _ => high = middle - 1,
        }
    }
    Ok(common)
}

fn first_after(round: &Round<'_>, own: &str, after: i64) -> Result<Option<Event>, Fault> {
    let told = round.client.ops(own, after, 1)?;
    let first = told.into_iter().next();
    first.map(|value| remote::event(own, value).map_err(|r| Fault::Malformed(r.message))).transpose()
}

fn key(event: Option<&Event>) -> Option<(&str, Option<i64>)> {
    event.map(|e| (e.id.as_str(), e.origin_seq))
}

fn note(round: &Round<'_>, ours: i64, theirs: i64, renumbered: u64, state: RestoreState, reason: Option<String>) {
    tracing::error!(
        peer = round.name,
        ours,
        theirs,
        renumbered,
        reason,
        "a peer has more of this hub's own events than its log: it was restored from a backup, or the peer is wrong"
    );
    round.estate.set_restore(Restore {
        peer: round.name.to_owned(),
        detected_at: now(),
        detected_at_ms: now_ms(),
        ours,
        theirs,
        taken_back: 0,
        renumbered,
        state,
        reason,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_may_cause_a_few_repairs_and_none_without_end() {
        let start = Instant::now();
        let mut repairs = Repairs::default();
        for _ in 0..MAX_REPAIRS {
            assert!(repairs.may_go_on(start));
            repairs.end(start);
        }
        assert!(!repairs.may_go_on(start), "too many");
        let later = start + REST;
        assert!(repairs.may_go_on(later) && repairs.may_go_on(later + MAX_REPAIR / 2), "attempts of one repair");
        assert!(!repairs.may_go_on(later + MAX_REPAIR), "too long");
        assert!(!repairs.may_go_on(later + MAX_REPAIR + REST / 2));
        assert!(repairs.may_go_on(later + MAX_REPAIR + REST));
    }
}
