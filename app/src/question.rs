//! What a page wants to know, and what the hub says to it.
//!
//! # Design
//! All pages share one kind of question and one kind of answer. A resource and a server function of their own for each would be the more
//! obvious form, but cost the browser some ten kilobytes per page.

use loggia_domain::Event;
use serde::{Deserialize, Serialize};

use crate::backend::{ArtifactPage, LogPage, LogQuery, Overview, Sheet, SheetQuery, StreamCount, TaskPage, Viewer};

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
    /// Streams and rooms with their figures, newest activity first.
    Streams,
    /// One event, and what arrived around it.
    Event(String),
    /// One delegation.
    Task(String),
    /// One artifact.
    Artifact(String),
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
    Log(LogPage, Vec<StreamCount>),
    /// A part of the log alone.
    LogPart(LogPage),
    /// Streams and rooms with their figures, newest activity first.
    Streams(Vec<StreamCount>),
    /// One event, its neighbours by arrival, newest first, itself among them, and the hub's clock, ms since 1970.
    Event(Box<Event>, Vec<Event>, u64),
    /// One delegation.
    Task(TaskPage),
    /// One artifact.
    Artifact(ArtifactPage),
    /// A page that the hub writes whole.
    Sheet(Sheet),
}

impl Question {
    /// What the page is called, for the title and the sentences of a failure, and the id of what it is about.
    pub fn names(&self) -> (&'static str, &'static str, Option<String>) {
        match self {
            Self::Viewer => ("", "the viewer", None),
            Self::Overview => ("Now", "the overview", None),
            Self::Log(_) | Self::LogPart(_) | Self::Streams => ("Log", "the log", None),
            Self::Event(id) => ("Event", "the event", Some(id.clone())),
            Self::Task(id) => ("Task", "the task", Some(id.clone())),
            Self::Artifact(id) => ("Artifact", "the artifact", Some(id.clone())),
            Self::Sheet(_) => ("Memory", "the memory", None),
        }
    }
}

impl Answer {
    /// The hub's clock at the answer, ms since 1970; what has no age does not tell it.
    pub fn now_ms(&self) -> u64 {
        match self {
            Self::Overview(overview) => overview.now_ms,
            Self::Log(page, _) | Self::LogPart(page) => page.now_ms,
            Self::Event(_, _, now_ms) => *now_ms,
            Self::Task(page) => page.now_ms,
            Self::Viewer(_) | Self::Streams(_) | Self::Artifact(_) | Self::Sheet(_) => 0,
        }
    }
}
