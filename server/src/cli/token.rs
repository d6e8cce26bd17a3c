//! `loggia token create`: another token, for whoever owns the machine. A running hub knows it at once.

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::output::{Failure, Out};
use crate::logstream::create_private_dir;
use crate::tokens::{Scope, Tokens};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make a token; its secret is shown this once
    Create(Create),
}

impl Command {
    pub(super) fn json(&self) -> bool {
        let Self::Create(create) = self;
        create.json
    }
}

#[derive(Args)]
pub(super) struct Create {
    /// Whose it is, for example mac:claude
    #[arg(long)]
    name: String,
    /// What it may do; several are parted by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [May::Write, May::Memory])]
    scope: Vec<May>,
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
    /// Everything
    Admin,
}

pub(super) fn run(command: Command, palace: &Path, out: &Out) -> Result<(), Failure> {
    let Command::Create(create) = command;
    let name = loggia_domain::field::routing("name", create.name.into())?;
    let scope = |may: May| match may {
        May::Read => Scope::Read,
        May::Write => Scope::Write,
        May::Memory => Scope::Memory,
        May::Admin => Scope::Admin,
    };
    let scopes: Vec<Scope> = create.scope.into_iter().map(scope).collect();
    create_private_dir(palace)?;
    let failed = |error: crate::tokens::AuthError| Failure::new(error.to_string());
    let secret = Tokens::open(palace, None).and_then(|tokens| tokens.mint(&name, &scopes)).map_err(failed)?;
    out.answer(&json!({"name": name, "token": secret}), || {
        format!("token for {name} (shown this once, keep it safe): {secret}")
    })
}
