//! What a person writes in a browser: an answer to a task, or a task. Such an event names its author `human:<name>` and says
//! `metadata.human` = true and, as `metadata.signed_in_as`, which token the browser had signed in with.
//!
//! The mark is a claim, as every `from_agent` is: an agent with a token could write the same.

use serde_json::{Map, Value};

use crate::event::{Event, EventDraft, NewEvent};
use crate::field::{Raw, is_blank};
use crate::metadata::Metadata;
use crate::refusal::Refusal;
use crate::task::TaskDraft;

/// What the names of people begin with.
pub const PREFIX: &str = "human:";
/// The longest name, in characters.
pub const MAX_NAME_CHARS: usize = 64;

/// What a person typed on the page of a task, unchecked.
#[derive(Debug, Clone, Default)]
pub struct HumanReply {
    /// Who writes, without [`PREFIX`].
    pub name: String,
    /// A status word; empty for a reply without one.
    pub status: String,
    /// For whom; empty for the author of what is answered.
    pub to: String,
    /// The text.
    pub body: String,
}

impl HumanReply {
    /// The event: a `task.reply`, or an `event.ack` when it carries a status. It goes to the author of `target`, the event that is
    /// answered, unless somebody else is named.
    pub fn check(self, target: &Event, signed_in_as: &str) -> Result<NewEvent, Refusal> {
        let from_agent = identity(&self.name)?;
        let body = lines(&self.body);
        if self.status.is_empty() && body.trim_matches(is_blank).is_empty() {
            return Err(Refusal::new("body", "a reply without a status needs some words"));
        }
        let to = if self.to.is_empty() { target.from_agent.clone() } else { self.to };
        let event = EventDraft {
            event_type: if self.status.is_empty() { "task.reply" } else { "event.ack" }.into(),
            stream: target.stream.clone().into(),
            room: target.room.clone().into(),
            topic: target.topic.clone().into(),
            from_agent: from_agent.into(),
            to_agent: to.into(),
            correlation_id: target.correlation_id.clone().unwrap_or_else(|| target.id.clone()).into(),
            status: self.status.into(),
            body: body.into(),
            metadata: mark(signed_in_as, Some(&target.id)),
            ..EventDraft::default()
        };
        event.check()
    }
}

/// A person's request for work; `task.from_agent` is the name without [`PREFIX`]. `random` makes the task's id unique.
pub fn request(task: TaskDraft, signed_in_as: &str, random: [u8; 4]) -> Result<NewEvent, Refusal> {
    let text = |raw: Raw| match raw {
        Raw::Text(text) => Raw::Text(lines(&text)),
        other => other,
    };
    let name = match &task.from_agent {
        Raw::Text(name) => identity(name)?,
        _ => identity("")?,
    };
    let task = TaskDraft { from_agent: name.into(), goal: text(task.goal), done: text(task.done), ..task };
    let event = task.check(random)?;
    Ok(NewEvent { metadata: Metadata::check(mark(signed_in_as, None))?, ..event })
}

/// The name under which a person writes.
pub fn identity(name: &str) -> Result<String, Refusal> {
    let name = name.trim_matches(is_blank);
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    if name.is_empty() {
        return Err(Refusal::new("name", "your name must not be empty"));
    }
    let chars = name.chars().count();
    if chars > MAX_NAME_CHARS {
        let message = format!("your name exceeds maximum length of {MAX_NAME_CHARS} characters: it has {chars}");
        return Err(Refusal::new("name", message).limit(MAX_NAME_CHARS).value(chars));
    }
    Ok(format!("{PREFIX}{name}"))
}

fn mark(signed_in_as: &str, ack_of: Option<&str>) -> Raw {
    let mut object = Map::new();
    if let Some(id) = ack_of {
        object.insert("ack_of".to_owned(), Value::String(id.to_owned()));
    }
    object.insert("human".to_owned(), Value::Bool(true));
    object.insert("signed_in_as".to_owned(), Value::String(signed_in_as.to_owned()));
    Raw::Other(Value::Object(object))
}

/// Forms send every line's end as CR LF, whatever was typed.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Event {
        let event = serde_json::json!({
            "id": "evt_20261130T140000_000000000001", "seq": 1, "origin_replica": null, "origin_seq": null, "hlc": null,
            "type": "task.request", "stream": "project/atlas", "room": "delegation", "topic": null,
            "from_agent": "mac:claude", "to_agent": "win:codex", "correlation_id": "task_1", "branch": null,
            "base_commit": null, "status": "open", "artifact_ids": [], "body": "", "created_at": "2026-11-30T14:00:00Z",
            "metadata": {},
        });
        serde_json::from_str(&event.to_string()).expect("an event")
    }

    fn reply(name: &str, status: &str, body: &str) -> HumanReply {
        HumanReply { name: name.into(), status: status.into(), to: String::new(), body: body.into() }
    }

    #[test]
    fn a_person_is_named_and_marked() {
        let event = reply(" Ana ", "blocked", "a\r\nb").check(&target(), "phone").expect("valid");
        assert_eq!((event.from_agent.as_str(), event.to_agent.as_deref()), ("human:Ana", Some("mac:claude")));
        assert_eq!((event.event_type.as_str(), event.body.as_str()), ("event.ack", "a\nb"));
        assert_eq!(
            event.metadata.text(),
            r#"{"ack_of": "evt_20261130T140000_000000000001", "human": true, "signed_in_as": "phone"}"#
        );
        assert_eq!(reply("human:Ana", "", "x").check(&target(), "phone").expect("valid").event_type, "task.reply");
    }

    #[test]
    fn what_cannot_be_written_names_its_field() {
        for (sent, field) in [
            (reply("", "claimed", ""), "name"),
            (reply(&"n".repeat(65), "claimed", ""), "name"),
            (reply("Ana", "", " \n"), "body"),
            (reply("Ana", "done", ""), "status"),
            (reply("A\u{7}a", "claimed", ""), "from_agent"),
        ] {
            assert_eq!(sent.check(&target(), "phone").expect_err(field).field, field);
        }
    }
}
