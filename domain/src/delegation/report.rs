//! A delegation as a Markdown document, for a pull request or a file: what was asked, what happened when, what was delivered.
//!
//! Every text from the log stands in a code span or a fenced block whose fence is longer than any within, so that nothing in it can
//! become a heading, a link or markup of the document.

use std::fmt::Write as _;

use super::{Delegation, gaps};
use crate::artifact::ArtifactRecord;
use crate::event::Event;
use crate::timestamp::{created_at_ms, duration_words};

/// The document. `events` are those that were folded, with whole bodies; `now_ms` is when it is written.
pub fn markdown(d: &Delegation, events: &[Event], artifacts: &[ArtifactRecord], now_ms: u64) -> String {
    let mut out = format!("# Delegation {}\n\n{}\n\n", span(&d.correlation_id), span(&d.title));
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            // Writing to a String never fails.
            let _ = writeln!(out, "- {name}: {value}");
        }
    };
    let text = |value: &Option<String>| value.as_deref().map(span);
    row("state", Some(format!("**{}**", d.state)));
    row("stream", Some(span(&d.stream)));
    row("asked by", Some(span(&d.requester)));
    row("asked of", text(&d.assignee));
    row("claimed by", text(&d.claimant));
    row("also claimed, and lost the race", list(&d.lost_claims));
    row("branch", text(&d.branch));
    row("base commit", text(&d.base_commit));
    row("first event", d.steps.first().map(|s| s.created_at.clone()));
    row("last event", d.steps.last().map(|s| s.created_at.clone()));
    row(
        "waiting for",
        d.pending_since_ms.map(|since| format!("{} in this state", duration_words(now_ms.saturating_sub(since)))),
    );
    row("reason", text(&d.reason));
    row("written", created_at_ms(now_ms));
    let gaps = gaps::missing(d);
    if !gaps.is_empty() {
        out.push_str("\n## Missing steps\n\n");
        for gap in gaps {
            let _ = writeln!(out, "- {gap}");
        }
    }
    out.push_str("\n## Steps\n");
    for (at, step) in d.steps.iter().enumerate() {
        let status = step.status.as_deref().map(|s| format!(", status {}", span(s))).unwrap_or_default();
        let to = step.to_agent.as_deref().map(|to| format!(" → {}", span(to))).unwrap_or_default();
        let after = step.after_ms.map(|ms| format!(" (+{})", duration_words(ms))).unwrap_or_default();
        let _ = write!(out, "\n### {}. {}{after}: {}{status}\n\n", at + 1, step.created_at, span(&step.event_type));
        let _ = writeln!(out, "{}{to}, event {}", span(&step.from_agent), span(&step.event_id));
        if step.human {
            out.push_str("\nMarked as written by a person.\n");
        }
        if step.lost_race {
            out.push_str("\nLost the race for this task.\n");
        }
        if let Some(skew_ms) = step.skew_ms {
            let _ = writeln!(out, "\nClocks differ by about {}.", duration_words(skew_ms));
        }
        for id in &step.artifact_ids {
            let _ = writeln!(out, "\nArtifact {}", span(id));
        }
        if let Some(event) = events.iter().find(|e| e.id == step.event_id).filter(|e| !e.body.is_empty()) {
            let _ = write!(out, "\n{}", block(&event.body));
        }
    }
    out.push_str("\n## Artifacts\n\n");
    if d.artifact_ids.is_empty() {
        out.push_str("None.\n");
    }
    for id in &d.artifact_ids {
        let told = artifacts.iter().find(|a| a.id == *id).map_or_else(
            || "not on this hub".to_owned(),
            |a| {
                format!("{}, {} bytes, sha-256 `{}`, by {}", span(&a.kind), a.size_bytes, a.sha256, span(&a.created_by))
            },
        );
        let _ = writeln!(out, "- {}: {told}", span(id));
    }
    out
}

fn list(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.iter().map(|name| span(name)).collect::<Vec<_>>().join(", "))
}

/// A text of one line as a code span.
fn span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let line = text.replace(['\n', '\r'], " ");
    // A span that starts or ends with a backtick, or is empty, needs blanks, which are not shown.
    if line.is_empty() || line.starts_with('`') || line.ends_with('`') {
        format!("{fence} {line} {fence}")
    } else {
        format!("{fence}{line}{fence}")
    }
}

/// A text as a fenced block.
fn block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a ``` b"), "````a ``` b````");
        assert_eq!(span("`"), "`` ` ``");
        assert_eq!(span("# a\n# b"), "`# a # b`");
        assert_eq!(block("x\n```\n# no heading"), "````text\nx\n```\n# no heading\n````\n");
    }
}
