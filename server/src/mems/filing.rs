//! What was said goes into the palace: each write's messages as one drawer, word for word, in the wing of its agent. And how they are
//! found again.

use std::sync::Arc;
use std::time::Duration;

use loggia_domain::mems::{Kept, Message, NewWrite, key, message_id, text};
use loggia_domain::palace::diary::wing;
use loggia_domain::palace::text as texts;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::MemsError;
use super::file::File;
use super::filed::Filed;
use crate::palace::Palace;
use crate::palace::drawers::{self, NewDrawer};

/// The room of all sessions.
pub const ROOM: &str = "sessions";
/// How long a write waits for its drawer. Filing goes on afterwards; only the answer does not wait.
const PATIENCE: Duration = Duration::from_millis(250);
/// How many drawers may be on their way at once.
const MAX_AT_ONCE: usize = 256;

/// Files what was said.
pub struct Filing {
    palace: Palace,
    file: Arc<File>,
    places: Arc<Semaphore>,
}

/// A drawer on its way.
pub struct Begun {
    written: oneshot::Sender<String>,
    filed: JoinHandle<Result<String, String>>,
}

impl Begun {
    /// The write is done. The drawer's id once it is on disk; otherwise why it is not there, or not there yet.
    pub async fn end(self, event_id: &str) -> Result<String, String> {
        // A drawer that could not be filed has no use for it.
        let _ = self.written.send(event_id.to_owned());
        match timeout(PATIENCE, self.filed).await {
            Ok(Ok(filed)) => filed,
            Ok(Err(_)) => Err("the hub is shutting down".to_owned()),
            Err(_) => Err("the palace is slow; filing goes on".to_owned()),
        }
    }
}

/// What is to be filed of a write.
pub struct Draft {
    new: NewDrawer,
    shape: Vec<(String, usize)>,
}

impl Draft {
    /// Of its messages, or why they cannot be filed.
    pub fn of(write: &NewWrite) -> Result<Self, String> {
        let (owner, messages) = (&write.owner, &write.messages);
        if messages.is_empty() {
            return Err("there was nothing to file".to_owned());
        }
        let new = NewDrawer {
            wing: wing(&owner.agent_id.to_lowercase()),
            room: ROOM.to_owned(),
            content: texts::content(text(messages).into()).map_err(|refusal| refusal.message)?,
            source_file: key::of(owner),
            added_by: owner.agent_id.clone(),
        };
        let shape = messages.iter().map(|m| (m.role.clone(), m.content.chars().count())).collect();
        Ok(Self { new, shape })
    }
}

impl Filing {
    /// Into a palace, noting in the file which drawer holds what.
    pub fn new(palace: Palace, file: Arc<File>) -> Self {
        Self { palace, file, places: Arc::new(Semaphore::new(MAX_AT_ONCE)) }
    }

    /// Begins to file a write's messages, or says why that cannot be.
    pub fn begin(&self, draft: Draft) -> Result<Begun, String> {
        let permit = Arc::clone(&self.places).try_acquire_owned();
        let permit = permit.map_err(|_| "too much waits for the palace".to_owned())?;
        let Draft { new, shape } = draft;
        let key = new.source_file.clone();
        let (palace, file) = (self.palace.clone(), Arc::clone(&self.file));
        let (written, event_id) = oneshot::channel::<String>();
        let filed = tokio::spawn(async move {
            let _permit = permit;
            let store = palace.store().await.map_err(|error| error.to_string())?;
            let filed = store.add_drawer(new).await.map_err(|error| error.to_string())?;
            let (drawers::Filed::New { id, .. } | drawers::Filed::Already { id }) = filed;
            // A write that failed meanwhile has no event; its words stay in the palace.
            if let Ok(event_id) = event_id.await {
                file.note(Filed { key, event_id, drawer_id: id.clone(), shape }).await;
            }
            Ok(id)
        });
        Ok(Begun { written, filed })
    }

    /// Up to so many messages of a session that lie in drawers and were said before one of them (or at all), oldest first.
    pub async fn before(&self, key: &str, before_id: Option<&str>, limit: usize) -> Result<Vec<Kept>, MemsError> {
        let mut found: Vec<Kept> = Vec::new();
        // The write that the message came with may have brought others before it. A blank sorts before what ids are made of.
        let mut before_write = before_id.map(|id| format!("{} ", id.get(..36).unwrap_or(id)));
        while found.len() < limit {
            let rows = self.file.filed(key.to_owned(), before_write, limit + 1).await?;
            let Some(last) = rows.last() else { break };
            before_write = Some(last.event_id.clone());
            let Ok(store) = self.palace.store().await else { break };
            let ids = rows.iter().map(|row| row.drawer_id.clone()).collect();
            let Ok(drawers) = store.drawers(ids).await else { break };
            for (row, drawer) in rows.iter().zip(drawers) {
                // A drawer that somebody deleted is forgotten.
                let Some(drawer) = drawer else { continue };
                let said = apart(row, &drawer.content).into_iter().rev();
                found.extend(said.filter(|kept| before_id.is_none_or(|id| kept.id.as_str() < id)));
            }
        }
        found.truncate(limit);
        found.reverse();
        Ok(found)
    }
}

/// A drawer's text as the messages that it was made of. One that was changed since is one message.
fn apart(row: &Filed, content: &str) -> Vec<Kept> {
    let mut rest = content;
    let mut said = Vec::new();
    for (index, (role, chars)) in row.shape.iter().enumerate() {
        let line = rest.strip_prefix(role.as_str()).and_then(|rest| rest.strip_prefix(": "));
        let cut = line.and_then(|line| {
            let end = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(*chars)?;
            let (text, after) = line.split_at(end);
            let is_last = index + 1 == row.shape.len();
            let after = if is_last { after.is_empty().then_some(after) } else { after.strip_prefix('\n') }?;
            Some((text, after))
        });
        let Some((text, after)) = cut else {
            let role = row.shape.first().map_or_else(|| "user".to_owned(), |(role, _)| role.clone());
            let message = Message { role, content: content.to_owned() };
            return vec![Kept { id: message_id(&row.event_id, 0), message }];
        };
        let message = Message { role: role.clone(), content: text.to_owned() };
        said.push(Kept { id: message_id(&row.event_id, index), message });
        rest = after;
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: &str, content: &str) -> Message {
        Message { role: role.to_owned(), content: content.to_owned() }
    }

    #[test]
    fn a_drawer_falls_into_the_messages_that_it_was_made_of() {
        let messages = [said("user", "a\nuser: b"), said("tool", "é😀\n"), said("user", "x")];
        let shape: Vec<(String, usize)> =
            messages.iter().map(|m| (m.role.clone(), m.content.chars().count())).collect();
        let row = Filed { key: String::new(), event_id: "e".to_owned(), drawer_id: String::new(), shape };
        let content = text(&messages);
        let apart_again: Vec<Message> = apart(&row, &content).into_iter().map(|kept| kept.message).collect();
        assert_eq!(apart_again, messages);
        let changed = format!("{content} and more");
        assert_eq!(apart(&row, &changed), [Kept { id: "e-0000".to_owned(), message: said("user", &changed) }]);
    }
}
