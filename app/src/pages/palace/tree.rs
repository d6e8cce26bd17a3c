//! The tree of wings and rooms. Only the wing that is looked at stands open; a room takes one click more without any script.

use leptos::prelude::*;

use super::address;
use crate::backend::memory::{PalaceQuery, Wing};
use crate::language::t;
use crate::parts::revealed;
use crate::words::grouped;

/// All wings; nothing where there is none.
pub(super) fn view(query: &PalaceQuery, wings: &[Wing]) -> Option<AnyView> {
    if wings.is_empty() {
        return None;
    }
    // A palace of one or two wings hides nothing.
    let few = wings.len() <= 2;
    let items = wings.iter().map(|wing| item(query, wing, few)).collect_view();
    let shows_facts = query.facts || query.entity.is_some();
    let facts = PalaceQuery { facts: true, ..PalaceQuery::default() };
    Some(
        view! {
            <nav class="palace-tree panel" aria-label=t!("Wings and rooms")>
                <h2>{t!("Wings")}</h2>
                <ul>{items}</ul>
                <p class="faint"><small>{t!("Rows are counted: a long text stands in several.")}</small></p>
                <p><a href=address(&facts) aria-current=shows_facts.then_some("page")>{t!("Facts##palace")}</a></p>
                <p><a href="/diary">{t!("Diaries")}</a></p>
            </nav>
        }
        .into_any(),
    )
}

fn item(query: &PalaceQuery, wing: &Wing, few: bool) -> AnyView {
    let here = query.wing.as_deref() == Some(&*wing.name);
    let rooms = wing
        .rooms
        .iter()
        .map(|(room, rows)| {
            let current = here && query.room.as_deref() == Some(room);
            let target = PalaceQuery {
                wing: Some(wing.name.clone()),
                room: Some(room.clone()),
                q: query.q.clone(),
                ..PalaceQuery::default()
            };
            view! { <li>{link(address(&target), room, *rows, current)}</li> }.into_any()
        })
        .collect_view();
    let target = PalaceQuery { wing: Some(wing.name.clone()), q: query.q.clone(), ..PalaceQuery::default() };
    let head = link(address(&target), &wing.name, wing.rows, here && query.room.is_none());
    view! {
        <li>
            <details open=few || here><summary aria-label=t!("rooms of {wing}", wing = wing.name)></summary><ul>{rooms}</ul></details>
            {head}
        </li>
    }
    .into_any()
}

fn link(target: String, name: &str, rows: u64, current: bool) -> AnyView {
    view! {
        <a href=target class="tree-link" aria-current=current.then_some("page")>
            <span class="name">{revealed(name)}</span><small class="faint">{grouped(rows)}</small>
        </a>
    }
    .into_any()
}
