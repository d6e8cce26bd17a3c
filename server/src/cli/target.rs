//! Where a command works: on the palace's own files, or on a hub elsewhere (`--url`). Each command is written once, against this.
//!
//! It is no second store: rules are the domain's, and what a hub answers is repeated, its error texts included.

mod follow;

use std::path::PathBuf;

use clap::Args;
use loggia_domain::task::{self, TaskDraft};
use loggia_domain::{AckDraft, Artifact, ArtifactDraft, ArtifactRecord, Event, EventDraft, Filter, Refusal, field};
use loggia_domain::{artifact::sha256_hex, refusal::quoted};

use super::drawer::memory::Memory;
use super::output::Failure;
use super::remote::{self, Hub};
use crate::config;
use crate::logstream::Logstream;
use crate::logstream::read::{ListQuery, Order};
use crate::palace::PalaceStore;
pub(super) use follow::Follow;

/// The flags that name a hub.
#[derive(Args, Clone)]
pub(super) struct Remote {
    /// Speak to the hub at this address instead of the palace's files
    #[arg(long, global = true, value_name = "URL")]
    url: Option<String>,
    /// The token for --url; better set $LOGGIA_TOKEN, which others on the machine cannot see
    #[arg(long, global = true, value_name = "TOKEN")]
    token: Option<String>,
    /// A PEM file with the authorities to trust when --url begins with https, instead of the usual ones; else $LOGGIA_CA
    #[arg(long, global = true, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Remote {
    /// The token alone, for a command that never goes through a hub.
    pub(super) fn token_alone(self) -> Result<Option<String>, Failure> {
        match self.url {
            Some(_) => Err(Failure::new("--url does not go with this command: it works on the palace's files")),
            None => Ok(self.token),
        }
    }

    /// The hub that the flags name, if they name one.
    pub(super) fn hub(self) -> Result<Option<Hub>, Failure> {
        match self.url {
            Some(url) => {
                let authorities = config::client_authorities(self.ca.as_deref())?;
                Hub::new(&url, config::client_token(self.token)?, authorities).map(Some)
            }
            None if self.ca.is_some() => Err(Failure::new("--ca is for a hub: give its --url too")),
            None if self.token.is_some() => {
                Err(Failure::new("--token is for a hub: give its --url too")
                    .hint("the palace's own files need no token"))
            }
            None => Ok(None),
        }
    }
}

/// A place that is not opened yet, so that a command may refuse its arguments before anything is touched.
#[derive(Clone)]
pub(super) struct Place {
    palace: PathBuf,
    remote: Remote,
}

impl Place {
    /// The palace, unless the flags name a hub.
    pub(super) fn new(palace: PathBuf, remote: Remote) -> Self {
        Self { palace, remote }
    }

    /// Opens its log, does one thing, and closes it.
    pub(super) async fn with<T>(self, work: impl AsyncFnOnce(&Target) -> Result<T, Failure>) -> Result<T, Failure> {
        let target = match self.remote.hub()? {
            Some(hub) => Target::Hub(hub),
            None => Target::Files(Logstream::open(&self.palace)?),
        };
        let result = work(&target).await;
        if let Target::Files(log) = target {
            log.close();
        }
        result
    }

    /// Opens its drawers and diaries, does one thing, and closes them.
    pub(super) async fn memory<T>(self, work: impl AsyncFnOnce(&Memory) -> Result<T, Failure>) -> Result<T, Failure> {
        let memory = match self.remote.hub()? {
            Some(hub) => Memory::Hub(hub),
            None => Memory::File(PalaceStore::open(&self.palace)?),
        };
        let result = work(&memory).await;
        if let Memory::File(store) = memory {
            store.close();
        }
        result
    }
}

/// An opened place.
pub(super) enum Target {
    /// The palace's files, beside a running hub or without one.
    Files(Logstream),
    /// A hub.
    Hub(Hub),
}

/// What a list answers.
pub(super) struct Listed {
    /// In the order asked.
    pub(super) events: Vec<Event>,
    /// Whether more match in the same direction.
    pub(super) has_more: bool,
    /// The newest event when the list was made, matching or not; `None` on an empty log. Means nothing beside `has_more`.
    pub(super) newest: Option<String>,
}

/// What storing an artifact answers.
pub(super) struct Stored {
    /// What is told about it.
    pub(super) record: ArtifactRecord,
    /// What `git apply` will stumble over.
    pub(super) warnings: Vec<String>,
}

impl Target {
    /// Appends an event.
    pub(super) async fn append(&self, draft: EventDraft) -> Result<Event, Failure> {
        match self {
            Self::Files(log) => Ok(log.append(draft.check()?).await?),
            Self::Hub(hub) => hub.event("mempalace_event_append", remote::event_arguments(draft)).await,
        }
    }

    /// Acknowledges an event.
    pub(super) async fn acknowledge(&self, event_id: String, draft: AckDraft) -> Result<Event, Failure> {
        match self {
            Self::Files(log) => {
                let id = field::routing("event_id", event_id.into())?;
                let target = log.event(id.clone()).await?;
                let target = target.ok_or_else(|| Failure::new(format!("event {} not found", quoted(&id))))?;
                Ok(log.append(draft.check(&target)?).await?)
            }
            Self::Hub(hub) => hub.event("mempalace_event_ack", remote::ack_arguments(event_id, draft)).await,
        }
    }

    /// Asks for work; the request, and the line that wakes who shall do it.
    pub(super) async fn create_task(&self, draft: TaskDraft) -> Result<(Event, String), Failure> {
        match self {
            Self::Files(log) => {
                let mut random = [0; 4];
                getrandom::fill(&mut random).map_err(|e| Failure::new(format!("no random bytes: {e}")))?;
                let task = log.append(draft.check(random)?).await?;
                let to_agent = task.to_agent.as_deref().unwrap_or_default();
                let handoff = task::handoff(task.correlation_id.as_deref().unwrap_or_default(), to_agent);
                Ok((task, handoff))
            }
            Self::Hub(hub) => hub.create_task(draft).await,
        }
    }

    /// Stores an artifact.
    pub(super) async fn put(&self, draft: ArtifactDraft) -> Result<Stored, Failure> {
        match self {
            Self::Files(log) => {
                let artifact = draft.check()?;
                let warnings = artifact.warnings().into_iter().map(str::to_owned).collect();
                Ok(Stored { record: log.put_artifact(artifact).await?, warnings })
            }
            Self::Hub(hub) => hub.put(draft).await,
        }
    }

    /// An artifact with its content, checked against its hash.
    pub(super) async fn artifact(&self, id: String) -> Result<Artifact, Failure> {
        let artifact = match self {
            Self::Files(log) => {
                let found = log.artifact(id.clone()).await?;
                found.ok_or_else(|| Failure::new(format!("artifact {} not found", quoted(&id))))?
            }
            Self::Hub(hub) => hub.artifact(id.clone()).await?,
        };
        must_be(&id, artifact.content.as_bytes(), &artifact.sha256)?;
        Ok(artifact)
    }

    /// The exact bytes of an artifact, checked against its hash.
    pub(super) async fn content(&self, id: String) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Files(_) => Ok(self.artifact(id).await?.content.into_bytes()),
            Self::Hub(hub) => {
                let (bytes, sha256) = hub.raw(id.clone()).await?;
                if let Some(sha256) = sha256 {
                    must_be(&id, &bytes, &sha256)?;
                }
                Ok(bytes)
            }
        }
    }

    /// A list of events.
    pub(super) async fn list(&self, query: ListQuery) -> Result<Listed, Failure> {
        match self {
            Self::Files(log) => {
                let listed = log.list(query).await?;
                Ok(Listed { events: listed.events, has_more: listed.has_more, newest: listed.newest.id })
            }
            Self::Hub(hub) => hub.list(query).await,
        }
    }

    /// The newest event; `None` on an empty log.
    pub(super) async fn newest(&self) -> Result<Option<String>, Failure> {
        let query = ListQuery {
            filter: Filter::default(),
            since_event_id: None,
            before_event_id: None,
            order: Order::Desc,
            limit: 1,
        };
        Ok(self.list(query).await?.newest)
    }

    /// Whether a cursor is an event of this log.
    pub(super) async fn knows(&self, cursor: &str) -> Result<bool, Failure> {
        match self {
            Self::Files(log) => Ok(log.event(cursor.to_owned()).await?.is_some()),
            Self::Hub(hub) => hub.knows(cursor).await,
        }
    }

    /// Follows what arrives after a cursor (`None`: everything) and passes a filter.
    pub(super) async fn follow(&self, filter: Filter, after: Option<String>) -> Result<Follow, Failure> {
        match self {
            Self::Files(log) => Follow::files(log, filter, after).await,
            Self::Hub(hub) => Follow::hub(hub, &filter, after),
        }
    }
}

fn must_be(id: &str, bytes: &[u8], sha256: &str) -> Result<(), Failure> {
    let is = sha256_hex(bytes);
    if is == sha256 {
        return Ok(());
    }
    Err(Failure::new(format!("artifact {} is damaged: its SHA-256 is {is}, not {sha256}", quoted(id))))
}

/// The failure for a cursor that is not in the log, in the words of a list.
pub(super) fn unknown_cursor(cursor: &str) -> Failure {
    Failure::from(Refusal::new("since_event_id", format!("since_event_id {} not found", quoted(cursor))))
}
