//! What one would expect in the story of a delegation and does not find, in words. Judges nobody: a delegation without a claim may be
//! finished all the same.

use super::{Delegation, State};
use crate::status::Status;

/// A step that one would expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Nothing is delegated at all.
    NoDelegation,
    /// There is no request.
    NoRequest,
    /// A result came without a claim.
    NoClaim,
    /// It was applied without a result that was said to be ready.
    NoReady,
    /// A result references no artifact.
    NoArtifact,
    /// It is blocked or failed, and nobody said why.
    NoReason,
    /// What comes next: a claim.
    NextClaim,
    /// What comes next: a result.
    NextResult,
    /// What comes next: somebody who applies it.
    NextApply,
    /// What comes next: an answer.
    NextAnswer,
}

impl Gap {
    /// The sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoDelegation => {
                "Nothing is delegated here: no event asks for work and none carries a status that is known."
            }
            Self::NoRequest => "There is no request: what was asked, and by whom, is not in this log.",
            Self::NoClaim => "Nobody claimed it before the result came.",
            Self::NoReady => "It was applied without anybody saying that a result is ready.",
            Self::NoArtifact => "No artifact is referenced: what was delivered is not in this log.",
            Self::NoReason => "No reason was given.",
            Self::NextClaim => "Next would be a claim.",
            Self::NextResult => "Next would be a result, or word that the work is blocked or failed.",
            Self::NextApply => "Next would be somebody who applies the result, or says why not.",
            Self::NextAnswer => "Next would be an answer to the worker.",
        }
    }
}

/// One sentence for each step that is missing, in the order of a delegation's life.
pub fn missing(d: &Delegation) -> Vec<&'static str> {
    gaps(d).into_iter().map(Gap::as_str).collect()
}

/// The same, without words.
pub fn gaps(d: &Delegation) -> Vec<Gap> {
    let said = |status: Status| d.steps.iter().any(|s| !s.lost_race && s.status.as_deref() == Some(status.as_str()));
    let delegates = d.state != State::Other || d.steps.iter().any(|s| s.event_type == "task.request");
    let delivered = matches!(d.state, State::Ready | State::Applied);
    let mut missing = Vec::new();
    if !delegates {
        return vec![Gap::NoDelegation];
    }
    if d.steps.iter().all(|s| s.event_type != "task.request") {
        missing.push(Gap::NoRequest);
    }
    if delivered && d.claimant.is_none() {
        missing.push(Gap::NoClaim);
    }
    if d.state == State::Applied && !said(Status::Ready) {
        missing.push(Gap::NoReady);
    }
    if delivered && d.artifact_ids.is_empty() {
        missing.push(Gap::NoArtifact);
    }
    if matches!(d.state, State::Blocked | State::Failed) && d.reason.is_none() {
        missing.push(Gap::NoReason);
    }
    match d.state {
        State::Open => missing.push(Gap::NextClaim),
        State::Claimed => missing.push(Gap::NextResult),
        State::Ready => missing.push(Gap::NextApply),
        State::Blocked => missing.push(Gap::NextAnswer),
        State::Applied | State::Failed | State::Superseded | State::Other => {}
    }
    missing
}
