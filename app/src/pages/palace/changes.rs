//! What was written last, out of the palace's write log.

use leptos::prelude::*;

use super::address;
use crate::backend::memory::{Change, PalaceQuery, Target};
use crate::href;
use crate::pages::memory_parts::minute;
use crate::parts::{Agent, revealed};

/// The list, newest first.
pub(super) fn view(changes: &[Change]) -> AnyView {
    let body = if changes.is_empty() {
        view! { <p class="muted">"Nothing that was written here is still in the write log."</p> }.into_any()
    } else {
        let items = changes.iter().map(item).collect_view();
        view! { <ol class="changes panel">{items}</ol> }.into_any()
    };
    view! {
        <section>
            <div class="section-head"><h2>"Recently changed"</h2><span class="faint">"newest first"</span></div>
            {body}
        </section>
    }
    .into_any()
}

fn item(change: &Change) -> AnyView {
    let what = revealed(&change.what);
    let what = match change.target.as_ref().map(target) {
        Some(address) => view! { <a href=address>{what}</a> }.into_any(),
        None => what,
    };
    let by = change.by.clone().map(|by| view! { <Agent name=by/> }.into_any());
    view! {
        <li>
            <time class="mono faint" title=change.at.clone()>{minute(&change.at)}</time>
            <span class="change-what"><b>{change.verb}</b>" "{what}</span>
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
