//! Which delegations need somebody, why, and in which order. Pure.

use loggia_domain::delegation::{Delegation, State};

use crate::backend::Overview;
use crate::language::t;
use crate::words::number_word;

/// Why a delegation needs somebody, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Failed,
    Blocked,
    Expired,
    Twice,
    Question,
    Stalled,
}

/// A delegation that needs somebody.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Problem {
    pub(super) need: Need,
    /// Since when, ms since 1970.
    pub(super) since_ms: u64,
    pub(super) delegation: Delegation,
    /// What tells it apart from another one of the same title.
    pub(super) apart: Option<String>,
    /// Where the one is who works on it or was asked, in one line.
    pub(super) whereabouts: Option<String>,
}

/// What tells a delegation apart where another open one has the same title: its branch, else its id.
pub(super) fn apart(delegation: &Delegation, overview: &Overview) -> Option<String> {
    let is_twin =
        |other: &Delegation| other.title == delegation.title && other.correlation_id != delegation.correlation_id;
    let has_twin = overview.open.iter().chain(&overview.failed).any(is_twin);
    has_twin.then(|| delegation.branch.clone().unwrap_or_else(|| delegation.correlation_id.clone()))
}

/// Why a delegation needs somebody at a time, if it does.
pub(super) fn need(delegation: &Delegation, now_ms: u64, stalled_after_ms: u64) -> Option<Need> {
    match delegation.state {
        State::Failed => Some(Need::Failed),
        State::Blocked => Some(Need::Blocked),
        _ if delegation.is_expired(now_ms) => Some(Need::Expired),
        _ if delegation.is_claimed_twice() => Some(Need::Twice),
        _ if delegation.open_question => Some(Need::Question),
        _ if delegation.is_stalled(now_ms, stalled_after_ms) => Some(Need::Stalled),
        _ => None,
    }
}

fn whereabouts(delegation: &Delegation, overview: &Overview) -> Option<String> {
    let worker = delegation.claimant.as_ref().or(delegation.assignee.as_ref())?;
    overview.whereabouts.iter().find(|(name, _)| name == worker).map(|(_, line)| line.clone())
}

/// Everything that needs somebody: gravest first, and among equals what has waited longest.
pub(super) fn problems(overview: &Overview, now_ms: u64) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    for delegation in overview.failed.iter().chain(&overview.open) {
        let Some(need) = need(delegation, now_ms, overview.stalled_after_ms) else { continue };
        let since_ms = match need {
            Need::Blocked => delegation.pending_since_ms,
            Need::Expired => delegation.expires_at_ms.and_then(|at| u64::try_from(at).ok()),
            Need::Failed | Need::Twice | Need::Question | Need::Stalled => None,
        };
        let since_ms = since_ms.unwrap_or(delegation.last_at_ms);
        // Put where it belongs at once: there are few, and a sort of them is four kilobytes.
        let at = found.partition_point(|other| (other.need, other.since_ms) <= (need, since_ms));
        let apart = apart(delegation, overview);
        let whereabouts = whereabouts(delegation, overview);
        found.insert(at, Problem { need, since_ms, delegation: delegation.clone(), apart, whereabouts });
    }
    found
}

/// The title of the page.
pub(super) fn headline(problems: usize) -> String {
    match problems {
        0 => t!("No delegation needs anyone").to_owned(),
        1 => t!("One delegation needs someone").to_owned(),
        n => t!("{count} delegations need someone", count = number_word(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 10_000_000;
    const STALLED: u64 = 1_800_000;

    fn delegation(id: &str, state: State, last_at_ms: u64) -> Delegation {
        serde_json::from_value(serde_json::json!({
            "correlation_id": id, "title": id, "state": state, "stream": "s", "requester": "a", "assignee": null, "claimant": null,
            "lost_claims": [], "unsettled_claims": [], "branch": null, "base_commit": null, "done": null, "steps": [], "agents": [],
            "artifact_ids": [], "pending_since_ms": last_at_ms, "last_at_ms": last_at_ms, "expires_at_ms": null,
            "open_question": false, "reason": null
        }))
        .expect("a delegation")
    }

    #[test]
    fn the_gravest_comes_first_and_then_the_longest() {
        let question = Delegation { open_question: true, ..delegation("asks", State::Claimed, NOW - 5) };
        let expired = Delegation { expires_at_ms: Some(5), ..delegation("late", State::Open, NOW) };
        let twice =
            Delegation { unsettled_claims: vec!["b".into()], ..delegation("taken twice", State::Claimed, NOW - 1) };
        let overview = Overview {
            events: 9,
            tip: None,
            streams: vec![],
            newest: vec![],
            open: vec![
                delegation("quiet", State::Claimed, NOW - STALLED),
                delegation("fine", State::Claimed, NOW - 1),
                delegation("stuck", State::Blocked, NOW - 10),
                delegation("stuck longer", State::Blocked, NOW - 20),
                delegation("waits for review", State::Ready, 0),
                question,
                expired,
                twice,
            ],
            open_total: 8,
            whereabouts: vec![("a".into(), "seen just now".into())],
            people: crate::backend::Sheet::default(),
            failed: vec![delegation("broke", State::Failed, NOW - 1)],
            now_ms: NOW,
            stalled_after_ms: STALLED,
        };
        let found = problems(&overview, NOW);
        let ids: Vec<&str> = found.iter().map(|p| p.delegation.correlation_id.as_str()).collect();
        assert_eq!(ids, ["broke", "stuck longer", "stuck", "late", "taken twice", "asks", "quiet"]);
        assert_eq!(found[3].since_ms, 5);
        assert_eq!(found[3].apart, None);
        let twin = Delegation { title: "late".into(), branch: Some("b".into()), ..delegation("x", State::Open, 0) };
        let with_twin = Overview { open: vec![twin.clone(), overview.open[6].clone()], ..overview.clone() };
        assert_eq!(apart(&twin, &with_twin).as_deref(), Some("b"));
        assert_eq!(apart(&with_twin.open[1], &with_twin).as_deref(), Some("late"));
        let all_by_domain =
            overview.failed.iter().chain(&overview.open).filter(|d| d.needs_someone(NOW, STALLED)).count();
        assert_eq!(all_by_domain, found.len());
    }

    #[test]
    fn the_title_is_a_sentence() {
        for (n, title) in [
            (0, "No delegation needs anyone"),
            (1, "One delegation needs someone"),
            (3, "Three delegations need someone"),
            (14, "14 delegations need someone"),
        ] {
            assert_eq!(headline(n), title);
        }
    }
}
