//! Every step of a delegation with its whole text, in the same order as in the lanes and in the list.

use leptos::prelude::*;
use loggia_domain::Event;
use loggia_domain::delegation::{Delegation, Step};

use crate::href;
use crate::language::t;
use crate::parts::{AgentPair, StatusBadge, revealed, written_time};
use crate::words::{counted, cut, duration};

/// How many characters of a body are shown at most; the event's own page has all of it.
const MAX_BODY_CHARS: usize = 20_000;
/// How many characters of all bodies together, so that a page stays a page.
const MAX_PAGE_CHARS: usize = 400_000;

/// The steps.
pub(super) fn steps(d: &Delegation, events: &[Event]) -> AnyView {
    let mut left = MAX_PAGE_CHARS;
    let items = d
        .steps
        .iter()
        .map(|step| {
            let event = events.iter().find(|event| event.id == step.event_id);
            item(step, event, &mut left)
        })
        .collect_view();
    view! { <ol class="panel steps full">{items}</ol> }.into_any()
}

fn item(step: &Step, event: Option<&Event>, left: &mut usize) -> AnyView {
    let after = step.after_ms.map(|ms| view! { <span class="after">"+"{duration(ms)}</span> }.into_any());
    let status = step.status.clone().map(|word| view! { <StatusBadge word=word/> }.into_any());
    let mark = |is: bool, word: &'static str| is.then(|| view! { <span class="mark">{word}</span> }.into_any());
    let skew = step
        .skew_ms
        .map(|ms| view! { <span class="mark">{t!("clocks differ by about ")}{duration(ms)}</span> }.into_any());
    let body = event.map_or("", |event| event.body.as_str());
    let (shown, more) = cut(body, MAX_BODY_CHARS.min(*left));
    *left = left.saturating_sub(shown.chars().count());
    let text = if body.is_empty() {
        view! { <p class="faint">{t!("no text")}</p> }.into_any()
    } else {
        let rest = (more > 0).then(|| {
            view! { <p class="not-shown">{counted(more as u64, t!("more character##n"), t!("more characters##n"))}{t!(", see the event")}</p> }.into_any()
        });
        view! { <pre class="body">{revealed(shown)}</pre>{rest} }.into_any()
    };
    let metadata = event.filter(|event| !event.metadata.is_empty()).map(|event| {
        view! { <details><summary class="faint">{t!("metadata")}</summary><pre class="body">{revealed(event.metadata.text())}</pre></details> }
            .into_any()
    });
    let artifacts = step
        .artifact_ids
        .iter()
        .map(|id| view! { <a class="mark" href=href::artifact(id)><code>{revealed(id)}</code></a> }.into_any())
        .collect_view();
    view! {
        <li class="step">
            <div class="step-when">{written_time(&step.created_at)}{after}</div>
            <div class="step-what">
                <div class="step-head">
                    <AgentPair from=step.from_agent.clone() to=step.to_agent.clone()/>
                    <span class="mono muted">{step.event_type.clone()}</span>
                    {status}
                    {mark(step.human, t!("person"))}
                    {mark(step.lost_race, t!("lost the race"))}
                    {mark(step.question, t!("question"))}
                    {skew}
                    {artifacts}
                    <a class="faint" href=href::event(&step.event_id)><code>{step.event_id.clone()}</code></a>
                </div>
                {text}
                {metadata}
            </div>
        </li>
    }
    .into_any()
}
