//! What the palette shows above every page: what has to do with the letters that somebody typed, and the keys that pages know. Written
//! on the hub.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use crate::backend::Matches;
use crate::frame::PAGES;
use crate::href;
use crate::parts::{Agent, revealed};

/// The keys and what they do.
const KEYS: [(&str, &str); 11] = [
    ("j / k", "the next, the previous event"),
    ("Enter", "look at the event beside the log"),
    ("Esc", "close what lies above or beside the page"),
    ("n / N", "the next, the previous hit of a search"),
    ("/", "into the search"),
    ("p", "pause the log, and go on"),
    ("t", "to the newest event"),
    ("g and a letter", "to the page whose name begins with it"),
    ("Ctrl+K", "find a page, a stream, an agent, a delegation, an event"),
    ("o", "open the event's own page"),
    ("?", "this list"),
];

/// The list of keys.
pub(super) fn keys() -> AnyView {
    let rows = KEYS
        .into_iter()
        .map(|(keys, what)| view! { <dt><kbd>{keys}</kbd></dt><dd>{what}</dd> }.into_any())
        .collect_view();
    view! { <h2>"Keys"</h2><dl class="facts keys">{rows}</dl> }.into_any()
}

/// What was found, as links.
pub(super) fn found(letters: &str, matches: &Matches) -> AnyView {
    let lower = letters.to_lowercase();
    let pages = PAGES
        .into_iter()
        .filter(|(_, name)| name.to_lowercase().contains(&lower))
        .map(|(path, name)| entry(path.to_owned(), "page", name.into_any()));
    let event = matches.event.iter().map(|id| entry(href::event(id), "event", revealed(id)));
    let artifact = matches.artifact.iter().map(|id| entry(href::artifact(id), "artifact", revealed(id)));
    let tasks = matches.tasks.iter().map(|(id, title)| {
        let said = view! { {revealed(title)}" "<code class="faint">{revealed(id)}</code> }.into_any();
        entry(href::task(id), "task", said)
    });
    let streams = matches.streams.iter().map(|stream| {
        entry(href::log(&Filter::default().with(Column::Stream, stream.clone()), None), "stream", revealed(stream))
    });
    let agents = matches.agents.iter().map(|agent| {
        let target = href::log(&Filter::default().with(Column::FromAgent, agent.clone()), None);
        entry(target, "agent", view! { <Agent name=agent.clone()/> }.into_any())
    });
    let search = (!letters.is_empty()).then(|| {
        let said = view! { "Search the log for “"{revealed(letters)}"”" }.into_any();
        entry(href::search(&Filter::default(), letters, None), "search", said)
    });
    let all: Vec<AnyView> =
        event.chain(artifact).chain(pages).chain(tasks).chain(streams).chain(agents).chain(search).collect();
    view! { <ul class="found">{all}</ul> }.into_any()
}

fn entry(target: String, kind: &'static str, said: AnyView) -> AnyView {
    view! { <li><a href=target><span class="kind">{kind}</span><span class="said">{said}</span></a></li> }.into_any()
}
