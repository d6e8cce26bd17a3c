//! Acknowledgements: the event that answers another one (`contract: logstream`, section Append, ack, patch, task).
//!
//! What is acknowledged is never changed. The answer goes to its writer, into its room, under its correlation id; branch and base
//! commit are not repeated.

use crate::event::{Event, EventDraft, NewEvent};
use crate::field::Raw;
use crate::metadata::Metadata;
use crate::refusal::Refusal;

/// What a caller sent to acknowledge an event, unchecked.
#[derive(Debug, Clone, Default)]
pub struct AckDraft {
    /// Required: who acknowledges.
    pub from_agent: Raw,
    /// Optional.
    pub status: Raw,
    /// Optional.
    pub body: Raw,
    /// Optional: another topic than the target's. An empty one is an answer too: no topic.
    pub topic: Raw,
}

impl AckDraft {
    /// The `event.ack` event for a target; the first field that breaks its rule is named.
    pub fn check(self, target: &Event) -> Result<NewEvent, Refusal> {
        let topic = if self.topic == Raw::Absent { target.topic.clone().into() } else { self.topic };
        let event = EventDraft {
            event_type: "event.ack".into(),
            stream: target.stream.clone().into(),
            room: target.room.clone().into(),
            topic,
            from_agent: self.from_agent,
            to_agent: target.from_agent.clone().into(),
            correlation_id: target.correlation_id.clone().unwrap_or_else(|| target.id.clone()).into(),
            status: self.status,
            body: self.body,
            ..EventDraft::default()
        }
        .check()?;
        Ok(NewEvent { metadata: Metadata::ack_of(&target.id), ..event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    fn target(correlation_id: Option<&str>) -> Event {
        let event = serde_json::json!({
            "id": "evt_20261130T140000_000000000001", "seq": 1, "origin_replica": null, "origin_seq": null, "hlc": null,
            "type": "task.request", "stream": "project/atlas", "room": "delegation", "topic": "search",
            "from_agent": "mac:claude", "to_agent": "win:codex", "correlation_id": correlation_id, "branch": "main",
            "base_commit": "0123abc", "status": "open", "artifact_ids": [], "body": "", "created_at": "2026-11-30T14:00:00Z",
            "metadata": {},
        });
        serde_json::from_str(&event.to_string()).expect("an event")
    }

    fn draft() -> AckDraft {
        AckDraft { from_agent: "win:codex".into(), status: "claimed".into(), ..AckDraft::default() }
    }

    #[test]
    fn an_acknowledgement_goes_back_to_the_writer() {
        let ack = draft().check(&target(Some("task_1"))).expect("valid");
        assert_eq!(ack.event_type, "event.ack");
        assert_eq!((ack.stream.as_str(), ack.room.as_str()), ("project/atlas", "delegation"));
        assert_eq!(ack.topic.as_deref(), Some("search"));
        assert_eq!((ack.from_agent.as_str(), ack.to_agent.as_deref()), ("win:codex", Some("mac:claude")));
        assert_eq!(ack.correlation_id.as_deref(), Some("task_1"));
        assert_eq!(ack.status, Some(Status::Claimed));
        assert_eq!((ack.branch, ack.base_commit), (None, None));
        assert_eq!(ack.metadata.text(), r#"{"ack_of": "evt_20261130T140000_000000000001"}"#);
    }

    #[test]
    fn a_target_without_a_correlation_gives_its_own_id() {
        let ack = draft().check(&target(None)).expect("valid");
        assert_eq!(ack.correlation_id.as_deref(), Some("evt_20261130T140000_000000000001"));
    }

    #[test]
    fn another_topic_replaces_the_targets_and_an_empty_one_removes_it() {
        let topic = |raw: Raw| AckDraft { topic: raw, ..draft() }.check(&target(None)).expect("valid").topic;
        assert_eq!(topic("other".into()).as_deref(), Some("other"));
        assert_eq!(topic("".into()), None);
    }

    #[test]
    fn who_acknowledges_must_be_named() {
        let refused = AckDraft { from_agent: Raw::Absent, ..draft() }.check(&target(None)).expect_err("refused");
        assert_eq!(refused.message, "from_agent must be a non-empty string");
        let refused = AckDraft { status: "done".into(), ..draft() }.check(&target(None)).expect_err("refused");
        assert_eq!(refused.field, "status");
    }
}
