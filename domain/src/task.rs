//! Requests for work: what `task_create` makes of its arguments (`contract: logstream`, section Append, ack, patch, task).

use crate::event::{EventDraft, NewEvent};
use crate::field::{Raw, is_blank};
use crate::refusal::Refusal;

/// The longest slug, in characters.
const MAX_SLUG_CHARS: usize = 40;

/// What a caller sent to delegate work, unchecked. Every field is required.
#[derive(Debug, Clone, Default)]
pub struct TaskDraft {
    /// The project; its slug names the stream.
    pub project: Raw,
    /// Who asks.
    pub from_agent: Raw,
    /// Who is asked.
    pub to_agent: Raw,
    /// What is wanted; its slug names the task.
    pub goal: Raw,
    /// The branch to work on.
    pub branch: Raw,
    /// The commit to start from: 7 to 64 hex digits.
    pub base_commit: Raw,
    /// When it counts as done.
    pub done: Raw,
}

impl TaskDraft {
    /// The `task.request` event. `random` makes the task's id unique.
    pub fn check(self, random: [u8; 4]) -> Result<NewEvent, Refusal> {
        let project = required("project", "project", self.project)?;
        let from_agent = required("from_agent", "requesting agent", self.from_agent)?;
        let to_agent = required("to_agent", "destination agent", self.to_agent)?;
        let branch = required("branch", "branch", self.branch)?;
        let base_commit = required("base_commit", "base commit", self.base_commit)?;
        let base_commit = base_commit.trim_matches(is_blank).to_lowercase();
        if !(7..=64).contains(&base_commit.len()) || !base_commit.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Refusal::new(
                "base_commit",
                "task base commit must be a hexadecimal Git object id (at least 7 characters), not a branch or tag",
            )
            .value(base_commit)
            .accepted("7 to 64 hexadecimal digits")
            .hint("`git rev-parse HEAD` prints one"));
        }
        let goal = required("goal", "goal", self.goal)?;
        let done = required("done", "definition of done", self.done)?;
        let correlation_id = format!("task_{}_{}", slug(&goal, "work"), crate::id::hex(&random));
        let body = format!(
            "Goal:\n{goal}\n\nDefinition of done:\n{done}\n\nDelivery:\nClose the loop through MemPalace: claim the request, then submit a patch with mempalace_patch_submit or reply with blocked/failed evidence."
        );
        EventDraft {
            event_type: "task.request".into(),
            stream: format!("project/{}", slug(&project, "project")).into(),
            room: "delegation".into(),
            from_agent: from_agent.into(),
            to_agent: to_agent.into(),
            correlation_id: correlation_id.into(),
            branch: branch.into(),
            base_commit: base_commit.into(),
            status: "open".into(),
            body: body.into(),
            ..EventDraft::default()
        }
        .check()
    }
}

/// The line with which a person or a script wakes the asked agent.
pub fn handoff(correlation_id: &str, to_agent: &str) -> String {
    format!(
        "Open MemPalace task {correlation_id} as {to_agent}. Claim it, follow its exact definition of done, and deliver through the logstream."
    )
}

/// The first line of a task's goal, out of the body that [`TaskDraft::check`] writes; any other body gives its own first line.
pub fn title(body: &str) -> &str {
    let text = body.strip_prefix("Goal:\n").unwrap_or(body);
    text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("")
}

/// The definition of done in a body that [`TaskDraft::check`] wrote.
pub fn definition_of_done(body: &str) -> Option<&str> {
    let (_, rest) = body.strip_prefix("Goal:\n")?.split_once("\n\nDefinition of done:\n")?;
    Some(rest.rsplit_once("\n\nDelivery:\n").map_or(rest, |(done, _)| done))
}

/// Lower case, every run of anything but `a-z0-9` one `_`, none at the ends, at most 40 characters.
pub fn slug(text: &str, fallback: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(MAX_SLUG_CHARS);
    let out = out.trim_matches('_');
    if out.is_empty() { fallback.to_owned() } else { out.to_owned() }
}

fn required(field: &str, words: &str, raw: Raw) -> Result<String, Refusal> {
    match raw {
        Raw::Text(text) if !text.trim_matches(is_blank).is_empty() => Ok(text),
        _ => Err(Refusal::new(field, format!("task {words} must not be empty"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> TaskDraft {
        TaskDraft {
            project: "Atlas".into(),
            from_agent: "mac:claude".into(),
            to_agent: "win:codex".into(),
            goal: "Fix the search echo ranking!".into(),
            branch: "main".into(),
            base_commit: " 0123ABC ".into(),
            done: "tests pass".into(),
        }
    }

    #[test]
    fn a_task_becomes_a_request_with_a_readable_id() {
        let event = draft().check([1, 2, 3, 4]).expect("valid");
        assert_eq!(event.correlation_id.as_deref(), Some("task_fix_the_search_echo_ranking_01020304"));
        assert_eq!(event.stream, "project/atlas");
        assert_eq!(event.base_commit.as_deref(), Some("0123abc"));
        assert_eq!(title(&event.body), "Fix the search echo ranking!");
        assert_eq!(definition_of_done(&event.body), Some("tests pass"));
    }

    #[test]
    fn a_branch_is_no_base_commit() {
        for bad in ["main", "abc123", "v1.0", "HEAD"] {
            let task = TaskDraft { base_commit: bad.into(), ..draft() };
            assert_eq!(task.check([0; 4]).expect_err(bad).field, "base_commit");
        }
    }

    #[test]
    fn slugs_are_short_plain_words() {
        for (text, expected) in [
            ("a  b--c", "a_b_c"),
            ("Été", "t"),
            ("!!!", "work"),
            ("İstanbul", "i_stanbul"),
            (&"a".repeat(41), &"a".repeat(40)[..]),
        ] {
            assert_eq!(slug(text, "work"), expected);
        }
    }
}
