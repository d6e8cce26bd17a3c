//! The log as a reader sees it: head, chips, tree, and the table that grows at the top.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use loggia_domain::Filter;

use super::asked::Asked;
use super::chips::Chips;
use super::filter_form::FilterForm;
use super::follow::Following;
use super::tree::{StreamTree, TreeButton};
use super::window::{Row, Window};
use crate::backend::{LogPage, StreamCount};
use crate::clock::use_page_clock;
use crate::live::{Cursor, Throttle, use_live};
use crate::parts::{EventRow, EventTable, FirstEvent, Marks};
use crate::words::{counted, grouped};
use crate::{ask, href};

/// At most one question for counts per so many ms while events arrive.
const COUNTS_GAP_MS: u64 = 2000;

/// The page for one answer. Another filter makes another one.
#[component]
pub(super) fn LogView(asked: Asked, page: LogPage, streams: Vec<StreamCount>) -> impl IntoView {
    let Asked { filter, before, refused } = asked;
    let cursor = Cursor::after(page.tip.as_ref());
    let answered_ms = page.now_ms;
    let total = RwSignal::new(page.total);
    let window = RwSignal::new(Window::of(page.events, page.has_more));
    let streams = RwSignal::new(streams);
    let following = Following::watch();
    let is_live = before.is_none();
    if is_live {
        go_live(window, streams, total, following, filter.clone(), cursor, answered_ms);
    }
    let head = if is_live {
        view! { <PauseButton following=following/> }.into_any()
    } else {
        let newest = href::log(&filter, None);
        view! { <a class="button" href=newest>"To the newest"</a> }.into_any()
    };
    let before_note = before.map(|id| {
        view! {
            <p class="note">"Only what arrived before "<a href=href::event(&id)><code>{id.clone()}</code></a>"; this part of the log does not move."</p>
        }
        .into_any()
    });
    let is_empty = Memo::new(move |_| total.get() == 0 && window.with(|w| w.rows().is_empty()));
    let first_event =
        move || is_empty.get().then(|| view! { <section class="empty"><FirstEvent/></section> }.into_any());
    let refusals = refused
        .into_iter()
        .map(|why| view! { <p class="note warn" role="alert">"Left out of the filter: "{why}</p> }.into_any())
        .collect_view();
    view! {
        <div class="page-head">
            <h1>"Log"</h1>
            <span class="faint">{move || counted(total.get(), "event", "events")}" in all"</span>
            <span class="grow"></span>
            <TreeButton/>
            {head}
            <FilterForm filter=filter.clone()/>
        </div>
        {refusals}
        {before_note}
        <Chips filter=filter.clone()/>
        {move || first_event()}
        <div class="log-grid" class:vacant=move || is_empty.get()>
            <StreamTree streams=streams filter=filter.clone()/>
            <Table window=window following=following filter=filter/>
        </div>
    }
}

/// Stops and goes on.
#[component]
fn PauseButton(following: Following) -> impl IntoView {
    view! {
        <button type="button" class="button needs-script" aria-pressed=move || following.is_paused().to_string()
            on:click=move |_| following.switch_pause()>
            {move || if following.is_paused() { "Resume" } else { "Pause" }}
        </button>
    }
}

/// How much waits to be shown, and the way to it. It stays in sight however far the reader has scrolled.
#[component]
fn NewRows(window: RwSignal<Window>, following: Following) -> impl IntoView {
    let waiting = Memo::new(move |_| window.with(Window::waiting));
    view! {
        <div class="waiting" role="status">
            {move || {
                let count = waiting.get();
                (count > 0).then(|| view! {
                    <button type="button" class="button primary" on:click=move |_| following.resume()>
                        {grouped(count as u64)}" new"
                    </button>
                }.into_any())
            }}
        </div>
    }
}

/// The rows, and what lies below them.
#[component]
fn Table(window: RwSignal<Window>, following: Following, filter: Filter) -> impl IntoView {
    let rows = move || window.with(|w| w.rows().to_vec());
    let row_filter = filter.clone();
    let foot = move || window.with(|w| foot(w, &filter));
    view! {
        <div class="log-table">
            <NewRows window=window following=following/>
            <EventTable caption="Events, newest first">
                <For each=rows key=row_key children=move |row| row_view(&row, &row_filter)/>
            </EventTable>
            {move || foot()}
        </div>
    }
}

fn row_key(row: &Arc<Row>) -> String {
    row.key()
}

fn row_view(row: &Row, filter: &Filter) -> AnyView {
    match row {
        Row::Event { event, late_from, fresh } => {
            let marks = Marks { late_from: late_from.clone(), fresh: *fresh, selected: false };
            view! { <EventRow event=(**event).clone() filter=filter.clone() marks=marks/> }.into_any()
        }
        Row::Unreadable { id } => view! {
            <tr class="gap" role="row"><td role="cell" colspan="6">
                "An event came that this page cannot read; the rest goes on. "<a href=href::event(id)>{id.clone()}</a>
            </td></tr>
        }
        .into_any(),
        Row::Gap { missing, before } => view! {
            <tr class="gap" role="row"><td role="cell" colspan="6">
                {counted(*missing as u64, "event", "events")}" not shown, "<a href=href::log(filter, Some(before))>"load"</a>
            </td></tr>
        }
        .into_any(),
        Row::Resynced { before } => {
            let load = before.as_ref().map(|id| view! { ", "<a href=href::log(filter, Some(id))>"load what is before"</a> }.into_any());
            view! { <tr class="gap" role="row"><td role="cell" colspan="6">"The stream began anew here: events may be missing"{load}</td></tr> }.into_any()
        }
    }
}

fn foot(window: &Window, filter: &Filter) -> AnyView {
    let left = (window.left() > 0).then(|| {
        view! { <span>{counted(window.left() as u64, "older row", "older rows")}" left this page to keep it light. "</span> }.into_any()
    });
    match window.older() {
        Some(id) => {
            view! { <p class="log-foot">{left}<a href=href::log(filter, Some(id)) rel="next">"Older events"</a></p> }
                .into_any()
        }
        None if window.rows().is_empty() => {
            view! { <p class="empty-note">"No event of the log passes this filter yet; one that does will appear here by itself."</p> }
                .into_any()
        }
        None if filter.is_empty() => {
            view! { <p class="log-foot faint">"This is the beginning of the log."</p> }.into_any()
        }
        None => view! { <p class="log-foot faint">"Nothing older passes this filter."</p> }.into_any(),
    }
}

/// Follows the log from where the answer ended.
fn go_live(
    window: RwSignal<Window>,
    streams: RwSignal<Vec<StreamCount>>,
    total: RwSignal<u64>,
    following: Following,
    filter: Filter,
    cursor: Cursor,
    answered_ms: u64,
) {
    let (clock, live) = (use_page_clock(), use_live());
    let recount = Throttle::new(COUNTS_GAP_MS, move || {
        spawn_local(async move {
            if let Ok(counts) = ask::streams().await {
                total.try_set(counts.iter().map(|s| s.events).sum());
                streams.try_set(counts);
            }
        });
    });
    Effect::new(move |_| {
        clock.heard(answered_ms);
        live.follow(filter.clone(), cursor.clone(), move |arrivals| {
            window.try_update(|w| w.arrive(arrivals, following.is_on_untracked()));
            recount.call();
        });
    });
    Effect::new(move |_| {
        if following.is_on() && window.with_untracked(Window::waiting) > 0 {
            window.update(Window::show_waiting);
        }
    });
}
