//! What is wrong with a hub, found in its figures. The worst comes first.

use loggia_app::backend::hub::{
    Alarm, DISK_FULL_BYTES, DISK_LOW_BYTES, FAILURES_ALARM, Health, Repair, Restored, WAL_LARGE_BYTES,
};

use crate::AppState;
use crate::estate::status::{EstateStatus, Restore, RestoreState};
use crate::logstream::projection::RoomFigures;

/// Streams of the invented day begin so.
const DEMO: &str = "demo/";

/// Everything but what is in the log itself.
pub(super) fn of_hub(state: &AppState, status: &EstateStatus, health: &Health, is_admin: bool) -> Vec<Alarm> {
    let mut alarms: Vec<Alarm> = status.restore.iter().map(restored).collect();
    alarms.extend(health.disk_free_bytes.and_then(disk));
    let blocked = status.blocked_origins();
    if blocked > 0 {
        let peers = status.peers.iter().filter(|peer| !peer.blocks.is_empty()).map(|peer| peer.name.clone()).collect();
        alarms.push(Alarm::Blocked { authors: blocked, peers });
    }
    if health.transactions_failed > 0 {
        alarms.push(Alarm::WritesFailed(health.transactions_failed));
    }
    if let Some(reason) = state.palace.off_reason() {
        // SQLite names the file that it could not open by its whole path.
        let whole = super::folder(state).to_string_lossy().into_owned();
        alarms.push(Alarm::PalaceOff(is_admin.then(|| reason.replace(&whole, "…"))));
    }
    if state.mems.outlet().is_err() {
        alarms.push(Alarm::SessionsOff);
    }
    if let Some(progress) = state.mems.publisher().map(crate::mems::publisher::Publisher::progress)
        && let Some(error) = progress.trouble
    {
        alarms.push(Alarm::PipelineFails { error: is_admin.then_some(error), dropped: progress.dropped });
    }
    let unreached: Vec<String> =
        status.peers.iter().filter(|peer| peer.failures >= FAILURES_ALARM).map(|peer| peer.name.clone()).collect();
    if !unreached.is_empty() {
        alarms.push(Alarm::Unreached(unreached));
    }
    if !status.file_faults.is_empty() {
        let faults = if is_admin { status.file_faults.clone() } else { Vec::new() };
        alarms.push(Alarm::PeersFile(status.file_faults.len(), faults));
    }
    let (_, wal_bytes) = crate::db::file_bytes(state.log.path());
    if wal_bytes >= WAL_LARGE_BYTES {
        alarms.push(Alarm::WalLarge(wal_bytes));
    }
    if health.streams >= health.streams_max {
        alarms.push(Alarm::StreamsTaken(health.streams_max));
    }
    alarms.extend(state.settings.no_auth.then_some(Alarm::NoAuth));
    alarms.extend(state.settings.read_only.then_some(Alarm::ReadOnly));
    alarms
}

/// That the hub was restored from a backup.
pub(super) fn restored(restore: &Restore) -> Alarm {
    Alarm::Restored(Restored {
        peer: restore.peer.clone(),
        at: restore.detected_at.clone(),
        ours: restore.ours,
        theirs: restore.theirs,
        taken_back: restore.taken_back,
        renumbered: restore.renumbered,
        repair: match restore.state {
            RestoreState::Repairing => Repair::Going,
            RestoreState::Repaired => Repair::Done,
            RestoreState::Incomplete => Repair::Incomplete,
        },
    })
}

/// Whether too little of the disk is free.
pub(super) fn disk(free_bytes: u64) -> Option<Alarm> {
    if free_bytes < DISK_FULL_BYTES {
        Some(Alarm::DiskFull(free_bytes))
    } else if free_bytes < DISK_LOW_BYTES {
        Some(Alarm::DiskLow(free_bytes))
    } else {
        None
    }
}

/// Whether the log holds events of the invented day, by the rooms that the viewer sees.
pub(super) fn has_demo(rooms: &[RoomFigures]) -> bool {
    rooms.iter().any(|room| room.stream.starts_with(DEMO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_said_and_no_space_louder() {
        assert_eq!(disk(0), Some(Alarm::DiskFull(0)));
        assert_eq!(disk(DISK_FULL_BYTES), Some(Alarm::DiskLow(DISK_FULL_BYTES)));
        assert_eq!(disk(DISK_LOW_BYTES - 1), Some(Alarm::DiskLow(DISK_LOW_BYTES - 1)));
        assert_eq!(disk(DISK_LOW_BYTES), None);
    }
}
