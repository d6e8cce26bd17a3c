//! `loggia demo`: writes a working day of a small team of agents into the log, so that a newcomer sees a living gallery.
//!
//! Everything lies in streams that start with `demo/`, ends now, and is written like any other event: by the drafts of the domain
//! and the one writer of the log. It never touches what is in the log already. What is told is in the modules below; here is who
//! writes it down.

mod atlas;
mod atlas_search;
mod atlas_waiting;
mod import_patches;
mod loggia;
mod loggia_patches;
mod logs;
mod map_patches;
mod search_patches;
mod shared;
mod story;
mod talk;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use loggia_domain::task::TaskDraft;
use loggia_domain::{AckDraft, ArtifactDraft, Event, EventDraft, Metadata, NewEvent, Raw, Refusal, timestamp};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::logstream::{Logstream, StoreError};
use story::{Ask, Beat, Mark, Thread, What};

/// Writes the story so that it ends at `now`; answers how many events it has.
pub async fn write(log: &Logstream, now: OffsetDateTime) -> Result<usize, StoreError> {
    let mut teller = Teller { log, now, told: HashMap::new(), newest_id: None };
    let story = in_order(threads());
    let count = story.len();
    for (place, beat) in story {
        teller.tell(place, beat).await?;
    }
    Ok(count)
}

/// Every thread of the story.
fn threads() -> Vec<Thread> {
    [
        atlas::threads(),
        atlas_search::threads(),
        atlas_waiting::threads(),
        loggia::threads(),
        shared::threads(),
        talk::threads(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where a step stands: the number of its thread, and its own within the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    thread: usize,
    step: usize,
}

/// The steps of all threads, oldest first: the order in which they arrive in the log.
fn in_order(threads: Vec<Thread>) -> Vec<(Place, Beat)> {
    let mut story = Vec::new();
    for (thread, steps) in (0..).zip(threads) {
        story.extend((0..).zip(steps.beats).map(|(step, beat)| (Place { thread, step }, beat)));
    }
    story.sort_by_key(|(_, beat)| std::cmp::Reverse(beat.ago));
    story
}

/// Turns steps into events: knows the ids that earlier steps got.
struct Teller<'a> {
    log: &'a Logstream,
    now: OffsetDateTime,
    told: HashMap<Place, Event>,
    newest_id: Option<String>,
}

impl Teller<'_> {
    async fn tell(&mut self, place: Place, beat: Beat) -> Result<(), StoreError> {
        let mut event = self.event(place, beat.what)?;
        if let Some(metadata) = self.metadata(beat.mark).map_err(StoreError::Refused)? {
            event.metadata = metadata;
        }
        if let Some(step) = beat.cites {
            event.artifact_ids.clone_from(&self.earlier(Place { step, ..place })?.artifact_ids);
        }
        let artifact = beat.artifact.map(ArtifactDraft::check).transpose().map_err(StoreError::Refused)?;
        let written = self.log.write_at(artifact, Some(event), self.now - beat.ago).await?;
        if let Some(event) = written.event {
            self.newest_id = Some(event.id.clone());
            self.told.insert(place, event);
        }
        Ok(())
    }

    fn event(&self, place: Place, what: What) -> Result<NewEvent, StoreError> {
        match what {
            What::Request(ask) => request(ask),
            What::Event(draft) => {
                let correlation_id =
                    self.told.get(&Place { step: 0, ..place }).and_then(|e| e.correlation_id.clone()).into();
                EventDraft { correlation_id, ..draft }.check().map_err(StoreError::Refused)
            }
            What::Answer(step, draft) => {
                let EventDraft { from_agent, status, body, .. } = draft;
                let ack = AckDraft { from_agent, status, body, topic: Raw::Absent };
                ack.check(self.earlier(Place { step, ..place })?).map_err(StoreError::Refused)
            }
        }
    }

    fn metadata(&self, mark: Mark) -> Result<Option<Metadata>, Refusal> {
        let value = match mark {
            Mark::Nothing => return Ok(None),
            Mark::Expires(ago) => json!({"expires_at": timestamp::created_at(self.now - ago)}),
            Mark::Watching(filter) => json!({"watch": {"filter": filter, "cursor": self.newest_id}}),
            Mark::Idle => json!({"watch": "idle"}),
            Mark::Plain(value) => value,
        };
        Metadata::check(Raw::from(Some::<Value>(value))).map(Some)
    }

    fn earlier(&self, place: Place) -> Result<&Event, StoreError> {
        self.told
            .get(&place)
            .ok_or_else(|| StoreError::Storage(format!("the story answers what was not said: {place:?}")))
    }
}

/// A request is made as an agent would make it, then moved into the stream of the demonstration.
fn request(ask: Ask) -> Result<NewEvent, StoreError> {
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|e| StoreError::Storage(format!("no random bytes: {e}")))?;
    let draft = TaskDraft {
        project: ask.stream.into(),
        from_agent: ask.from.into(),
        to_agent: ask.to.into(),
        goal: ask.goal.into(),
        branch: ask.branch.into(),
        base_commit: ask.base.into(),
        done: ask.done.into(),
    };
    let event = draft.check(random).map_err(StoreError::Refused)?;
    Ok(NewEvent { stream: ask.stream.to_owned(), ..event })
}
