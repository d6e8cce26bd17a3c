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

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use loggia_domain::palace::{diary, name, text};
use serde_json::{Value, json};

use super::drawer::memory::Memory;
use super::drawer::said;
use super::output::{Failure, deliver, read_text, text_or_file};
use super::target::Remote;
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
        let call = Call { event, how: self.how, remote: self.remote, input, state, home, switches };
        let answered = match palace {
            Ok(palace) => tokio::time::timeout(PATIENCE, call.answer(&palace))
                .await
                .unwrap_or_else(|_| Err(Failure::new(format!("no answer within {} s", PATIENCE.as_secs())))),
            Err(error) => Err(error.into()),
        };
        answered.unwrap_or_else(|failure: Failure| {
            call.log(&format!("not saved: {}", failure.message()));
            None
        })
    }
}

/// One call of a hook.
struct Call {
    event: Event,
    how: How,
    remote: Remote,
    input: Input,
    state: State,
    home: PathBuf,
    switches: Switches,
}

/// What was saved.
struct Saved {
    entry_id: String,
    agent: String,
    /// How many messages it is made from; `None` for an entry that was given.
    messages: Option<usize>,
}

impl Call {
    async fn answer(&self, palace: &Path) -> Result<Option<Value>, Failure> {
        if self.event == Event::SessionStart {
            self.log("begins");
            return Ok(self.how.remind.then(|| {
                let context = format!(
                    "Your diary is kept under the name {:?}. Read what you wrote last (mempalace_diary_read) before you begin, \
                     and write an entry (mempalace_diary_write) when something was done, decided or learnt.",
                    self.agent()
                );
                json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}})
            }));
        }
        let transcript = self.transcript();
        let last = self.state.last_save(&self.input.session);
        // Fewer than at the last save: the transcript is another one.
        let new = transcript.humans.checked_sub(last).unwrap_or(transcript.humans);
        self.log(&format!("{} messages, {new} since the last save", transcript.humans));
        match self.event {
            Event::Stop => self.stop(palace, &transcript, last, new).await,
            Event::PreCompact => {
                if (new > 0 || self.has_entry()) && self.save(palace, &transcript).await?.is_some() {
                    self.state.saved(&self.input.session, transcript.humans)?;
                }
                Ok(None)
            }
            Event::SessionEnd | Event::SessionStart => {
                let saved = self.save(palace, &transcript).await;
                self.state.forget(&self.input.session);
                saved.map(|_| None)
            }
        }
    }

    async fn stop(
        &self,
        palace: &Path,
        transcript: &Transcript,
        last: usize,
        new: usize,
    ) -> Result<Option<Value>, Failure> {
        if new < SAVE_EVERY {
            return Ok(None);
        }
        if self.asks(palace).await {
            // It is at work on the last reminder.
            if self.input.stop_hook_active {
                return Ok(None);
            }
            self.state.saved(&self.input.session, transcript.humans)?;
            let reason = format!(
                "Before you stop, write about this session into your diary: mempalace_diary_write with agent_name {:?}, wing \
                 {:?}, and what was done, decided, learnt and left open. File what later sessions must find with \
                 mempalace_add_drawer. Then stop.",
                self.agent(),
                self.wing(transcript)
            );
            return Ok(Some(json!({"decision": "block", "reason": reason})));
        }
        // Where the count cannot be kept, every turn would be saved.
        self.state.saved(&self.input.session, last)?;
        let Some(saved) = self.save(palace, transcript).await? else { return Ok(None) };
        self.state.saved(&self.input.session, transcript.humans)?;
        let what = saved.messages.map_or_else(|| "an entry".to_owned(), |n| format!("a checkpoint of {n} messages"));
        let message = format!("loggia: saved {what} in the diary of {} ({})", saved.agent, saved.entry_id);
        Ok(Some(json!({"systemMessage": message})))
    }

    /// Whether the agent is asked to write instead of being written for.
    async fn asks(&self, palace: &Path) -> bool {
        if self.how.remind || !self.switches.silent_save {
            return true;
        }
        let ask = async |memory: &Memory| memory.hook_settings().await;
        // Who may not ask for the settings gets the usual ones.
        Memory::with(palace, self.remote.clone(), ask).await.is_ok_and(|settings| !settings.silent_save)
    }

    /// Writes the entry that was given, or one made from the transcript; `None` when there is nothing to write.
    async fn save(&self, palace: &Path, transcript: &Transcript) -> Result<Option<Saved>, Failure> {
        let given = text_or_file(("--entry", "--entry-file"), self.how.entry.clone(), None)?;
        let given = match (&given, &self.how.entry_file) {
            (Some(_), Some(_)) => return Err(Failure::new("give --entry or --entry-file, not both")),
            (None, Some(path)) if path.as_os_str() == "-" => {
                return Err(Failure::new("--entry-file cannot be -: stdin holds the event"));
            }
            (None, Some(path)) => Some(read_text(path)?),
            _ => given,
        };
        let messages = given.is_none().then_some(transcript.told);
        let date = state::local_date();
        let Some(entry) = given.or_else(|| transcript.checkpoint(&date, &self.input.session)) else {
            self.log("nothing to save");
            return Ok(None);
        };
        let new = NewEntry {
            diarist: diary::diarist(self.agent().into())?,
            wing: Some(self.wing(transcript)),
            entry: text::content(entry.into())?,
            topic: name::required("topic", self.how.topic.as_str().into())?,
        };
        let agent = new.diarist.spelling.clone();
        let write = async |memory: &Memory| memory.write_diary(new).await;
        let answer = Memory::with(palace, self.remote.clone(), write).await?;
        let entry_id = said(&answer, "entry_id").to_owned();
        self.log(&format!("saved {entry_id}"));
        Ok(Some(Saved { entry_id, agent, messages }))
    }

    fn has_entry(&self) -> bool {
        self.how.entry.is_some() || self.how.entry_file.is_some()
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
