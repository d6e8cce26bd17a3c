//! Who may speak to the hub: bearer tokens, browser sessions, and the one-time sign-in link.
//!
//! Secrets are kept as SHA-256 only (`<palace>/auth.sqlite3`), compared in constant time, and never printed by `Debug`. It knows
//! nothing of HTTP: callers hand in what they found in a header.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use loggia_domain::artifact::sha256_hex;
use loggia_domain::{id, timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use subtle::ConstantTimeEq;
use time::OffsetDateTime;

use crate::db;

/// The file within a palace.
pub const FILE_NAME: &str = "auth.sqlite3";

/// What every minted token starts with.
pub const PREFIX: &str = "lg_";

/// How long a browser session lasts.
pub const SESSION_TTL: Duration = Duration::from_hours(30 * 24);
/// How long the one-time sign-in link works.
pub const LINK_TTL: Duration = Duration::from_mins(10);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, token_hash TEXT, created_at TEXT NOT NULL, expires_at TEXT NOT NULL);";

/// What a credential may do (`contract: mcp-and-http`, section Routes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// See the log, its artifacts and the pages.
    Read,
    /// Append events and store artifacts.
    Write,
    /// Keep drawers, diaries, tunnels and facts, and read them.
    Memory,
    /// Manage the hub; includes everything.
    Admin,
}

impl Scope {
    /// What a token of these scopes may do, as it is stored: whoever writes may read.
    fn stored(scopes: &[Self]) -> String {
        let is_in = |scope: &Self| scopes.contains(scope) || (*scope == Self::Read && scopes.contains(&Self::Write));
        let all = [Self::Read, Self::Write, Self::Memory, Self::Admin];
        all.into_iter().filter(is_in).map(Self::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The word for it, in messages and in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Memory => "memory",
            Self::Admin => "admin",
        }
    }
}

/// Who was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The token's name.
    pub name: String,
    scopes: String,
}

impl Identity {
    /// Somebody who may do everything.
    pub fn admin(name: &str) -> Self {
        Self { name: name.to_owned(), scopes: Scope::Admin.as_str().to_owned() }
    }

    /// Whether it may do this.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.split(' ').any(|s| s == scope.as_str() || s == Scope::Admin.as_str())
    }
}

/// What went wrong with `auth.sqlite3` or the source of random bytes.
#[derive(Debug, thiserror::Error)]
#[error("{FILE_NAME}: {0}")]
pub struct AuthError(String);

impl From<rusqlite::Error> for AuthError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// All credentials of a hub.
pub struct Tokens {
    conn: Mutex<Connection>,
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
        let conn = db::open_writer(&path)?;
        conn.execute_batch(TABLES)?;
        conn.execute("DELETE FROM sessions WHERE expires_at < ?1", [now_text()])?;
        let tokens = Self {
            conn: Mutex::new(conn),
            bootstrap_hash: bootstrap.map(|t| sha256_hex(t.as_bytes())),
            link: Mutex::new(None),
        };
        Ok(tokens)
    }

    /// With no bootstrap token and none stored, mints an admin token: its secret, to be shown once. Called when nothing can go wrong
    /// any more before it is shown: a token that nobody saw would lock everybody out.
    pub fn mint_first(&self) -> Result<Option<String>, AuthError> {
        let stored: i64 = self.conn().query_row("SELECT count(*) FROM tokens", [], |r| r.get(0))?;
        (self.bootstrap_hash.is_none() && stored == 0).then(|| self.mint("first admin", &[Scope::Admin])).transpose()
    }

    /// Makes a token of 256 random bits and gives its secret, which is not stored.
    pub fn mint(&self, name: &str, scopes: &[Scope]) -> Result<String, AuthError> {
        let secret = format!("{PREFIX}{}", random_hex()?);
        self.conn().execute(
            "INSERT INTO tokens (hash, name, scopes, created_at) VALUES (?1, ?2, ?3, ?4)",
            params![sha256_hex(secret.as_bytes()), name, Scope::stored(scopes), now_text()],
        )?;
        Ok(secret)
    }

    /// Whose token this is.
    pub fn bearer(&self, secret: &str) -> Result<Option<Identity>, AuthError> {
        self.by_hash(&sha256_hex(secret.as_bytes()))
    }

    /// Opens a session for whoever presents a token; gives the cookie's secret.
    pub fn sign_in(&self, secret: &str) -> Result<Option<String>, AuthError> {
        let hash = sha256_hex(secret.as_bytes());
        if self.by_hash(&hash)?.is_none() {
            return Ok(None);
        }
        self.open_session(Some(&hash)).map(Some)
    }

    /// A new one-time sign-in code; it replaces the one before.
    pub fn new_link(&self) -> Result<String, AuthError> {
        let code = random_hex()?;
        *lock(&self.link) = Some(Link { hash: sha256_hex(code.as_bytes()), made: Instant::now() });
        Ok(code)
    }

    /// Opens a session for whoever presents the code, once and within [`LINK_TTL`]; gives the cookie's secret.
    pub fn redeem_link(&self, code: &str) -> Result<Option<String>, AuthError> {
        let mut link = lock(&self.link);
        let hash = sha256_hex(code.as_bytes());
        let valid = link.as_ref().is_some_and(|l| same(&l.hash, &hash) && l.made.elapsed() < LINK_TTL);
        if !valid {
            return Ok(None);
        }
        *link = None;
        self.open_session(None).map(Some)
    }

    /// Whose session this cookie is. It ends with its token.
    pub fn session(&self, secret: &str) -> Result<Option<Identity>, AuthError> {
        let row: Option<Option<String>> = self
            .conn()
            .prepare_cached("SELECT token_hash FROM sessions WHERE hash = ?1 AND expires_at >= ?2")?
            .query_row(params![sha256_hex(secret.as_bytes()), now_text()], |r| r.get(0))
            .optional()?;
        match row {
            None => Ok(None),
            Some(None) => Ok(Some(Identity::admin("local"))),
            Some(Some(token_hash)) => self.by_hash(&token_hash),
        }
    }

    /// Ends a session.
    pub fn sign_out(&self, secret: &str) -> Result<(), AuthError> {
        self.conn().execute("DELETE FROM sessions WHERE hash = ?1", [sha256_hex(secret.as_bytes())])?;
        Ok(())
    }

    fn open_session(&self, token_hash: Option<&str>) -> Result<String, AuthError> {
        let secret = random_hex()?;
        let expires = timestamp::created_at(OffsetDateTime::now_utc() + SESSION_TTL);
        self.conn().execute(
            "INSERT INTO sessions (hash, token_hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
            params![sha256_hex(secret.as_bytes()), token_hash, now_text(), expires],
        )?;
        Ok(secret)
    }

    fn by_hash(&self, hash: &str) -> Result<Option<Identity>, AuthError> {
        if self.bootstrap_hash.as_deref().is_some_and(|b| same(b, hash)) {
            return Ok(Some(Identity::admin("bootstrap")));
        }
        // The look-up is by the hash of the secret: its timing tells nothing about the secret itself.
        let row = self
            .conn()
            .prepare_cached("SELECT name, scopes FROM tokens WHERE hash = ?1")?
            .query_row([hash], |r| Ok(Identity { name: r.get(0)?, scopes: r.get(1)? }))
            .optional()?;
        Ok(row)
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

fn random_hex() -> Result<String, AuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| AuthError(format!("no random bytes: {e}")))?;
    Ok(id::hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_start_mints_one_token_and_stores_only_its_hash() {
        let dir = tempfile::tempdir().expect("temp dir");
        let tokens = Tokens::open(dir.path(), None).expect("opened");
        let secret = tokens.mint_first().expect("asked").expect("minted");
        assert!(secret.starts_with(PREFIX) && secret.len() == PREFIX.len() + 64);
        assert!(tokens.bearer(&secret).expect("asked").expect("known").may(Scope::Write));
        assert_eq!(tokens.bearer("lg_other").expect("asked"), None);
        drop(tokens);
        let again = Tokens::open(dir.path(), None).expect("opened");
        assert_eq!(again.mint_first().expect("asked"), None);
        assert!(again.bearer(&secret).expect("asked").is_some());
        drop(again);
        for entry in std::fs::read_dir(dir.path()).expect("dir") {
            let bytes = std::fs::read(entry.expect("entry").path()).expect("read");
            assert!(!bytes.windows(secret.len()).any(|w| w == secret.as_bytes()), "the secret is on disk");
        }
    }

    #[test]
    fn a_link_works_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let tokens = Tokens::open(dir.path(), Some("a-bootstrap-token-of-ours")).expect("opened");
        let code = tokens.new_link().expect("made");
        assert_eq!(tokens.redeem_link("guess").expect("asked"), None);
        let session = tokens.redeem_link(&code).expect("asked").expect("valid");
        assert_eq!(tokens.redeem_link(&code).expect("asked"), None);
        assert_eq!(tokens.session(&session).expect("asked"), Some(Identity::admin("local")));
        tokens.sign_out(&session).expect("ended");
        assert_eq!(tokens.session(&session).expect("asked"), None);
    }

    #[test]
    fn a_session_ends_with_its_token() {
        let dir = tempfile::tempdir().expect("temp dir");
        let tokens = Tokens::open(dir.path(), Some("a-bootstrap-token-of-ours")).expect("opened");
        let session = tokens.sign_in("a-bootstrap-token-of-ours").expect("asked").expect("valid");
        assert!(tokens.session(&session).expect("asked").is_some());
        drop(tokens);
        let other = Tokens::open(dir.path(), Some("another-bootstrap-token")).expect("opened");
        assert_eq!(other.session(&session).expect("asked"), None);
    }
}
