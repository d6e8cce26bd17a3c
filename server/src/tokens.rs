//! Who may speak to the hub: bearer tokens, browser sessions, and the one-time sign-in link.
//!
//! Secrets are kept as SHA-256 only (`<palace>/auth.sqlite3`), compared in constant time, and never printed by `Debug`. It knows
//! nothing of HTTP: callers hand in what they found in a header.
//!
//! # Design
//! Credentials are looked up some thousand times a second and changed a few times a year. So they are [`known`] in memory; a thread looks
//! five times a second whether another process changed the file or somebody's time is over, and wakes whoever holds a stream or waits.

pub mod audit;
mod known;
pub mod lifetime;
mod manage;
mod schema;
mod scope;
mod sessions;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use loggia_domain::artifact::sha256_hex;
use loggia_domain::{Refusal, id, timestamp};
use rusqlite::Connection;
use subtle::ConstantTimeEq;
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::db;
use known::{Known, Source};
pub use manage::{Created, NewToken, State, TokenRecord};
pub use scope::{Identity, Scope};
pub use sessions::SessionRecord;

/// The file within a palace.
pub const FILE_NAME: &str = "auth.sqlite3";

/// What every minted token starts with.
pub const PREFIX: &str = "lg_";

/// How long a browser session lasts.
pub const SESSION_TTL: Duration = Duration::from_hours(30 * 24);
/// How long the one-time sign-in link works.
pub const LINK_TTL: Duration = Duration::from_mins(10);

/// How often it is looked whether another process changed something, or something came to its end.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How often it is written down when tokens were last used.
const WRITE_USE_EVERY: Duration = Duration::from_mins(1);

/// What went wrong with `auth.sqlite3` or the source of random bytes.
#[derive(Debug, thiserror::Error)]
#[error("{FILE_NAME}: {0}")]
pub struct AuthError(String);

impl AuthError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl From<rusqlite::Error> for AuthError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// Why a token or a session was not made, changed or ended.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// What was asked breaks a rule.
    #[error("{0}")]
    Refused(Refusal),
    /// There is no such token or session.
    #[error("{0}")]
    NotFound(Refusal),
    /// The file.
    #[error("{0}")]
    Auth(#[from] AuthError),
}

impl From<Refusal> for TokenError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<rusqlite::Error> for TokenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Auth(error.into())
    }
}

/// All credentials of a hub.
pub struct Tokens {
    conn: Mutex<Connection>,
    /// Asked for what is not known: nobody who guesses waits for somebody who writes.
    reader: Mutex<Connection>,
    known: RwLock<Known>,
    changes: watch::Sender<u64>,
    bootstrap_hash: Option<String>,
    link: Mutex<Option<Link>>,
}

struct Link {
    hash: String,
    made: Instant,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens(…)")
    }
}

impl Tokens {
    /// Opens the palace's credentials, in a file that only its owner may read.
    pub fn open(palace: &Path, bootstrap: Option<&str>) -> Result<Self, AuthError> {
        let path = palace.join(FILE_NAME);
        create_private(&path).map_err(|e| AuthError(e.to_string()))?;
        let mut conn = db::open_writer(&path)?;
        schema::migrate(&mut conn)?;
        conn.execute("DELETE FROM sessions WHERE expires_at < ?1", [now_text()])?;
        let known = Known::load(&conn, None)?;
        Ok(Self {
            conn: Mutex::new(conn),
            reader: Mutex::new(db::open_follower(&path)?),
            known: RwLock::new(known),
            changes: watch::Sender::new(0),
            bootstrap_hash: bootstrap.map(|t| sha256_hex(t.as_bytes())),
            link: Mutex::new(None),
        })
    }

    /// Starts the thread that notices other processes and the ends of tokens, and writes down when they were used. It ends with the
    /// last handle.
    pub fn follow(self: &Arc<Self>) -> Result<(), AuthError> {
        let weak = Arc::downgrade(self);
        let run = move || {
            let mut use_written = Instant::now();
            loop {
                std::thread::sleep(LOOK_EVERY);
                let Some(tokens) = weak.upgrade() else { return };
                if let Err(error) = tokens.look() {
                    tracing::warn!(%error, "changes of other processes to the tokens could not be read");
                }
                if use_written.elapsed() >= WRITE_USE_EVERY {
                    use_written = Instant::now();
                    tokens.write_use();
                }
            }
        };
        let started = std::thread::Builder::new().name("tokens".to_owned()).spawn(run);
        started.map(drop).map_err(|e| AuthError(e.to_string()))
    }

    /// Writes down when tokens were last used, at the end.
    pub fn close(&self) {
        self.write_use();
    }

    /// With no bootstrap token and none stored, mints an admin token: its secret, to be shown once. Called when nothing can go wrong
    /// any more before it is shown: a token that nobody saw would lock everybody out.
    pub fn mint_first(&self) -> Result<Option<String>, AuthError> {
        let stored: i64 = self.conn().query_row("SELECT count(*) FROM tokens", [], |r| r.get(0))?;
        if self.bootstrap_hash.is_some() || stored > 0 {
            return Ok(None);
        }
        let first = NewToken { name: "first admin".to_owned(), scopes: vec![Scope::Admin], ..NewToken::default() };
        match self.create(&first, "the first start") {
            Ok(created) => Ok(Some(created.secret)),
            Err(TokenError::Auth(error)) => Err(error),
            Err(other) => Err(AuthError(other.to_string())),
        }
    }

    /// Whose token this is. One that is not known may have been made by another process a moment ago: then the file itself is asked, whatever
    /// SQLite says about other processes.
    pub fn bearer(&self, secret: &str) -> Option<Identity> {
        let hash = sha256_hex(secret.as_bytes());
        let known = self.by_hash(&self.known(), &hash);
        known.or_else(|| {
            let found = self.look_for(&hash);
            found.inspect_err(|error| tracing::error!(%error, "a token could not be looked up")).ok()?.then_some(())?;
            self.by_hash(&self.known(), &hash)
        })
    }

    /// Whose session this cookie is. It ends with its token.
    pub fn session(&self, secret: &str) -> Option<Identity> {
        let known = self.known();
        match known.session(&sha256_hex(secret.as_bytes()))? {
            Source::Link => Some(Identity::admin("local")),
            Source::Token(hash) => self.by_hash(&known, hash),
        }
    }

    /// Changes whenever a credential may have been made, ended, or come to its end. Wakes; says nothing.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn by_hash(&self, known: &Known, hash: &str) -> Option<Identity> {
        if self.bootstrap_hash.as_deref().is_some_and(|b| same(b, hash)) {
            return Some(Identity::admin("bootstrap"));
        }
        // The look-up is by the hash of the secret: its timing tells nothing about the secret itself.
        known.token(hash)
    }

    fn known(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what another process changed, and wakes whoever must look again.
    fn look(&self) -> Result<(), AuthError> {
        let conn = self.conn();
        let (is_stale, is_over) = {
            let known = self.known();
            (known.data_version != known::data_version(&conn)?, known.is_something_over())
        };
        if is_stale || is_over {
            self.reload(&conn)?;
        }
        Ok(())
    }

    /// Whether a token with this hash is in the file and may be used: then it is known from here on. The look-up is by an index: whoever tries
    /// secrets costs no more than that.
    fn look_for(&self, hash: &str) -> Result<bool, AuthError> {
        if !known::is_usable(&lock(&self.reader), hash)? {
            return Ok(false);
        }
        let conn = self.conn();
        // Another caller with the same token may have been faster.
        if self.by_hash(&self.known(), hash).is_none() {
            self.reload(&conn)?;
        }
        Ok(true)
    }

    /// Reads everything anew. The connection is locked meanwhile: what is known follows the file in its order.
    fn reload(&self, conn: &Connection) -> Result<(), AuthError> {
        let fresh = Known::load(conn, Some(&self.known()))?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        self.changes.send_modify(|n| *n = n.wrapping_add(1));
        Ok(())
    }

    fn write_use(&self) {
        let used = self.known().take_used();
        if used.is_empty() {
            return;
        }
        let mut conn = self.conn();
        let written = (|| {
            let tx = conn.transaction()?;
            for (id, at) in &used {
                tx.execute("UPDATE tokens SET last_used_at = ?2 WHERE id = ?1", [id, at])?;
            }
            tx.commit()
        })();
        if let Err(error) = written {
            tracing::warn!(%error, "when tokens were last used could not be written down");
        }
    }

    fn conn(&self) -> std::sync::MutexGuard<'_, Connection> {
        lock(&self.conn)
    }
}

/// Makes the file with rights for its owner alone before SQLite opens it; the WAL beside it gets the same.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// A panic elsewhere leaves nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn now_text() -> String {
    timestamp::created_at(OffsetDateTime::now_utc())
}

fn random_hex<const BYTES: usize>() -> Result<String, AuthError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| AuthError(format!("no random bytes: {e}")))?;
    Ok(id::hex(&bytes))
}

#[cfg(test)]
mod tests;
