//! What a call that wrote is noted by in the audit: the id of what it made or changed, and how it ended. Never a text that somebody wrote.

use serde_json::{Map, Value};

use crate::figures::tools::Outcome;

/// The members that name what was made, where an answer begins with one.
const MADE: [&str; 6] = ["id", "drawer_id", "entry_id", "tunnel_id", "triple_id", "fact_id"];
/// The arguments that name what is changed, and what is named by them otherwise.
const CHANGED: [&str; 7] = ["drawer_id", "tunnel_id", "hallway_id", "event_id", "id", "source_file", "correlation_id"];
/// How far into an answer is looked, in bytes: ids come first.
const LOOKED_AT: usize = 512;

/// What a call says that it changes.
pub(super) fn changed(arguments: &Map<String, Value>) -> String {
    let found = CHANGED.iter().find_map(|name| arguments.get(*name).and_then(Value::as_str));
    found.unwrap_or_default().to_owned()
}

/// What an answer says was made. Answers may be long and are not parsed again: an unescaped `"id":"` near the beginning is ours,
/// since in what somebody wrote every quotation mark is escaped.
pub(super) fn made(answer: &str) -> Option<String> {
    let mut end = answer.len().min(LOOKED_AT);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let head = &answer[..end];
    let first = |name: &&str| {
        let member = format!("\"{name}\":\"");
        head.find(&member).map(|at| at + member.len())
    };
    let at = MADE.iter().filter_map(first).min()?;
    let id = answer[at..].split('"').next()?;
    Some(id.to_owned())
}

/// The word for how it ended.
pub(super) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Refused | Outcome::BadArguments => "refused",
        Outcome::Denied => "denied",
        Outcome::Unavailable => "unavailable",
        Outcome::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_what_was_made_is_found_without_reading_what_was_written() {
        for (answer, expected) in [
            (r#"{"success":true,"event":{"id":"evt_1","body":"x"}}"#, Some("evt_1")),
            (r#"{"success":true,"drawer_id":"drawer_9","room":"r"}"#, Some("drawer_9")),
            (r#"{"success":false,"error":"\"id\":\"evt_2\""}"#, None),
            (r#"{"success":true}"#, None),
        ] {
            assert_eq!(made(answer).as_deref(), expected, "{answer}");
        }
        assert_eq!(made(&"é".repeat(400)), None);
    }
}
