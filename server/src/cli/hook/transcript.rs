//! The transcript of a session, as far as a checkpoint needs it: what the person said, and where. Knows the lines of Claude Code
//! and of Codex; any other line says nothing.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

/// In how many lines the working folder is looked for.
const CWD_LINES: usize = 200;
/// How many messages an entry counts, and how many of them it repeats.
const COUNTED: usize = 30;
const REPEATED: usize = 10;
/// How much of a message is repeated, in characters.
const MESSAGE_CHARS: usize = 80;
/// How a message begins that a program wrote in the person's name.
const BOILERPLATE: [&str; 8] = [
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "<environment_context>",
    "<image",
    "[Image",
    "[Request interrupted",
];

/// What was found in a transcript.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Transcript {
    /// How many messages stand under the person's name, tools' results among them.
    pub(super) humans: usize,
    /// How many of them a person wrote, 30 at the most.
    pub(super) told: usize,
    /// Where the agent worked at first.
    pub(super) cwd: Option<String>,
    /// The beginnings of the last ones.
    recent: VecDeque<String>,
}

impl Transcript {
    /// Reads a transcript. `~` is the home; one that is not there is empty.
    pub(super) fn read(path: &str, home: &Path) -> Result<Self, String> {
        let path = checked(path, home)?;
        let file = match std::fs::metadata(&path) {
            // Another kind may keep whoever opens it waiting for ever.
            Ok(kind) if !kind.is_file() => return Err(format!("{} is not a regular file", path.display())),
            Ok(_) => File::open(&path).map_err(|e| e.to_string())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.to_string()),
        };
        let (mut found, mut reader, mut line) = (Self::default(), BufReader::new(file), Vec::new());
        for number in 0.. {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(|e| e.to_string())? == 0 {
                break;
            }
            let seeks_cwd = number < CWD_LINES && found.cwd.is_none();
            // Most lines of a long session are the agent's; they need not be understood.
            if seeks_cwd || holds(&line, b"\"user\"") || holds(&line, b"user_message") {
                found.take(&line, seeks_cwd);
            }
        }
        Ok(found)
    }

    /// The entry that notes it: `CHECKPOINT:<date>|session:<id>|msgs:<n>|recent:<m1>|<m2>…`; `None` when nobody said anything.
    pub(super) fn checkpoint(&self, date: &str, session: &str) -> Option<String> {
        let recent = self.recent.iter().map(String::as_str).collect::<Vec<_>>().join("|");
        (self.told > 0).then(|| format!("CHECKPOINT:{date}|session:{session}|msgs:{}|recent:{recent}", self.told))
    }

    fn take(&mut self, line: &[u8], seeks_cwd: bool) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return };
        if seeks_cwd {
            let cwd = line["cwd"].as_str().or(line["payload"]["cwd"].as_str());
            self.cwd = cwd.filter(|cwd| !cwd.is_empty()).map(str::to_owned);
        }
        let Some(text) = human(&line) else { return };
        if text.contains("<command-message>") {
            return;
        }
        self.humans += 1;
        let text = text.trim();
        if text.is_empty() || BOILERPLATE.iter().any(|mark| text.starts_with(mark)) {
            return;
        }
        self.told = (self.told + 1).min(COUNTED);
        if self.recent.len() == REPEATED {
            self.recent.pop_front();
        }
        // A diary takes every character but this.
        self.recent
            .push_back(text.chars().take(MESSAGE_CHARS).map(|c| if c == '\0' { '\u{fffd}' } else { c }).collect());
    }
}

/// What a line says in the person's name.
fn human(line: &Value) -> Option<String> {
    let message = &line["message"];
    if message["role"] == "user" {
        return match &message["content"] {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
                Some(texts.join(" "))
            }
            _ => None,
        };
    }
    let payload = &line["payload"];
    if line["type"] == "event_msg" && payload["type"] == "user_message" {
        return payload["message"].as_str().map(str::to_owned);
    }
    None
}

/// A path that may be read: a transcript by its ending, and nowhere but where it says.
fn checked(path: &str, home: &Path) -> Result<PathBuf, String> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(path),
    };
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(format!("{} has a part `..`", path.display()));
    }
    if !path.extension().is_some_and(|ending| ending == "jsonl" || ending == "json") {
        return Err(format!("{} does not end in .jsonl or .json", path.display()));
    }
    Ok(path)
}

fn holds(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::{Transcript, checked};

    fn of(lines: &[Value]) -> Transcript {
        let mut found = Transcript::default();
        for line in lines {
            found.take(line.to_string().as_bytes(), found.cwd.is_none());
        }
        found
    }

    fn user(content: impl Into<Value>) -> Value {
        json!({"type": "user", "message": {"role": "user", "content": content.into()}})
    }

    #[test]
    fn what_people_said_is_told_apart_from_what_stands_under_their_name() {
        let found = of(&[
            user("one | two\nthree"),
            user(json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])),
            user(json!([{"type": "tool_result", "content": "x"}])),
            user("<system-reminder>x"),
            user("<command-message>init</command-message>"),
            user(""),
            json!({"message": {"role": "assistant", "content": "no"}}),
            json!({"type": "event_msg", "payload": {"type": "user_message", "message": "codex"}}),
            json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}}),
            json!([1]),
        ]);
        assert_eq!((found.humans, found.told), (6, 3));
        let entry = found.checkpoint("2026-05-04", "s").expect("something was said");
        assert_eq!(entry, "CHECKPOINT:2026-05-04|session:s|msgs:3|recent:one | two\nthree|a b|codex");
        assert_eq!(of(&[user("")]).checkpoint("2026-05-04", "s"), None);
    }

    #[test]
    fn an_entry_repeats_the_beginnings_of_the_last_ten_and_counts_to_thirty() {
        let long = "é".repeat(100);
        let lines: Vec<Value> = (0..40).map(|n| user(format!("{n}\0{long}"))).collect();
        let found = of(&lines);
        assert_eq!((found.humans, found.told, found.recent.len()), (40, 30, 10));
        assert!(found.recent[0].starts_with("30\u{fffd}é") && found.recent[0].chars().count() == 80);
    }

    #[test]
    fn the_first_working_folder_counts() {
        let found = of(&[json!({"payload": {"cwd": "/a"}}), json!({"cwd": "/b"})]);
        assert_eq!(found.cwd.as_deref(), Some("/a"));
    }

    #[test]
    fn only_transcripts_are_read() {
        let home = Path::new("/h");
        assert_eq!(checked("~/a/b.jsonl", home), Ok("/h/a/b.jsonl".into()));
        assert_eq!(checked("/x/y.json", home), Ok("/x/y.json".into()));
        for bad in ["/x/../y.jsonl", "/x/y.txt", "/x/y", "~"] {
            assert!(checked(bad, home).is_err(), "{bad}");
        }
    }
}
