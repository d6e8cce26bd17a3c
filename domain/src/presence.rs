//! Who is there: what an agent is known by, how it listens, what it announced about itself, and what all that comes to.
//!
//! Plain data and the words for it. Which streams are open and who wrote last is the hub's to know.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::delegation::LINE_CHARS;
use crate::metadata::Metadata;
use crate::{task, timestamp};

/// The type of the events by which agents announce what they are about.
pub const ANNOUNCEMENT: &str = "status";
/// For how long after its last word an agent that neither listens nor said anything else counts as active, in ms.
pub const ACTIVE_MS: u64 = 15 * 60 * 1000;

/// What the spellings of one name have in common: names that differ only by case are one agent.
pub fn key(name: &str) -> String {
    name.to_lowercase()
}

/// How somebody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// An open stream.
    Stream,
    /// A call that waits for events.
    Wait,
}

/// One open stream or wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// How.
    pub way: Way,
    /// For what: the filter as `key=value`, separated by blanks; empty for everything.
    pub filter: String,
    /// How many of the log's events it has not been given or looked past yet.
    pub behind: u64,
    /// Since when, `YYYY-MM-DDTHH:MM:SSZ`.
    pub since: String,
}

/// What an announcement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Watch {
    /// It is idle.
    Idle,
    /// It watches the log, says it.
    Watching,
    /// Something in words of its own.
    Words,
}

/// The newest announcement of an agent: an event of type [`ANNOUNCEMENT`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// What `metadata.watch` says.
    pub watch: Watch,
    /// In its own words, one line of at most [`LINE_CHARS`] characters; shown, never parsed.
    pub text: String,
    /// `created_at` of the event.
    pub at: String,
    /// The event.
    pub event_id: String,
}

impl Announcement {
    /// What an event announces by its metadata and its body.
    pub fn of(event_id: &str, at: &str, metadata: &Metadata, body: &str) -> Self {
        let (watch, own) = match metadata.get("watch") {
            Some(Value::String(word)) if word == "idle" => (Watch::Idle, None),
            Some(Value::Object(watch)) => {
                (Watch::Watching, watch.get("filter").filter(|filter| !filter.is_null()).map(words_of))
            }
            Some(Value::String(words)) => (Watch::Words, Some(words)),
            _ => (Watch::Words, None),
        };
        let text = Some(task::title(body)).filter(|line| !line.is_empty()).map(str::to_owned).or(own);
        let text = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.chars().take(LINE_CHARS).collect();
        Self { watch, text, at: at.to_owned(), event_id: event_id.to_owned() }
    }
}

fn words_of(value: &Value) -> String {
    if let Value::String(text) = value { text.clone() } else { value.to_string() }
}

/// What there is to know about an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Its name, in the spelling of most of its events.
    pub agent: String,
    /// Every spelling, that one first; more than one where names differ by case.
    pub names: Vec<String>,
    /// Its open streams and waits, the oldest first.
    pub listeners: Vec<Listener>,
    /// When it last wrote, called a tool or listened, `YYYY-MM-DDTHH:MM:SSZ`; `None` for one that was only written to.
    pub last_seen: Option<String>,
    /// `created_at` of the last event that it wrote.
    pub last_event: Option<String>,
    /// How many events it wrote.
    pub events: u64,
    /// What it announced last.
    pub announced: Option<Announcement>,
    /// How many open delegations wait for it or are worked on by it.
    pub open_to: u64,
    /// How many open delegations it asked for.
    pub open_from: u64,
}

/// What an agent's presence comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It listens: an event for it arrives at once.
    Listening,
    /// It was heard of within [`ACTIVE_MS`] and does not listen.
    Active,
    /// It said that it is idle, and nothing since.
    Idle,
    /// Nothing was heard of it for longer, or ever.
    Away,
}

impl Standing {
    /// The word on the wire and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listening => "listening",
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Away => "away",
        }
    }
}

impl Agent {
    /// What its presence comes to at a time.
    pub fn standing(&self, now_ms: u64) -> Standing {
        if !self.listeners.is_empty() {
            return Standing::Listening;
        }
        let said_last = |a: &Announcement| self.last_event.as_deref().is_none_or(|last| last <= a.at.as_str());
        if self.announced.as_ref().is_some_and(|a| a.watch == Watch::Idle && said_last(a)) {
            return Standing::Idle;
        }
        let silent_ms = self.last_seen.as_deref().and_then(ms_of).map(|seen_ms| now_ms.saturating_sub(seen_ms));
        if silent_ms.is_some_and(|ms| ms < ACTIVE_MS) { Standing::Active } else { Standing::Away }
    }

    /// How far the slowest of its listeners is behind.
    pub fn behind(&self) -> u64 {
        self.listeners.iter().map(|l| l.behind).max().unwrap_or(0)
    }

    /// Whether work waits for somebody of whom nothing is heard.
    pub fn is_missed(&self, now_ms: u64) -> bool {
        self.open_to > 0 && self.standing(now_ms) == Standing::Away
    }
}

/// Milliseconds since 1970 of a time as events tell it.
pub fn ms_of(at: &str) -> Option<u64> {
    timestamp::parse_rfc3339_ms(at).and_then(|ms| u64::try_from(ms).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "2026-11-30T14:00:00Z";

    fn announced(metadata: &str, body: &str) -> Announcement {
        Announcement::of("evt_1", AT, &Metadata::from_stored(metadata.to_owned()), body)
    }

    #[test]
    fn what_an_announcement_says_is_in_its_metadata_alone() {
        for (metadata, body, watch, text) in [
            (r#"{"watch": "idle"}"#, "", Watch::Idle, ""),
            (r#"{"watch": "idle"}"#, "\n out for lunch\nback soon", Watch::Idle, "out for lunch"),
            (
                r#"{"watch": {"cursor": "evt_9", "filter": "type=task.request"}}"#,
                "",
                Watch::Watching,
                "type=task.request",
            ),
            (r#"{"watch": {"filter": {"to_agent": "a"}}}"#, "", Watch::Watching, r#"{"to_agent":"a"}"#),
            (r#"{"watch": {}}"#, "here", Watch::Watching, "here"),
            (r#"{"watch": "Idle, more or less"}"#, "", Watch::Words, "Idle, more or less"),
            (r#"{"watch": 5}"#, "idle", Watch::Words, "idle"),
            ("{}", "watching the build", Watch::Words, "watching the build"),
        ] {
            let said = announced(metadata, body);
            assert_eq!((said.watch, said.text.as_str()), (watch, text), "{metadata} {body}");
        }
        assert_eq!(announced("{}", &"é".repeat(500)).text.chars().count(), LINE_CHARS);
    }

    #[test]
    fn a_standing_is_what_is_known_last() {
        let now_ms = ms_of(AT).expect("a time") + ACTIVE_MS;
        let wait = Listener { way: Way::Wait, filter: String::new(), behind: 3, since: AT.to_owned() };
        let idle = announced(r#"{"watch": "idle"}"#, "");
        let seen = Agent { last_seen: Some("2026-11-30T14:00:01Z".to_owned()), ..Agent::default() };
        let last_event = |at: &str| Some(at.to_owned());
        for (agent, standing) in [
            (Agent::default(), Standing::Away),
            (seen.clone(), Standing::Active),
            (Agent { last_seen: Some(AT.to_owned()), ..Agent::default() }, Standing::Away),
            (Agent { announced: Some(idle.clone()), last_event: last_event(AT), ..seen.clone() }, Standing::Idle),
            // Whoever writes after it said so is idle no more.
            (
                Agent { announced: Some(idle), last_event: last_event("2026-11-30T14:00:01Z"), ..seen.clone() },
                Standing::Active,
            ),
            (Agent { listeners: vec![wait], ..Agent::default() }, Standing::Listening),
        ] {
            assert_eq!(agent.standing(now_ms), standing, "{agent:?}");
        }
        let waited_for = Agent { open_to: 1, ..Agent::default() };
        assert!(waited_for.is_missed(now_ms) && !Agent { open_to: 1, ..seen }.is_missed(now_ms));
        assert_eq!(key("Win:Codex:É"), "win:codex:é");
    }
}
