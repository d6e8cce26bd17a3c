//! A card for a delegation that needs somebody: what happened, in the agent's own words, who, and since when.

use leptos::prelude::*;
use loggia_domain::delegation::State;
use loggia_domain::timestamp::created_at_ms;

use super::needs::{Need, Problem};
use crate::href;
use crate::language::t;
use crate::parts::{Agent, AgentPair, Ago, Form, Moment, StateBadge, revealed};

/// One problem.
#[component]
pub(super) fn ProblemCard(
    /// What is wrong with which delegation.
    problem: Problem,
    /// The hub's clock at the answer.
    answered_ms: u64,
    /// From when on a wait is too long.
    stalled_after_ms: u64,
) -> impl IntoView {
    let Problem { need, since_ms, delegation, apart, whereabouts } = problem;
    let apart = apart.map(|text| view! { <p><code>{revealed(&text)}</code></p> }.into_any());
    let (also, what) = match need {
        Need::Failed => (vec![], t!("last word")),
        Need::Blocked => (vec![], t!("blocked")),
        Need::Expired => (vec![t!("expired")], t!("due")),
        Need::Twice => (vec![t!("claimed twice")], t!("last word")),
        Need::Question => (vec![t!("question")], t!("last word")),
        Need::Stalled => (vec![t!("stalled")], t!("last word")),
    };
    let at = created_at_ms(since_ms).unwrap_or_default();
    let said = match (need, &delegation.reason) {
        (Need::Failed | Need::Blocked | Need::Question, Some(reason)) => {
            view! { <p class="quote">"“"{revealed(reason)}"”"</p> }.into_any()
        }
        (Need::Failed, None) => view! { <p>{t!("It failed without a word.")}</p> }.into_any(),
        (Need::Blocked, None) => view! { <p>{t!("It is blocked, and nobody said why.")}</p> }.into_any(),
        (Need::Question, None) => view! { <p>{t!("A question waits for an answer.")}</p> }.into_any(),
        (Need::Expired, _) => {
            view! { <p>{t!("It was to be done by ")}<Moment at=at.clone() form=Form::Full/>{t!(".")}</p> }.into_any()
        }
        (Need::Twice, _) => {
            let loser = delegation.unsettled_claims.first().cloned().unwrap_or_default();
            let winner = delegation.claimant.clone().unwrap_or_default();
            view! { <p><Agent name=winner/>{t!(" was first; ")}<Agent name=loser/>{t!(" claimed too and may still be at work.")}</p> }.into_any()
        }
        (Need::Stalled, _) => {
            let first =
                if delegation.state == State::Open { t!("Nobody has taken it") } else { t!("Claimed, then silence") };
            // Whether it died, went idle or only works in silence.
            let worker = delegation.claimant.clone().or_else(|| delegation.assignee.clone());
            let whereabouts = worker
                .zip(whereabouts)
                .map(|(name, line)| view! { " "<Agent name=name/>" "{line}{t!(".")} }.into_any());
            view! { <p>{first}{t!("; no event since ")}<Moment at=at.clone() form=Form::Full/>{t!(".")}{whereabouts}</p> }
                .into_any()
        }
    };
    let speaks = matches!(need, Need::Failed | Need::Blocked | Need::Question);
    // Under words stands who said them, and to whom it matters.
    let speaker = delegation.reason_by.as_ref().or(delegation.claimant.as_ref()).filter(|_| speaks);
    let who = match (speaker, &delegation.claimant) {
        (Some(speaker), _) => {
            let to = (*speaker != delegation.requester).then(|| delegation.requester.clone());
            view! { <AgentPair from=speaker.clone() to=to/> }.into_any()
        }
        (None, Some(claimant)) => view! { <Agent name=claimant.clone()/> }.into_any(),
        (None, None) => {
            view! { <AgentPair from=delegation.requester.clone() to=delegation.assignee.clone()/> }.into_any()
        }
    };
    view! {
        <article class=format!("problem {}", delegation.state.as_str())>
            <div class="since"><StateBadge state=delegation.state also=also/><Moment at=at form=Form::Row/></div>
            <h3><a href=href::task(&delegation.correlation_id)>{revealed(&delegation.title)}</a></h3>
            {apart}
            {said}
            <div class="who-since">
                {who}
                <Ago what=what at_ms=since_ms answered_ms=answered_ms hot_after_ms=Some(stalled_after_ms)/>
            </div>
        </article>
    }
}
