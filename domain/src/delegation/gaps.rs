//! What one would expect in the story of a delegation and does not find, in words. Judges nobody: a delegation without a claim may be
//! finished all the same.

use super::{Delegation, State};
use crate::status::Status;

/// One sentence for each step that is missing, in the order of a delegation's life.
pub fn missing(d: &Delegation) -> Vec<&'static str> {
    let said = |status: Status| d.steps.iter().any(|s| !s.lost_race && s.status.as_deref() == Some(status.as_str()));
    let delegates = d.state != State::Other || d.steps.iter().any(|s| s.event_type == "task.request");
    let delivered = matches!(d.state, State::Ready | State::Applied);
    let mut missing = Vec::new();
    if !delegates {
        return vec!["Nothing is delegated here: no event asks for work and none carries a status that is known."];
    }
    if d.steps.iter().all(|s| s.event_type != "task.request") {
        missing.push("There is no request: what was asked, and by whom, is not in this log.");
    }
    if delivered && d.claimant.is_none() {
        missing.push("Nobody claimed it before the result came.");
    }
    if d.state == State::Applied && !said(Status::Ready) {
        missing.push("It was applied without anybody saying that a result is ready.");
    }
    if delivered && d.artifact_ids.is_empty() {
        missing.push("No artifact is referenced: what was delivered is not in this log.");
    }
    if matches!(d.state, State::Blocked | State::Failed) && d.reason.is_none() {
        missing.push("No reason was given.");
    }
    match d.state {
        State::Open => missing.push("Next would be a claim."),
        State::Claimed => missing.push("Next would be a result, or word that the work is blocked or failed."),
        State::Ready => missing.push("Next would be somebody who applies the result, or says why not."),
        State::Blocked => missing.push("Next would be an answer to the worker."),
        State::Applied | State::Failed | State::Superseded | State::Other => {}
    }
    missing
}
