//! Browser sessions: how they begin, which there are, and how they end. The sign-in link is one way into a session.

use std::time::Instant;

use loggia_domain::artifact::sha256_hex;
use loggia_domain::refusal::quoted;
use loggia_domain::{Refusal, timestamp};
use rusqlite::params;
use serde::Serialize;
use time::OffsetDateTime;

use super::{AuthError, LINK_TTL, Link, SESSION_TTL, TokenError, Tokens, lock, now_text, random_hex, same};

/// What is told about a session.
#[derive(Debug, Clone, Serialize)]
pub struct SessionRecord {
    /// `ses_<hex>`; no secret.
    pub id: String,
    /// The name of the token that it was made from; `local` for the sign-in link.
    pub token: String,
    /// When it began.
    pub created_at: String,
    /// When it ends at the latest.
    pub expires_at: String,
    #[serde(skip)]
    hash: String,
}

impl SessionRecord {
    /// Whether a cookie is this session's.
    pub fn is_of(&self, cookie: &str) -> bool {
        same(&self.hash, &sha256_hex(cookie.as_bytes()))
    }
}

impl Tokens {
    /// Opens a session for whoever presents a token; gives the cookie's secret.
    pub fn sign_in(&self, secret: &str) -> Result<Option<String>, AuthError> {
        let hash = sha256_hex(secret.as_bytes());
        if self.bearer(secret).is_none() {
            return Ok(None);
        }
        self.open_session(Some(&hash)).map(Some)
    }

    /// A new one-time sign-in code; it replaces the one before.
    pub fn new_link(&self) -> Result<String, AuthError> {
        let code = random_hex::<32>()?;
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

    /// Ends a session.
    pub fn sign_out(&self, secret: &str) -> Result<(), AuthError> {
        let conn = self.conn();
        conn.execute("DELETE FROM sessions WHERE hash = ?1", [sha256_hex(secret.as_bytes())])?;
        self.reload(&conn)
    }

    /// The sessions that are open, the newest first.
    pub fn sessions(&self) -> Result<Vec<SessionRecord>, AuthError> {
        let conn = self.conn();
        let mut statement = conn.prepare_cached(
            // A session ends with its token.
            "SELECT s.id, s.hash, s.token_hash, s.created_at, min(s.expires_at, coalesce(t.expires_at, s.expires_at)) AS ends_at, t.name
             FROM sessions s LEFT JOIN tokens t ON t.hash = s.token_hash WHERE ends_at > ?1 ORDER BY s.rowid DESC",
        )?;
        let mut rows = statement.query([now_text()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (token_hash, name): (Option<String>, Option<String>) = (row.get(2)?, row.get(5)?);
            let token = name.unwrap_or_else(|| if token_hash.is_some() { "bootstrap" } else { "local" }.to_owned());
            found.push(SessionRecord {
                id: row.get(0)?,
                hash: row.get(1)?,
                token,
                created_at: row.get(3)?,
                expires_at: row.get(4)?,
            });
        }
        Ok(found)
    }

    /// Ends the session with this id. What it was made from.
    pub fn end_session(&self, id: &str) -> Result<String, TokenError> {
        let found = self.sessions()?.into_iter().find(|session| session.id == id).ok_or_else(|| {
            let refusal = Refusal::new("id", format!("session {} not found", quoted(id))).value(id);
            TokenError::NotFound(refusal.hint("`loggia session list` shows the sessions that are open"))
        })?;
        let conn = self.conn();
        conn.execute("DELETE FROM sessions WHERE id = ?1", [id])?;
        self.reload(&conn)?;
        Ok(found.token)
    }

    fn open_session(&self, token_hash: Option<&str>) -> Result<String, AuthError> {
        let secret = random_hex::<32>()?;
        let id = format!("ses_{}", random_hex::<6>()?);
        let expires = timestamp::created_at(OffsetDateTime::now_utc() + SESSION_TTL);
        let conn = self.conn();
        conn.execute(
            "INSERT INTO sessions (id, hash, token_hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![id, sha256_hex(secret.as_bytes()), token_hash, now_text(), expires],
        )?;
        self.reload(&conn)?;
        Ok(secret)
    }
}
