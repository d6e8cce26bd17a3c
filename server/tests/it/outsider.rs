//! Another program that writes the same log file while the hub runs, as the contract allows: same tables, same rules, no HTTP.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::place::Place;

/// A connection of that program.
pub(crate) struct Outsider {
    pub(crate) connection: Connection,
    replica_id: String,
}

/// A row that it writes. What is not given is what an ordinary append of this moment would have.
#[derive(Default)]
pub(crate) struct Row<'a> {
    /// Its stream.
    pub(crate) stream: &'a str,
    /// Its body.
    pub(crate) body: &'a str,
    /// Its `created_at`, when it is not now.
    pub(crate) created_at: Option<&'a str>,
    /// Its stamp, when it is not of now.
    pub(crate) hlc: Option<&'a str>,
    /// Its metadata, byte for byte.
    pub(crate) metadata_json: Option<&'a str>,
    /// The hub that wrote it, when it is not this one.
    pub(crate) origin: Option<(&'a str, i64)>,
}

impl Outsider {
    /// Opens the log of a palace on which a hub has been started.
    pub(crate) fn open(place: &Place) -> Self {
        let replica = std::fs::read_to_string(place.palace().join("replica.json")).expect("the hub has written it");
        let replica: serde_json::Value = serde_json::from_str(&replica).expect("it is JSON");
        let replica_id = replica["replica_id"].as_str().expect("it names the replica").to_owned();
        Self { connection: open(&place.log_file()), replica_id }
    }

    /// Appends an event and answers its id.
    pub(crate) fn append(&mut self, stream: &str, body: &str) -> String {
        self.append_row(&Row { stream, body, ..Row::default() })
    }

    /// Appends a row and answers its id.
    pub(crate) fn append_row(&mut self, row: &Row<'_>) -> String {
        static COUNTER: AtomicU64 = AtomicU64::new(1);
        let id = format!("evt_20260101T000000_{:012x}", 0xf000_0000_0000 + COUNTER.fetch_add(1, Ordering::Relaxed));
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .expect("ten seconds are enough for the lock");
        let next: i64 = transaction
            .query_row("SELECT coalesce(max(rowid), 0) + 1 FROM events", [], |r| r.get(0))
            .expect("the table is there");
        let highest: i64 = transaction
            .query_row(
                "SELECT coalesce(max(origin_seq), 0) + 1 FROM events WHERE origin_replica = ?1",
                [&self.replica_id],
                |r| r.get(0),
            )
            .expect("the table is there");
        let now_ms = SystemTime::UNIX_EPOCH.elapsed().expect("the clock is after 1970").as_millis();
        let hlc = row.hlc.map_or_else(|| format!("{now_ms:013}-000000-{}", self.replica_id), str::to_owned);
        let (origin_replica, origin_seq) = row.origin.unwrap_or((&self.replica_id, next.max(highest)));
        transaction
            .execute(
                "INSERT INTO events (id, type, stream, room, from_agent, body, created_at, metadata_json, \
                 origin_replica, origin_seq, hlc) VALUES (?1, 't.x', ?2, 'r', 'outsider', ?3, \
                 coalesce(?4, strftime('%Y-%m-%dT%H:%M:%SZ')), ?5, ?6, ?7, ?8)",
                params![
                    id,
                    row.stream,
                    row.body,
                    row.created_at,
                    row.metadata_json.unwrap_or("{}"),
                    origin_replica,
                    origin_seq,
                    hlc
                ],
            )
            .expect("the columns are the contract's");
        transaction.commit().expect("the lock is held");
        id
    }
}

/// Opens a log file as every program that shares it does.
pub(crate) fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("the file can be opened");
    connection.busy_timeout(Duration::from_secs(10)).expect("a pragma");
    connection
}
