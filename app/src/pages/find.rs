//! What the palette shows above every page: what has to do with the letters that somebody typed, and the keys that pages know. Written
//! on the hub.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use crate::backend::Matches;
use crate::frame::pages;
use crate::href;
use crate::language::t;
use crate::parts::{Agent, revealed};

/// The keys and what they do.
fn all_keys() -> [(&'static str, &'static str); 11] {
    [
        ("j / k", t!("the next, the previous event")),
        ("Enter", t!("look at the event beside the log")),
        ("Esc", t!("close what lies above or beside the page")),
        ("n / N", t!("the next, the previous hit of a search")),
        ("/", t!("into the search")),
        ("p", t!("pause the log, and go on")),
        ("t", t!("to the newest event")),
        (t!("g and a letter"), t!("to the page whose name begins with it")),
        ("Ctrl+K", t!("find a page, a stream, an agent, a delegation, an event")),
        ("o", t!("open the event's own page")),
        ("?", t!("this list")),
    ]
}

/// The list of keys.
pub(super) fn keys() -> AnyView {
    let rows = all_keys()
        .into_iter()
        .map(|(keys, what)| view! { <dt><kbd>{keys}</kbd></dt><dd>{what}</dd> }.into_any())
        .collect_view();
    view! { <h2>{t!("Keys")}</h2><dl class="facts keys">{rows}</dl> }.into_any()
}

/// What was found, as links.
pub(super) fn found(letters: &str, matches: &Matches) -> AnyView {
    let lower = letters.to_lowercase();
    let pages = pages()
        .into_iter()
        .filter(|(_, name, _)| name.to_lowercase().contains(&lower))
        .map(|(path, name, _)| entry(path.to_owned(), t!("page##found"), name.into_any()));
    let event = matches.event.iter().map(|id| entry(href::event(id), t!("event##found"), revealed(id)));
    let artifact = matches.artifact.iter().map(|id| entry(href::artifact(id), t!("artifact##found"), revealed(id)));
    let tasks = matches.tasks.iter().map(|(id, title)| {
        let said = view! { {revealed(title)}" "<code class="faint">{revealed(id)}</code> }.into_any();
        entry(href::task(id), t!("task"), said)
    });
    let streams = matches.streams.iter().map(|stream| {
        entry(href::log(&Filter::default().with(Column::Stream, stream.clone()), None), t!("stream"), revealed(stream))
    });
    let agents = matches.agents.iter().map(|agent| {
        let target = href::log(&Filter::default().with(Column::FromAgent, agent.clone()), None);
        entry(target, t!("agent##found"), view! { <Agent name=agent.clone()/> }.into_any())
    });
    let search = (!letters.is_empty()).then(|| {
        let said = view! { {t!("Search the log for “")}{revealed(letters)}"”" }.into_any();
        entry(href::search(&Filter::default(), letters, None), t!("search##found"), said)
    });
    let all: Vec<AnyView> =
        event.chain(artifact).chain(pages).chain(tasks).chain(streams).chain(agents).chain(search).collect();
    view! { <ul class="found">{all}</ul> }.into_any()
}

fn entry(target: String, kind: &'static str, said: AnyView) -> AnyView {
    view! { <li><a href=target><span class="kind">{kind}</span><span class="said">{said}</span></a></li> }.into_any()
}
