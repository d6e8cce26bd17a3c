//! The tables of `auth.sqlite3`, and how an older file becomes one of today's in place.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::AuthError;

/// The version that this program writes, kept in `user_version`.
pub(super) const VERSION: i64 = 1;

/// Version 1. Ids are ours and no secret; `agents` and `streams` are JSON lists; times are `YYYY-MM-DDTHH:MM:SSZ`.
const TABLES: &str = "
CREATE TABLE tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, prefix TEXT, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    agents TEXT NOT NULL DEFAULT '[]', streams TEXT NOT NULL DEFAULT '[]', created_at TEXT NOT NULL, created_by TEXT NOT NULL,
    expires_at TEXT, last_used_at TEXT, revoked_at TEXT, replaced_by TEXT);
CREATE INDEX tokens_name ON tokens(name);
CREATE TABLE sessions (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, token_hash TEXT, created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL);";

/// The tables of version 0 are set aside under these names, copied and dropped.
const SET_ASIDE: &str = "
ALTER TABLE tokens RENAME TO tokens_0;
ALTER TABLE sessions RENAME TO sessions_0;";
const COPY: &str = "
INSERT INTO tokens (id, name, hash, scopes, created_at, created_by)
    SELECT 'tok_' || lower(hex(randomblob(6))), name, hash, scopes, created_at, '' FROM tokens_0;
INSERT INTO sessions (id, hash, token_hash, created_at, expires_at)
    SELECT 'ses_' || lower(hex(randomblob(6))), hash, token_hash, created_at, expires_at FROM sessions_0;
DROP TABLE tokens_0;
DROP TABLE sessions_0;";

/// Brings a file to [`VERSION`], in one transaction. Again is harmless. A file of a newer program is left alone.
pub(super) fn migrate(conn: &mut Connection) -> Result<(), AuthError> {
    let version = |conn: &Connection| conn.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
    if version(conn)? == VERSION {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match version(&tx)? {
        // Another process was faster.
        VERSION => return Ok(()),
        0 => {}
        other => {
            return Err(AuthError::new(format!("its schema is version {other}, this program knows up to {VERSION}")));
        }
    }
    let is_old: Option<i64> = tx
        .query_row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tokens'", [], |r| r.get(0))
        .optional()?;
    if is_old.is_some() {
        tx.execute_batch(SET_ASIDE)?;
    }
    tx.execute_batch(TABLES)?;
    if is_old.is_some() {
        tx.execute_batch(COPY)?;
    }
    tx.pragma_update(None, "user_version", VERSION)?;
    tx.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_file_becomes_a_new_one_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("auth.sqlite3");
        let old = Connection::open(&path).expect("opened");
        old.execute_batch(
            "CREATE TABLE tokens (hash TEXT PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL);
             CREATE TABLE sessions (hash TEXT PRIMARY KEY, token_hash TEXT, created_at TEXT NOT NULL, expires_at TEXT NOT NULL);
             INSERT INTO tokens VALUES ('aa', 'mac', 'read write', '2026-01-01T00:00:00Z');
             INSERT INTO tokens VALUES ('bb', 'mac', 'admin', '2026-01-02T00:00:00Z');
             INSERT INTO sessions VALUES ('cc', 'aa', '2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z');
             INSERT INTO sessions VALUES ('dd', NULL, '2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z');",
        )
        .expect("an old file");
        drop(old);
        let mut all = Vec::new();
        for _ in 0..2 {
            let mut conn = Connection::open(&path).expect("opened");
            migrate(&mut conn).expect("migrated");
            let dump = |sql: &str| -> Vec<String> {
                let mut statement = conn.prepare(sql).expect("prepared");
                let rows = statement.query_map([], |r| r.get(0)).and_then(Iterator::collect);
                rows.expect("read")
            };
            let tokens = dump(
                "SELECT id || ' ' || hash || ' ' || name || ' ' || scopes || ' ' || agents || streams FROM tokens ORDER BY hash",
            );
            let sessions =
                dump("SELECT id || ' ' || hash || ' ' || coalesce(token_hash, '-') FROM sessions ORDER BY hash");
            all.push((tokens, sessions));
        }
        let (tokens, sessions) = &all[0];
        assert!(tokens[0].starts_with("tok_") && tokens[0].ends_with(" aa mac read write [][]"), "{tokens:?}");
        assert_eq!(tokens.len(), 2);
        assert!(sessions[0].ends_with(" cc aa") && sessions[1].ends_with(" dd -"), "{sessions:?}");
        assert_eq!(all[0], all[1], "the second time changes nothing");
    }

    #[test]
    fn a_newer_file_is_left_alone() {
        let mut conn = Connection::open_in_memory().expect("memory");
        conn.pragma_update(None, "user_version", VERSION + 1).expect("set");
        let refused = migrate(&mut conn).expect_err("newer").to_string();
        assert!(refused.contains("version 2"), "{refused}");
        assert!(conn.prepare("SELECT * FROM tokens").is_err());
    }
}
