//! The credentials in memory: what the hub asks for every request. It is read anew as a whole whenever the file changed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use loggia_domain::timestamp;
use rusqlite::{Connection, OptionalExtension as _};

use super::{AuthError, Identity};
use crate::clock::now_ms;

/// Everything that may be presented, by the hash of its secret.
pub(super) struct Known {
    tokens: HashMap<String, Token>,
    sessions: HashMap<String, Session>,
    /// The first moment at which something here ends, ms since 1970.
    next_end_ms: u64,
    /// What SQLite said about other processes when this was read.
    pub(super) data_version: i64,
}

struct Token {
    id: String,
    identity: Identity,
    ends_ms: u64,
    used: Arc<Used>,
}

struct Session {
    token_hash: Option<String>,
    ends_ms: u64,
}

/// What a session was made from.
pub(super) enum Source<'a> {
    /// The sign-in link.
    Link,
    /// The token with this hash.
    Token(&'a str),
}

/// When a token was last used and until when that is written down, ms since 1970; 0 is never.
#[derive(Default)]
struct Used {
    at_ms: AtomicU64,
    written_ms: AtomicU64,
}

impl Known {
    /// Reads tokens and sessions that may still be used; what is known of their use goes on.
    pub(super) fn load(conn: &Connection, before: Option<&Self>) -> Result<Self, AuthError> {
        // First: what changes from here on is seen by the next look.
        let data_version = data_version(conn)?;
        let now = now_ms();
        let replaced = replaced(conn)?;
        let mut tokens = HashMap::new();
        let mut statement = conn.prepare_cached(
            "SELECT hash, id, name, scopes, agents, streams, expires_at FROM tokens WHERE revoked_at IS NULL",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let hash: String = row.get(0)?;
            let scopes: String = row.get(3)?;
            let (agents, streams) = (list(&row.get::<_, String>(4)?)?, list(&row.get::<_, String>(5)?)?);
            let used = before.and_then(|b| b.tokens.get(&hash)).map(|t| Arc::clone(&t.used)).unwrap_or_default();
            let id: String = row.get(1)?;
            let identity = Identity::new(row.get(2)?, &scopes, &agents, &streams).with_viewer(first(&replaced, &id));
            let token = Token {
                id,
                identity,
                ends_ms: row.get::<_, Option<String>>(6)?.map_or(u64::MAX, |at| ends_ms(&at)),
                used,
            };
            if token.ends_ms > now {
                tokens.insert(hash, token);
            }
        }
        let mut sessions = HashMap::new();
        let mut statement = conn.prepare_cached("SELECT hash, token_hash, expires_at FROM sessions")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let ends_ms = ends_ms(&row.get::<_, String>(2)?);
            if ends_ms > now {
                sessions.insert(row.get(0)?, Session { token_hash: row.get(1)?, ends_ms });
            }
        }
        let ends = tokens.values().map(|t| t.ends_ms).chain(sessions.values().map(|s| s.ends_ms));
        let next_end_ms = ends.min().unwrap_or(u64::MAX);
        Ok(Self { tokens, sessions, next_end_ms, data_version })
    }

    /// Whose token has this hash; that it was asked for counts as a use.
    pub(super) fn token(&self, hash: &str) -> Option<Identity> {
        let now = now_ms();
        let token = self.tokens.get(hash).filter(|token| token.ends_ms > now)?;
        token.used.at_ms.store(now, Relaxed);
        Some(token.identity.clone())
    }

    /// What a session was made from.
    pub(super) fn session(&self, hash: &str) -> Option<Source<'_>> {
        let session = self.sessions.get(hash).filter(|session| session.ends_ms > now_ms())?;
        Some(session.token_hash.as_deref().map_or(Source::Link, Source::Token))
    }

    /// Whether something that is known here has come to its end.
    pub(super) fn is_something_over(&self) -> bool {
        self.next_end_ms <= now_ms()
    }

    /// When a token was last used in this process, if it was.
    pub(super) fn used_at(&self, hash: &str) -> Option<String> {
        let at_ms = self.tokens.get(hash)?.used.at_ms.load(Relaxed);
        timestamp::created_at_ms(at_ms).filter(|_| at_ms > 0)
    }

    /// The ids of the tokens whose last use is not written down, and when that was.
    pub(super) fn take_used(&self) -> Vec<(String, String)> {
        let mut taken = Vec::new();
        for token in self.tokens.values() {
            let at_ms = token.used.at_ms.load(Relaxed);
            if at_ms > token.used.written_ms.swap(at_ms, Relaxed)
                && let Some(at) = timestamp::created_at_ms(at_ms)
            {
                taken.push((token.id.clone(), at));
            }
        }
        taken
    }
}

/// The id of the token that each one replaced by rotation.
fn replaced(conn: &Connection) -> Result<HashMap<String, String>, AuthError> {
    let mut statement = conn.prepare_cached("SELECT replaced_by, id FROM tokens WHERE replaced_by IS NOT NULL")?;
    let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(pairs.collect::<rusqlite::Result<_>>()?)
}

/// The id of the first token of a row of rotations.
fn first<'a>(replaced: &'a HashMap<String, String>, id: &'a str) -> &'a str {
    let before = |id: &&'a str| replaced.get(*id).map(String::as_str);
    // At most as many as there are rotations: a damaged file may tell of a circle.
    std::iter::successors(Some(id), before).take(replaced.len() + 1).last().unwrap_or(id)
}

/// Another number after every commit of another process.
pub(super) fn data_version(conn: &Connection) -> Result<i64, AuthError> {
    Ok(conn.prepare_cached("PRAGMA data_version")?.query_row([], |r| r.get(0))?)
}

/// Whether the file holds a token with this hash that was not revoked and is not over.
pub(super) fn is_usable(conn: &Connection, hash: &str) -> Result<bool, AuthError> {
    let mut statement = conn.prepare_cached("SELECT expires_at FROM tokens WHERE hash = ?1 AND revoked_at IS NULL")?;
    let found = statement.query_row([hash], |r| r.get::<_, Option<String>>(0)).optional()?;
    Ok(found.is_some_and(|expires_at| expires_at.is_none_or(|at| !is_over(&at))))
}

/// A JSON list of texts out of the file. Damage must not widen what a token may do.
pub(super) fn list(text: &str) -> Result<Vec<String>, AuthError> {
    serde_json::from_str(text).map_err(|e| AuthError::new(format!("a list of a token cannot be read: {e}")))
}

/// A stored time. What cannot be read is long over.
fn ends_ms(at: &str) -> u64 {
    timestamp::parse_rfc3339_ms(at).and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0)
}

/// Whether a stored time is over.
pub(super) fn is_over(at: &str) -> bool {
    ends_ms(at) <= now_ms()
}
