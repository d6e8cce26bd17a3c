//! What a page wants to know, and what the hub says to it.
//!
//! # Design
//! All pages share one kind of question and one kind of answer. A resource and a server function of their own for each would be the more
//! obvious form, but cost the browser some ten kilobytes per page.

use loggia_domain::Event;
use serde::{Deserialize, Serialize};

use crate::backend::asked::PageQuery;
use crate::backend::{ArtifactPage, Counts, LogPage, LogQuery, Overview, Sheet, SheetQuery, TaskPage, Viewer};
use crate::language::t;

/// What a page wants to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// Who looks.
    Viewer,
    /// What the home page shows.
    Overview,
    /// A part of the log, and the streams beside it.
    Log(LogQuery),
    /// A part of the log alone.
    LogPart(LogQuery),
    /// Streams, rooms and statuses of the whole log with their figures.
    Streams,
    /// One event, what arrived around it, and in which form its body is to be written, see [`Answer::Event`].
    Event(String, String),
    /// One delegation.
    Task(PageQuery),
    /// One artifact.
    Artifact(PageQuery),
    /// A page that the hub writes whole.
    Sheet(SheetQuery),
}

/// What the hub says to a [`Question`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Who looks.
    Viewer(Viewer),
    /// What the home page shows.
    Overview(Overview),
    /// A part of the log, and the streams beside it.
    Log(LogPage, Counts),
    /// A part of the log alone.
    LogPart(LogPage),
    /// Streams, rooms and statuses of the whole log with their figures.
    Streams(Counts),
    /// One event, its neighbours by arrival, newest first, itself among them, bodies cut to previews, the hub's clock, ms since 1970, and the markup of
    /// its body in the form that was asked; empty when that is the text itself.
    Event(Box<Event>, Vec<Event>, u64, String),
    /// One delegation.
    Task(Box<TaskPage>),
    /// One artifact.
    Artifact(ArtifactPage),
    /// A page that the hub writes whole.
    Sheet(Sheet),
}

impl Question {
    /// What the page is called, for the title and the sentences of a failure, and the id of what it is about.
    pub fn names(&self) -> (&'static str, &'static str, Option<String>) {
        match self {
            Self::Viewer => ("", t!("the viewer"), None),
            Self::Overview => (t!("Now"), t!("the overview"), None),
            Self::Log(_) | Self::LogPart(_) | Self::Streams => (t!("Log"), t!("the log"), None),
            Self::Event(id, _) => (t!("Event"), t!("the event"), Some(id.clone())),
            Self::Task(asked) => (t!("Task"), t!("the task"), Some(asked.id.clone())),
            Self::Artifact(asked) => (t!("Artifact"), t!("the artifact"), Some(asked.id.clone())),
            Self::Sheet(query) if query.path.starts_with("/agent") => (t!("Agents"), t!("the agent"), None),
            Self::Sheet(query) if query.path == "/hub" => (t!("Hub"), t!("the hub"), None),
            Self::Sheet(_) => (t!("Memory"), t!("the memory"), None),
        }
    }
}

impl Answer {
    /// The hub's clock at the answer, ms since 1970; what has no age does not tell it.
    pub fn now_ms(&self) -> u64 {
        match self {
            Self::Overview(overview) => overview.now_ms,
            Self::Log(page, _) | Self::LogPart(page) => page.now_ms,
            Self::Event(_, _, now_ms, _) => *now_ms,
            Self::Task(page) => page.now_ms,
            Self::Viewer(_) | Self::Streams(_) | Self::Artifact(_) | Self::Sheet(_) => 0,
        }
    }
}
