//! Making, listing, revoking and rotating tokens.

use std::time::Duration;

use loggia_domain::artifact::sha256_hex;
use loggia_domain::refusal::quoted;
use loggia_domain::{Raw, Reach, Refusal, field, timestamp};
use rusqlite::{Connection, Row, TransactionBehavior, params};
use serde::Serialize;
use time::OffsetDateTime;

use super::known::{is_over, list};
use super::{AuthError, PREFIX, Scope, TokenError, Tokens, lifetime, now_text, random_hex};

/// How many characters of a secret are shown for good: the prefix and six, which leave 232 bits unknown.
const SHOWN_CHARS: usize = PREFIX.len() + 6;
/// As how many agents a token may write at most.
const MAX_AGENTS: usize = 32;

/// What a new token shall be.
#[derive(Debug, Clone, Default)]
pub struct NewToken {
    /// Whose it is; unique among the living.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// The agents as which it may write; none for anybody.
    pub agents: Vec<String>,
    /// The streams that it may see and write to, as patterns; none for all.
    pub streams: Vec<String>,
    /// When it ends: a length of time or a moment, see [`lifetime::end`]; empty for never.
    pub expires: String,
}

/// A token that was just made. Its secret is nowhere else.
#[derive(Clone, Serialize)]
pub struct Created {
    /// `tok_<hex>`; no secret.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The beginning of the secret, by which people tell tokens apart.
    pub prefix: String,
    /// The secret, to be shown once.
    #[serde(rename = "token")]
    pub secret: String,
    /// When it ends, if it does.
    pub expires_at: Option<String>,
}

/// Where a token is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It opens.
    Active,
    /// Another one took its place; until its end it opens all the same.
    Replaced,
    /// Its time is over.
    Expired,
    /// Somebody ended it.
    Revoked,
}

/// What is told about a token.
#[derive(Debug, Clone, Serialize)]
pub struct TokenRecord {
    /// `tok_<hex>`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The beginning of its secret; `None` for tokens of early versions, of which only the hash is known.
    pub prefix: Option<String>,
    /// The words of its scopes, parted by blanks.
    pub scopes: String,
    /// The agents as which it may write; none for anybody.
    pub agents: Vec<String>,
    /// The streams that it may see and write to; none for all.
    pub streams: Vec<String>,
    /// Where it is in its life.
    pub state: State,
    /// When it was made.
    pub created_at: String,
    /// By whom: a token's name, or `command line`; empty for tokens of early versions.
    pub created_by: String,
    /// When it ends, if it does.
    pub expires_at: Option<String>,
    /// When it was last used; up to a minute late for whoever is not the hub.
    pub last_used_at: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
    /// The id of the token that took its place.
    pub replaced_by: Option<String>,
    #[serde(skip)]
    hash: String,
}

impl TokenRecord {
    /// Whether it opens anything.
    pub fn is_alive(&self) -> bool {
        matches!(self.state, State::Active | State::Replaced)
    }
}

const COLUMNS: &str =
    "id, name, prefix, scopes, agents, streams, created_at, created_by, expires_at, last_used_at, revoked_at,
    replaced_by, hash";

fn record(row: &Row<'_>) -> Result<TokenRecord, AuthError> {
    let (expires_at, revoked_at): (Option<String>, Option<String>) = (row.get(8)?, row.get(10)?);
    let replaced_by: Option<String> = row.get(11)?;
    let state = if revoked_at.is_some() {
        State::Revoked
    } else if expires_at.as_deref().is_some_and(is_over) {
        State::Expired
    } else if replaced_by.is_some() {
        State::Replaced
    } else {
        State::Active
    };
    Ok(TokenRecord {
        id: row.get(0)?,
        name: row.get(1)?,
        prefix: row.get(2)?,
        scopes: row.get(3)?,
        agents: list(&row.get::<_, String>(4)?)?,
        streams: list(&row.get::<_, String>(5)?)?,
        state,
        created_at: row.get(6)?,
        created_by: row.get(7)?,
        expires_at,
        last_used_at: row.get(9)?,
        revoked_at,
        replaced_by,
        hash: row.get(12)?,
    })
}

/// All tokens, the newest first.
fn records(conn: &Connection) -> Result<Vec<TokenRecord>, AuthError> {
    let sql = format!("SELECT {COLUMNS} FROM tokens ORDER BY rowid DESC");
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(record(row)?);
    }
    Ok(found)
}

impl NewToken {
    /// The same, every part by its rule; and when it ends.
    fn checked(&self) -> Result<(Self, Option<String>), Refusal> {
        let name = field::routing("name", Raw::Text(self.name.clone()))?;
        if self.scopes.is_empty() {
            let all = Scope::ALL.map(Scope::as_str).join(", ");
            return Err(Refusal::new("scope", "scope must name at least one").accepted(all));
        }
        let mut agents: Vec<String> = Vec::new();
        for agent in &self.agents {
            let agent = field::routing("agent", Raw::Text(agent.clone()))?;
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        if agents.len() > MAX_AGENTS {
            let message = format!("agent has {} names, at most {MAX_AGENTS} are allowed", agents.len());
            return Err(Refusal::new("agent", message).limit(MAX_AGENTS).value(agents.len()));
        }
        let streams = Reach::check(&self.streams)?;
        // What could undo a limit is not given together with it.
        for scope in [Scope::Admin, Scope::Replicate].into_iter().filter(|s| self.scopes.contains(s)) {
            for (limit, is_set) in [("agent", !agents.is_empty()), ("stream", !streams.is_empty())] {
                if is_set {
                    let message = format!("{limit} cannot limit a token with the scope `{}`", scope.as_str());
                    let hint = "an admin makes tokens without limits, and replication carries everybody's events";
                    return Err(Refusal::new(limit, message).hint(hint));
                }
            }
        }
        let ends = Some(self.expires.trim()).filter(|text| !text.is_empty());
        let expires_at = ends.map(|text| lifetime::end("expires", text, OffsetDateTime::now_utc())).transpose()?;
        Ok((Self { name, scopes: self.scopes.clone(), agents, streams, expires: String::new() }, expires_at))
    }
}

impl Tokens {
    /// Makes a token of 256 random bits. A name that a living token has is refused.
    pub fn create(&self, new: &NewToken, created_by: &str) -> Result<Created, TokenError> {
        let (new, expires_at) = new.checked()?;
        let mut conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if records(&tx)?.iter().any(|token| token.state == State::Active && token.name == new.name) {
            return Err(Refusal::new("name", format!("name {} is a living token's", quoted(&new.name)))
                .value(new.name.as_str())
                .hint("take another name, or revoke or rotate that token")
                .into());
        }
        let scopes = Scope::stored(&new.scopes);
        let created = insert(&tx, (&new.name, &scopes, &new.agents, &new.streams), expires_at, created_by)?;
        tx.commit()?;
        self.reload(&conn)?;
        Ok(created)
    }

    /// All tokens, the newest first, those that are over too.
    pub fn list(&self) -> Result<Vec<TokenRecord>, AuthError> {
        let mut found = records(&self.conn())?;
        let known = self.known();
        for token in &mut found {
            // What this process saw is newer than what is written down.
            token.last_used_at = known.used_at(&token.hash).or(token.last_used_at.take());
        }
        Ok(found)
    }

    /// Ends what goes by a name, a shown prefix or an id; with a name also the tokens that it replaced. Which they were.
    pub fn revoke(&self, which: &str) -> Result<Vec<TokenRecord>, TokenError> {
        let mut conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = named(&tx, which)?;
        let ended: Vec<TokenRecord> = found.into_iter().filter(TokenRecord::is_alive).collect();
        if ended.is_empty() {
            return Err(Refusal::new("name", format!("token {} is over already", quoted(which))).value(which).into());
        }
        for token in &ended {
            tx.execute("UPDATE tokens SET revoked_at = ?2 WHERE id = ?1", params![token.id, now_text()])?;
            tx.execute("DELETE FROM sessions WHERE token_hash = ?1", [&token.hash])?;
        }
        tx.commit()?;
        self.reload(&conn)?;
        Ok(ended)
    }

    /// Makes a token like another one, which ends after `overlap`: whoever uses it changes over meanwhile. The end of the old one that
    /// was set before stays the new one's.
    pub fn rotate(&self, which: &str, overlap: Duration, created_by: &str) -> Result<Created, TokenError> {
        let mut conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let old = named(&tx, which)?.into_iter().find(|token| token.state == State::Active).ok_or_else(|| {
            Refusal::new("name", format!("token {} is over or replaced already", quoted(which)))
                .value(which)
                .hint("make a new one with `loggia token create`")
        })?;
        let rights = (&*old.name, &*old.scopes, &old.agents[..], &old.streams[..]);
        let created = insert(&tx, rights, old.expires_at.clone(), created_by)?;
        let ends = timestamp::created_at(OffsetDateTime::now_utc() + overlap);
        let ends = old.expires_at.into_iter().chain([ends]).min();
        tx.execute(
            "UPDATE tokens SET replaced_by = ?2, expires_at = ?3 WHERE id = ?1",
            params![old.id, created.id, ends],
        )?;
        tx.commit()?;
        self.reload(&conn)?;
        Ok(created)
    }
}

/// Writes a new token's row.
fn insert(
    conn: &Connection,
    (name, scopes, agents, streams): (&str, &str, &[String], &[String]),
    expires_at: Option<String>,
    created_by: &str,
) -> Result<Created, AuthError> {
    let secret = format!("{PREFIX}{}", random_hex::<32>()?);
    let id = format!("tok_{}", random_hex::<6>()?);
    let prefix: String = secret.chars().take(SHOWN_CHARS).collect();
    let text = |list: &[String]| serde_json::to_string(list).map_err(|e| AuthError::new(e.to_string()));
    conn.execute(
        "INSERT INTO tokens (id, name, prefix, hash, scopes, agents, streams, created_at, created_by, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            name,
            prefix,
            sha256_hex(secret.as_bytes()),
            scopes,
            text(agents)?,
            text(streams)?,
            now_text(),
            created_by,
            expires_at
        ],
    )?;
    Ok(Created { id, name: name.to_owned(), prefix, secret, expires_at })
}

/// The tokens that go by an id, a shown prefix or a name, the newest first. A name that several active tokens have (early versions allowed
/// it) is refused.
fn named(conn: &Connection, which: &str) -> Result<Vec<TokenRecord>, TokenError> {
    let all = records(conn)?;
    let by = |is: &dyn Fn(&TokenRecord) -> bool| all.iter().filter(|token| is(token)).cloned().collect::<Vec<_>>();
    let found = [
        by(&|token| token.id == which),
        by(&|token| token.name == which),
        by(&|token| token.prefix.as_deref() == Some(which)),
    ];
    let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    let active: Vec<&str> = found.iter().filter(|t| t.state == State::Active).map(|t| t.id.as_str()).collect();
    if active.len() > 1 {
        return Err(Refusal::new("name", format!("{} tokens go by {}", active.len(), quoted(which)))
            .value(which)
            .accepted(active.join(", "))
            .hint(format!("give one of the ids {}", active.join(", ")))
            .into());
    }
    if found.is_empty() {
        // Not repeated whole: somebody may have pasted a secret.
        let shown: String = which.chars().take(SHOWN_CHARS).collect();
        let refusal = Refusal::new("name", format!("token {} not found", quoted(&shown)));
        return Err(TokenError::NotFound(refusal.hint("`loggia token list` shows names, prefixes and ids")));
    }
    Ok(found)
}
