//! What was asked for.

use leptos::prelude::*;
use loggia_domain::delegation::Delegation;
use loggia_domain::{Column, Filter};

use crate::href;
use crate::language::t;
use crate::parts::{Agent, revealed};

/// The request's facts. A correlation without a request says what it knows.
#[component]
pub(super) fn RequestFacts(delegation: ReadSignal<Delegation>) -> impl IntoView {
    let code = |name: &'static str, value: &Option<String>| {
        value.as_ref().map(|value| view! { <dt>{name}</dt><dd><code>{revealed(value)}</code></dd> }.into_any())
    };
    let facts = move || {
        delegation.with(|d| {
            let stream = href::log(&Filter::default().with(Column::Stream, &d.stream), None);
            let to = d.assignee.clone().map(|name| view! { <dt>{t!("to")}</dt><dd><Agent name=name/></dd> }.into_any());
            let by = d
                .claimant
                .clone()
                .map(|name| view! { <dt>{t!("claimed by")}</dt><dd><Agent name=name/></dd> }.into_any());
            let done = d
                .done
                .as_ref()
                .map(|done| view! { <dt>{t!("done when")}</dt><dd class="prose">{revealed(done)}</dd> }.into_any());
            view! {
                <dt>{t!("from")}</dt><dd><Agent name=d.requester.clone()/></dd>
                {to}
                {by}
                <dt>{t!("stream")}</dt><dd><a href=stream><code>{revealed(&d.stream)}</code></a></dd>
                {code(t!("branch"), &d.branch)}
                {code(t!("base commit"), &d.base_commit)}
                {done}
            }
            .into_any()
        })
    };
    view! { <section class="panel padded"><h2>{t!("Request")}</h2><dl class="facts">{move || facts()}</dl></section> }
}
