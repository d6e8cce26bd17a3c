//! The threads that pull: one that reads `peers.json` every round, and one for each peer in it.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Estate;
use super::client::{Client, Fault};
use super::peers::{self, Peer, Peers};
use super::round::{Memory, Round};
use super::seen;
use super::status::{PeerStatus, now};

/// How long a Loggia peer may keep a question until it has something new.
const WAIT: Duration = Duration::from_secs(20);
/// The pause before such a peer is asked again: what comes in a burst comes together.
const BREATH: Duration = Duration::from_millis(20);
/// How often `peers.json` is looked at, at most.
const LOOK: Duration = Duration::from_secs(1);
/// The longest pause after failures, in rounds and at most.
const MAX_PAUSE: (u32, Duration) = (16, Duration::from_mins(5));

/// Keeps a worker for each peer of the file, whatever becomes of the file.
pub(super) fn supervise(estate: &Estate, stop: &CancellationToken) {
    let mut said: Option<Result<Peers, String>> = None;
    let mut workers: BTreeMap<String, (Peer, CancellationToken)> = BTreeMap::new();
    let pause = estate.inner.options.interval.min(LOOK);
    loop {
        let read = peers::read(&estate.inner.palace);
        if said.as_ref() != Some(&read) {
            tell(estate, &read);
            // A file that is being written, or was damaged, does not undo what is known.
            if let Ok(read) = &read {
                arrange(estate, &read.peers, &mut workers, stop);
            }
            said = Some(read);
        }
        seen::look(estate);
        if sleep(estate, pause, stop) {
            return;
        }
    }
}

fn tell(estate: &Estate, read: &Result<Peers, String>) {
    let faults = match read {
        Ok(read) => read.faults.clone(),
        Err(fault) => vec![fault.clone()],
    };
    for fault in &faults {
        tracing::warn!(fault, "peers.json cannot be used as it is");
    }
    estate.book().file_faults = faults;
}

fn arrange(
    estate: &Estate,
    peers: &[Peer],
    workers: &mut BTreeMap<String, (Peer, CancellationToken)>,
    stop: &CancellationToken,
) {
    workers.retain(|name, (peer, worker)| {
        let stays = peers.contains(peer);
        if !stays {
            worker.cancel();
            estate.heard(name);
        }
        stays
    });
    {
        let mut book = estate.book();
        let mut known: Vec<PeerStatus> = std::mem::take(&mut book.peers);
        known.retain(|p| workers.contains_key(&p.name));
        book.peers = peers
            .iter()
            .map(|peer| {
                known.iter().find(|p| p.name == peer.name).cloned().unwrap_or_else(|| PeerStatus {
                    name: peer.name.clone(),
                    url: peer.url.as_str().trim_end_matches('/').to_owned(),
                    ..PeerStatus::default()
                })
            })
            .collect();
    }
    for peer in peers {
        if workers.contains_key(&peer.name) {
            continue;
        }
        let (estate, own, worker_stop) = (estate.clone(), peer.clone(), stop.child_token());
        let token = worker_stop.clone();
        let thread = std::thread::Builder::new().name("estate-peer".to_owned());
        match thread.spawn(move || work(&estate, &own, &token)) {
            Ok(_) => {
                workers.insert(peer.name.clone(), (peer.clone(), worker_stop));
            }
            Err(error) => tracing::error!(%error, peer = peer.name, "a peer has no thread"),
        }
    }
}

fn work(estate: &Estate, peer: &Peer, stop: &CancellationToken) {
    let client = Client::new(peer, estate.inner.options.authorities.as_ref());
    let (mut memory, mut failures) = (Memory::default(), 0);
    while !stop.is_cancelled() {
        let round = Round::new(estate, &peer.name, &client);
        let outcome = round.run(&mut memory, WAIT, true);
        if stop.is_cancelled() {
            return;
        }
        failures = if outcome.is_ok() { 0 } else { failures + 1 };
        note(estate, peer, outcome.as_ref().err(), failures);
        let interval = estate.inner.options.interval;
        let pause = match (failures, memory.newest_seq) {
            (0, Some(_)) => BREATH.min(interval),
            (0, None) => interval,
            _ => {
                // A peer that was started anew may be another program, or another log.
                memory.newest_seq = None;
                memory.own_checked = false;
                back_off(interval, failures)
            }
        };
        if sleep(estate, pause, stop) {
            return;
        }
    }
}

fn note(estate: &Estate, peer: &Peer, fault: Option<&Fault>, failures: u32) {
    let told = fault.map(ToString::to_string);
    if let Some(told) = &told
        && failures == 1
    {
        tracing::warn!(peer = peer.name, fault = told, "a peer could not be pulled from");
    }
    estate.write(&peer.name, |status| {
        status.failures = failures;
        match told {
            None => {
                if status.last_error.take().is_some() {
                    tracing::info!(peer = peer.name, "a peer can be pulled from again");
                }
                status.last_success_at = Some(now());
            }
            Some(told) => {
                status.last_error = Some(told);
                status.last_error_at = Some(now());
            }
        }
    });
}

/// Twice as long after each failure, up to a bound, and never in step with others.
fn back_off(interval: Duration, failures: u32) -> Duration {
    let most = (interval * MAX_PAUSE.0).min(MAX_PAUSE.1).max(interval);
    let pause = interval.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(most);
    let mut dice = [0; 1];
    // Without random bytes all pauses are whole ones; nothing depends on them.
    let _ = getrandom::fill(&mut dice);
    pause.mul_f64(1.0 - f64::from(dice[0]) / 512.0)
}

/// Sleeps; `true` if it is time to end.
fn sleep(estate: &Estate, pause: Duration, stop: &CancellationToken) -> bool {
    estate.wait(async { tokio::time::timeout(pause, stop.cancelled()).await.is_ok() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_bound() {
        let second = Duration::from_secs(1);
        for (failures, most) in [(1, 1), (2, 2), (4, 8), (5, 16), (60, 16)] {
            let pause = back_off(second, failures);
            assert!(pause <= second * most && pause > second * most / 3, "{failures}: {pause:?}");
        }
        assert!(back_off(Duration::from_mins(1), 60) <= MAX_PAUSE.1);
    }
}
