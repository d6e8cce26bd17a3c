//! What was written last, out of the palace's write log.

use leptos::prelude::*;

use super::address;
use crate::backend::memory::{Change, PalaceQuery, Target};
use crate::href;
use crate::language::t;
use crate::pages::memory_parts::minute;
use crate::parts::{Agent, revealed};

/// The list, newest first.
pub(super) fn view(changes: &[Change]) -> AnyView {
    let body = if changes.is_empty() {
        view! { <p class="muted">{t!("Nothing that was written here is still in the write log.")}</p> }.into_any()
    } else {
        let items = changes.iter().map(item).collect_view();
        view! { <ol class="changes panel">{items}</ol> }.into_any()
    };
    view! {
        <section>
            <div class="section-head"><h2>{t!("Recently changed")}</h2><span class="faint">{t!("newest first")}</span></div>
            {body}
        </section>
    }
    .into_any()
}

/// What was done, in the page's language.
fn verb(verb: &'static str) -> &'static str {
    match verb {
        "filed" => t!("filed##verb"),
        "changed" => t!("changed##verb"),
        "deleted" => t!("deleted##verb"),
        "wrote" => t!("wrote##verb"),
        "dug" => t!("dug##verb"),
        "closed" => t!("closed##verb"),
        "noted" => t!("noted##verb"),
        "ended" => t!("ended##verb"),
        "replaced" => t!("replaced##verb"),
        "imported" => t!("imported##verb"),
        verb => verb,
    }
}

/// What it was done to, in the page's language.
fn what(change: &Change) -> String {
    let (it, other) = (&change.what, &change.other);
    match change.noun {
        "a drawer in {it}" => t!("a drawer in {it}", it = it),
        "the drawer {it}" => t!("the drawer {it}", it = it),
        "{it} drawers" => t!("{it} drawers", it = it),
        "all drawers from {it}" => t!("all drawers from {it}", it = it),
        "a diary entry, topic {it}" => t!("a diary entry, topic {it}", it = it),
        "a tunnel from {it} to {other}" => t!("a tunnel from {it} to {other}", it = it, other = other),
        "the tunnel {it}" => t!("the tunnel {it}", it = it),
        "the hallway {it}" => t!("the hallway {it}", it = it),
        "{it}, before {other}" => t!("{it}, before {other}", it = it, other = other),
        _ => it.clone(),
    }
}

fn item(change: &Change) -> AnyView {
    let what = revealed(&what(change));
    let what = match change.target.as_ref().map(target) {
        Some(address) => view! { <a href=address>{what}</a> }.into_any(),
        None => what,
    };
    let by = change.by.clone().map(|by| view! { <Agent name=by/> }.into_any());
    view! {
        <li>
            <time class="mono faint" title=change.at.clone()>{minute(&change.at)}</time>
            <span class="change-what"><b>{verb(change.verb)}</b>" "{what}</span>
            <span class="change-by">{by}</span>
        </li>
    }
    .into_any()
}

fn target(target: &Target) -> String {
    match target.clone() {
        Target::Room(wing, room) => {
            address(&PalaceQuery { wing: Some(wing), room: Some(room), ..PalaceQuery::default() })
        }
        Target::Drawer(id) => address(&PalaceQuery { id: Some(id), ..PalaceQuery::default() }),
        Target::Diary(agent) => href::diary(&agent),
        Target::Entity(name) => address(&PalaceQuery { entity: Some(name), ..PalaceQuery::default() }),
    }
}
