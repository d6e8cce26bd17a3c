//! The bare program: one connection, one prepared statement, no queue, no checks, no answers.
//!
//! Its rows are those of the store, stamps and ids included, and so are its tables, indexes and pragmas: what it is faster by is
//! what the store does beyond inserting.

use std::path::Path;

use loggia::{db, logstream::migrate};
use loggia_domain::clock::Clock;
use loggia_domain::{NewEvent, id, timestamp};
use rusqlite::{Connection, TransactionBehavior, params};
use time::OffsetDateTime;

/// What its three ways are called, one by one first and the best last.
pub(crate) const NAMES: [&str; 3] = ["bare, one by one", "bare, in eights", "bare, in batches of 64"];

const REPLICA: &str = "rep_0123456789abcdef0123456789abcdef";

/// The bare program.
pub(crate) struct Bare {
    connection: Connection,
    clock: Clock,
    dice: u64,
    rows: i64,
}

impl Bare {
    /// Opens a new file as the store does.
    pub(crate) fn open(path: &Path) -> Self {
        let mut connection = db::open_writer(path).expect("a new file");
        migrate::migrate(&mut connection, REPLICA).expect("an empty file");
        Self { connection, clock: Clock::default(), dice: 1, rows: 0 }
    }

    /// Inserts an event so many times in one transaction.
    pub(crate) fn insert(&mut self, event: &NewEvent, batch: usize) {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("nobody else writes");
        for _ in 0..batch {
            let now = OffsetDateTime::now_utc();
            let now_ms = u64::try_from(now.unix_timestamp_nanos() / 1_000_000).expect("after 1970");
            self.rows += 1;
            self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let [_, _, random @ ..] = self.dice.to_be_bytes();
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO events (rowid, id, type, stream, room, topic, from_agent, to_agent, correlation_id, branch,
                         base_commit, status, body, created_at, metadata_json, origin_replica, origin_seq, hlc)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
                )
                .expect("the table is there");
            insert
                .execute(params![
                    self.rows,
                    id::event_id(now, random),
                    event.event_type,
                    event.stream,
                    event.room,
                    event.topic,
                    event.from_agent,
                    event.to_agent,
                    event.correlation_id,
                    event.branch,
                    event.base_commit,
                    event.status.map(loggia_domain::Status::as_str),
                    event.body,
                    timestamp::created_at(now),
                    event.metadata.text(),
                    REPLICA,
                    self.rows,
                    self.clock.tick(now_ms).text(REPLICA),
                ])
                .expect("it is inserted");
        }
        transaction.commit().expect("it is committed");
    }
}
