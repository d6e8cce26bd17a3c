//! `loggia task create|launch`: delegate work from a shell, and start on it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loggia_domain::task::TaskDraft;
use serde_json::json;

use super::launch::Launch;
use super::output::{Failure, Out, text_or_file};
use super::target::{Place, Remote};

#[derive(Args)]
pub(super) struct Group {
    #[command(flatten)]
    remote: Remote,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ask an agent to do something
    Create(Box<Create>),
    /// Start a coding agent on a task, in a checkout that is what the task starts from
    Launch(Box<Launch>),
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Create(c) => c.json,
            Command::Launch(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let at = Place::new(palace, self.remote);
        match self.command {
            Command::Create(create) => create.run(at, out).await,
            Command::Launch(launch) => launch.run(at).await,
        }
    }
}

#[derive(Args)]
struct Create {
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
    #[arg(long, required_unless_present = "goal_file", conflicts_with = "goal_file", allow_hyphen_values = true)]
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
    #[arg(long, required_unless_present = "done_file", conflicts_with = "done_file", allow_hyphen_values = true)]
    done: Option<String>,
    /// When it counts as done, from a file or (-) stdin
    #[arg(long, value_name = "FILE")]
    done_file: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Create {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let draft = TaskDraft {
            project: self.project.into(),
            from_agent: self.from_agent.into(),
            to_agent: self.to_agent.into(),
            goal: text_or_file(("--goal", "--goal-file"), self.goal, self.goal_file.as_deref())?.into(),
            branch: self.branch.into(),
            base_commit: self.base_commit.into(),
            done: text_or_file(("--done", "--done-file"), self.done, self.done_file.as_deref())?.into(),
        };
        let (task, handoff) = at.with(async |target| target.create_task(draft).await).await?;
        out.answer(&json!({"task": task, "handoff": handoff}), || {
            let correlation_id = task.correlation_id.as_deref().unwrap_or_default();
            let to_agent = task.to_agent.as_deref().unwrap_or_default();
            format!("created {correlation_id}\nevent {}\nfor {to_agent}\n\n{handoff}", task.id)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
