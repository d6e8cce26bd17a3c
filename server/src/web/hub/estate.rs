//! The estate as a viewer of the page sees it.

use std::collections::BTreeMap;

use loggia_app::backend::hub::{Block, Drift, Estate, Peer, Thing};

use crate::estate::status::{EstateStatus, PeerStatus};
use crate::logstream::{Logstream, StoreError};

/// The longest name of a program that is shown: it is a peer's text.
const MAX_PROGRAM_CHARS: usize = 60;

/// What a viewer sees of the estate.
pub(super) async fn seen(log: &Logstream, status: EstateStatus, is_admin: bool) -> Result<Estate, StoreError> {
    let mut names: BTreeMap<String, String> =
        status.peers.iter().filter_map(|peer| Some((peer.replica_id.clone()?, peer.name.clone()))).collect();
    names.insert(status.replica_id.clone(), status.name.clone());
    let number = |origin: &String| status.version_vector.get(origin).copied().unwrap_or(0);
    let mut peers = Vec::with_capacity(status.peers.len());
    for peer in &status.peers {
        let mut shown = of_peer(peer, &names, &status, is_admin);
        for (origin, block) in &peer.blocks {
            shown.blocks.push(Block {
                origin: origin.clone(),
                name: names.get(origin).cloned(),
                event: match &block.event_id {
                    Some(id) => Some(Thing { id: id.clone(), is_here: log.event(id.clone()).await?.is_some() }),
                    None => None,
                },
                artifact: match &block.artifact_id {
                    Some(id) => Some(Thing {
                        id: id.clone(),
                        is_here: !log.artifact_records(vec![id.clone()]).await?.is_empty(),
                    }),
                    None => None,
                },
                reason: block.reason.clone(),
                since: block.since.clone(),
            });
        }
        peers.push(shown);
    }
    Ok(Estate {
        unnamed: status.unnamed_origins.iter().map(|origin| (origin.clone(), number(origin))).collect(),
        vector: status.version_vector.iter().map(|(origin, n)| (origin.clone(), *n)).collect(),
        name: status.name,
        replica_id: status.replica_id,
        interval_s: status.interval_s,
        peers,
    })
}

fn of_peer(peer: &PeerStatus, names: &BTreeMap<String, String>, all: &EstateStatus, is_admin: bool) -> Peer {
    let number = |vector: &BTreeMap<String, i64>, origin: &String| vector.get(origin).copied().unwrap_or(0);
    let mut drift: Vec<Drift> = peer
        .drift
        .keys()
        .map(|origin| Drift {
            origin: origin.clone(),
            name: names.get(origin).cloned(),
            here: number(&all.version_vector, origin),
            there: number(&peer.version_vector, origin),
        })
        .collect();
    drift.sort_by_key(|d| std::cmp::Reverse(d.there.abs_diff(d.here)));
    let program = peer.profile.as_ref().and_then(|profile| profile["program"].as_str());
    Peer {
        name: peer.name.clone(),
        url: is_admin.then(|| peer.url.clone()),
        replica_id: peer.replica_id.clone(),
        program: program.map(|text| text.chars().take(MAX_PROGRAM_CHARS).collect()),
        was_reached: peer.last_success_at.is_some(),
        failures: peer.failures,
        last_contact_at: peer.last_contact_at.clone(),
        last_success_at: peer.last_success_at.clone(),
        last_error_at: peer.last_error.as_ref().and(peer.last_error_at.clone()),
        last_error: peer.last_error.clone().filter(|_| is_admin),
        clock_difference_ms: peer.clock_difference_ms,
        drift,
        blocks: Vec::new(),
        odd_entries: peer.odd_entries.len(),
        has_ours: peer.version_vector.get(&all.replica_id).copied(),
        ours: number(&all.version_vector, &all.replica_id),
        pulled_events: peer.pulled_events,
        pulled_artifacts: peer.pulled_artifacts,
    }
}
