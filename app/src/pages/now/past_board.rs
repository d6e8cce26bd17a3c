//! The board as it stood when an event had arrived (`/?at=`). Written on the hub, see [`super::super::sheet`]: nothing in it moves.

use leptos::prelude::*;
use loggia_domain::delegation::{Delegation, State};

use crate::backend::asked::PastPage;
use crate::href;
use crate::language::t;
use crate::parts::{Agent, StateBadge, last_part, revealed, time_bar};
use crate::words::{ago, counted};

/// What an address asks for: the moment, and whether the reader is playing.
pub(in crate::pages) fn past_query(search: &str) -> (String, bool) {
    (href::value(search, "at").unwrap_or_default(), href::value(search, "play").is_some())
}

/// The columns that are there even when they are empty.
const COLUMNS: [State; 4] = [State::Open, State::Claimed, State::Ready, State::Blocked];

/// Its title and its view.
pub(in crate::pages) fn past_page(past: &PastPage, is_playing: bool) -> (String, AnyView) {
    let at_ms = past.moment.event.at_ms().unwrap_or(0);
    let id = past.moment.event.id.as_str();
    let card = |d: &Delegation| card(d, id, at_ms, past.stalled_after_ms);
    let columns = COLUMNS
        .into_iter()
        .map(|state| {
            let delegations: Vec<&Delegation> = past.waiting.iter().filter(|d| d.state == state).collect();
            let count = delegations.len();
            let cards = delegations.into_iter().map(card).collect_view();
            view! {
                <section class="column" class:vacant=count == 0>
                    <h3><StateBadge state=state/><span class="count">{count}</span></h3>
                    {cards}
                </section>
            }
            .into_any()
        })
        .collect_view();
    let more = past.has_more.then(|| {
        let shown = counted(past.waiting.len() as u64, t!("delegation##n"), t!("delegations##n"));
        view! { <p class="muted">{t!("More waited; the ")}{shown}{t!(" that were newest are here.")}</p> }.into_any()
    });
    let failed = (!past.failed.is_empty()).then(|| {
        let cards = past.failed.iter().map(card).collect_view();
        view! { <section><h2>{t!("Had failed in the three days before")}</h2><div class="board">{cards}</div></section> }
            .into_any()
    });
    let waited = counted(past.waiting.len() as u64, t!("delegation##n"), t!("delegations##n"));
    let view = view! {
        {time_bar("/", None, &past.moment, is_playing)}
        <h1>{waited}{t!(" waited for somebody then")}</h1>
        <section>
            <h2>{t!("Open delegations, as they stood")}</h2>
            <div class="board">{columns}</div>
            {more}
        </section>
        {failed}
        <p class="faint">{t!("Questions in talks that delegate nothing are not kept in the history of states; the log has them.")}</p>
    };
    (t!("The past").to_owned(), view.into_any())
}

fn card(d: &Delegation, event_id: &str, at_ms: u64, stalled_after_ms: u64) -> AnyView {
    let mut also = Vec::new();
    if d.is_expired(at_ms) {
        also.push(t!("expired"));
    }
    if d.is_stalled(at_ms, stalled_after_ms) {
        also.push(t!("stalled"));
    }
    if d.open_question {
        also.push(t!("question"));
    }
    let what = if d.state == State::Open { t!("asked") } else { d.state.as_str() };
    let since_ms = d.pending_since_ms.unwrap_or(d.last_at_ms);
    let worker = d.claimant.clone().or_else(|| d.assignee.clone());
    let worker = worker.map(|name| view! { " · "<Agent name=name/> }.into_any());
    let marks = (!also.is_empty()).then(|| view! { <StateBadge state=d.state also=also/> }.into_any());
    view! {
        <a class="card" href=href::task_at(&d.correlation_id, event_id)>
            <b>{revealed(&d.title)}</b>
            {marks}
            <span class="meta">
                <span title=d.stream.clone()>{revealed(last_part(&d.stream))}{worker}</span>
                <span class="age">{ago(what, at_ms.saturating_sub(since_ms))}</span>
            </span>
        </a>
    }
    .into_any()
}
