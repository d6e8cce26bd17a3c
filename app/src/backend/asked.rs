//! What the pages of one task and of one artifact ask for, and what the hub writes for the time machine and for people's forms.

use loggia_domain::Event;
#[cfg(feature = "ssr")]
use loggia_domain::delegation::Delegation;
use serde::{Deserialize, Serialize};

/// Which page about one thing is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageQuery {
    /// The thing.
    pub id: String,
    /// The event whose arrival is the present of the page; empty for now.
    #[serde(default)]
    pub at: String,
    /// How much of a task: `compact`, `lanes` or `full`; empty for `lanes`. Of a patch: the place of the file that is opened; empty for none.
    #[serde(default)]
    pub view: String,
    /// Whether the reader lets the moments of the past go by.
    #[serde(default)]
    pub is_playing: bool,
    /// Whether it is for the first paint: then markup is in the page already and need not be sent beside it.
    #[serde(default)]
    pub in_page: bool,
}

/// When somebody who is waited for was last heard of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Who.
    pub agent: String,
    /// `created_at` of the newest event of any kind; `None` when there is none on this hub.
    pub last_at: Option<String>,
    /// Whether its newest announcement says that it is idle (`metadata.watch` = `"idle"`).
    pub idle: bool,
}

impl Seen {
    /// Read from an agent's newest event and its newest announcement.
    pub fn of(agent: String, newest: Option<&Event>, announced: Option<&Event>) -> Self {
        let idle = announced.and_then(|event| event.metadata.get("watch")).is_some_and(|watch| watch == "idle");
        Self { agent, last_at: newest.map(|event| event.created_at.clone()), idle }
    }
}

/// A moment of the log, and how to go on from it.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The last event that had arrived, its body cut to a preview.
    pub event: Event,
    /// Its place among those that the slider runs over; the first is 1.
    pub place: i64,
    /// How many places there are.
    pub places: i64,
    /// The event before it.
    pub older: Option<String>,
    /// The event after it.
    pub newer: Option<String>,
}

/// The board as it stood at a moment.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone)]
pub struct PastPage {
    /// When.
    pub moment: Moment,
    /// What waited for somebody then, longest waiting first, without steps.
    pub waiting: Vec<Delegation>,
    /// Whether there were more than are shown.
    pub has_more: bool,
    /// What had failed in the days before, newest first, without steps.
    pub failed: Vec<Delegation>,
    /// After how long without an event an open or claimed delegation counts as stalled, in ms.
    pub stalled_after_ms: u64,
}

/// What a person typed into a form that was refused, to be shown again.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// Names and values, as they came.
    pub values: Vec<(String, String)>,
    /// The field that was refused, and why.
    pub error: Option<(String, String)>,
}

#[cfg(feature = "ssr")]
impl Typed {
    /// What was typed into a field.
    pub fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}
