//! One call of a hook: what its event makes of the transcript, and what is answered. The calling, and how long it may take, is
//! [`super`]'s.

use std::path::PathBuf;

use loggia_domain::palace::{diary, name, text};
use serde_json::{Value, json};

use super::input::Input;
use super::state::{self, State};
use super::switches::Switches;
use super::transcript::Transcript;
use super::{Event, How, wing};
use crate::cli::drawer::memory::Memory;
use crate::cli::output::{Failure, said, text_or_file};
use crate::cli::target::Place;
use crate::palace::diary::NewEntry;

/// How many messages of a person pass between two saves at the end of a turn.
const SAVE_EVERY: usize = 15;

/// One call of a hook.
pub(super) struct Call {
    pub(super) event: Event,
    pub(super) how: How,
    pub(super) at: Place,
    pub(super) input: Input,
    pub(super) state: State,
    pub(super) home: PathBuf,
    pub(super) switches: Switches,
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
    pub(super) async fn answer(&self) -> Result<Option<Value>, Failure> {
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

    /// Writes a line into the hooks' own log.
    pub(super) fn log(&self, text: &str) {
        self.state.log(&format!("{} of session {}: {text}", self.event.name(), self.input.session));
    }
}
