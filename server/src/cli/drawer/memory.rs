//! Where a command of the palace works: on the palace's own file, or on a hub elsewhere (`--url`). Each question is written once,
//! and its answer has the form of the tool of the same name.
//!
//! It is no second store: what is asked is checked before, by the domain's rules, and what a hub answers is repeated.

use loggia_domain::Refusal;
use loggia_domain::palace::query::Query;
use serde_json::{Value, json};

use super::within::Within;
use crate::cli::output::Failure;
use crate::cli::remote::Hub;
use crate::palace::answers;
use crate::palace::diary::NewEntry;
use crate::palace::drawers::{Change, Drawer, NewDrawer, not_found};
use crate::palace::notes::HookSettings;
use crate::palace::search::Ask;
use crate::palace::semantic::model::Model;
use crate::palace::{PalaceError, PalaceStore};

/// An opened place that keeps drawers and diaries.
pub(in crate::cli) enum Memory {
    /// The palace's file, beside a running hub or without one.
    File(PalaceStore),
    /// A hub.
    Hub(Hub),
}

/// A search whose parts are checked.
pub(in crate::cli) struct Search {
    /// What is looked for, as it was given.
    pub(in crate::cli) asked: String,
    /// The same, cleaned.
    pub(in crate::cli) query: Query,
    /// How many hits at most.
    pub(in crate::cli) limit: u16,
    /// Hits whose meaning is farther are left out; 0 leaves none out.
    pub(in crate::cli) max_distance: f64,
    /// Where to look.
    pub(in crate::cli) within: Within,
}

impl Memory {
    /// Writes a diary entry.
    pub(in crate::cli) async fn write_diary(&self, new: NewEntry) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => return write_there(hub, new).await,
        };
        let (diarist, topic) = (new.diarist.clone(), new.topic.clone());
        let written = store.write_diary(new).await?;
        Ok(answers::written(&diarist, &topic, written))
    }

    /// The newest entries of an agent (in lower case), newest first.
    pub(in crate::cli) async fn read_diary(
        &self,
        agent: String,
        wing: Option<String>,
        last_n: u16,
    ) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => {
                let arguments = json!({"agent_name": agent, "wing": wing.unwrap_or_default(), "last_n": last_n});
                return Ok(hub.call("mempalace_diary_read", arguments).await?);
            }
        };
        let (entries, total) = store.read_diary(agent.clone(), wing, last_n.into()).await?;
        Ok(answers::entries(&agent, &entries, total))
    }

    /// Files a drawer.
    pub(in crate::cli) async fn add(&self, new: NewDrawer) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => {
                let arguments = json!({
                    "wing": new.wing,
                    "room": new.room,
                    "content": new.content,
                    "source_file": new.source_file,
                    "added_by": new.added_by,
                });
                return Ok(hub.call("mempalace_add_drawer", arguments).await?);
            }
        };
        let (wing, room) = (new.wing.clone(), new.room.clone());
        Ok(answers::filed(store.add_drawer(new).await?, &wing, &room))
    }

    /// A drawer, whole.
    pub(in crate::cli) async fn drawer(&self, id: String) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => return Ok(hub.call("mempalace_get_drawer", json!({"drawer_id": id})).await?),
        };
        let found: Option<Drawer> = store.drawers(vec![id.clone()]).await?.into_iter().flatten().next();
        found.map(|drawer| json!(drawer)).ok_or_else(|| not_found(&id).into())
    }

    /// One page of drawers, by id.
    pub(in crate::cli) async fn list(&self, within: Within, limit: u16, offset: u32) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => {
                let mut arguments = within.arguments();
                arguments["limit"] = limit.into();
                arguments["offset"] = offset.into();
                return Ok(hub.call("mempalace_list_drawers", arguments).await?);
            }
        };
        let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
        let (drawers, total) = store.list_drawers(within.filter, limit.into(), skipped).await?;
        Ok(answers::listed(&drawers, total, limit.into(), skipped))
    }

    /// Changes a drawer.
    pub(in crate::cli) async fn update(&self, id: String, change: Change) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => {
                let Change { content, wing, room } = change;
                let arguments = json!({"drawer_id": id, "content": content, "wing": wing, "room": room});
                return Ok(hub.call("mempalace_update_drawer", arguments).await?);
            }
        };
        Ok(answers::changed(&id, store.update_drawer(id.clone(), change).await?))
    }

    /// Deletes one drawer.
    pub(in crate::cli) async fn delete(&self, id: String) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => return Ok(hub.call("mempalace_delete_drawer", json!({"drawer_id": id})).await?),
        };
        Ok(answers::deleted(&id, &store.delete_drawer(id.clone()).await?))
    }

    /// Deletes several drawers, each as far as it is there.
    pub(in crate::cli) async fn delete_all(&self, ids: Vec<String>) -> Result<Value, Failure> {
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => return Ok(hub.call("mempalace_delete_drawers", json!({"drawer_ids": ids})).await?),
        };
        let named: Vec<Value> = ids.iter().map(|id| id.as_str().into()).collect();
        Ok(answers::all_deleted(&named, store.delete_drawers(ids).await?))
    }

    /// Searches.
    pub(in crate::cli) async fn search(&self, search: Search) -> Result<Value, Failure> {
        let Search { asked, query, limit, max_distance, within } = search;
        let store = match self {
            Self::File(store) => store,
            Self::Hub(hub) => {
                let mut arguments = within.filters();
                arguments["query"] = asked.into();
                arguments["limit"] = limit.into();
                arguments["max_distance"] = max_distance.into();
                return Ok(hub.call("mempalace_search", arguments).await?);
            }
        };
        let filters = within.filters();
        let ask = Ask { query: query.text.clone(), limit: limit.into(), filter: within.filter, max_distance };
        Model::attach(store);
        let found = store.search(ask).await?;
        Ok(answers::found(&query, &filters, &found, store.semantic_off()))
    }

    /// How the hooks of coding agents shall behave.
    pub(in crate::cli) async fn hook_settings(&self) -> Result<HookSettings, Failure> {
        match self {
            Self::File(store) => Ok(store.hook_settings().await?),
            Self::Hub(hub) => {
                let mut answer: Value = hub.call("mempalace_hook_settings", json!({})).await?;
                serde_json::from_value(answer["settings"].take())
                    .map_err(|e| Failure::new(format!("the hub at {} answered unknown settings: {e}", hub.address())))
            }
        }
    }
}

async fn write_there(hub: &Hub, new: NewEntry) -> Result<Value, Failure> {
    let arguments = json!({
        "agent_name": new.diarist.spelling,
        "entry": new.entry,
        "topic": new.topic,
        "wing": new.wing.unwrap_or_default(),
    });
    Ok(hub.call("mempalace_diary_write", arguments).await?)
}

impl From<PalaceError> for Failure {
    fn from(error: PalaceError) -> Self {
        match error {
            PalaceError::Refused(refusal) => Refusal::into(refusal),
            PalaceError::Busy => Self::new(error.to_string()).hint("nothing was stored: try again"),
            other => Self::new(other.to_string()),
        }
    }
}
