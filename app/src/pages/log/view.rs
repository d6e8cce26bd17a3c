//! The log as a reader sees it: head, chips, tree, and the table that grows at the top.

use std::sync::Arc;

use super::asked::Asked;
use super::chips::Chips;
use super::export::Export;
use super::filter_form::FilterForm;
use super::follow::Following;
use super::looks::Looks;
use super::peek::on_row_clicked;
use super::rows::{Make, Rows};
use super::search::{Hits, SearchBox};
use super::totals::Totals;
use super::tree::{StreamTree, TreeButton};
use super::window::{Row, Window};
use crate::backend::{Counts, LogPage, LogQuery};
use crate::clock::use_page_clock;
use crate::language::t;
use crate::live::{Cursor, Throttle, use_live};
use crate::parts::{EventRow, EventTable, FirstEvent, Marks};
use crate::words::{counted, grouped};
use crate::{ask, browser, href};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// How many rows are in the document while the reader is at the top: more than any screen shows, and more than one answer of the hub
/// holds. The browser lays out and paints every row again for each one that comes, so the others are put there when the reader
/// begins to scroll.
const ROWS_AT_THE_TOP: usize = 120;

/// From this distance from the end on, in CSS pixels, what is older is asked for.
const NEAR_THE_END_PX: f64 = 800.0;

/// At most one question for counts and hits per so many ms while events arrive.
const ASKED_GAP_MS: u64 = 2000;

/// The page for one answer. Another filter makes another one.
#[component]
pub(super) fn LogView(asked: Asked, page: LogPage, counts: Counts) -> impl IntoView {
    let mut refused = asked.refused.clone();
    refused.extend(page.unsearched.clone());
    let refusals = refused
        .into_iter()
        .map(|why| view! { <p class="note warn" role="alert">{t!("Left out of the filter: ")}{why}</p> }.into_any())
        .collect_view();
    // Words that nothing can be searched for are left out like a filter that means nothing.
    let searches = !asked.q.is_empty() && page.unsearched.is_none();
    let behind = RwSignal::new(page.behind);
    let cursor = Cursor::after(page.tip.as_ref());
    let answered_ms = page.now_ms;
    let earlier = page.searches.clone();
    let has_searched = !earlier.is_empty();
    // What was found is looked at one by one, and so is what stands around an event.
    let folds = !searches && !asked.unfolded && asked.around.is_none();
    let window = if folds { Window::of(page).folded() } else { Window::of(page) };
    let window = RwSignal::new(window);
    let counts = RwSignal::new(counts);
    let total = move || counts.with(|all| all.streams.iter().map(|s| s.events).sum::<u64>());
    let following = Following::watch();
    let is_live = !asked.is_still();
    if is_live {
        let shown = Shown { window, counts, behind, following };
        go_live(shown, asked.clone(), searches, cursor, answered_ms);
    }
    let head = if is_live {
        view! { <PauseButton following=following/> }.into_any()
    } else {
        let newest = asked.under(&asked.filter);
        view! { <a class="button" href=newest>{t!("To the newest")}</a> }.into_any()
    };
    let before_note = asked.before.clone().map(|id| {
        view! {
            <p class="note">{t!("Only what arrived before ")}<a href=href::event(&id)><code>{id.clone()}</code></a>{t!("; this part of the log does not move.")}</p>
        }
        .into_any()
    });
    let around_note = asked.around.clone().map(|id| {
        // In the frame after, when the rows are there.
        Effect::new(|_| request_animation_frame(|| browser::focus("#selected .to-event")));
        let newest = window.with_untracked(|w| w.newest_id().map(href::around));
        let newer = newest.map(|target| view! { <a href=target>{t!("Newer events")}</a> }.into_any());
        view! {
            <p class="note">{t!("What arrived around ")}<a href=href::event(&id)><code>{id.clone()}</code></a>{t!("; this part of the log does not move. ")}{newer}</p>
        }
        .into_any()
    });
    let is_empty = Memo::new(move |_| total() == 0 && window.with(|w| w.rows().is_empty()));
    let first_event =
        move || is_empty.get().then(|| view! { <section class="empty"><FirstEvent/></section> }.into_any());
    let hits = searches.then(|| view! { <Hits asked=asked.clone() window=window behind=behind/> }.into_any());
    view! {
        <div class="page-head">
            <h1>{t!("Log")}</h1>
            <span class="faint">{move || counted(total(), t!("event##n"), t!("events##n"))}{t!(" in all")}</span>
            <span class="grow"></span>
            <TreeButton/>
            {head}
            <SearchBox asked=asked.clone() searches=earlier/>
            <FilterForm asked=asked.clone() has_searched=has_searched/>
            <Looks/>
            <Export asked=asked.clone()/>
        </div>
        <Totals counts=counts/>
        {refusals}
        {before_note}
        {around_note}
        <Chips asked=asked.clone()/>
        {hits}
        {move || first_event()}
        <div class="log-grid" class:vacant=move || is_empty.get()>
            <StreamTree counts=counts asked=asked.clone()/>
            <Table window=window following=following asked=asked/>
        </div>
    }
}

/// Stops and goes on.
#[component]
fn PauseButton(following: Following) -> impl IntoView {
    view! {
        <button type="button" class="button needs-script pause" aria-pressed=move || following.is_paused().to_string()
            on:click=move |_| following.switch_pause()>
            {move || if following.is_paused() { t!("Resume") } else { t!("Pause") }}
        </button>
    }
}

/// How much waits to be shown, and the way to it. It stays in sight however far the reader has scrolled.
#[component]
fn NewRows(window: RwSignal<Window>, following: Following, newest: String) -> impl IntoView {
    let to_the_newest = StoredValue::new(newest);
    let show = move |_| {
        if window.with_untracked(|w| w.cut() > 0) {
            to_the_newest.with_value(|newest| browser::go(newest));
        } else {
            following.resume();
        }
    };
    let waiting = Memo::new(move |_| window.with(Window::waiting));
    view! {
        <div class="waiting" role="status">
            {move || {
                let count = waiting.get();
                (count > 0).then(|| view! {
                    <button type="button" class="button primary" on:click=show>
                        {grouped(count as u64)}{t!(" new")}
                    </button>
                }.into_any())
            }}
        </div>
    }
}

/// The rows, and what lies below them.
#[component]
fn Table(window: RwSignal<Window>, following: Following, asked: Asked) -> impl IntoView {
    let shown = move || if following.is_away() { usize::MAX } else { ROWS_AT_THE_TOP };
    let rows = move || window.with(|w| w.rows().iter().take(shown()).cloned().collect::<Vec<_>>());
    let row_asked = asked.clone();
    let make: Make = Arc::new(move |row| row_view(row, &row_asked));
    let owner = Owner::current().unwrap_or_default();
    let newest = asked.under(&asked.filter);
    let cut = move || window.with(Window::cut);
    let on_row = on_row_clicked();
    let older = Older {
        window,
        asked: StoredValue::new(asked.clone()),
        is_asked: RwSignal::new(false),
        has_failed: RwSignal::new(false),
        is_clicked: RwSignal::new(false),
    };
    let on_older = move |event: &leptos::ev::MouseEvent| {
        if browser::clicked(event, ".log-foot [rel=next]", "href").is_some() && older.load(true) {
            event.prevent_default();
        }
    };
    Effect::new(move |_| {
        let scroll = window_event_listener(leptos::ev::scroll, move |_| {
            // In the frame after, when the rows that were left out at the top are there.
            request_animation_frame(move || {
                let is_near = browser::below_px() < NEAR_THE_END_PX && browser::scrolled_px() > 0.0;
                if is_near && older.has_failed.try_get_untracked() == Some(false) {
                    older.load(false);
                }
            });
        });
        on_cleanup(move || scroll.remove());
    });
    let clicked = move |event: leptos::ev::MouseEvent| {
        on_older(&event);
        on_row(event);
    };
    let foot = move || window.with(|w| foot(w, w.events_below(shown()), &asked));
    view! {
        <div class="log-table" on:click=clicked>
            <NewRows window=window following=following newest=newest.clone()/>
            {move || (cut() > 0).then(|| cut_note(cut(), newest.clone()))}
            <EventTable caption=t!("Events, newest first")>
                {move || Rows::new(rows(), &make, &owner)}
            </EventTable>
            {move || foot()}
        </div>
    }
}

/// Newer rows left when older ones came. Loaded as a whole, since the address is that of the page itself.
fn cut_note(cut: usize, newest: String) -> AnyView {
    view! {
        <p class="log-foot cut">
            {counted(cut as u64, t!("newer row##n"), t!("newer rows##n"))}{t!(" left this page to keep it light. ")}
            <a href=newest rel="external">{t!("To the newest")}</a>
        </p>
    }
    .into_any()
}

/// The way to what is older.
#[derive(Clone, Copy)]
struct Older {
    window: RwSignal<Window>,
    asked: StoredValue<Asked>,
    /// Whether the hub is being asked.
    is_asked: RwSignal<bool>,
    /// Whether it could not be asked: from then on only the reader's own click tries again.
    has_failed: RwSignal<bool>,
    /// Whether the reader has clicked since it is asked.
    is_clicked: RwSignal<bool>,
}

impl Older {
    /// Puts what is older below the last row; one question at a time. Answers whether there is anything to wait for. Where it fails and
    /// the reader has clicked, the page goes to the address that leads there without a script.
    fn load(self, is_clicked: bool) -> bool {
        let Some(id) = self.window.with_untracked(|w| w.older().map(str::to_owned)) else { return false };
        let was_asked = self.is_asked.get_untracked();
        self.is_clicked.set(is_clicked || was_asked && self.is_clicked.get_untracked());
        if was_asked {
            return true;
        }
        self.is_asked.set(true);
        let (query, target) = self.asked.with_value(|asked| {
            (LogQuery { before: Some(id.clone()), around: None, ..asked.query() }, asked.older_than(&id))
        });
        spawn_local(async move {
            let answer = ask::log(query).await;
            self.is_asked.try_set(false);
            if let Ok(page) = answer {
                self.window.try_update(|w| w.append_older(&id, page));
            } else {
                self.has_failed.try_set(true);
                if self.is_clicked.try_get_untracked() == Some(true) {
                    browser::go(&target);
                }
            }
        });
        true
    }
}

fn row_view(row: &Row, asked: &Asked) -> AnyView {
    match row {
        Row::Event { event, excerpt, late_from, fresh, times, .. } => {
            let marks = Marks {
                late_from: late_from.clone(),
                fresh: *fresh,
                selected: asked.around.as_deref() == Some(&event.id),
                excerpt: excerpt.clone(),
                q: asked.q.clone(),
                times: (*times > 1).then(|| (*times, asked.one_by_one())),
                to_context: !asked.q.is_empty() || !asked.filter.is_empty(),
            };
            view! { <EventRow event=(**event).clone() filter=asked.filter.clone() marks=marks/> }.into_any()
        }
        Row::Unreadable { id } => view! {
            <tr class="gap" role="row"><td role="cell" colspan="6">
                {t!("An event came that this page cannot read; the rest goes on. ")}<a href=href::event(id)>{id.clone()}</a>
            </td></tr>
        }
        .into_any(),
        Row::Gap { missing, before } => view! {
            <tr class="gap" role="row"><td role="cell" colspan="6">
                {counted(*missing as u64, t!("event##n"), t!("events##n"))}{t!(" not shown, ")}<a href=asked.older_than(before)>{t!("load")}</a>
            </td></tr>
        }
        .into_any(),
        Row::Resynced { before } => {
            let load = before
                .as_ref()
                .map(|id| view! { {t!(", ")}<a href=asked.older_than(id)>{t!("load what is before")}</a> }.into_any());
            view! { <tr class="gap" role="row"><td role="cell" colspan="6">{t!("The stream began anew here: events may be missing")}{load}</td></tr> }.into_any()
        }
    }
}

fn foot(window: &Window, below: usize, asked: &Asked) -> AnyView {
    if below > 0 {
        let below = counted(below as u64, t!("event##n"), t!("events##n"));
        let rest = foot(window, 0, asked);
        return view! { <p class="log-foot">{below}{t!(" not shown until you scroll")}</p>{rest} }.into_any();
    }
    let left = (window.left() > 0).then(|| {
        view! { <span>{counted(window.left() as u64, t!("older row##n"), t!("older rows##n"))}{t!(" left this page to keep it light. ")}</span> }.into_any()
    });
    match window.older() {
        Some(id) => {
            view! { <p class="log-foot">{left}<a href=asked.older_than(id) rel="next">{t!("Older events")}</a></p> }
                .into_any()
        }
        None if window.rows().is_empty() => {
            view! { <p class="empty-note">{t!("No event of the log passes this filter yet; one that does will appear here by itself.")}</p> }
                .into_any()
        }
        None if asked.filter.is_empty() && asked.q.is_empty() => {
            view! { <p class="log-foot faint">{t!("This is the beginning of the log.")}</p> }.into_any()
        }
        None => view! { <p class="log-foot faint">{t!("Nothing older passes this filter.")}</p> }.into_any(),
    }
}

/// What changes while the page is open.
#[derive(Clone, Copy)]
struct Shown {
    window: RwSignal<Window>,
    counts: RwSignal<Counts>,
    behind: RwSignal<u64>,
    following: Following,
}

/// Follows the log from where the answer ended. A search is asked again when something arrived that passes its filter, since whether
/// it has the words is in the whole of its text, which only the hub has.
fn go_live(shown: Shown, asked: Asked, searches: bool, cursor: Cursor, answered_ms: u64) {
    let Shown { window, counts, behind, following } = shown;
    let (clock, live) = (use_page_clock(), use_live());
    let query = searches.then(|| asked.query());
    let is_old = RwSignal::new(behind.get_untracked() > 0);
    let is_asked = StoredValue::new(false);
    // The counts go on while somebody reads; what a search found stays as it is.
    let may_ask = move || following.is_on() || !searches;
    let again = Throttle::new(ASKED_GAP_MS, move || {
        if is_asked.get_value() || !untrack(may_ask) {
            is_old.set(true);
            return;
        }
        is_asked.set_value(true);
        let query = query.clone();
        spawn_local(async move {
            if let Some(query) = query
                && let Ok(page) = ask::log(query).await
                && is_asked.try_get_value().is_some()
            {
                // Meanwhile somebody may have begun to read.
                let is_shown = untrack(may_ask);
                if !is_shown || page.behind > 0 {
                    is_old.set(true);
                }
                if is_shown {
                    behind.set(page.behind);
                    window.set(Window::of(page));
                }
            }
            if let Ok(now) = ask::streams().await {
                counts.try_set(now);
            }
            is_asked.try_set_value(false);
        });
    });
    Effect::new(move |_| {
        clock.heard(answered_ms);
        live.follow(asked.filter.clone(), cursor.clone(), move |arrivals| {
            if !searches {
                window.try_update(|w| w.arrive(arrivals, following.is_on_untracked()));
            }
            is_old.try_set(true);
        });
    });
    Effect::new(move |_| {
        if is_old.get() && may_ask() {
            is_old.set(false);
            again.call();
        }
        if following.is_on() && window.with_untracked(Window::waiting) > 0 {
            window.update(Window::show_waiting);
        }
    });
}
