//! `loggia session …`: the browser sessions that are open, and how one is ended. A running hub knows of it within a second.

use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{Failure, Out, on_one_line};
use super::token::note;
use crate::logstream::create_private_dir;
use crate::tokens::Tokens;

#[derive(Subcommand)]
pub(super) enum Command {
    /// List the browser sessions that are open
    List(List),
    /// End one; whoever has it signs in again
    End(End),
}

impl Command {
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(c) => c.json,
            Self::End(c) => c.json,
        }
    }
}

#[derive(Args)]
pub(super) struct List {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct End {
    /// The id, as it is listed
    id: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: Command, palace: &Path, out: &Out) -> Result<(), Failure> {
    create_private_dir(palace)?;
    let tokens = Tokens::open(palace, None)?;
    match command {
        Command::List(_) => {
            let sessions = tokens.sessions()?;
            out.answer(&json!({"sessions": sessions}), || {
                let lines = sessions.iter().map(|session| {
                    let name = on_one_line(&session.token);
                    format!("{}  {name}  since {}  until {}", session.id, session.created_at, session.expires_at)
                });
                let lines: Vec<String> = lines.collect();
                if lines.is_empty() { "no sessions".to_owned() } else { lines.join("\n") }
            })
        }
        Command::End(end) => {
            let token = tokens.end_session(&end.id)?;
            note(palace, "session.end", &end.id)?;
            out.answer(&json!({"ended": end.id, "token": token}), || format!("ended {} of {token}", end.id))
        }
    }
}
