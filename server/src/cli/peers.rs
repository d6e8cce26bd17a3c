//! `loggia peers add|list|remove|acknowledge|new-identity`: the hubs to pull from, and who this one is.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{Failure, Out, read_text};
use crate::config;
use crate::estate::peers::{self, Peer};
use crate::estate::seen;
use crate::lock::PalaceLock;
use crate::logstream::replica;

#[derive(Args)]
pub(super) struct Group {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Pull from a hub; one of the same name is replaced. A running hub sees it at its next round
    Add(Add),
    /// The hubs that this one pulls from; tokens are not shown
    List(List),
    /// Pull from a hub no longer
    Remove(Remove),
    /// Take away the alarm that this hub was restored from a backup, once its repair has ended. A running hub does it within a second
    Acknowledge(Acknowledge),
    /// Become another hub: for a copy of a palace, or when a repair cannot end. No hub may be running on the palace
    NewIdentity(NewIdentity),
}

#[derive(Args)]
struct Add {
    /// What people call it
    name: String,
    /// Where it listens, for example https://memory.example.com
    url: String,
    /// The file that holds the token for it; else $LOGGIA_PEER_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct List {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Remove {
    /// Its name
    name: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Acknowledge {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct NewIdentity {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Add(c) => c.json,
            Command::List(c) => c.json,
            Command::Remove(c) => c.json,
            Command::Acknowledge(c) => c.json,
            Command::NewIdentity(c) => c.json,
        }
    }

    pub(super) fn run(self, palace: &Path, out: &Out) -> Result<(), Failure> {
        match self.command {
            Command::Add(add) => add.run(palace, out),
            Command::List(_) => list(palace, out),
            Command::Remove(remove) => {
                peers::remove(palace, &remove.name).map_err(Failure::new)?;
                out.answer(&json!({"removed": remove.name}), || format!("removed {}", remove.name))
            }
            Command::Acknowledge(_) => acknowledge(palace, out),
            Command::NewIdentity(_) => new_identity(palace, out),
        }
    }
}

impl Add {
    fn run(self, palace: &Path, out: &Out) -> Result<(), Failure> {
        let name = loggia_domain::field::routing("name", self.name.into())?;
        let url = peers::address(&self.url).map_err(Failure::new)?;
        let token = match &self.token_file {
            Some(file) => Some(read_text(file)?.trim().to_owned()),
            None => config::peer_token(),
        };
        if let Some(token) = &token {
            peers::check_token(token).map_err(Failure::new)?;
        }
        let has_token = token.is_some();
        peers::add(palace, &Peer { name: name.clone(), url: url.clone(), token }).map_err(Failure::new)?;
        let url = url.as_str().trim_end_matches('/').to_owned();
        out.answer(&json!({"name": name, "url": url, "has_token": has_token}), || {
            let token = if has_token { "with a token" } else { "without a token" };
            format!("{name}: {url}, {token}")
        })
    }
}

fn list(palace: &Path, out: &Out) -> Result<(), Failure> {
    let read = peers::read(palace).map_err(Failure::new)?;
    let shown = |peer: &Peer| peer.url.as_str().trim_end_matches('/').to_owned();
    let all: Vec<_> =
        read.peers.iter().map(|p| json!({"name": p.name, "url": shown(p), "has_token": p.token.is_some()})).collect();
    out.answer(&json!({"peers": all, "faults": read.faults}), || {
        let mut lines: Vec<String> = read
            .peers
            .iter()
            .map(|p| {
                let token = if p.token.is_some() { "" } else { " (no token)" };
                format!("{}  {}{token}", p.name, shown(p))
            })
            .collect();
        lines.extend(read.faults.iter().map(|fault| format!("fault: {fault}")));
        if lines.is_empty() { "no peers".to_owned() } else { lines.join("\n") }
    })
}

fn acknowledge(palace: &Path, out: &Out) -> Result<(), Failure> {
    let seen_at_ms = seen::note(palace).map_err(|e| Failure::new(format!("it could not be noted: {e}")))?;
    let seen_at = loggia_domain::mems::event::iso(seen_at_ms);
    out.answer(&json!({"seen_at": seen_at}), || {
        format!("what was found until {seen_at} counts as seen; a repair that goes on stays an alarm until it has ended and is acknowledged")
    })
}

fn new_identity(palace: &Path, out: &Out) -> Result<(), Failure> {
    let _lock = PalaceLock::take(palace).map_err(|e| {
        Failure::new(e.to_string()).hint("stop it first: it would go on writing under the old identity")
    })?;
    let (old, new) = replica::mint_another(palace)?;
    out.answer(&json!({"was": old, "replica_id": new}), || {
        let was = old.as_deref().unwrap_or("nobody");
        format!("this hub was {was} and is now {new}; what it wrote before stays under the old name, which is in the log's events")
    })
}
