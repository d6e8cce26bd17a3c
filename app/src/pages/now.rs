//! `/`: what needs a person first, then the board of open delegations, then streams and the newest events. Live: every event makes
//! the page ask again, at most once a second.

mod board;
mod needs;
mod past;
#[cfg(feature = "ssr")]
mod past_board;
#[cfg(feature = "ssr")]
mod people;
mod problem;
mod streams;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use loggia_domain::Filter;

use super::sheet::{PEOPLE, SheetPart};
use crate::ask;
use crate::backend::Overview;
use crate::clock::use_page_clock;
use crate::language::t;
use crate::live::{Cursor, Throttle, use_live};
use crate::loading::{Answer, Loaded};
use crate::parts::{EventRow, EventTable, FirstEvent};
use board::Board;
use needs::{headline, problems};
#[cfg(feature = "ssr")]
pub(super) use past_board::{past_page, past_query};
#[cfg(feature = "ssr")]
pub(super) use people::strip;
use problem::ProblemCard;
use streams::StreamList;

/// At most one question per so many ms while events arrive.
const ASK_GAP_MS: u64 = 1000;
/// How many problems are shown at once; the way to the others takes the place of one more card.
const PROBLEMS_SHOWN: usize = 5;

/// Loads the overview.
#[component]
pub fn NowRoute() -> impl IntoView {
    let (question, playing) = past::asked();
    view! { {playing}<Loaded question=question show=show/> }.into_any()
}

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Overview(overview) => view! { <NowView first=overview/> }.into_any(),
        answer => past::show(answer),
    }
}

#[component]
fn NowView(first: Overview) -> impl IntoView {
    let cursor = Cursor::after(first.tip.as_ref());
    let overview = RwSignal::new(first);
    keep_fresh(overview, cursor);
    let is_empty = Memo::new(move |_| overview.with(|o| o.events == 0));
    view! {
        <Title text=t!("Now")/>
        {move || if is_empty.get() {
            view! { <section class="empty"><h1>{t!("Nothing has happened here yet")}</h1><FirstEvent/></section> }.into_any()
        } else {
            view! { <Busyness overview=overview/> }.into_any()
        }}
    }
}

/// The page of a hub on which something has happened.
#[component]
fn Busyness(overview: RwSignal<Overview>) -> impl IntoView {
    let clock = use_page_clock();
    // A problem can arise by time alone, so this depends on the clock, to the minute.
    let minute_ms = Memo::new(move |_| {
        let answered_ms = overview.with(|o| o.now_ms);
        (clock.hub_now_ms(answered_ms) / 60_000 * 60_000).max(answered_ms)
    });
    let found = Memo::new(move |_| overview.with(|o| problems(o, minute_ms.get())));
    let figures = move || overview.with(|o| (o.now_ms, o.stalled_after_ms));
    let cards = move || {
        let (answered_ms, stalled_after_ms) = figures();
        let found = found.get();
        let count = found.len();
        if count == 0 {
            return ().into_any();
        }
        let mut cards = found.into_iter().map(|problem| {
            view! { <ProblemCard problem=problem answered_ms=answered_ms stalled_after_ms=stalled_after_ms/> }
                .into_any()
        });
        let shown = if count > PROBLEMS_SHOWN + 1 { PROBLEMS_SHOWN } else { count };
        let first = cards.by_ref().take(shown).collect_view();
        let rest = (count > shown).then(|| {
            view! {
                <details class="more">
                    <summary>{count - shown}{t!(" more")}</summary>
                    <div class="problems">{cards.collect_view()}</div>
                </details>
            }
            .into_any()
        });
        view! { <section class="problems" aria-label=t!("What needs someone")>{first}{rest}</section> }.into_any()
    };
    let people = overview.with_untracked(|o| o.people.clone());
    let people_html = RwSignal::new(people.html.text.clone());
    // What comes with an answer is as new as the answer.
    Effect::new(move |first: Option<()>| {
        let text = overview.with(|o| o.people.html.text.clone());
        if first.is_some() {
            people_html.set(text);
        }
    });
    let newest = move || {
        overview.with(|o| o.newest.iter().map(|e| view! { <EventRow event=e.clone()/> }.into_any()).collect_view())
    };
    let tip = overview.with_untracked(|o| o.tip.as_ref().map(|tip| tip.id.clone()));
    view! {
        <past::Tools tip=tip/>
        <h1>{move || headline(found.with(Vec::len))}</h1>
        {move || cards()}
        <Board overview=overview/>
        <SheetPart path=PEOPLE first=people html=people_html/>
        <div class="now-rest">
            <StreamList overview=overview/>
            <section>
                <div class="section-head"><h2>{t!("Newest events")}</h2><a href="/log">{t!("the whole log")}</a></div>
                <EventTable caption=t!("The newest events, newest first")>{move || newest()}</EventTable>
            </section>
        </div>
    }
}

/// Asks again whenever something happened.
fn keep_fresh(overview: RwSignal<Overview>, cursor: Cursor) {
    let (clock, live) = (use_page_clock(), use_live());
    let ask_again = Throttle::new(ASK_GAP_MS, move || {
        spawn_local(async move {
            // A failure is the badge's to tell: the stream fails with it.
            if let Ok(answer) = ask::overview().await {
                clock.heard(answer.now_ms);
                overview.try_set(answer);
            }
        });
    });
    Effect::new(move |_| {
        clock.heard(overview.with_untracked(|o| o.now_ms));
        live.follow(Filter::default(), cursor.clone(), move |_| ask_again.call());
    });
}
