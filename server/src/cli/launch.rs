//! `loggia task launch`: starts an agent's own program on a task, after proving that the checkout is what the task starts from.
//!
//! No shell is involved anywhere: programs are started with their arguments as a list.

mod workspace;

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Args, ValueEnum};
use loggia_domain::refusal::quoted;
use loggia_domain::{Column, Filter, field, task};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::output::{Failure, notice, print, read_text};
use super::target::{Place, Target};
use crate::logstream::read::{ListQuery, Order};
use workspace::{Checkout, without_redirections};

#[derive(Args)]
pub(super) struct Launch {
    /// The task, by its correlation id
    #[arg(required_unless_present = "task_file", conflicts_with = "task_file")]
    correlation_id: Option<String>,
    /// The task.request event as JSON, from a file or (-) stdin, instead of looking it up
    #[arg(long, value_name = "FILE")]
    task_file: Option<PathBuf>,
    /// The program that does the work
    #[arg(long, value_enum)]
    runner: Runner,
    /// A clean git checkout on the task's branch, at its base commit
    #[arg(long, value_name = "DIR")]
    workspace: PathBuf,
    /// Who does it, when the task is for everybody
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Say errors in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Runner {
    /// codex exec --cd DIR PROMPT
    Codex,
    /// claude --print PROMPT, inside DIR
    Claude,
}

impl Runner {
    const ALL: [Self; 2] = [Self::Codex, Self::Claude];

    fn program(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
        }
    }

    /// The runner that an agent's name asks for: `win-codex`, `mac-claude`.
    fn named_by(agent: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| agent.strip_suffix(r.program()).is_some_and(|rest| rest.ends_with('-')))
    }

    fn command(self, workspace: &Path, prompt: &str) -> Command {
        let mut command = Command::new(self.program());
        match self {
            Self::Codex => command.args(["exec", "--cd"]).arg(workspace).arg(prompt),
            Self::Claude => command.args(["--print", prompt]).current_dir(workspace),
        };
        // What was proven of the checkout must hold for whoever works in it.
        without_redirections(&mut command);
        command
    }
}

/// What a launch needs to know of a task.
struct Task {
    correlation_id: String,
    to_agent: Option<String>,
    branch: String,
    base_commit: String,
}

impl Launch {
    pub(super) async fn run(self, at: Place) -> Result<ExitCode, Failure> {
        let task = if let Some(path) = &self.task_file {
            Task::from_file(&read_text(path)?)?
        } else {
            let id = self.correlation_id.clone().unwrap_or_default();
            at.with(async |target| Task::find(target, id).await).await?
        };
        let agent = worker(&task, self.agent)?;
        if let Some(other) = Runner::named_by(&agent).filter(|r| *r != self.runner) {
            let (given, wanted) = (self.runner.program(), other.program());
            return Err(Failure::new(format!("runner {given} does not fit agent {}", quoted(&agent)))
                .hint(format!("its name asks for --runner {wanted}")));
        }
        let workspace = std::fs::canonicalize(&self.workspace)
            .map_err(|e| Failure::new(format!("workspace {}: {e}", self.workspace.display())))?;
        Checkout::new(&workspace)?.must_be_at(&task.branch, &task.base_commit)?;

        let prompt = task::handoff(&task.correlation_id, &agent);
        let program = self.runner.program();
        print(format!("launching {} with {program} as {agent}\n", task.correlation_id).as_bytes())?;
        start(self.runner.command(&workspace, &prompt), program).await
    }
}

/// Runs a program to its end; its exit code. An interrupt from the keyboard reaches it by itself, and is its to answer.
async fn start(mut command: Command, program: &'static str) -> Result<ExitCode, Failure> {
    let _interrupts = signal(SignalKind::interrupt())?;
    let ended = tokio::task::spawn_blocking(move || command.status()).await;
    let status = ended
        .map_err(|e| Failure::new(format!("{program} was not waited for: {e}")))?
        .map_err(|e| Failure::new(format!("could not start {program}: {e}")))?;
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(1),
        (None, Some(signal)) => {
            notice(&format!("{program} was ended by signal {signal}"));
            u8::try_from(signal).map_or(1, |signal| signal.saturating_add(128))
        }
        (None, None) => 1,
    };
    Ok(ExitCode::from(code))
}

/// Who does the work: whom the task names, or who is named for a task for everybody.
fn worker(task: &Task, named: Option<String>) -> Result<String, Failure> {
    let named = field::optional_routing("agent", named.into())?;
    let addressed = task.to_agent.as_deref().filter(|to| *to != "*");
    match (named, addressed) {
        (Some(named), Some(addressed)) if named != addressed => {
            Err(Failure::new(format!("the task is addressed to {}, not {}", quoted(addressed), quoted(&named))))
        }
        (Some(named), _) => Ok(named),
        (None, Some(addressed)) => Ok(addressed.to_owned()),
        (None, None) => Err(Failure::new("a task for everybody needs --agent").hint("name who does it")),
    }
}

impl Task {
    /// The one request of a correlation.
    async fn find(target: &Target, correlation_id: String) -> Result<Self, Failure> {
        let id = field::routing("correlation_id", correlation_id.into())?;
        let query = ListQuery {
            filter: Filter::default().with(Column::Type, "task.request").with(Column::CorrelationId, &*id),
            since_event_id: None,
            before_event_id: None,
            order: Order::Asc,
            limit: 2,
        };
        let mut found = target.list(query).await?.events;
        match (found.pop(), found.pop()) {
            (None, _) => Err(Failure::new(format!("task {} not found", quoted(&id)))),
            (Some(_), Some(_)) => {
                Err(Failure::new(format!("task {} has several requests: it is not clear which one to do", quoted(&id))))
            }
            (Some(event), None) => Self::new(&id, Some(id.clone()), event.to_agent, event.branch, event.base_commit),
        }
    }

    /// The request that `task create --json` or `logstream list --json` printed: the event, or a document that holds it as `task`.
    fn from_file(text: &str) -> Result<Self, Failure> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| Failure::new(format!("--task-file: this is not JSON: {e}")))?;
        let event = value.get("task").filter(|t| t.is_object()).unwrap_or(&value);
        if event.get("type").and_then(Value::as_str) != Some("task.request") {
            return Err(Failure::new("--task-file: this is not a task.request event"));
        }
        let text = |key: &str| event.get(key).and_then(Value::as_str).map(str::to_owned);
        let to_agent = field::optional_routing("to_agent", text("to_agent").into())?;
        Self::new("--task-file", text("correlation_id"), to_agent, text("branch"), text("base_commit"))
    }

    fn new(
        source: &str,
        correlation_id: Option<String>,
        to_agent: Option<String>,
        branch: Option<String>,
        base_commit: Option<String>,
    ) -> Result<Self, Failure> {
        let needed = |name: &str, value: Option<String>| {
            field::optional_routing(name, value.into())?
                .ok_or_else(|| Failure::new(format!("task {}: there is no {name}", quoted(source))))
        };
        let base_commit = needed("base_commit", base_commit)?;
        if !(7..=64).contains(&base_commit.len()) || !base_commit.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Failure::new(format!(
                "task {}: base_commit {} is not 7 to 64 hexadecimal digits",
                quoted(source),
                quoted(&base_commit)
            )));
        }
        Ok(Self {
            correlation_id: needed("correlation_id", correlation_id)?,
            to_agent,
            branch: needed("branch", branch)?,
            base_commit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_ask_for_its_runner() {
        for (agent, runner) in [
            ("win-codex", Some("codex")),
            ("mac:x-claude", Some("claude")),
            ("win:codex", None),
            ("codex", None),
            ("claude-2", None),
        ] {
            assert_eq!(Runner::named_by(agent).map(Runner::program), runner, "{agent}");
        }
    }

    #[test]
    fn a_task_file_is_the_event_or_holds_it() {
        let event =
            r#"{"type":"task.request","correlation_id":"t","to_agent":"*","branch":"main","base_commit":"0123abc"}"#;
        for text in [event.to_owned(), format!(r#"{{"task":{event},"handoff":"x"}}"#)] {
            let task = Task::from_file(&text).map_err(|_| text).expect("a task");
            assert_eq!((task.correlation_id.as_str(), task.branch.as_str()), ("t", "main"));
        }
        for bad in ["", "[]", r#"{"type":"t.x"}"#, &event.replace("0123abc", "main"), &event.replace("branch", "x")] {
            assert!(Task::from_file(bad).is_err(), "{bad}");
        }
    }
}
