//! `loggia diary write|read`: entries that are kept as they come and shown whole. The exact bytes of one are written by
//! `loggia drawer get`, with the entry's id.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loggia_domain::Refusal;
use loggia_domain::palace::{diary, name, text};
use serde_json::Value;

use super::drawer::memory::Memory;
use super::output::{Failure, Out, for_terminal, on_one_line, said, text_or_stdin};
use super::target::{Place, Remote};
use crate::palace::diary::NewEntry;

#[derive(Args)]
pub(super) struct Group {
    #[command(flatten)]
    remote: Remote,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write an entry
    Write(Write),
    /// Show the newest entries, newest first
    Read(Read),
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Write(c) => c.json,
            Command::Read(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let at = Place::new(palace, self.remote);
        match self.command {
            Command::Write(write) => write.run(at, out).await,
            Command::Read(read) => read.run(at, out).await,
        }
    }
}

#[derive(Args)]
struct Write {
    /// Who writes, for example mac:claude:atlas; upper and lower case are one
    #[arg(long, visible_alias = "agent-name", value_name = "NAME")]
    agent: String,
    /// The text itself; stdin is read when none is given
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    entry: Option<String>,
    /// The text from a file, or - for stdin
    #[arg(long, value_name = "FILE")]
    entry_file: Option<PathBuf>,
    /// What it is about
    #[arg(long, default_value = "general")]
    topic: String,
    /// Another wing than the agent's own
    #[arg(long)]
    wing: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Write {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let entry = text_or_stdin(("--entry", "--entry-file"), self.entry, self.entry_file.as_deref())?;
        let new = NewEntry {
            diarist: diary::diarist(self.agent.into())?,
            wing: wing(self.wing)?,
            entry: text::content(entry.into())?,
            topic: name::required("topic", self.topic.into())?,
        };
        let answer = at.memory(async |memory| memory.write_diary(new).await).await?;
        out.answer(&answer, || {
            let (id, at, agent) = (said(&answer, "entry_id"), said(&answer, "timestamp"), said(&answer, "agent"));
            format!("wrote {id}  {at}  by {agent}")
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
struct Read {
    /// Whose diary
    #[arg(long, visible_alias = "agent-name", value_name = "NAME")]
    agent: String,
    /// How many entries, 100 at the most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    last_n: u16,
    /// Only this wing
    #[arg(long)]
    wing: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Read {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let (agent, wing) = (diary::diarist(self.agent.into())?.agent, wing(self.wing)?);
        let ask = async |memory: &Memory| memory.read_diary(agent, wing, self.last_n).await;
        let answer = at.memory(ask).await?;
        out.answer(&answer, || told(&answer))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn wing(given: Option<String>) -> Result<Option<String>, Refusal> {
    given.filter(|wing| !wing.is_empty()).map(|wing| name::required("wing", wing.into())).transpose()
}

fn told(answer: &Value) -> String {
    let entries = answer["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let agent = on_one_line(said(answer, "agent"));
    if entries.is_empty() {
        return format!("no diary entries by {agent} yet");
    }
    let mut parts = vec![format!("{} of {} entries by {agent}, newest first", entries.len(), answer["total"])];
    for entry in entries {
        let [at, topic, wing, id] = ["timestamp", "topic", "wing", "entry_id"].map(|field| said(entry, field));
        let head = on_one_line(&format!("── {at}  {topic}  {wing}  {id}"));
        parts.push(format!("\n{}\n{}", head.trim_end(), for_terminal(said(entry, "content"))));
    }
    parts.join("\n")
}
