//! The answer as JSON: the one form that the tool and the command line give.

use loggia_domain::search::Excerpt;
use loggia_domain::{ArtifactRecord, Event};
use serde_json::{Value, json};

use super::{ArtifactHit, EventHit, Found};

impl Found {
    /// `{events, count, limit, has_more, older_cursor, indexed_up_to, newest, behind}`, with artifacts also `{artifacts,
    /// older_artifact_cursor}`. Bodies are cut to previews; a hit's excerpt shows where it answers.
    pub fn to_json(&self, limit: usize) -> Value {
        let events: Vec<Value> = self.events.hits.iter().map(event).collect();
        let mut told = json!({
            "events": events,
            "count": events.len(),
            "limit": limit,
            "has_more": self.events.older.is_some(),
            "older_cursor": self.events.older,
            "indexed_up_to": {"seq": self.indexed.seq, "event_id": self.indexed.event_id},
            "newest": {"seq": self.newest.seq, "event_id": self.newest.id},
            "behind": self.behind(),
        });
        if let Some(artifacts) = &self.artifacts {
            told["artifacts"] = artifacts.hits.iter().map(artifact).collect();
            told["older_artifact_cursor"] = json!(artifacts.older);
        }
        told
    }

    /// How many arrival numbers the index lacks.
    pub fn behind(&self) -> i64 {
        (self.newest.seq - self.indexed.seq).max(0)
    }
}

fn event(hit: &EventHit) -> Value {
    let mut event: Event = hit.event.clone();
    event.preview();
    with_excerpt(json!(event), &hit.excerpt)
}

fn artifact(hit: &ArtifactHit) -> Value {
    let record: &ArtifactRecord = &hit.record;
    let mut told = with_excerpt(json!(record), &hit.excerpt);
    told["referenced_by"] = json!(hit.event_ids);
    told
}

fn with_excerpt(mut told: Value, excerpt: &Excerpt) -> Value {
    told["excerpt"] = json!(excerpt);
    told
}
