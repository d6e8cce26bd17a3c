//! `loggia token …`: tokens for whoever owns the machine. A running hub knows of a change within a second.

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::output::{Failure, Out, notice, on_one_line};
use crate::logstream::create_private_dir;
use crate::tokens::audit::Audit;
use crate::tokens::{AuthError, Created, NewToken, Scope, State, TokenError, TokenRecord, Tokens, lifetime};

/// Who made what the command line makes.
pub(super) const WHO: &str = "command line";

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make a token; its secret is shown this once
    Create(Box<Create>),
    /// List the tokens: what they may do, when they were last used, when they end
    List(List),
    /// End a token and the browser sessions made from it
    Revoke(Revoke),
    /// Make a new secret for a token; the old one works until the overlap is over
    Rotate(Rotate),
}

impl Command {
    pub(super) fn json(&self) -> bool {
        match self {
            Self::Create(c) => c.json,
            Self::List(c) => c.json,
            Self::Revoke(c) => c.json,
            Self::Rotate(c) => c.json,
        }
    }
}

#[derive(Args)]
pub(super) struct Create {
    /// Whose it is, for example mac:claude; no other living token has this name
    #[arg(value_name = "NAME", required_unless_present = "named")]
    name: Option<String>,
    /// The same, as an option
    #[arg(long = "name", id = "named", value_name = "NAME", conflicts_with = "name")]
    named: Option<String>,
    /// What it may do; several are parted by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [May::Write, May::Memory])]
    scope: Vec<May>,
    /// An agent as which it may write, and as no other; may be repeated
    #[arg(long, value_name = "NAME")]
    agent: Vec<String>,
    /// A stream that it may see and write to, and no other; `*` stands for anything; may be repeated
    #[arg(long, value_name = "PATTERN")]
    stream: Vec<String>,
    /// When it ends: after 90m, 24h, 30d or 4w, or at an RFC 3339 time; never when nothing is said
    #[arg(long, value_name = "WHEN", default_value = "")]
    expires: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct List {
    /// Also those that are revoked or over
    #[arg(long)]
    all: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The name, the beginning of the secret as it is listed, or the id
    #[arg(value_name = "NAME|PREFIX|ID")]
    token: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Rotate {
    /// The name, the beginning of the secret as it is listed, or the id
    #[arg(value_name = "NAME|PREFIX|ID")]
    token: String,
    /// How long the old secret still works: 0m, 90m, 24h, 7d
    #[arg(long, value_name = "TIME", default_value = "24h")]
    overlap: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum May {
    /// See the log, its artifacts and the pages
    Read,
    /// Also append events and store artifacts
    Write,
    /// Keep drawers, diaries, tunnels and facts, and read them
    Memory,
    /// Exchange the log with another hub
    Replicate,
    /// Everything
    Admin,
}

impl May {
    fn scope(self) -> Scope {
        match self {
            Self::Read => Scope::Read,
            Self::Write => Scope::Write,
            Self::Memory => Scope::Memory,
            Self::Replicate => Scope::Replicate,
            Self::Admin => Scope::Admin,
        }
    }
}

impl From<AuthError> for Failure {
    fn from(error: AuthError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Refused(refusal) | TokenError::NotFound(refusal) => refusal.into(),
            TokenError::Auth(error) => error.into(),
        }
    }
}

pub(super) fn run(command: Command, palace: &Path, out: &Out) -> Result<(), Failure> {
    create_private_dir(palace)?;
    let tokens = Tokens::open(palace, None)?;
    match command {
        Command::Create(create) => {
            let new = NewToken {
                name: create.name.or(create.named).unwrap_or_default(),
                scopes: create.scope.into_iter().map(May::scope).collect(),
                agents: create.agent,
                streams: create.stream,
                expires: create.expires,
            };
            let made = tokens.create(&new, WHO)?;
            note(palace, "token.create", &made.name)?;
            show_secret(&made, out)
        }
        Command::Rotate(rotate) => {
            let overlap = lifetime::length("overlap", rotate.overlap.trim())?;
            let made = tokens.rotate(&rotate.token, overlap, WHO)?;
            note(palace, "token.rotate", &made.name)?;
            show_secret(&made, out)
        }
        Command::Revoke(revoke) => {
            let ended = tokens.revoke(&revoke.token)?;
            for token in &ended {
                note(palace, "token.revoke", &token.name)?;
            }
            let names = |token: &TokenRecord| format!("revoked {} ({})", token.name, shown_prefix(token));
            out.answer(&json!({"revoked": ended}), || ended.iter().map(names).collect::<Vec<_>>().join("\n"))
        }
        Command::List(list) => {
            let mut found = tokens.list()?;
            found.retain(|token| list.all || token.is_alive());
            out.answer(&json!({"tokens": found}), || table(&found))
        }
    }
}

/// Notes in the audit what a command did.
pub(super) fn note(palace: &Path, kind: &str, object: &str) -> Result<(), Failure> {
    let audit = Audit::open(palace)?;
    audit.note(WHO, kind, object, "ok");
    audit.close();
    Ok(())
}

/// The secret alone goes to stdout, so that it can be piped to where it is kept; what to know about it goes to stderr.
fn show_secret(made: &Created, out: &Out) -> Result<(), Failure> {
    if !out.is_json() {
        let ends = made.expires_at.as_deref().map(|at| format!(", until {at}")).unwrap_or_default();
        notice(&format!("token {} ({}…{ends}), shown this once, keep it safe:", on_one_line(&made.name), made.prefix));
    }
    out.answer(made, || made.secret.clone())
}

fn shown_prefix(token: &TokenRecord) -> String {
    token.prefix.as_ref().map_or_else(|| token.id.clone(), |prefix| format!("{prefix}…"))
}

fn table(tokens: &[TokenRecord]) -> String {
    if tokens.is_empty() {
        return "no tokens".to_owned();
    }
    let line = |token: &TokenRecord| {
        let state = match token.state {
            State::Active => "active",
            State::Replaced => "replaced",
            State::Expired => "expired",
            State::Revoked => "revoked",
        };
        let limits = [("as", &token.agents), ("in", &token.streams)].into_iter().filter(|(_, list)| !list.is_empty());
        let limits = limits.map(|(word, list)| format!("{word} {}", on_one_line(&list.join(", "))));
        let used = format!("last used {}", token.last_used_at.as_deref().unwrap_or("never"));
        let ends = token.expires_at.as_ref().map(|at| format!("until {at}"));
        let head = [on_one_line(&token.name), shown_prefix(token), state.to_owned(), token.scopes.clone()];
        head.into_iter().chain(limits).chain([used]).chain(ends).collect::<Vec<_>>().join("  ")
    };
    tokens.iter().map(line).collect::<Vec<_>>().join("\n")
}
