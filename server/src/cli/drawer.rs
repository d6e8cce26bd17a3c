//! `loggia drawer add|get|list|update|delete`: texts in rooms of wings, exact bytes in, exact bytes out.

pub(super) mod memory;
pub(super) mod within;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args, Subcommand};
use loggia_domain::palace::{name, text};
use serde_json::Value;

use super::output::{Failure, Out, on_one_line, print, said, text_or_file, text_or_stdin, write_content};
use super::target::{Place, Remote};
use crate::palace::drawers::{Change, NewDrawer};
use memory::Memory;

/// How many drawers one command may delete.
const MAX_IDS: usize = 500;

#[derive(Args)]
pub(super) struct Group {
    #[command(flatten)]
    remote: Remote,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// File a text in a room of a wing
    Add(Box<Add>),
    /// Write a drawer's text to stdout, exactly; a diary entry's id will do, too
    Get(Get),
    /// List drawers by id, with the beginning of each text
    List(List),
    /// Change the text of a drawer, or move it; it keeps its id
    Update(Update),
    /// Delete drawers for good
    Delete(Delete),
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Add(c) => c.json,
            Command::Get(c) => c.json,
            Command::List(c) => c.json,
            Command::Update(c) => c.json,
            Command::Delete(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let at = Place::new(palace, self.remote);
        match self.command {
            Command::Add(add) => add.run(at, out).await,
            Command::Get(get) => get.run(at, out).await,
            Command::List(list) => list.run(at, out).await,
            Command::Update(update) => update.run(at, out).await,
            Command::Delete(delete) => delete.run(at, out).await,
        }
    }
}

#[derive(Args)]
struct Add {
    /// The wing, mostly a project or a person
    #[arg(long)]
    wing: String,
    /// The room within it, mostly a topic
    #[arg(long)]
    room: String,
    /// The file, or - for stdin (which is read when nothing is given)
    path: Option<PathBuf>,
    /// The same as an option
    #[arg(long, value_name = "FILE", conflicts_with = "path")]
    content_file: Option<PathBuf>,
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// Where it comes from; only noted
    #[arg(long, value_name = "PATH", default_value = "")]
    source_file: String,
    /// Who files it
    #[arg(long, value_name = "NAME", default_value = "cli")]
    added_by: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let file = self.content_file.or(self.path);
        let content = text_or_stdin(("--content", "--content-file"), self.content, file.as_deref())?;
        let new = NewDrawer {
            wing: name::required("wing", self.wing.into())?,
            room: name::required("room", self.room.into())?,
            content: text::content(content.into())?,
            source_file: self.source_file,
            added_by: self.added_by,
        };
        let answer = at.memory(async |memory| memory.add(new).await).await?;
        out.answer(&answer, || {
            let verb = if answer["reason"] == "already_exists" { "there already:" } else { "filed" };
            format!("{verb} {}", said(&answer, "drawer_id"))
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
struct Get {
    /// The drawer
    #[arg(value_name = "ID")]
    id: String,
    /// Write the text to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Answer the drawer in JSON instead of its text
    #[arg(long)]
    json: bool,
}

impl Get {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let mut drawer = at.memory(async |memory| memory.drawer(self.id).await).await?;
        let Some(path) = self.out else {
            if self.json {
                out.answer(&drawer, String::new)?;
            } else {
                print(said(&drawer, "content").as_bytes())?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let content = drawer["content"].take();
        let bytes = content.as_str().unwrap_or_default().as_bytes();
        write_content(&path, bytes, &mut drawer)?;
        out.answer(&drawer, || format!("wrote {} bytes to {}", bytes.len(), path.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    flags: within::Flags,
    /// At most so many, 100 at the most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=100))]
    limit: u16,
    /// How many to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl List {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let within = self.flags.check(None)?;
        let ask = async |memory: &Memory| memory.list(within, self.limit, self.offset).await;
        let answer = at.memory(ask).await?;
        out.answer(&answer, || listed(&answer))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn listed(answer: &Value) -> String {
    let drawers = answer["drawers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines = vec![format!("{} of {} drawer(s):", drawers.len(), answer["total"])];
    for drawer in drawers {
        let (id, wing, room) = (said(drawer, "drawer_id"), said(drawer, "wing"), said(drawer, "room"));
        let filed_at = said(&drawer["metadata"], "filed_at");
        lines.push(on_one_line(&format!("  {id}  {filed_at}  {wing}/{room}")));
        lines.push(on_one_line(&format!("      {}", said(drawer, "content_preview"))));
    }
    let next = answer["offset"].as_u64().unwrap_or(0) + drawers.len() as u64;
    if !drawers.is_empty() && answer["total"].as_u64().is_some_and(|total| next < total) {
        lines.push(format!("more of them: --offset {next}"));
    }
    lines.join("\n")
}

#[derive(Args)]
#[command(group(ArgGroup::new("change").args(["content", "content_file", "wing", "room"]).required(true).multiple(true)))]
struct Update {
    /// The drawer
    #[arg(value_name = "ID")]
    id: String,
    /// The new text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// The new text from a file, or - for stdin
    #[arg(long, value_name = "FILE")]
    content_file: Option<PathBuf>,
    /// The new wing
    #[arg(long)]
    wing: Option<String>,
    /// The new room
    #[arg(long)]
    room: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Update {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let content = text_or_file(("--content", "--content-file"), self.content, self.content_file.as_deref())?;
        let change = Change {
            content: content.map(|text| text::content(text.into())).transpose()?,
            wing: self.wing.map(|wing| name::required("wing", wing.into())).transpose()?,
            room: self.room.map(|room| name::required("room", room.into())).transpose()?,
        };
        let answer = at.memory(async |memory| memory.update(self.id, change).await).await?;
        out.answer(&answer, || {
            let (id, wing, room) = (said(&answer, "drawer_id"), said(&answer, "wing"), said(&answer, "room"));
            format!("changed {id}, in {wing}/{room}")
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
struct Delete {
    /// The drawers
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Delete {
    async fn run(mut self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        if self.ids.len() > MAX_IDS {
            return Err(Failure::new(format!("at most {MAX_IDS} drawers at once, not {}", self.ids.len())));
        }
        let only = if self.ids.len() == 1 { self.ids.pop() } else { None };
        let work = async |memory: &Memory| match only {
            Some(id) => memory.delete(id).await,
            None => memory.delete_all(self.ids).await,
        };
        let answer = at.memory(work).await?;
        out.answer(&answer, || match answer["results"].as_array() {
            None => gone(&answer),
            Some(results) => results.iter().map(gone).collect::<Vec<_>>().join("\n"),
        })?;
        // What was there is gone; that something was not there is said all the same.
        Ok(if answer["errors"].as_u64().is_some_and(|n| n > 0) { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

fn gone(result: &Value) -> String {
    match result["error"].as_str() {
        Some(error) => on_one_line(error),
        None => on_one_line(&format!("deleted {}", said(result, "drawer_id"))),
    }
}
