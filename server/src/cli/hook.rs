//! `loggia hook session-start|stop|session-end|pre-compact`: what the hook systems of coding agents call. One JSON object on
//! stdin, one on stdout. It keeps a diary for agents that forget to, and is no way to write one's own: that is `loggia diary write`.
//!
//! # Design
//! A hook never fails the session that calls it: whatever happens, the answer is an object (`{}` when there is nothing to say), the
//! exit code is 0, and the cause is a line in `~/.mempalace/hook_state/hook.log`. Nobody waits for it longer than [`PATIENCE`]; what a
//! turn's end could not save, the next one tries again.

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
use loggia_domain::palace::{diary, name, text};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::drawer::memory::Memory;
use super::output::{Failure, deliver, said, text_or_file};
use super::target::{Place, Remote};
use crate::config::{self, ConfigError};
use crate::palace::diary::NewEntry;
use input::Input;
use state::State;
use switches::Switches;
use transcript::Transcript;

/// How long a session waits for a palace or a hub.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many messages of a person pass between two saves at the end of a turn.
const SAVE_EVERY: usize = 15;

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

/// One call of a hook.
struct Call {
    event: Event,
    how: How,
    at: Place,
    input: Input,
    state: State,
    home: PathBuf,
    switches: Switches,
}

/// What the transcript says, and how much of it is new.
struct Found {
    transcript: Transcript,
    /// How many messages were there at the last save.
    last: usize,
    /// How many came since.
    new: usize,
}

/// An entry that is to be written.
struct Draft {
    entry: NewEntry,
    /// How many messages it is made from; `None` for an entry that was given.
    messages: Option<usize>,
}

impl Call {
    /// Answers. Blocks while it reads files.
    async fn answer(&self) -> Result<Option<Value>, Failure> {
        match self.event {
            Event::SessionStart => Ok(self.begin()),
            Event::Stop => self.stop(&self.look()).await,
            Event::PreCompact => {
                let found = self.look();
                if found.new > 0 || self.how.entry.is_some() || self.how.entry_file.is_some() {
                    self.save(&found).await?;
                }
                Ok(None)
            }
            Event::SessionEnd => {
                let saved = self.save(&self.look()).await;
                self.state.forget(&self.input.session);
                saved.map(|()| None)
            }
        }
    }

    fn begin(&self) -> Option<Value> {
        self.log("begins");
        self.how.remind.then(|| {
            let context = format!(
                "Your diary is kept under the name {:?}. Read what you wrote last (mempalace_diary_read) before you begin, \
                 and write an entry (mempalace_diary_write) when something was done, decided or learnt.",
                self.agent()
            );
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}})
        })
    }

    fn look(&self) -> Found {
        let transcript = self.transcript();
        let last = self.state.last_save(&self.input.session);
        // Fewer than at the last save: the transcript is another one.
        let new = transcript.humans.checked_sub(last).unwrap_or(transcript.humans);
        self.log(&format!("{} messages, {new} since the last save", transcript.humans));
        Found { transcript, last, new }
    }

    async fn stop(&self, found: &Found) -> Result<Option<Value>, Failure> {
        if found.new < SAVE_EVERY {
            return Ok(None);
        }
        if self.how.remind || !self.switches.silent_save {
            return self.ask(found);
        }
        self.at.clone().memory(async |memory| self.ask_or_save(memory, found).await).await
    }

    /// Does what the palace's own settings say.
    async fn ask_or_save(&self, memory: &Memory, found: &Found) -> Result<Option<Value>, Failure> {
        // Who may not ask for the settings gets the usual ones.
        if memory.hook_settings().await.is_ok_and(|settings| !settings.silent_save) {
            return self.ask(found);
        }
        // Where the count cannot be kept, every turn would be saved.
        self.state.saved(&self.input.session, found.last)?;
        let Some(draft) = self.draft(&found.transcript)? else { return Ok(None) };
        let what = draft.messages.map_or_else(|| "an entry".to_owned(), |n| format!("a checkpoint of {n} messages"));
        let agent = draft.entry.diarist.spelling.clone();
        let entry_id = self.write(memory, draft, found).await?;
        let message = format!("loggia: saved {what} in the diary of {agent} ({entry_id})");
        Ok(Some(json!({"systemMessage": message})))
    }

    /// Asks the agent to write instead of writing for it.
    fn ask(&self, found: &Found) -> Result<Option<Value>, Failure> {
        // It is at work on the last reminder.
        if self.input.stop_hook_active {
            return Ok(None);
        }
        self.state.saved(&self.input.session, found.transcript.humans)?;
        let reason = format!(
            "Before you stop, write about this session into your diary: mempalace_diary_write with agent_name {:?}, wing \
             {:?}, and what was done, decided, learnt and left open. File what later sessions must find with \
             mempalace_add_drawer. Then stop.",
            self.agent(),
            self.wing(&found.transcript)
        );
        Ok(Some(json!({"decision": "block", "reason": reason})))
    }

    /// Writes an entry if there is something to write. Nothing is opened otherwise.
    async fn save(&self, found: &Found) -> Result<(), Failure> {
        let Some(draft) = self.draft(&found.transcript)? else { return Ok(()) };
        self.at.clone().memory(async |memory| self.write(memory, draft, found).await).await?;
        Ok(())
    }

    /// The entry that was given, or one made from the transcript; `None` when there is nothing to write.
    fn draft(&self, transcript: &Transcript) -> Result<Option<Draft>, Failure> {
        let file = self.how.entry_file.as_deref();
        if file.is_some_and(|path| path.as_os_str() == "-") {
            return Err(Failure::new("--entry-file cannot be -: stdin holds the event"));
        }
        let given = text_or_file(("--entry", "--entry-file"), self.how.entry.clone(), file)?;
        let messages = given.is_none().then_some(transcript.told);
        let date = state::local_date();
        let Some(entry) = given.or_else(|| transcript.checkpoint(&date, &self.input.session)) else {
            self.log("nothing to save");
            return Ok(None);
        };
        let entry = NewEntry {
            diarist: diary::diarist(self.agent().into())?,
            wing: Some(self.wing(transcript)),
            entry: text::content(entry.into())?,
            topic: name::required("topic", self.how.topic.as_str().into())?,
        };
        Ok(Some(Draft { entry, messages }))
    }

    /// Writes an entry and notes at once how far the session is saved; the entry's id.
    async fn write(&self, memory: &Memory, draft: Draft, found: &Found) -> Result<String, Failure> {
        let answer = memory.write_diary(draft.entry).await?;
        let entry_id = said(&answer, "entry_id").to_owned();
        self.log(&format!("saved {entry_id}"));
        self.state.saved(&self.input.session, found.transcript.humans)?;
        Ok(entry_id)
    }

    fn agent(&self) -> &str {
        self.how.agent.as_deref().filter(|agent| !agent.is_empty()).unwrap_or(self.how.harness.agent())
    }

    fn wing(&self, transcript: &Transcript) -> String {
        let path = self.input.transcript.as_deref();
        let slug = wing::slug(path, transcript.cwd.as_deref(), self.input.cwd.as_deref(), &self.home);
        format!("wing_{slug}")
    }

    /// The transcript; an empty one when there is none, or none that may be read.
    fn transcript(&self) -> Transcript {
        let Some(path) = &self.input.transcript else { return Transcript::default() };
        Transcript::read(path, &self.home).unwrap_or_else(|why| {
            self.log(&format!("the transcript was not read: {why}"));
            Transcript::default()
        })
    }

    fn log(&self, text: &str) {
        self.state.log(&format!("{} of session {}: {text}", self.event.name(), self.input.session));
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
