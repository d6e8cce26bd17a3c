//! What agents set, and the note that a hook leaves when it saved a session: read once by `memories_filed_away`.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use super::diary::NewEntry;
use super::{PalaceError, Turn};

const HOOKS: &str = "hooks";
const CHECKPOINT: &str = "last_checkpoint";

/// How the hooks of coding agents behave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSettings {
    /// Save without asking the agent to do it.
    pub silent_save: bool,
    /// Show a note on the desktop.
    pub desktop_toast: bool,
}

impl Default for HookSettings {
    fn default() -> Self {
        Self { silent_save: true, desktop_toast: false }
    }
}

/// What a hook saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How many messages.
    pub msgs: u64,
    /// When: naive local time.
    pub ts: String,
}

/// How the hooks behave now.
pub fn hook_settings(conn: &Connection) -> Result<HookSettings, PalaceError> {
    Ok(get(conn, HOOKS)?.unwrap_or_default())
}

/// Changes how the hooks behave, as far as something is said; how they behave then.
pub fn change_hook_settings(
    turn: &Turn<'_>,
    silent_save: Option<bool>,
    desktop_toast: Option<bool>,
) -> Result<HookSettings, PalaceError> {
    let now = hook_settings(turn.conn)?;
    let settings = HookSettings {
        silent_save: silent_save.unwrap_or(now.silent_save),
        desktop_toast: desktop_toast.unwrap_or(now.desktop_toast),
    };
    set(turn, HOOKS, &settings)?;
    Ok(settings)
}

/// The note about the last checkpoint, which is gone afterwards.
pub fn take_checkpoint(turn: &Turn<'_>) -> Result<Option<Checkpoint>, PalaceError> {
    let note = get(turn.conn, CHECKPOINT)?;
    turn.conn.prepare_cached("DELETE FROM settings WHERE key = ?1")?.execute([CHECKPOINT])?;
    Ok(note)
}

/// Leaves a note when an entry is a hook's: topic `checkpoint`, `CHECKPOINT:<date>|session:<id>|msgs:<n>|…`.
pub(super) fn checkpoint_written(turn: &Turn<'_>, entry: &NewEntry) -> Result<(), PalaceError> {
    let is_hooks = entry.topic == "checkpoint" && entry.entry.starts_with("CHECKPOINT:");
    let msgs = entry.entry.split('|').find_map(|field| field.strip_prefix("msgs:")?.parse().ok());
    match msgs {
        Some(msgs) if is_hooks => set(turn, CHECKPOINT, &Checkpoint { msgs, ts: turn.now.local_iso() }),
        _ => Ok(()),
    }
}

/// What is noted under a key.
pub(super) fn get<T: for<'a> Deserialize<'a>>(conn: &Connection, key: &str) -> Result<Option<T>, PalaceError> {
    let text: Option<String> =
        conn.prepare_cached("SELECT value FROM settings WHERE key = ?1")?.query_row([key], |r| r.get(0)).optional()?;
    // One that an older program wrote and that reads no more counts as not set.
    Ok(text.and_then(|t| serde_json::from_str(&t).ok()))
}

/// Notes something under a key.
pub(super) fn set(turn: &Turn<'_>, key: &str, value: &impl Serialize) -> Result<(), PalaceError> {
    let text = serde_json::to_string(value).map_err(|e| PalaceError::Storage(e.to_string()))?;
    turn.conn.prepare_cached("INSERT OR REPLACE INTO settings (key, value) VALUES (?1, ?2)")?.execute([key, &text])?;
    Ok(())
}
