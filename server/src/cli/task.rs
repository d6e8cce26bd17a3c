//! `loggia task create`: delegate work from a shell.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use loggia_domain::task::{self, TaskDraft};
use serde_json::json;

use super::output::{Failure, Out, read_text};
use crate::logstream::Logstream;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Ask an agent to do something
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
    /// The project; the stream becomes project/<slug>
    #[arg(long)]
    project: String,
    /// Who asks
    #[arg(long)]
    from_agent: String,
    /// Who shall do it
    #[arg(long)]
    to_agent: String,
    /// What is wanted
    #[arg(long, required_unless_present = "goal_file", conflicts_with = "goal_file")]
    goal: Option<String>,
    /// What is wanted, from a file or (-) stdin
    #[arg(long, value_name = "FILE")]
    goal_file: Option<PathBuf>,
    /// The branch to work on
    #[arg(long)]
    branch: String,
    /// The commit to start from, 7 to 64 hex digits
    #[arg(long)]
    base_commit: String,
    /// When it counts as done
    #[arg(long, required_unless_present = "done_file", conflicts_with = "done_file")]
    done: Option<String>,
    /// When it counts as done, from a file or (-) stdin
    #[arg(long, value_name = "FILE")]
    done_file: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(command: Command, log: &Logstream, out: &Out) -> Result<(), Failure> {
    let Command::Create(create) = command;
    let draft = TaskDraft {
        project: create.project.into(),
        from_agent: create.from_agent.into(),
        to_agent: create.to_agent.into(),
        goal: text(create.goal, create.goal_file)?.into(),
        branch: create.branch.into(),
        base_commit: create.base_commit.into(),
        done: text(create.done, create.done_file)?.into(),
    };
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|e| Failure::new(format!("no random bytes: {e}")))?;
    let event = log.append(draft.check(random)?).await?;
    let correlation_id = event.correlation_id.as_deref().unwrap_or_default();
    let handoff = task::handoff(correlation_id, event.to_agent.as_deref().unwrap_or_default());
    out.answer(&json!({"task": event, "handoff": handoff}), || format!("created {correlation_id}\n{handoff}"))
}

fn text(given: Option<String>, file: Option<PathBuf>) -> Result<Option<String>, Failure> {
    file.map_or(Ok(given), |path| read_text(&path).map(Some))
}
