//! What a tool is: a name, its arguments, its promises, and the function behind it.

use std::future::Future;
use std::pin::Pin;

use loggia_domain::Refusal;
use serde::Serialize;
use serde_json::{Value, json};

use super::args::{self, Args, BadArguments, Param};
use crate::AppState;
use crate::logstream::StoreError;
use crate::palace::PalaceError;
use crate::tokens::Scope;

/// What a tool answers: the JSON text of an object; a few tools of the palace answer a list.
pub type Answer = Result<String, Failure>;
/// A running call.
pub type Running = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Why a tool did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The tool's own refusal: a normal result whose text says why.
    Refused(Refusal),
    /// The log's.
    Store(StoreError),
    /// The palace's; never its refusals.
    Palace(PalaceError),
    /// The call cannot be made, which only the tool could see: -32602.
    Invalid(BadArguments),
}

impl From<BadArguments> for Failure {
    fn from(bad: BadArguments) -> Self {
        Self::Invalid(bad)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(r) | StoreError::NotFound(r) => Self::Refused(r),
            other => Self::Store(other),
        }
    }
}

impl From<PalaceError> for Failure {
    fn from(error: PalaceError) -> Self {
        match error {
            PalaceError::Refused(r) => Self::Refused(r),
            other => Self::Palace(other),
        }
    }
}

/// What a call changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// Nothing but a note that it was asked, which a read-only hub leaves out.
    Notes,
    /// Something is added, and nothing that was there is lost; a second call may add again.
    Adds,
    /// What was there is changed or removed; a second call finds it done.
    Overwrites,
}

/// One tool.
pub struct Tool {
    /// The name agents call it by.
    pub name: &'static str,
    /// What it does and when to use it, for the model.
    pub about: &'static str,
    /// Its arguments.
    pub params: &'static [Param],
    /// What a token needs to call it.
    pub scope: Scope,
    /// What a call changes.
    pub effect: Effect,
    /// The function behind it.
    pub run: fn(AppState, Args, bool) -> Running,
}

impl Tool {
    /// Whether a read-only hub offers it.
    pub fn is_read_only(&self) -> bool {
        matches!(self.effect, Effect::Reads | Effect::Notes)
    }

    /// Its entry in `tools/list`.
    pub fn listed(&self) -> Value {
        let reads = self.effect == Effect::Reads;
        let overwrites = self.effect == Effect::Overwrites;
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": args::schema(self.params),
            "annotations": {"readOnlyHint": reads, "idempotentHint": reads || overwrites, "destructiveHint": overwrites},
        })
    }

    /// A refusal in the form of this tool's answers: write tools say `success: false`, read tools only `error`.
    pub fn refused(&self, refusal: &Refusal) -> Value {
        let mut text = if self.is_read_only() { json!({}) } else { json!({"success": false}) };
        text["error"] = refusal.message.clone().into();
        if let (Value::Object(all), Ok(Value::Object(facts))) = (&mut text, serde_json::to_value(refusal)) {
            all.extend(facts);
        }
        text
    }
}

/// The JSON text of an answer.
pub fn answer(value: &impl Serialize) -> Answer {
    long_answer(value, 256)
}

/// The JSON text of an answer of about so many bytes: a long one that grows by doubling is copied twice over.
pub fn long_answer(value: &impl Serialize, about_bytes: usize) -> Answer {
    let mut text = Vec::with_capacity(about_bytes);
    serde_json::to_writer(&mut text, value)
        .map_err(|e| Failure::Store(StoreError::Storage(format!("an answer cannot be written: {e}"))))?;
    String::from_utf8(text).map_err(|e| Failure::Store(StoreError::Storage(format!("an answer is not text: {e}"))))
}
