//! Every step of a delegation, in the same order as in the lanes, with the time between them.

use leptos::prelude::*;
use loggia_domain::delegation::{Delegation, Step};

use crate::href;
use crate::language::t;
use crate::parts::{AgentPair, Form, Moment, StatusBadge, revealed};
use crate::words::duration;

/// The list.
#[component]
pub(super) fn Steps(delegation: ReadSignal<Delegation>) -> impl IntoView {
    let steps = move || {
        delegation
            .with(|d| d.steps.iter().map(|step| view! { <StepItem step=step.clone()/> }.into_any()).collect_view())
    };
    view! {
        <ol class="panel steps">
            {move || steps()}
        </ol>
    }
}

/// One step.
#[component]
fn StepItem(step: Step) -> impl IntoView {
    let after = step
        .after_ms
        .map(|ms| view! { <span class="after" title=t!("since the step before")>"+"{duration(ms)}</span> }.into_any());
    let status = step.status.clone().map(|word| view! { <StatusBadge word=word/> }.into_any());
    let lost = step.lost_race.then(|| view! { <span class="mark">{t!("lost the race")}</span> }.into_any());
    let question = step.question.then(|| view! { <span class="mark">{t!("question")}</span> }.into_any());
    let human = step.human.then(|| view! { <span class="mark">{t!("person")}</span> }.into_any());
    let skew = step
        .skew_ms
        .map(|ms| view! { <span class="mark" title=t!("stamped before what it answers")>{t!("clocks differ by about ")}{duration(ms)}</span> }.into_any());
    let line = if step.line.is_empty() {
        view! { <span class="faint">{t!("no text")}</span> }.into_any()
    } else {
        revealed(&step.line)
    };
    let artifacts = step
        .artifact_ids
        .iter()
        .map(|id| {
            view! { <a class="mark" href=href::artifact(id) title=id.clone()>{t!("artifact##found")}</a> }.into_any()
        })
        .collect_view();
    view! {
        <li class="step">
            <div class="step-when"><Moment at=step.created_at.clone() form=Form::Row/>{after}</div>
            <div class="step-what">
                <div class="step-head">
                    <AgentPair from=step.from_agent.clone() to=step.to_agent.clone()/>
                    <span class="mono muted">{step.event_type.clone()}</span>
                    {status}{human}{lost}{question}{skew}{artifacts}
                </div>
                <a class="step-line" href=href::event(&step.event_id)>{line}</a>
            </div>
        </li>
    }
}
