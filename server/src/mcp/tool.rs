//! What a tool is: a name, its arguments, its promises, and the function behind it.

use std::future::Future;
use std::pin::Pin;

use loggia_domain::Refusal;
use serde::Serialize;
use serde_json::{Value, json};

use super::args::{self, Args, Param};
use crate::AppState;
use crate::logstream::StoreError;
use crate::tokens::Scope;

/// What a tool answers: the JSON text of an object.
pub type Answer = Result<String, Failure>;
/// A running call.
pub type Running = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Why a tool did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The tool's own refusal: a normal result whose text says why.
    Refused(Refusal),
    /// The store's.
    Store(StoreError),
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

/// One tool.
pub struct Tool {
    /// The name agents call it by.
    pub name: &'static str,
    /// What it does and when to use it, for the model.
    pub about: &'static str,
    /// Its arguments.
    pub params: &'static [Param],
    /// What a token needs to call it. A tool that needs only [`Scope::Read`] promises to change nothing.
    pub scope: Scope,
    /// The function behind it.
    pub run: fn(AppState, Args, bool) -> Running,
}

impl Tool {
    /// Whether it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.scope == Scope::Read
    }

    /// Its entry in `tools/list`.
    pub fn listed(&self) -> Value {
        let read_only = self.is_read_only();
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": args::schema(self.params),
            // Nothing in an append-only log is ever destroyed, and a second append is a second event.
            "annotations": {"readOnlyHint": read_only, "idempotentHint": read_only, "destructiveHint": false},
        })
    }

    /// A refusal in the form of this tool's answers: write tools say `success: false`, read tools only `error`.
    pub fn refused(&self, refusal: &Refusal) -> String {
        let mut text = if self.is_read_only() { json!({}) } else { json!({"success": false}) };
        text["error"] = refusal.message.clone().into();
        if let (Value::Object(all), Ok(Value::Object(facts))) = (&mut text, serde_json::to_value(refusal)) {
            all.extend(facts);
        }
        text.to_string()
    }
}

/// The JSON text of an answer.
pub fn answer(value: &impl Serialize) -> Answer {
    serde_json::to_string(value)
        .map_err(|e| Failure::Store(StoreError::Storage(format!("an answer cannot be written: {e}"))))
}
