//! What hooks remember between two calls, in `~/.mempalace/hook_state`: how far each session is saved, and a log.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::logstream::{create_private_dir, write_private};
use crate::palace::moment::{self, Moment};

/// The folder, for its owner alone.
pub(super) struct State {
    folder: PathBuf,
}

impl State {
    /// The state of whoever has this home.
    pub(super) fn below(home: &Path) -> Self {
        let folder = home.join(".mempalace").join("hook_state");
        // Whoever writes into it says that it is missing.
        let _ = create_private_dir(&folder);
        Self { folder }
    }

    /// Adds a line `[HH:MM:SS] text`, local time.
    pub(super) fn log(&self, text: &str) {
        let at = now().map_or_else(|| "--:--:--".to_owned(), |now| now.local_iso()[11..19].to_owned());
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        // A log that cannot be written is no reason to say anything.
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(self.folder.join("hook.log"));
        let _ = file.and_then(|mut file| file.write_all(format!("[{at}] {text}\n").as_bytes()));
    }

    /// How many messages of a session were there when it was last saved.
    pub(super) fn last_save(&self, session: &str) -> usize {
        fs::read_to_string(self.marker(session)).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Notes that a session was saved with so many messages.
    pub(super) fn saved(&self, session: &str, messages: usize) -> io::Result<()> {
        write_private(&self.marker(session), &messages.to_string())
    }

    /// Forgets a session.
    pub(super) fn forget(&self, session: &str) {
        // It may never have been saved.
        let _ = fs::remove_file(self.marker(session));
    }

    fn marker(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}_last_save"))
    }
}

/// Today, in local time.
pub(super) fn local_date() -> String {
    now().map_or_else(|| "unknown".to_owned(), Moment::local_date)
}

/// Now. The zone is known to SQLite alone, and a hub's file may not even be on this machine; so it is asked without a file.
fn now() -> Option<Moment> {
    moment::now(&Connection::open_in_memory().ok()?).ok()
}
