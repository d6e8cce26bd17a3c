//! Events: what the log holds, and what a caller may ask to be appended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::field::{self, Raw};
use crate::metadata::Metadata;
use crate::refusal::{Refusal, shown};
use crate::status::Status;

/// How many characters of a body a preview keeps.
pub const PREVIEW_CHARS: usize = 200;

/// One entry of the log, immutable (`contract: logstream`, section Event).
///
/// `seq` is the local arrival order and the only cursor; `hlc` is the order across hubs. `status` stays text, since a peer may
/// send a word that this version does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// `evt_YYYYMMDDTHHMMSS_<12 hex>`.
    pub id: String,
    /// Local arrival order.
    pub seq: i64,
    /// The hub on which the event was written.
    pub origin_replica: Option<String>,
    /// The author's own counter; it has gaps.
    pub origin_seq: Option<i64>,
    /// `<13-digit ms>-<6 hex counter>-<replica id>`, compared as text.
    pub hlc: Option<String>,
    /// What kind of event, for example `task.request`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// The wide channel, for example `project/atlas`.
    pub stream: String,
    /// The channel within the stream, for example `delegation`.
    pub room: String,
    /// What it is about, within the room.
    pub topic: Option<String>,
    /// Who wrote it.
    pub from_agent: String,
    /// For whom; `*` is everybody.
    pub to_agent: Option<String>,
    /// What ties a request and its answers together.
    pub correlation_id: Option<String>,
    /// The branch that the work is about.
    pub branch: Option<String>,
    /// The commit that the work starts from.
    pub base_commit: Option<String>,
    /// One of the seven words of [`Status`], or one that we do not know.
    pub status: Option<String>,
    /// The artifacts it references.
    pub artifact_ids: Vec<String>,
    /// Text, byte for byte as written.
    pub body: String,
    /// Set when `body` is only the first [`PREVIEW_CHARS`] characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub body_truncated: bool,
    /// How many characters the whole body has; only beside `body_truncated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_length: Option<usize>,
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    pub created_at: String,
    /// A JSON object, as its exact text.
    pub metadata: Metadata,
}

impl Event {
    /// The status, when it is one that we know.
    pub fn known_status(&self) -> Option<Status> {
        self.status.as_deref().and_then(Status::parse)
    }

    /// The order across hubs: hybrid clock first, id where two are equal or missing.
    pub fn order_key(&self) -> (&str, &str) {
        (self.hlc.as_deref().unwrap_or(""), &self.id)
    }

    /// Milliseconds since 1970 by the author's hybrid clock, if the stamp is well formed.
    pub fn at_ms(&self) -> Option<u64> {
        self.hlc.as_deref().and_then(crate::clock::Stamp::parse).map(|s| s.ms)
    }

    /// Cuts the body to its first [`PREVIEW_CHARS`] characters and says so.
    pub fn preview(&mut self) {
        if let Some((cut, _)) = self.body.char_indices().nth(PREVIEW_CHARS) {
            self.body_length = Some(self.body.chars().count());
            self.body_truncated = true;
            self.body.truncate(cut);
        }
    }
}

/// What a caller sent to be appended, unchecked.
#[derive(Debug, Clone, Default)]
pub struct EventDraft {
    /// Required.
    pub event_type: Raw,
    /// Required.
    pub stream: Raw,
    /// Required.
    pub room: Raw,
    /// Optional.
    pub topic: Raw,
    /// Required.
    pub from_agent: Raw,
    /// Optional.
    pub to_agent: Raw,
    /// Optional.
    pub correlation_id: Raw,
    /// Optional.
    pub branch: Raw,
    /// Optional.
    pub base_commit: Raw,
    /// Optional.
    pub status: Raw,
    /// Optional.
    pub body: Raw,
    /// Optional.
    pub metadata: Raw,
    /// Optional.
    pub artifact_ids: Raw,
}

impl EventDraft {
    /// Checks every field; the first that breaks its rule is named.
    pub fn check(self) -> Result<NewEvent, Refusal> {
        Ok(NewEvent {
            event_type: field::event_type(self.event_type)?,
            stream: field::routing("stream", self.stream)?,
            room: field::routing("room", self.room)?,
            topic: field::optional_routing("topic", self.topic)?,
            from_agent: field::routing("from_agent", self.from_agent)?,
            to_agent: field::optional_routing("to_agent", self.to_agent)?,
            correlation_id: field::optional_routing("correlation_id", self.correlation_id)?,
            branch: field::optional_routing("branch", self.branch)?,
            base_commit: field::optional_routing("base_commit", self.base_commit)?,
            status: status(self.status)?,
            body: field::body(self.body)?,
            metadata: Metadata::check(self.metadata)?,
            artifact_ids: field::artifact_ids(self.artifact_ids)?,
        })
    }
}

/// A checked event that the store may append. Its artifacts are looked up at that moment.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// See [`Event::event_type`].
    pub event_type: String,
    /// See [`Event::stream`].
    pub stream: String,
    /// See [`Event::room`].
    pub room: String,
    /// See [`Event::topic`].
    pub topic: Option<String>,
    /// See [`Event::from_agent`].
    pub from_agent: String,
    /// See [`Event::to_agent`].
    pub to_agent: Option<String>,
    /// See [`Event::correlation_id`].
    pub correlation_id: Option<String>,
    /// See [`Event::branch`].
    pub branch: Option<String>,
    /// See [`Event::base_commit`].
    pub base_commit: Option<String>,
    /// See [`Event::status`].
    pub status: Option<Status>,
    /// See [`Event::body`].
    pub body: String,
    /// See [`Event::metadata`].
    pub metadata: Metadata,
    /// See [`Event::artifact_ids`].
    pub artifact_ids: Vec<String>,
}

/// A status argument: one of the seven words, or nothing. No trimming, no case folding.
pub fn status(raw: Raw) -> Result<Option<Status>, Refusal> {
    let value = match raw {
        Raw::Absent => return Ok(None),
        Raw::Text(t) if t.is_empty() => return Ok(None),
        Raw::Text(t) => {
            if let Some(status) = Status::parse(&t) {
                return Ok(Some(status));
            }
            Value::String(t)
        }
        Raw::Other(v) => v,
    };
    Err(Refusal::new("status", format!("status={} is not one of: {}", shown(&value), Status::ACCEPTED))
        .value(value)
        .accepted(Status::ACCEPTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> EventDraft {
        EventDraft {
            event_type: "task.request".into(),
            stream: "project/atlas".into(),
            room: "delegation".into(),
            from_agent: "mac:claude".into(),
            ..EventDraft::default()
        }
    }

    #[test]
    fn the_first_broken_field_is_named() {
        let many = EventDraft { event_type: "BAD".into(), stream: Raw::Absent, ..draft() };
        assert_eq!(many.check().expect_err("refused").field, "type");
        let later = EventDraft { status: "x".into(), body: Raw::Other(1.into()), ..draft() };
        assert_eq!(
            later.check().expect_err("refused").message,
            "status='x' is not one of: applied, blocked, claimed, failed, open, ready, superseded"
        );
    }

    #[test]
    fn a_status_is_matched_exactly() {
        assert_eq!(status("".into()).expect("none"), None);
        assert_eq!(status("ready".into()).expect("known"), Some(Status::Ready));
        for bad in [" open", "Open", "done"] {
            assert_eq!(status(bad.into()).expect_err("refused").value, Some(bad.into()));
        }
        assert!(status(Raw::Other(5.into())).expect_err("refused").message.starts_with("status=5 is not one of"));
    }

    #[test]
    fn a_preview_counts_characters_and_says_what_it_left_out() {
        let new = EventDraft { body: "😀".repeat(201).into(), ..draft() }.check().expect("fits");
        let mut event = sample(&new);
        event.preview();
        assert_eq!((event.body.chars().count(), event.body_length), (200, Some(201)));
        let mut short = Event { body: "😀".repeat(200), ..event.clone() };
        (short.body_truncated, short.body_length) = (false, None);
        short.preview();
        assert!(!short.body_truncated);
    }

    fn sample(new: &NewEvent) -> Event {
        Event {
            id: "evt_20261130T140000_000000000001".into(),
            seq: 1,
            origin_replica: None,
            origin_seq: None,
            hlc: None,
            event_type: new.event_type.clone(),
            stream: new.stream.clone(),
            room: new.room.clone(),
            topic: None,
            from_agent: new.from_agent.clone(),
            to_agent: None,
            correlation_id: None,
            branch: None,
            base_commit: None,
            status: None,
            artifact_ids: vec![],
            body: new.body.clone(),
            body_truncated: false,
            body_length: None,
            created_at: "2026-11-30T14:00:00Z".into(),
            metadata: Metadata::empty(),
        }
    }
}
