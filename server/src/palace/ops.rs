//! What is asked of an open palace: each question or change in one call, writes with their line in the write log. Tools and commands
//! use these and never a connection.

use std::sync::Arc;

use loggia_domain::palace::rank;
use serde_json::json;

use super::diary::{self, Entry, NewEntry, Written};
use super::drawers::{self, Change, Changed, Drawer, Filed, Filter, FromSource, Listed, NewDrawer};
use super::duplicates::{self, Match};
use super::notes::{self, Checkpoint, HookSettings};
use super::overview::{self, Progress, Taxonomy};
use super::record::Record;
use super::search::{self, Ask, Found};
use super::semantic::{CATCH_UP, Semantic};
use super::{PalaceError, PalaceStore, schema};

/// All that the write log tells of a text.
fn chars(text: &str) -> usize {
    text.chars().count()
}

impl PalaceStore {
    /// Files a drawer.
    pub async fn add_drawer(&self, new: NewDrawer) -> Result<Filed, PalaceError> {
        let params = json!({
            "wing": new.wing, "room": new.room, "content": chars(&new.content),
            "source_file": new.source_file, "added_by": new.added_by,
        });
        self.write(Some(Record::new("add_drawer", params)), move |turn| drawers::add(turn, &new)).await
    }

    /// Fetches drawers by their ids, in this order; `None` for each that is not there.
    pub async fn drawers(&self, ids: Vec<String>) -> Result<Vec<Option<Drawer>>, PalaceError> {
        self.read(move |conn| ids.iter().map(|id| drawers::get(conn, id)).collect()).await
    }

    /// One page of drawers by id, and how many there are in all.
    pub async fn list_drawers(
        &self,
        filter: Filter,
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<Listed>, usize), PalaceError> {
        self.read(move |conn| drawers::list(conn, &filter, limit, offset)).await
    }

    /// Changes a drawer.
    pub async fn update_drawer(&self, id: String, change: Change) -> Result<Changed, PalaceError> {
        let content = change.content.as_deref().map(chars);
        let params = json!({"drawer_id": id, "content": content, "wing": change.wing, "room": change.room});
        self.write(Some(Record::new("update_drawer", params)), move |turn| drawers::update(turn, &id, &change)).await
    }

    /// Deletes one drawer; the ids of the rows that are gone.
    pub async fn delete_drawer(&self, id: String) -> Result<Vec<String>, PalaceError> {
        let record = Record::new("delete_drawer", json!({"drawer_id": id}));
        self.write(Some(record), move |turn| drawers::delete(turn, &id)).await
    }

    /// Deletes drawers in one transaction, each as far as it is there: the rows that are gone, or `None`.
    pub async fn delete_drawers(&self, ids: Vec<String>) -> Result<Vec<Option<Vec<String>>>, PalaceError> {
        let record = Record::new("delete_drawers", json!({"drawer_ids": ids}));
        let delete = |turn: &super::Turn<'_>, id: &String| match drawers::delete(turn, id) {
            Ok(rows) => Ok(Some(rows)),
            Err(PalaceError::Refused(_)) => Ok(None),
            Err(error) => Err(error),
        };
        self.write(Some(record), move |turn| ids.iter().map(|id| delete(turn, id)).collect()).await
    }

    /// What comes from a source.
    pub async fn from_source(&self, source_file: String) -> Result<FromSource, PalaceError> {
        self.read(move |conn| drawers::from_source(conn, &source_file)).await
    }

    /// Deletes what comes from a source; how many rows.
    pub async fn delete_from_source(&self, source_file: String) -> Result<usize, PalaceError> {
        let record = Record::new("delete_by_source", json!({"source_file": source_file}));
        self.write(Some(record), move |turn| drawers::delete_from_source(turn, &source_file)).await
    }

    /// Writes a diary entry.
    pub async fn write_diary(&self, new: NewEntry) -> Result<Written, PalaceError> {
        let params = json!({"agent_name": new.diarist.spelling, "wing": new.wing, "topic": new.topic, "entry": chars(&new.entry)});
        self.write(Some(Record::new("diary_write", params)), move |turn| diary::write(turn, &new)).await
    }

    /// Reads the newest entries of an agent (in lower case), and counts all.
    pub async fn read_diary(
        &self,
        agent: String,
        wing: Option<String>,
        last_n: usize,
    ) -> Result<(Vec<Entry>, usize), PalaceError> {
        self.read(move |conn| diary::read(conn, &agent, wing.as_deref(), last_n)).await
    }

    /// All wings and rooms.
    pub async fn taxonomy(&self) -> Result<Taxonomy, PalaceError> {
        self.read(overview::taxonomy).await
    }

    /// The version of the file, which a newer program may have made.
    pub async fn schema_version(&self) -> Result<i64, PalaceError> {
        self.read(schema::version).await
    }

    /// How far the vectors are.
    pub async fn vector_progress(&self) -> Result<Progress, PalaceError> {
        self.read(overview::progress).await
    }

    /// What is at least so alike to a text, over the whole palace.
    pub async fn duplicates(&self, content: String, threshold: f64) -> Result<Vec<Match>, PalaceError> {
        let semantic = self.caught_up().await;
        self.read(move |conn| duplicates::find(conn, semantic.as_deref(), &content, rank::rounded(threshold, 6))).await
    }

    /// Searches.
    pub async fn search(&self, ask: Ask) -> Result<Found, PalaceError> {
        let semantic = self.caught_up().await;
        self.read(move |conn| search::search(conn, semantic.as_deref(), &ask)).await
    }

    /// How the hooks of coding agents behave.
    pub async fn hook_settings(&self) -> Result<HookSettings, PalaceError> {
        self.read(notes::hook_settings).await
    }

    /// Changes how the hooks of coding agents behave, as far as something is said; how they behave then.
    pub async fn change_hook_settings(
        &self,
        silent_save: Option<bool>,
        desktop_toast: Option<bool>,
    ) -> Result<HookSettings, PalaceError> {
        let record = Record::new("hook_settings", json!({"silent_save": silent_save, "desktop_toast": desktop_toast}));
        self.write(Some(record), move |turn| notes::change_hook_settings(turn, silent_save, desktop_toast)).await
    }

    /// The note about the last checkpoint of a hook, which is gone afterwards.
    pub async fn take_checkpoint(&self) -> Result<Option<Checkpoint>, PalaceError> {
        self.write(None, notes::take_checkpoint).await
    }

    /// The model of meaning, when there is one that can be used.
    pub fn semantic(&self) -> Option<Arc<dyn Semantic>> {
        self.inner.semantic.get().filter(|semantic| semantic.off_reason().is_none()).cloned()
    }

    /// Why there is no model of meaning, and what to do about it; `None` when there is one.
    pub fn semantic_off(&self) -> Option<String> {
        match self.inner.semantic.get() {
            Some(semantic) => semantic.off_reason(),
            None => Some("there is no model of meaning; only words are searched for".to_owned()),
        }
    }

    /// The model of meaning with the vectors of what was written until now, unless that takes too long.
    async fn caught_up(&self) -> Option<Arc<dyn Semantic>> {
        let semantic = self.semantic()?;
        let late = Arc::clone(&semantic);
        // Not within a question: it would hold a reader's connection for as long as it waits.
        let waited = tokio::task::spawn_blocking(move || late.catch_up(CATCH_UP)).await;
        waited.ok().map(|()| semantic)
    }

    /// Gives the palace a model of meaning. The first one stays.
    pub fn set_semantic(&self, semantic: Arc<dyn Semantic>) {
        if self.inner.semantic.set(semantic).is_err() {
            tracing::warn!("the palace has a model already; the new one is not used");
        }
    }
}
