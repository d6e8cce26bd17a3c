//! The write log: each write leaves a line in `<palace>/wal/write_log.jsonl` before it happens and another one with its outcome.
//!
//! It tells what was asked when something went wrong, without the texts themselves: they are redacted to their length. It is not
//! what a restart recovers from (that is SQLite's own WAL), so it is not synced to the disk.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// The folder within the palace's.
const FOLDER: &str = "wal";
/// The file within it.
const FILE: &str = "write_log.jsonl";
/// The file before this one.
const OLD_FILE: &str = "write_log.1.jsonl";
/// How large the file may grow, in bytes, before a new one is begun.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Arguments whose texts are never written down.
const SECRET: [&str; 7] = ["content", "content_preview", "document", "entry", "entry_preview", "query", "text"];

/// What a write is about, for the write log: the operation and its parameters, texts redacted.
#[derive(Debug, Clone)]
pub struct Record {
    operation: &'static str,
    params: Value,
}

impl Record {
    /// A record of an operation; texts in its parameters are redacted here. A long text need not be copied for that: its length in
    /// characters will do in its place.
    pub fn new(operation: &'static str, params: Value) -> Self {
        Self { operation, params: redacted(params) }
    }
}

fn redacted(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| match value {
                    Value::String(text) if SECRET.contains(&key.as_str()) => {
                        (key, format!("[{} characters]", text.chars().count()).into())
                    }
                    Value::Number(chars) if SECRET.contains(&key.as_str()) => {
                        (key, format!("[{chars} characters]").into())
                    }
                    value => (key, redacted(value)),
                })
                .collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(redacted).collect()),
        value => value,
    }
}

/// The file.
#[derive(Debug)]
pub struct RecordFile {
    folder: PathBuf,
}

impl RecordFile {
    /// The write log of the palace in a folder. Made when it is first written to.
    pub fn in_palace(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER) }
    }

    /// Writes down what is about to happen. `at` is both the time and what ties the two lines of a write together.
    pub fn before<'a>(&self, records: impl Iterator<Item = (&'a Record, &'a str)>) -> io::Result<()> {
        self.append(records.map(|(record, at)| {
            json!({"timestamp": at, "operation": record.operation, "params": record.params, "result": null})
        }))
    }

    /// Writes down what came of it: `None`, or the error.
    pub fn after<'a>(&self, records: impl Iterator<Item = (&'a Record, &'a str, Option<String>)>) -> io::Result<()> {
        self.append(records.map(|(record, at, error)| {
            let result = error.map_or(json!({"success": true}), |e| json!({"success": false, "error": e}));
            json!({"timestamp": at, "operation": record.operation, "result": result})
        }))
    }

    /// One write for all lines: another process may append too, and lines must not mix.
    fn append(&self, lines: impl Iterator<Item = Value>) -> io::Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        crate::logstream::create_private_dir(&self.folder)?;
        let path = self.folder.join(FILE);
        let mut file = private().append(true).open(&path)?;
        if file.metadata()?.len() > MAX_BYTES {
            std::fs::rename(&path, self.folder.join(OLD_FILE))?;
            file = private().append(true).open(&path)?;
        }
        file.write_all(text.as_bytes())
    }
}

/// The write log that belongs to a palace's file.
pub fn path_beside(palace_file: &Path) -> PathBuf {
    palace_file.with_file_name(FOLDER).join(FILE)
}

/// Makes a file that only its owner may read; one that is there already keeps its rights.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    private().append(true).open(path)
}

fn private() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_redacted_at_any_depth_and_names_are_kept() {
        let record = Record::new(
            "checkpoint",
            json!({"items": [{"wing": "w", "content": "geheim😀"}], "diary": {"agent_name": "a", "entry": 1}}),
        );
        assert_eq!(
            record.params,
            json!({"items": [{"wing": "w", "content": "[7 characters]"}], "diary": {"agent_name": "a", "entry": "[1 characters]"}})
        );
    }

    #[test]
    fn the_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("temp dir");
        let file = RecordFile::in_palace(dir.path());
        let record = Record::new("add_drawer", json!({}));
        file.before([(&record, "t")].into_iter()).expect("written");
        file.after([(&record, "t", None)].into_iter()).expect("written");
        let path = dir.path().join(FOLDER).join(FILE);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&path).expect("text").lines().count(), 2);
    }
}
