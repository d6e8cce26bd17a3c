//! What a hook system says on stdin. Nothing of it is trusted, and nothing of it is an error.

use std::io::{self, IsTerminal as _, Read as _};

use serde_json::Value;

/// How much of stdin is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The fields that count.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    /// The session, as a part of a file's name: letters, digits, `-` and `_`; else `unknown`.
    pub(super) session: String,
    /// Where the transcript is said to lie.
    pub(super) transcript: Option<String>,
    /// Whether the agent goes on because a stop hook asked it to.
    pub(super) stop_hook_active: bool,
    /// Where the agent works.
    pub(super) cwd: Option<String>,
    /// What was wrong with the message.
    pub(super) fault: Option<String>,
}

impl Input {
    /// Reads stdin to its end; not a terminal, where somebody tries the command out.
    pub(super) fn read() -> Self {
        let mut bytes = Vec::new();
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Self::parse(b"{}");
        }
        match stdin.lock().take(MAX_BYTES).read_to_end(&mut bytes) {
            Ok(_) => Self::parse(&bytes),
            Err(error) => Self { fault: Some(format!("stdin cannot be read: {error}")), ..Self::parse(b"{}") },
        }
    }

    fn parse(bytes: &[u8]) -> Self {
        let (message, fault) = match serde_json::from_slice::<Value>(bytes) {
            Ok(message) if message.is_object() => (message, None),
            Ok(_) => (Value::Null, Some("stdin holds no JSON object".to_owned())),
            Err(error) => (Value::Null, Some(format!("stdin holds no JSON: {error}"))),
        };
        let text = |name: &str| message[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let is_kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        // A session's name becomes a file's, which the system bounds.
        let session: String = text("session_id").unwrap_or_default().chars().filter(is_kept).take(128).collect();
        let stop_hook_active = match &message["stop_hook_active"] {
            Value::Bool(yes) => *yes,
            Value::String(word) => ["true", "1", "yes"].contains(&word.to_lowercase().as_str()),
            other => other.as_i64() == Some(1),
        };
        Self {
            session: if session.is_empty() { "unknown".to_owned() } else { session },
            transcript: text("transcript_path"),
            stop_hook_active,
            cwd: text("cwd"),
            fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Input;

    #[test]
    fn a_session_is_a_safe_part_of_a_name() {
        for (given, session) in [
            (r#"{"session_id": "a-B_9"}"#, "a-B_9"),
            (r#"{"session_id": "../s.1/x"}"#, "s1x"),
            (r#"{"session_id": "é/.."}"#, "unknown"),
            (r#"{"session_id": 7}"#, "unknown"),
            ("{}", "unknown"),
        ] {
            let input = Input::parse(given.as_bytes());
            assert_eq!((input.session.as_str(), input.fault), (session, None), "{given}");
        }
    }

    #[test]
    fn what_is_no_object_counts_as_an_empty_one_and_is_told() {
        for given in ["", "{", "[1]", "null", "\"x\"", "\u{feff}{}"] {
            let input = Input::parse(given.as_bytes());
            assert!(input.fault.is_some() && input.session == "unknown" && input.transcript.is_none(), "{given}");
        }
    }

    #[test]
    fn a_stop_that_was_asked_for_is_known_in_each_spelling() {
        for (given, is_active) in [
            ("true", true),
            ("\"true\"", true),
            ("1", true),
            ("\"YES\"", true),
            ("0", false),
            ("\"no\"", false),
            ("[]", false),
        ] {
            let input = Input::parse(format!(r#"{{"stop_hook_active": {given}}}"#).as_bytes());
            assert_eq!(input.stop_hook_active, is_active, "{given}");
        }
    }
}
