//! What comes from another hub (`contract: sync`): its events, its artifacts and its version vector, checked before anything is kept.
//!
//! A hub does not trust its peers. What is merely odd (an unknown status, a strange type, a clock far ahead) is kept as it was
//! authored, so that all hubs hold the same; what would break a rule on which stores and pages rest is refused, with the field's
//! name. Nothing is mended: a changed copy would be another event.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::artifact::{Artifact, sha256_hex};
use crate::clock::Stamp;
use crate::event::Event;
use crate::field::{self, Raw};
use crate::id::is_replica_id;
use crate::metadata::Metadata;
use crate::refusal::{Refusal, shown};
use crate::timestamp;

/// The highest number that an author may give: beyond it browsers cannot count.
pub const MAX_SEQ: i64 = 1 << 53;
/// How many artifacts one event of another hub may reference.
pub const MAX_REFERENCES: usize = 1000;
/// How many origins a vector may name.
pub const MAX_ORIGINS: usize = 10_000;

/// An event of `origin` as another hub tells it; `seq` is 0, since the arrival is ours to number.
pub fn event(origin: &str, value: Value) -> Result<Event, Refusal> {
    let Value::Object(mut all) = value else { return Err(Refusal::new("event", "an event must be an object")) };
    let replica = exact(&mut all, "origin_replica")?;
    if replica != origin {
        return Err(Refusal::new("origin_replica", format!("the event's origin is {}", field_text(&replica))));
    }
    let hlc = exact(&mut all, "hlc")?;
    if Stamp::parse(&hlc).is_none() {
        return Err(Refusal::new("hlc", format!("hlc={} is not a stamp", field_text(&hlc))));
    }
    Ok(Event {
        id: exact(&mut all, "id")?,
        seq: 0,
        origin_replica: Some(replica),
        origin_seq: Some(number(all.remove("origin_seq"))?),
        hlc: Some(hlc),
        event_type: exact(&mut all, "type")?,
        stream: exact(&mut all, "stream")?,
        room: exact(&mut all, "room")?,
        topic: optional(&mut all, "topic")?,
        from_agent: exact(&mut all, "from_agent")?,
        to_agent: optional(&mut all, "to_agent")?,
        correlation_id: optional(&mut all, "correlation_id")?,
        branch: optional(&mut all, "branch")?,
        base_commit: optional(&mut all, "base_commit")?,
        status: optional(&mut all, "status")?,
        artifact_ids: references(all.remove("artifact_ids"))?,
        body: field::body(Raw::from(all.remove("body")))?,
        body_truncated: false,
        body_length: None,
        created_at: time_text(&mut all)?,
        metadata: Metadata::check(Raw::from(all.remove("metadata")))?,
    })
}

/// An artifact as another hub tells it. Its hash is computed anew; one that is said otherwise is refused.
pub fn artifact(id: &str, value: Value) -> Result<Artifact, Refusal> {
    let Value::Object(mut all) = value else { return Err(Refusal::new("artifact", "an artifact must be an object")) };
    let said_id = exact(&mut all, "id")?;
    if said_id != id {
        return Err(Refusal::new("id", format!("another artifact came: {}", field_text(&said_id))));
    }
    let content = field::content(Raw::from(all.remove("content")))?;
    let (sha256, said) = (sha256_hex(content.as_bytes()), exact(&mut all, "sha256")?);
    if sha256 != said {
        return Err(Refusal::new("sha256", format!("the content's sha256 is {sha256}, not {}", field_text(&said))));
    }
    let origin_replica = optional(&mut all, "origin_replica")?;
    Ok(Artifact {
        id: said_id,
        kind: exact(&mut all, "kind")?,
        sha256,
        // A content has at most 4 MiB by the field rules.
        size_bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        content,
        created_by: exact(&mut all, "created_by")?,
        created_at: time_text(&mut all)?,
        metadata: Metadata::check(Raw::from(all.remove("metadata")))?,
        origin_replica: origin_replica.filter(|origin| is_replica_id(origin)),
    })
}

/// A version vector, and what in it is none: those entries are left out, the others count.
pub fn vector(value: Option<Value>) -> Result<(BTreeMap<String, i64>, Vec<String>), Refusal> {
    let Some(Value::Object(all)) = value else {
        return Err(Refusal::new("version_vector", "version_vector must be an object"));
    };
    if all.len() > MAX_ORIGINS {
        return Err(Refusal::new("version_vector", format!("version_vector names more than {MAX_ORIGINS} origins"))
            .limit(MAX_ORIGINS)
            .value(all.len()));
    }
    let (mut vector, mut odd) = (BTreeMap::new(), Vec::new());
    for (origin, max) in all {
        match number(Some(max.clone())) {
            Ok(max) if is_replica_id(&origin) => {
                vector.insert(origin, max);
            }
            // Nothing of an origin that wrote nothing.
            Err(_) if max.as_i64() == Some(0) && is_replica_id(&origin) => {}
            _ => odd.push(format!("{}: {}", field_text(&origin), field_text(&max.to_string()))),
        }
    }
    Ok((vector, odd))
}

/// A text that must be there and keep the rules of routing fields as it is.
fn exact(all: &mut Map<String, Value>, name: &str) -> Result<String, Refusal> {
    let raw = Raw::from(all.remove(name));
    let Raw::Text(given) = &raw else { return field::routing(name, raw) };
    let given_len = given.len();
    let kept = field::routing(name, raw)?;
    if kept.len() != given_len {
        return Err(Refusal::new(name, format!("{name} has blanks around it")).value(kept));
    }
    Ok(kept)
}

fn optional(all: &mut Map<String, Value>, name: &str) -> Result<Option<String>, Refusal> {
    match all.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => exact(all, name).map(Some),
    }
}

fn number(value: Option<Value>) -> Result<i64, Refusal> {
    let value = value.unwrap_or_default();
    value.as_i64().filter(|n| (1..=MAX_SEQ).contains(n)).ok_or_else(|| {
        Refusal::new("origin_seq", format!("origin_seq={} is not a whole number from 1 to {MAX_SEQ}", shown(&value)))
    })
}

fn references(value: Option<Value>) -> Result<Vec<String>, Refusal> {
    let ids = field::artifact_ids(Raw::from(value))?;
    if ids.len() > MAX_REFERENCES {
        return Err(Refusal::new("artifact_ids", format!("artifact_ids has more than {MAX_REFERENCES} ids"))
            .limit(MAX_REFERENCES)
            .value(ids.len()));
    }
    for id in &ids {
        if field::routing("artifact_ids", Raw::Text(id.clone()))? != *id {
            return Err(Refusal::new("artifact_ids", "an id in artifact_ids has blanks around it"));
        }
    }
    Ok(ids)
}

fn time_text(all: &mut Map<String, Value>) -> Result<String, Refusal> {
    let text = exact(all, "created_at")?;
    if text.len() > 40 || timestamp::parse_rfc3339_ms(&text).is_none() {
        return Err(Refusal::new("created_at", format!("created_at={} is no time", field_text(&text))));
    }
    Ok(text)
}

/// A foreign text in a sentence: short, quoted, on one line.
fn field_text(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    crate::refusal::quoted(&short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ORIGIN: &str = "rep_0123456789abcdef0123456789abcdef";

    fn told(more: &Value) -> Value {
        let mut event = json!({
            "id": "evt_20261130T140000_000000000001", "origin_replica": ORIGIN, "origin_seq": 7, "type": "t.x",
            "hlc": format!("1796068474114-000000-{ORIGIN}"), "stream": "s", "room": "r", "from_agent": "a", "body": "b",
            "created_at": "2026-11-30T14:00:00Z", "metadata": {"n": 1}, "artifact_ids": [], "seq": 3, "status": null,
        });
        let (Value::Object(all), Value::Object(more)) = (&mut event, more.clone()) else { panic!("objects") };
        all.extend(more);
        event
    }

    #[track_caller]
    fn refused(more: &Value, field: &str) {
        assert_eq!(event(ORIGIN, told(more)).expect_err("refused").field, field, "{more}");
    }

    #[test]
    fn what_is_odd_is_kept_as_authored() {
        let kept = event(ORIGIN, told(&json!({"status": "paused", "type": "Odd Type!", "seq": "x", "unknown": 1})));
        let kept = kept.expect("kept");
        assert_eq!((kept.status.as_deref(), kept.event_type.as_str(), kept.seq), (Some("paused"), "Odd Type!", 0));
        let ahead = format!("9999999999999-000000-{ORIGIN}");
        assert_eq!(event(ORIGIN, told(&json!({"hlc": ahead}))).expect("kept").hlc, Some(ahead));
    }

    #[test]
    fn what_breaks_a_rule_is_named() {
        for (more, field) in [
            (json!({"origin_replica": "rep_000000000000"}), "origin_replica"),
            (json!({"origin_seq": 0}), "origin_seq"),
            (json!({"origin_seq": 1.5}), "origin_seq"),
            (json!({"origin_seq": MAX_SEQ + 1}), "origin_seq"),
            (json!({"hlc": "zzz"}), "hlc"),
            (json!({"hlc": null}), "hlc"),
            (json!({"id": 5}), "id"),
            (json!({"id": " x"}), "id"),
            (json!({"stream": "a\nb"}), "stream"),
            (json!({"status": 3}), "status"),
            (json!({"body": "x".repeat(field::MAX_BODY_BYTES + 1)}), "body"),
            (json!({"body": ["x"]}), "body"),
            (json!({"metadata": []}), "metadata"),
            (json!({"created_at": "yesterday"}), "created_at"),
            (json!({"artifact_ids": ["a\u{0}"]}), "artifact_ids"),
            (json!({"artifact_ids": "a"}), "artifact_ids"),
        ] {
            refused(&more, field);
        }
        assert_eq!(event(ORIGIN, json!([])).expect_err("refused").field, "event");
    }

    #[test]
    fn an_artifact_is_what_its_hash_says() {
        let told = |sha256: &str| {
            json!({"id": "art_1", "kind": "odd", "sha256": sha256, "size_bytes": 99, "content": "hello\n",
                "created_by": "a", "created_at": "2026-11-30T14:00:00Z", "metadata": {}})
        };
        let good = artifact("art_1", told(&sha256_hex(b"hello\n"))).expect("kept");
        assert_eq!((good.size_bytes, good.kind.as_str()), (6, "odd"));
        assert_eq!(artifact("art_1", told(&sha256_hex(b"hello"))).expect_err("refused").field, "sha256");
        assert_eq!(artifact("art_2", told(&sha256_hex(b"hello\n"))).expect_err("refused").field, "id");
    }

    #[test]
    fn a_vector_counts_as_far_as_it_is_one() {
        let told =
            json!({ORIGIN: 5, "rep_000000000000": "x", "nobody": 3, "rep_111111111111": -1, "rep_222222222222": 0});
        let (good, odd) = vector(Some(told)).expect("an object");
        assert_eq!((good.len(), good[ORIGIN], odd.len()), (1, 5, 3));
        assert!(vector(Some(json!([1]))).is_err() && vector(None).is_err());
    }
}
