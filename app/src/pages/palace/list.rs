//! Drawers as a list, and what a search found.

use leptos::prelude::*;

use super::address;
use crate::backend::memory::{DRAWERS_PAGE, DrawerRow, HITS_SHOWN, PalaceQuery};
use crate::language::t;
use crate::pages::memory_parts::minute;
use crate::parts::{marked, revealed};
use crate::words::{counted, grouped};

/// One page of a wing's or a room's drawers.
pub(super) fn drawers(query: &PalaceQuery, rows: &[DrawerRow], total: u64) -> AnyView {
    let all = counted(total, t!("drawer##n"), t!("drawers##n"));
    let said = if rows.is_empty() {
        all
    } else {
        let (first, last) = (query.from + 1, query.from + rows.len());
        t!("{from} to {to} of {all}, by id", from = grouped(first as u64), to = grouped(last as u64), all = all)
    };
    let empty = rows.is_empty().then(|| {
        let why = if total > 0 {
            t!("The list ends before this page.")
        } else {
            t!("There is no drawer here: it was moved, deleted, or never filed.")
        };
        view! { <p class="empty-note">{why}</p> }.into_any()
    });
    let items = items(query, rows);
    view! {
        <section>
            <div class="section-head"><h2>{t!("Drawers")}</h2><span class="faint">{said}</span></div>
            {empty}
            {items}
            {pager(query, rows.len(), total, DRAWERS_PAGE)}
        </section>
    }
    .into_any()
}

/// What a search found, and what it could not look for.
pub(super) fn hits(
    query: &PalaceQuery,
    rows: &[DrawerRow],
    shortened: Option<String>,
    words_only: Option<String>,
) -> AnyView {
    let hits = counted(rows.len() as u64, t!("hit##n"), t!("hits##n"));
    let said = if rows.len() == HITS_SHOWN { t!("the best {hits}", hits = hits) } else { hits };
    let words_only = words_only.map(|why| {
        view! { <p class="note">{t!("Searched by words alone, not by meaning: ")}{revealed(&why)}{t!(".")}</p> }
            .into_any()
    });
    let shortened = shortened.map(|text| {
        view! { <p class="note">{t!("The question was long; searched for: ")}<q>{revealed(&text)}</q></p> }.into_any()
    });
    let empty = rows.is_empty().then(|| {
        view! { <p class="empty-note">{t!("No drawer and no diary entry answers this. Any one of the words is enough to be found.")}</p> }
            .into_any()
    });
    let end = PalaceQuery { q: String::new(), id: None, from: 0, ..query.clone() };
    let items = items(query, rows);
    view! {
        <section>
            <div class="section-head">
                <h2>{t!("Found")}</h2>
                <span class="faint">{said}" · "<a href=address(&end)>{t!("End the search")}</a></span>
            </div>
            {words_only}
            {shortened}
            {empty}
            {items}
        </section>
    }
    .into_any()
}

fn items(query: &PalaceQuery, rows: &[DrawerRow]) -> AnyView {
    if rows.is_empty() {
        return ().into_any();
    }
    let items = rows.iter().map(|row| item(query, row)).collect_view();
    view! { <ol class="drawers panel">{items}</ol> }.into_any()
}

fn item(query: &PalaceQuery, row: &DrawerRow) -> AnyView {
    let target = address(&PalaceQuery { id: Some(row.id.clone()), ..query.clone() });
    let current = (query.id.as_deref() == Some(&*row.id)).then_some("true");
    view! {
        <li>
            <a class="drawer-row" href=target aria-current=current>
                <span class="drawer-text">{marked(&row.pieces)}</span>
                <span class="drawer-facts">
                    <span>{revealed(&row.wing)}" / "{revealed(&row.room)}</span><span class="mono">{minute(&row.filed_at)}</span>
                </span>
            </a>
        </li>
    }
    .into_any()
}

/// The way to the pages before and after.
pub(super) fn pager(query: &PalaceQuery, shown: usize, total: u64, page: usize) -> Option<AnyView> {
    let at = |from: usize| address(&PalaceQuery { from, id: None, ..query.clone() });
    let before = (query.from > 0)
        .then(|| view! { <a href=at(query.from.saturating_sub(page)) rel="prev">{t!("Back")}</a> }.into_any());
    let next = query.from + shown;
    let after = (shown > 0 && (next as u64) < total)
        .then(|| view! { <a href=at(next) rel="next">{t!("Further")}</a> }.into_any());
    (before.is_some() || after.is_some())
        .then(|| view! { <nav class="pager" aria-label=t!("Pages of the list")>{before}{after}</nav> }.into_any())
}
