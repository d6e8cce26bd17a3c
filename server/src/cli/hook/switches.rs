//! Whether hooks save, and how: the switches that MemPalace's users know, in the environment and in its `config.json`.

use std::path::Path;

use serde_json::Value;

use crate::config;

/// How the switches stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switches {
    /// Whether anything is there that MemPalace or a client of it made.
    pub(super) has_mempalace: bool,
    /// Whether hooks save at all.
    pub(super) auto_save: bool,
    /// Whether they save by themselves instead of asking the agent.
    pub(super) silent_save: bool,
}

impl Switches {
    /// Reads them.
    pub(super) fn read(home: &Path) -> Self {
        let folder = config::mempalace_config(home);
        let file = std::fs::read(folder.join("config.json")).unwrap_or_default();
        // A file that cannot be read sets nothing.
        let file: Value = serde_json::from_slice(&file).unwrap_or_default();
        let hooks = &file["hooks"];
        Self {
            has_mempalace: folder.exists() || home.join(".mempalace").exists(),
            auto_save: config::hooks_auto_save().or(hooks["auto_save"].as_bool()).unwrap_or(true),
            silent_save: hooks["silent_save"].as_bool().unwrap_or(true),
        }
    }
}
