//! `/event?id=`: one event, whole, and what stands around it in the log.

mod form;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
pub(super) mod written;

use leptos::prelude::*;
use leptos_meta::Title;
use loggia_domain::{Event, Filter};

use super::{use_query_value, use_search};
use crate::href;
use crate::language::t;
use crate::loading::{Answer, Loaded, Question};
use crate::parts::{Agent, CopyButton, EventRow, EventTable, Form, Marks, Moment, StatusBadge, copy_button, revealed};
use crate::words::{counted, grouped_seq};

pub(super) use form::{form_links, use_form};

/// Loads the event.
#[component]
pub fn EventRoute() -> impl IntoView {
    let id = use_query_value("id");
    let form = use_form();
    let question = Signal::derive(move || Question::Event(id.get(), form.get()));
    provide_context(form);
    view! { <Loaded question=question show=show/> }.into_any()
}

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Event(event, around, _, written) => {
            view! { <EventView event=*event around=around written=written/> }.into_any()
        }
        _ => ().into_any(),
    }
}

#[component]
fn EventView(event: Event, around: Vec<Event>, written: String) -> impl IntoView {
    let form = expect_context::<Memo<String>>().get_untracked();
    let forms = form_links("/event", &use_search().get_untracked(), &form);
    let in_context = href::around(&event.id);
    let title = t!("{kind} by {agent}", kind = event.event_type, agent = event.from_agent);
    let status = event.status.clone().map(|word| view! { <StatusBadge word=word/> }.into_any());
    let id = event.id.clone();
    let rows = around
        .into_iter()
        .map(|near| {
            let marks = Marks { selected: near.id == id, ..Marks::default() };
            view! { <EventRow event=near marks=marks/> }.into_any()
        })
        .collect_view();
    let body = if written.is_empty() {
        body_view(&event.body)
    } else {
        view! { <div id="body" inner_html=written></div> }.into_any()
    };
    let copy_json = copy_button("json", t!("Copy as JSON"), &event.id, "event-id");
    let metadata = (!event.metadata.is_empty()).then(|| {
        let text = event.metadata.text().to_owned();
        view! {
            <section class="panel padded">
                <div class="section-head"><h2>{t!("Metadata")}</h2><CopyButton text=text.clone() shown_by="metadata"/></div>
                <pre class="body" id="metadata">{revealed(&text)}</pre>
            </section>
        }
        .into_any()
    });
    let body_text = event.body.clone();
    view! {
        <Title text=title/>
        <div class="page-head">
            <h1>{event.event_type.clone()}</h1>
            {status}
            <code id="event-id">{event.id.clone()}</code>
            <CopyButton text=event.id.clone() shown_by="event-id" label=t!("Copy id")/>
            {copy_json}
            <a class="button small" href=in_context>{t!("See it in the log")}</a>
        </div>
        <div class="two">
            <div class="stack">
                <section class="panel padded">
                    <div class="section-head"><h2>{t!("Body")}</h2>{forms}<CopyButton text=body_text shown_by="body"/></div>
                    {body}
                </section>
                {metadata}
            </div>
            <Facts event=event/>
        </div>
        <section>
            <h2>{t!("Around it in the log")}</h2>
            <EventTable caption=t!("The events that arrived around this one, newest first")>{rows}</EventTable>
        </section>
    }
}

fn body_view(body: &str) -> AnyView {
    if body.is_empty() {
        return view! { <p class="faint" id="body">{t!("This event has no text.")}</p> }.into_any();
    }
    view! { <pre class="body" id="body">{revealed(body)}</pre> }.into_any()
}

/// The event's fields.
#[component]
fn Facts(event: Event) -> impl IntoView {
    let text = |name: &'static str, value: Option<String>| {
        value.map(|value| view! { <dt>{name}</dt><dd><code>{revealed(&value)}</code></dd> }.into_any())
    };
    let filtered = |name: &'static str, column, value: &str| {
        let target = href::log(&Filter::default().with(column, value), None);
        view! { <dt>{name}</dt><dd><a href=target><code>{revealed(value)}</code></a></dd> }.into_any()
    };
    let to = event.to_agent.clone().map(|to| view! { <dt>{t!("to")}</dt><dd><Agent name=to/></dd> }.into_any());
    let task = event.correlation_id.clone().map(|id| {
        view! { <dt>{t!("task")}</dt><dd><a href=href::task(&id)><code>{revealed(&id)}</code></a></dd> }.into_any()
    });
    let artifacts = (!event.artifact_ids.is_empty()).then(|| {
        let links = event
            .artifact_ids
            .iter()
            .map(|id| view! { <li><a href=href::artifact(id)><code>{revealed(id)}</code></a></li> }.into_any())
            .collect_view();
        view! { <dt>{counted(event.artifact_ids.len() as u64, t!("artifact##n"), t!("artifacts##n"))}</dt><dd><ul class="plain">{links}</ul></dd> }.into_any()
    });
    let topic = event.topic.as_ref().map(|topic| filtered(t!("topic"), loggia_domain::Column::Topic, topic));
    view! {
        <section class="panel padded">
            <h2>{t!("Facts")}</h2>
            <dl class="facts">
                <dt>{t!("written")}</dt><dd><Moment at=event.created_at.clone() form=Form::Full/></dd>
                <dt>{t!("from")}</dt><dd><Agent name=event.from_agent.clone()/></dd>
                {to}
                {task}
                {filtered(t!("stream"), loggia_domain::Column::Stream, &event.stream)}
                {filtered(t!("room"), loggia_domain::Column::Room, &event.room)}
                {topic}
                {text(t!("branch"), event.branch.clone())}
                {text(t!("base commit"), event.base_commit.clone())}
                {artifacts}
                <dt>{t!("seq here")}</dt><dd><code>{grouped_seq(event.seq)}</code></dd>
                {text("hlc", event.hlc.clone())}
                {text(t!("written on hub"), event.origin_replica.clone())}
                {text(t!("seq there"), event.origin_seq.map(grouped_seq))}
            </dl>
        </section>
    }
}
