//! What is to be said about a delegation in words: silence, races, clocks, time that is over. Each follows from the fold.

use leptos::prelude::*;
use loggia_domain::delegation::gaps::missing;
use loggia_domain::delegation::{Delegation, State};
use loggia_domain::timestamp::{created_at_ms, duration_words};

use crate::backend::asked::Seen;
use crate::parts::{Agent, Form, Moment, revealed};
use crate::words::counted;

/// A note and its tone.
type Note = (&'static str, AnyView);

/// The notes; nothing when there is nothing to say.
#[component]
pub(super) fn Notes(
    delegation: ReadSignal<Delegation>,
    now_ms: Memo<u64>,
    stalled_after_ms: u64,
    left_out: u64,
    seen: RwSignal<Option<Seen>>,
) -> impl IntoView {
    let notes = move || {
        delegation.with(|d| {
            [
                left_out_note(left_out),
                reason_note(d),
                stalled_note(d, now_ms.get(), stalled_after_ms),
                seen_note(d, seen.get()),
                expired_note(d, now_ms.get()),
                race_note(d),
                skew_note(d),
                missing_note(d),
            ]
            .into_iter()
            .flatten()
            .map(|(class, note)| view! { <li class=class>{note}</li> }.into_any())
            .collect_view()
        })
    };
    view! { <ul class="notes" aria-label="What to know about this task">{move || notes()}</ul> }
}

fn left_out_note(left_out: u64) -> Option<Note> {
    if left_out == 0 {
        return None;
    }
    let said = view! { "This task has "{counted(left_out, "more event", "more events")}" than this page holds." };
    Some(("plain", said.into_any()))
}

fn reason_note(d: &Delegation) -> Option<Note> {
    let reason = d.reason.as_ref()?;
    let (class, intro) = match d.state {
        State::Blocked => ("blocked", "Blocked: "),
        State::Failed => ("failed", "Failed: "),
        _ => ("", "An open question: "),
    };
    let by = d.reason_by.clone().map(|name| view! { " — "<Agent name=name/> }.into_any());
    Some((class, view! { <b>{intro}</b>"“"{revealed(reason)}"”"{by} }.into_any()))
}

fn stalled_note(d: &Delegation, now_ms: u64, stalled_after_ms: u64) -> Option<Note> {
    if !d.is_stalled(now_ms, stalled_after_ms) {
        return None;
    }
    let silent = duration_words(now_ms.saturating_sub(d.last_at_ms));
    let last = created_at_ms(d.last_at_ms).unwrap_or_default();
    let who = match &d.claimant {
        Some(claimant) if d.state == State::Claimed => {
            view! { <Agent name=claimant.clone()/>" claimed it, and " }.into_any()
        }
        _ => "Nobody has taken it, and ".into_any(),
    };
    let said =
        view! { <b>"Stalled. "</b>{who}"nothing has come for "{silent}", since "<Moment at=last form=Form::Full/>"." };
    Some(("", said.into_any()))
}

/// When somebody who is waited for was last heard of, anywhere.
fn seen_note(d: &Delegation, seen: Option<Seen>) -> Option<Note> {
    let seen = seen.filter(|_| !d.state.is_final())?;
    let last = match seen.last_at {
        Some(at) => view! { " was last seen "<Moment at=at form=Form::Full/> }.into_any(),
        None => " has written nothing on this hub".into_any(),
    };
    let idle = seen.idle.then_some(", and has declared itself idle");
    Some(("plain", view! { "Waiting for "<Agent name=seen.agent/>", who"{last}{idle}"." }.into_any()))
}

/// What one would expect and does not find.
fn missing_note(d: &Delegation) -> Option<Note> {
    let said = missing(d).join(" ");
    (!said.is_empty()).then(|| ("plain", said.into_any()))
}

fn expired_note(d: &Delegation, now_ms: u64) -> Option<Note> {
    let expired = d.is_expired(now_ms).then_some(d.expires_at_ms)??;
    let at = created_at_ms(u64::try_from(expired).ok()?)?;
    Some(("", view! { <b>"Expired. "</b>"It was to be done by "<Moment at=at form=Form::Full/>"." }.into_any()))
}

fn race_note(d: &Delegation) -> Option<Note> {
    let claimant = d.claimant.clone()?;
    if d.lost_claims.is_empty() {
        return None;
    }
    let losers = d.lost_claims.iter().map(|name| view! { <Agent name=name.clone()/>" " }.into_any()).collect_view();
    let settled = if d.unsettled_claims.is_empty() {
        "and stepped back."
    } else {
        "and has not stepped back yet: the same work may be under way twice."
    };
    let said = view! {
        <b>"Claimed more than once. "</b><Agent name=claimant/>" was first and has the task; "{losers}"lost the race "{settled}
    };
    Some(("", said.into_any()))
}

fn skew_note(d: &Delegation) -> Option<Note> {
    let skew_ms = d.steps.iter().filter_map(|step| step.skew_ms).max()?;
    let said = view! {
        <b>"Clocks differ by about "{duration_words(skew_ms)}". "</b>
        "An answer is stamped before what it answers, so durations around it are not exact."
    };
    Some(("plain", said.into_any()))
}
