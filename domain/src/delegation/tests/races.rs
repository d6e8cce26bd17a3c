//! Claim races and rounds.

use super::*;

/// What a story ends in: the state, who works on it, who lost the race.
#[track_caller]
fn check(words: &str, state: State, claimant: Option<&str>, lost: &[&str]) {
    let task = told(words);
    assert_eq!(task.state, state, "{words}");
    assert_eq!(task.claimant.as_deref(), claimant, "{words}");
    assert_eq!(task.lost_claims, lost, "{words}");
}

/// The steps, by place, that are marked as lost.
#[track_caller]
fn check_marked(words: &str, expected: &[usize]) {
    let steps = told(words).steps;
    let marked: Vec<usize> = (0..).zip(&steps).filter(|(_, s)| s.lost_race).map(|(i, _)| i).collect();
    assert_eq!(marked, expected, "{words}");
}

#[test]
fn the_lowest_hlc_wins_whatever_arrived_first() {
    let mut events = story("a:ask b:claimed c:claimed");
    events[1].hlc = Some(Stamp { ms: START_MS + 5, counter: 0 }.text(REPLICA));
    events[2].hlc = Some(Stamp { ms: START_MS + 10, counter: 0 }.text(REPLICA));
    for (seq_b, seq_c) in [(2, 3), (3, 2)] {
        (events[1].seq, events[2].seq) = (seq_b, seq_c);
        let task = fold(&events).expect("events");
        assert_eq!((task.claimant.as_deref(), task.lost_claims), (Some("b"), vec!["c".to_owned()]));
        assert_eq!(task.steps[2].after_ms, Some(5));
    }
}

#[test]
fn equal_stamps_are_decided_by_the_id() {
    let mut events = story("a:ask b:claimed c:claimed");
    events[1].hlc = events[2].hlc.clone();
    assert_eq!(fold(&events).expect("events").claimant.as_deref(), Some("b"));
    events[1].id = "evt_20261130T140000_ffffffffffff".into();
    assert_eq!(fold(&events).expect("events").claimant.as_deref(), Some("c"));
}

#[test]
fn any_event_with_status_claimed_is_a_claim() {
    let mut events = story("a:ask b:claimed c:claimed");
    events[1].event_type = "status".into();
    let task = fold(&events).expect("events");
    assert_eq!((task.claimant.as_deref(), task.lost_claims), (Some("b"), vec!["c".to_owned()]));
}

#[test]
fn no_claim_no_claimant() {
    check("a:ask", State::Open, None, &[]);
    check("a:ask b:ready", State::Ready, None, &[]);
    check("a:ask b:ready a:applied", State::Applied, None, &[]);
    check("a:says", State::Other, None, &[]);
}

#[test]
fn two_windows_of_one_agent_are_one_claimant() {
    check("a:ask b:claimed b:claimed", State::Claimed, Some("b"), &[]);
    check("a:ask b:claimed b:claimed b:ready", State::Ready, Some("b"), &[]);
    check_marked("a:ask b:claimed b:claimed b:ready", &[]);
    check("a:ask b:claimed c:claimed c:claimed", State::Claimed, Some("b"), &["c"]);
    // Names that differ by case are two agents, as everywhere in the log.
    check("a:ask B:claimed b:claimed", State::Claimed, Some("B"), &["b"]);
}

#[test]
fn everybody_after_the_first_has_lost() {
    let words = "a:ask b:claimed c:claimed d:claimed e:claimed c:claimed";
    check(words, State::Claimed, Some("b"), &["c", "d", "e"]);
    check_marked(words, &[2, 3, 4, 5]);
}

#[test]
fn no_status_of_a_loser_changes_the_task() {
    for status in ["open", "claimed", "ready", "applied", "blocked", "failed", "superseded", "whatever"] {
        let words = format!("a:ask b:claimed c:claimed c:{status}");
        check(&words, State::Claimed, Some("b"), &["c"]);
        check_marked(&words, &[2, 3]);
        let words = format!("a:ask b:claimed c:claimed b:failed c:{status}");
        check(&words, State::Failed, Some("b"), &["c"]);
    }
    check("a:ask b:claimed c:claimed c:applied b:ready", State::Ready, Some("b"), &["c"]);
    check_marked("a:ask b:claimed c:claimed c:says c:asks", &[2]);
}

#[test]
fn what_an_agent_said_before_it_lost_still_counts() {
    check("a:ask c:blocked b:claimed c:claimed", State::Claimed, Some("b"), &["c"]);
    check_marked("a:ask c:blocked b:claimed c:claimed", &[3]);
}

#[test]
fn a_loser_that_posts_superseded_ends_its_own_part_only() {
    #[track_caller]
    fn unsettled(words: &str, expected: &[&str]) {
        assert_eq!(told(words).unsettled_claims, expected, "{words}");
    }
    unsettled("a:ask b:claimed", &[]);
    unsettled("a:ask b:claimed c:claimed d:claimed", &["c", "d"]);
    unsettled("a:ask b:claimed c:claimed d:claimed c:superseded", &["d"]);
    unsettled("a:ask b:claimed c:claimed c:failed", &["c"]);
    unsettled("a:ask b:claimed c:claimed c:superseded c:claimed", &["c"]);
    unsettled("a:ask b:claimed c:claimed b:superseded c:superseded", &[]);
    unsettled("a:ask b:claimed c:claimed a:open", &[]);
    check("a:ask b:claimed c:claimed c:superseded", State::Claimed, Some("b"), &["c"]);
    check("a:ask b:claimed c:claimed c:superseded b:ready a:applied", State::Applied, Some("b"), &["c"]);
    check("a:ask b:claimed c:claimed c:superseded c:ready", State::Claimed, Some("b"), &["c"]);
}

#[test]
fn a_claim_after_the_winner_stepped_down_is_fresh() {
    check("a:ask b:claimed b:superseded", State::Superseded, Some("b"), &[]);
    check("a:ask b:claimed b:superseded c:claimed", State::Claimed, Some("c"), &[]);
    check("a:ask b:claimed b:superseded b:claimed", State::Claimed, Some("b"), &[]);
    check("a:ask b:claimed b:superseded c:claimed b:claimed", State::Claimed, Some("c"), &["b"]);
    check("a:ask b:claimed c:claimed b:superseded c:claimed c:ready", State::Ready, Some("c"), &[]);
    check_marked("a:ask b:claimed c:claimed b:superseded c:claimed c:ready", &[2]);
    check("a:ask b:claimed c:claimed c:superseded b:superseded d:claimed", State::Claimed, Some("d"), &[]);
    check("a:ask b:claimed c:claimed b:superseded c:superseded d:claimed", State::Claimed, Some("d"), &[]);
}

#[test]
fn a_lost_claim_never_moves_up_by_itself() {
    check("a:ask b:claimed c:claimed b:superseded", State::Superseded, Some("b"), &["c"]);
    check("a:ask b:claimed c:claimed b:superseded c:ready", State::Superseded, Some("b"), &["c"]);
    check("a:ask b:claimed c:claimed a:open", State::Open, None, &[]);
}

#[test]
fn only_an_open_brings_a_withdrawn_task_back() {
    check("a:ask a:superseded c:claimed", State::Superseded, None, &[]);
    check("a:ask b:claimed a:superseded c:claimed", State::Superseded, Some("b"), &["c"]);
    check("a:ask b:claimed a:superseded b:claimed", State::Superseded, Some("b"), &[]);
    check("a:ask b:claimed b:superseded a:superseded c:claimed", State::Superseded, Some("b"), &["c"]);
    check("a:ask b:claimed a:superseded a:open c:claimed", State::Claimed, Some("c"), &[]);
    // Having withdrawn it, the requester is not undone by the winner, who steps down when it hears of it.
    check("a:ask b:claimed a:superseded b:superseded c:claimed", State::Superseded, Some("b"), &["c"]);
}

#[test]
fn a_claim_after_the_end_changes_nothing() {
    for (end, state) in [("applied", State::Applied), ("failed", State::Failed)] {
        check(&format!("a:ask b:claimed b:{end} c:claimed"), state, Some("b"), &["c"]);
        check(&format!("a:ask b:claimed b:{end} b:claimed"), state, Some("b"), &[]);
        check(&format!("a:ask b:claimed b:{end} b:superseded c:claimed"), state, Some("b"), &["c"]);
        check(&format!("a:ask b:{end} c:claimed"), state, None, &[]);
        check_marked(&format!("a:ask b:{end} c:claimed"), &[]);
    }
}

#[test]
fn a_winner_that_is_blocked_or_has_delivered_keeps_its_claim() {
    check("a:ask b:claimed b:blocked c:claimed", State::Blocked, Some("b"), &["c"]);
    check("a:ask b:claimed b:ready c:claimed", State::Ready, Some("b"), &["c"]);
    check("a:ask b:claimed a:blocked c:claimed", State::Blocked, Some("b"), &["c"]);
}

#[test]
fn an_open_by_the_requester_starts_a_new_round() {
    check("a:ask b:claimed a:open", State::Open, None, &[]);
    check("a:ask b:claimed a:ask c:claimed", State::Claimed, Some("c"), &[]);
    check("a:request b:claimed a:open c:claimed", State::Claimed, Some("c"), &[]);
    check("a:ask b:claimed a:open c:claimed b:claimed b:ready", State::Claimed, Some("c"), &["b"]);
    check_marked("a:ask b:claimed a:open c:claimed b:claimed b:ready", &[4, 5]);
}

#[test]
fn an_open_by_the_winner_gives_the_task_back() {
    check("a:ask b:claimed b:open", State::Open, None, &[]);
    check("a:ask b:claimed c:claimed b:open c:claimed", State::Claimed, Some("c"), &[]);
}

#[test]
fn an_open_by_a_bystander_moves_the_state_but_not_the_claim() {
    check("a:ask b:claimed d:open", State::Open, Some("b"), &[]);
    check("a:ask b:claimed d:open c:claimed", State::Open, Some("b"), &["c"]);
    check("a:ask b:claimed d:open b:ready", State::Ready, Some("b"), &[]);
}

#[test]
fn an_open_after_the_end_starts_a_new_round_whoever_writes_it() {
    for opener in ["a", "b", "d"] {
        for end in ["applied", "failed", "superseded"] {
            check(&format!("a:ask b:claimed a:{end} {opener}:open"), State::Open, None, &[]);
            check(&format!("a:ask b:claimed a:{end} {opener}:open c:claimed"), State::Claimed, Some("c"), &[]);
        }
    }
}

#[test]
fn a_request_stamped_after_its_claim_is_no_second_asking() {
    // The worker's clock is behind: its claim stands before the request.
    check("b:claimed a:ask", State::Open, Some("b"), &[]);
    check("b:claimed a:ask b:ready", State::Ready, Some("b"), &[]);
    check("b:claimed a:ask c:claimed", State::Open, Some("b"), &["c"]);
}

#[test]
fn a_requester_that_lost_the_race_can_still_finish_the_task() {
    check("a:ask b:claimed a:claimed b:ready a:applied", State::Applied, Some("b"), &["a"]);
    check("a:ask b:claimed a:claimed a:open", State::Open, None, &[]);
    for void in ["claimed", "ready", "blocked", "failed", "superseded"] {
        check(&format!("a:ask b:claimed a:claimed a:{void}"), State::Claimed, Some("b"), &["a"]);
    }
    check_marked("a:ask b:claimed a:claimed a:superseded b:ready a:applied", &[2, 3]);
}

#[test]
fn ten_thousand_claims_have_one_winner() {
    let claims =
        (1..=10_000).map(|n| Event { status: Some("claimed".into()), ..event(n, &format!("w{n}"), "event.ack") });
    let task = fold(&claims.collect::<Vec<_>>()).expect("events");
    assert_eq!((task.claimant.as_deref(), task.lost_claims.len()), (Some("w1"), 9_999));
}
