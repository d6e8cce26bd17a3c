//! `loggia hook session-start|stop|session-end|pre-compact`: what the hook systems of coding agents call. One JSON object on
//! stdin, one on stdout. It keeps a diary for agents that forget to, and is no way to write one's own: that is `loggia diary write`.
//!
//! # Design
//! A hook never fails the session that calls it: whatever happens, the answer is an object (`{}` when there is nothing to say), the
//! exit code is 0, and the cause is a line in `~/.mempalace/hook_state/hook.log`. Nobody waits for it longer than [`PATIENCE`]; what a
//! turn's end could not save, the next one tries again.

mod call;
mod input;
mod state;
mod switches;
mod transcript;
mod wing;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::output::{Failure, deliver};
use super::target::{Place, Remote};
use crate::config::{self, ConfigError};
use call::Call;
use input::Input;
use state::State;
use switches::Switches;

/// How long a session waits for a palace or a hub.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(super) struct Hook {
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    how: How,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args)]
struct How {
    /// Which coding agent calls
    #[arg(long, global = true, value_enum, default_value_t = Harness::ClaudeCode)]
    harness: Harness,
    /// Whose diary it is, for example mac:claude:atlas; else claude, codex or dsh
    #[arg(long, global = true, value_name = "NAME")]
    agent: Option<String>,
    /// Ask the agent to write the entry itself, where it can still be asked: at a start and at a stop
    #[arg(long, global = true)]
    remind: bool,
    /// Save this entry instead of one made from the transcript
    #[arg(long, global = true, value_name = "TEXT", allow_hyphen_values = true)]
    entry: Option<String>,
    /// Save this file as the entry
    #[arg(long, global = true, value_name = "FILE")]
    entry_file: Option<PathBuf>,
    /// What the entry is about
    #[arg(long, global = true, default_value = "checkpoint")]
    topic: String,
}

#[derive(Subcommand)]
enum Command {
    /// A session begins: with --remind, tell the agent about its diary
    SessionStart,
    /// A turn ends: save every 15 messages, or ask the agent to
    Stop,
    /// A session ends: save
    SessionEnd,
    /// The context is about to be compacted: save what is new
    #[command(alias = "precompact")]
    PreCompact,
    /// The same under the names of MemPalace
    Run(Run),
}

#[derive(Args)]
struct Run {
    /// The event
    #[arg(long, value_enum)]
    hook: Event,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Event {
    SessionStart,
    Stop,
    SessionEnd,
    #[value(name = "precompact", alias = "pre-compact")]
    PreCompact,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
            Self::PreCompact => "pre-compact",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Harness {
    ClaudeCode,
    Codex,
    Dsh,
}

impl Harness {
    /// The diary that is meant when nobody is named.
    fn agent(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Dsh => "dsh",
        }
    }
}

impl Hook {
    /// Answers a hook. Takes the palace as far as it could be found, since even that must not fail a session.
    pub(super) async fn run(self, palace: Result<PathBuf, ConfigError>) -> ExitCode {
        // Read in any case: a caller who cannot deliver its message may take that for a failure.
        let input = Input::read();
        let answer = self.answer(palace, input).await.unwrap_or_else(|| json!({}));
        // Where stdout is gone there is nobody to tell.
        let _ = deliver(format!("{answer}\n").as_bytes());
        ExitCode::SUCCESS
    }

    /// What is said; `None` for nothing.
    async fn answer(self, palace: Result<PathBuf, ConfigError>, input: Input) -> Option<Value> {
        let home = config::home()?;
        let switches = Switches::read(&home);
        let has_palace = palace.as_ref().is_ok_and(|palace| palace.exists());
        let names_hub = !matches!(self.remote.clone().hub(), Ok(None));
        // A machine on which nobody keeps a palace gets none from a hook.
        if !(has_palace || names_hub || switches.has_mempalace) || !switches.auto_save {
            return None;
        }
        let event = match &self.command {
            Command::SessionStart => Event::SessionStart,
            Command::Stop => Event::Stop,
            Command::SessionEnd => Event::SessionEnd,
            Command::PreCompact => Event::PreCompact,
            Command::Run(run) => run.hook,
        };
        let state = State::below(&home);
        if let Some(fault) = &input.fault {
            state.log(&format!("{}: {fault}", event.name()));
        }
        let palace = match palace {
            Ok(palace) => palace,
            Err(error) => {
                state.log(&format!("{}: not saved: {error}", event.name()));
                return None;
            }
        };
        let at = Place::new(palace, self.remote);
        let call = Arc::new(Call { event, how: self.how, at, input, state, home, switches });
        let (runtime, work) = (Handle::current(), Arc::clone(&call));
        within(PATIENCE, move || runtime.block_on(work.answer())).await.unwrap_or_else(|failure| {
            call.log(&format!("not saved: {}", failure.message()));
            None
        })
    }
}

/// Works on a thread of its own, and leaves the work alone when it takes longer than that: taken back, a write would be waited for.
async fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => Err(Failure::new(format!("the work ended early: {error}"))),
        Err(_) => Err(Failure::new(format!("no answer within {} s", limit.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{Failure, within};

    /// Says when it is dropped.
    struct Dropped(std::sync::mpsc::Sender<()>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn work_that_takes_too_long_is_left_alone() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (go, waits) = channel::<()>();
        let (dropped, was_dropped) = channel();
        let store = Dropped(dropped);
        let work = move || {
            let _store = store;
            waits.recv().map_err(|e| Failure::new(e.to_string()))
        };
        let failure = runtime.block_on(within(Duration::from_millis(1), work)).expect_err("it waits for us");
        assert_eq!(failure.message(), "no answer within 0 s");
        assert!(was_dropped.try_recv().is_err(), "what it holds was taken from it");
        go.send(()).expect("it still waits");
        was_dropped.recv().expect("it ends by itself");
        assert_eq!(runtime.block_on(within(Duration::from_mins(1), || Ok(7))).ok(), Some(7));
    }
}
