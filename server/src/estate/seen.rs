//! Whether somebody has seen that this hub was restored: a moment in a file of the palace, written by `loggia peers acknowledge` and
//! looked for by the running hub, which then takes its alarm away. It undoes nothing: what shows itself later is an alarm again.
//!
//! # Design
//! An alarm that ended by itself would be over before anybody looked: most repairs take less than a second. One that could not end would
//! soon be overlooked.

use std::path::Path;

use serde_json::{Value, json};

use super::Estate;
use super::status::RestoreState;
use crate::clock::now_ms;
use crate::logstream::{create_private_dir, write_private};

/// The file within a palace.
const FILE_NAME: &str = "restore_seen.json";

/// Notes that whatever was found until now has been seen. Answers the moment, ms since 1970.
pub fn note(palace: &Path) -> std::io::Result<u64> {
    let at_ms = now_ms();
    create_private_dir(palace)?;
    write_private(&palace.join(FILE_NAME), &format!("{}\n", json!({"seen_at_ms": at_ms})))?;
    Ok(at_ms)
}

/// When somebody last said so. A file that says something else says nothing.
fn read(palace: &Path) -> Option<u64> {
    let text = std::fs::read(palace.join(FILE_NAME)).ok()?;
    serde_json::from_slice::<Value>(&text).ok()?.get("seen_at_ms")?.as_u64()
}

/// Takes the alarm away that somebody has seen, once its repair has ended.
pub(super) fn look(estate: &Estate) {
    let has_alarm = estate.book().restore.is_some();
    let Some(seen_at_ms) = has_alarm.then(|| read(&estate.inner.palace)).flatten() else { return };
    let is_over = |r: &super::Restore| r.detected_at_ms <= seen_at_ms && r.state != RestoreState::Repairing;
    let gone = estate.book().restore.take_if(|restore| is_over(restore));
    if let Some(restore) = gone {
        tracing::info!(peer = restore.peer, "the alarm that this hub was restored was acknowledged");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_something_else_says_nothing() {
        let palace = tempfile::tempdir().expect("a folder");
        assert_eq!(read(palace.path()), None);
        let at_ms = note(palace.path()).expect("written");
        assert_eq!(read(palace.path()), Some(at_ms));
        for text in ["", "{}", "[1]", r#"{"seen_at_ms": "now"}"#] {
            std::fs::write(palace.path().join(FILE_NAME), text).expect("written");
            assert_eq!(read(palace.path()), None, "{text}");
        }
    }
}
