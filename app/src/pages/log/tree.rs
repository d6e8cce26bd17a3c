//! Streams and their rooms with counts, beside the log. On a narrow window they are folded away behind a button, without any script.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use super::asked::Asked;
use crate::backend::{Counts, StreamCount};
use crate::filters;
use crate::language::t;
use crate::parts::revealed;
use crate::words::grouped;

/// The id of the tree.
const TREE: &str = "streams";

/// What unfolds the tree where it has no room beside the log.
#[component]
pub(super) fn TreeButton() -> impl IntoView {
    view! { <button type="button" class="button tree-button" popovertarget=TREE>{t!("Streams")}</button> }
}

/// The tree. What the log is filtered by is marked.
#[component]
pub(super) fn StreamTree(counts: RwSignal<Counts>, asked: Asked) -> impl IntoView {
    let rows = move || counts.with(|counts| counts.streams.iter().map(|s| branch(s, &asked)).collect_view());
    view! {
        <nav class="panel tree" id=TREE popover aria-label=t!("Streams and rooms")>
            <h2>{t!("Streams")}</h2>
            <ul>{move || rows()}</ul>
        </nav>
    }
}

fn branch(stream: &StreamCount, asked: &Asked) -> AnyView {
    let filter = &asked.filter;
    let chosen = filters::has(filter, Column::Stream, &stream.stream);
    let only = Filter::default().with(Column::Stream, &stream.stream);
    let rooms = stream
        .rooms
        .iter()
        .map(|room| {
            let current = chosen && filters::has(filter, Column::Room, &room.room);
            let target = asked.under(&only.clone().with(Column::Room, &room.room));
            view! { <li>{leaf(&room.room, room.events, target, current)}</li> }.into_any()
        })
        .collect_view();
    let current = chosen && !filter.any.contains_key(&Column::Room);
    view! {
        <li>
            {leaf(&stream.stream, stream.events, asked.under(&only), current)}
            <ul>{rooms}</ul>
        </li>
    }
    .into_any()
}

fn leaf(name: &str, events: u64, target: String, current: bool) -> AnyView {
    view! {
        <a href=target aria-current=current.then_some("true")>
            <span class="name" title=name.to_owned()>{revealed(name)}</span>
            <span class="count">{grouped(events)}</span>
        </a>
    }
    .into_any()
}
