//! What is to be said about a delegation in words: silence, races, clocks, time that is over. Each follows from the fold.

use leptos::prelude::*;
use loggia_domain::delegation::gaps::{Gap, gaps};
use loggia_domain::delegation::{Delegation, State};
use loggia_domain::timestamp::created_at_ms;

use crate::backend::asked::Seen;
use crate::language::t;
use crate::parts::{Agent, Form, Moment, revealed};
use crate::words::{counted, duration};

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
    view! { <ul class="notes" aria-label=t!("What to know about this task")>{move || notes()}</ul> }
}

fn left_out_note(left_out: u64) -> Option<Note> {
    if left_out == 0 {
        return None;
    }
    let said = view! { {t!("This task has ")}{counted(left_out, t!("more event##n"), t!("more events##n"))}{t!(" than this page holds.")} };
    Some(("plain", said.into_any()))
}

fn reason_note(d: &Delegation) -> Option<Note> {
    let reason = d.reason.as_ref()?;
    let (class, intro) = match d.state {
        State::Blocked => ("blocked", t!("Blocked: ")),
        State::Failed => ("failed", t!("Failed: ")),
        _ => ("", t!("An open question: ")),
    };
    let by = d.reason_by.clone().map(|name| view! { " — "<Agent name=name/> }.into_any());
    Some((class, view! { <b>{intro}</b>"“"{revealed(reason)}"”"{by} }.into_any()))
}

fn stalled_note(d: &Delegation, now_ms: u64, stalled_after_ms: u64) -> Option<Note> {
    if !d.is_stalled(now_ms, stalled_after_ms) {
        return None;
    }
    let silent = duration(now_ms.saturating_sub(d.last_at_ms));
    let last = created_at_ms(d.last_at_ms).unwrap_or_default();
    let who = match &d.claimant {
        Some(claimant) if d.state == State::Claimed => {
            view! { <Agent name=claimant.clone()/>{t!(" claimed it, and ")} }.into_any()
        }
        _ => t!("Nobody has taken it, and ").into_any(),
    };
    let said = view! { <b>{t!("Stalled. ")}</b>{who}{t!("nothing has come for ")}{silent}{t!(", since ")}<Moment at=last form=Form::Full/>{t!(".")} };
    Some(("", said.into_any()))
}

/// When somebody who is waited for was last heard of, anywhere.
fn seen_note(d: &Delegation, seen: Option<Seen>) -> Option<Note> {
    let seen = seen.filter(|_| !d.state.is_final())?;
    let last = match seen.last_at {
        Some(at) => view! { {t!(" was last seen ")}<Moment at=at form=Form::Full/> }.into_any(),
        None => t!(" has written nothing on this hub").into_any(),
    };
    let idle = seen.idle.then_some(t!(", and has declared itself idle"));
    Some(("plain", view! { {t!("Waiting for ")}<Agent name=seen.agent/>{t!(", who")}{last}{idle}{t!(".")} }.into_any()))
}

/// What one would expect and does not find.
fn missing_note(d: &Delegation) -> Option<Note> {
    let said = gaps(d).into_iter().map(gap).collect::<Vec<_>>().join(" ");
    (!said.is_empty()).then(|| ("plain", said.into_any()))
}

fn gap(gap: Gap) -> &'static str {
    match gap {
        Gap::NoDelegation => {
            t!("Nothing is delegated here: no event asks for work and none carries a status that is known.")
        }
        Gap::NoRequest => t!("There is no request: what was asked, and by whom, is not in this log."),
        Gap::NoClaim => t!("Nobody claimed it before the result came."),
        Gap::NoReady => t!("It was applied without anybody saying that a result is ready."),
        Gap::NoArtifact => t!("No artifact is referenced: what was delivered is not in this log."),
        Gap::NoReason => t!("No reason was given."),
        Gap::NextClaim => t!("Next would be a claim."),
        Gap::NextResult => t!("Next would be a result, or word that the work is blocked or failed."),
        Gap::NextApply => t!("Next would be somebody who applies the result, or says why not."),
        Gap::NextAnswer => t!("Next would be an answer to the worker."),
    }
}

fn expired_note(d: &Delegation, now_ms: u64) -> Option<Note> {
    let expired = d.is_expired(now_ms).then_some(d.expires_at_ms)??;
    let at = created_at_ms(u64::try_from(expired).ok()?)?;
    Some((
        "",
        view! { <b>{t!("Expired. ")}</b>{t!("It was to be done by ")}<Moment at=at form=Form::Full/>{t!(".")} }
            .into_any(),
    ))
}

fn race_note(d: &Delegation) -> Option<Note> {
    let claimant = d.claimant.clone()?;
    if d.lost_claims.is_empty() {
        return None;
    }
    let losers = d.lost_claims.iter().map(|name| view! { <Agent name=name.clone()/>" " }.into_any()).collect_view();
    let settled = if d.unsettled_claims.is_empty() {
        t!("and stepped back.")
    } else {
        t!("and has not stepped back yet: the same work may be under way twice.")
    };
    let said = view! {
        <b>{t!("Claimed more than once. ")}</b><Agent name=claimant/>{t!(" was first and has the task; ")}{losers}{t!("lost the race ")}{settled}
    };
    Some(("", said.into_any()))
}

fn skew_note(d: &Delegation) -> Option<Note> {
    let skew_ms = d.steps.iter().filter_map(|step| step.skew_ms).max()?;
    let said = view! {
        <b>{t!("Clocks differ by about ")}{duration(skew_ms)}{t!(". ")}</b>
        {t!("An answer is stamped before what it answers, so durations around it are not exact.")}
    };
    Some(("plain", said.into_any()))
}
