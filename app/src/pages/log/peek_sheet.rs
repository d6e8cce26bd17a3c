//! What the hub writes into the panel beside the log: an event with its body in the chosen form, and the ways on.

use leptos::prelude::*;
use loggia_domain::Event;

use crate::href;
use crate::language::t;
use crate::pages::event::form_links;
use crate::pages::event::written::write_body;
use crate::parts::{Agent, StatusBadge, copy_button, revealed};
use crate::words::{counted, grouped_seq};

/// The panel for an event; `search` is the query string of the log that it stands beside.
pub(in crate::pages) fn panel(event: &Event, search: &str) -> AnyView {
    let form = href::value(search, "as").unwrap_or_default();
    let close = href::changed("/log", search, "peek", None);
    let status = event.status.clone().map(|word| view! { <StatusBadge word=word/> }.into_any());
    let to = event
        .to_agent
        .clone()
        .map(|to| view! { <span class="arrow" aria-label=t!("to")>" → "</span><Agent name=to/> }.into_any());
    let written = write_body(&event.body, &form);
    let body = match (written.is_empty(), event.body.is_empty()) {
        (_, true) => view! { <p class="faint" id="peek-body">{t!("This event has no text.")}</p> }.into_any(),
        (false, _) => view! { <div id="peek-body" inner_html=written></div> }.into_any(),
        // Not a `pre`: the first line feed of one is not a part of it.
        (true, _) => {
            view! { <div class="verbatim" id="peek-body" translate="no">{revealed(&event.body)}</div> }.into_any()
        }
    };
    let task = event.correlation_id.as_ref().map(|id| {
        view! { <dt>{t!("task")}</dt><dd><a href=href::task(id)><code>{revealed(id)}</code></a></dd> }.into_any()
    });
    let artifacts = (!event.artifact_ids.is_empty()).then(|| {
        let links = event
            .artifact_ids
            .iter()
            .map(|id| view! { <li><a href=href::artifact(id)><code>{revealed(id)}</code></a></li> }.into_any())
            .collect_view();
        let count = counted(event.artifact_ids.len() as u64, t!("artifact##n"), t!("artifacts##n"));
        view! { <dt>{count}</dt><dd><ul class="plain">{links}</ul></dd> }.into_any()
    });
    let text = |name: &'static str, value: Option<&String>| {
        value.map(|value| view! { <dt>{name}</dt><dd><code>{revealed(value)}</code></dd> }.into_any())
    };
    let metadata = (!event.metadata.is_empty()).then(|| {
        view! { <h3>{t!("Metadata")}</h3><pre class="body">{revealed(event.metadata.text())}</pre> }.into_any()
    });
    let written_at = event.created_at.trim_end_matches('Z').replace('T', " ");
    view! {
        <div class="peek-head">
            <h2>{revealed(&event.event_type)}</h2>
            {status}
            <span class="grow"></span>
            <a class="button small to-page" href=href::event(&event.id)>{t!("Open")}</a>
            <a class="button small" href=href::around(&event.id)>{t!("In context")}</a>
            <a class="button small peek-close" href=close data-noscroll="" aria-label=t!("Close")>"×"</a>
        </div>
        <p class="peek-who"><Agent name=event.from_agent.clone()/>{to}</p>
        <div class="peek-tools">
            {form_links("/log", search, &form)}
            <span class="grow"></span>
            {copy_button("body", t!("Copy body"), &event.id, "peek-body")}
            {copy_button("json", t!("Copy as JSON"), &event.id, "peek-id")}
            {copy_button("id", t!("Copy id"), &event.id, "peek-id")}
        </div>
        {body}
        <dl class="facts">
            <dt>{t!("id")}</dt><dd><code id="peek-id">{event.id.clone()}</code></dd>
            <dt>{t!("written")}</dt><dd><time class="time" datetime=event.created_at.clone()>{written_at}" UTC"</time></dd>
            {task}
            {text(t!("stream"), Some(&event.stream))}
            {text(t!("room"), Some(&event.room))}
            {text(t!("topic"), event.topic.as_ref())}
            {text(t!("branch"), event.branch.as_ref())}
            {text(t!("base commit"), event.base_commit.as_ref())}
            {artifacts}
            <dt>{t!("seq here")}</dt><dd><code>{grouped_seq(event.seq)}</code></dd>
            {text("hlc", event.hlc.as_ref())}
        </dl>
        {metadata}
    }
    .into_any()
}

/// The panel for an id that this hub does not know.
pub(in crate::pages) fn missing(id: &str, search: &str) -> AnyView {
    let close = href::changed("/log", search, "peek", None);
    view! {
        <div class="peek-head">
            <h2>{t!("This hub has no such event")}</h2>
            <span class="grow"></span>
            <a class="button small peek-close" href=close data-noscroll="" aria-label=t!("Close")>"×"</a>
        </div>
        <p><code>{revealed(id)}</code></p>
        <p class="muted">{t!("It may live on another hub that has not synced yet, or the address was cut when it was copied.")}</p>
    }
    .into_any()
}
