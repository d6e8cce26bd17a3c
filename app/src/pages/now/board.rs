//! The board: delegations that wait for somebody, by state. A state that no column stands for has a column of its own as soon as
//! something is in it, so that nothing is ever missing.

use leptos::prelude::*;
use loggia_domain::delegation::{Delegation, State};

use super::needs::apart;
use crate::backend::Overview;
use crate::href;
use crate::language::t;
use crate::parts::{Agent, Ago, StateBadge, last_part, revealed};
use crate::words::grouped;

/// The columns that are there even when they are empty.
const COLUMNS: [State; 4] = [State::Open, State::Claimed, State::Ready, State::Blocked];
/// What tells a delegation apart from another one of the same title, and the delegation.
type Told = (Option<String>, Delegation);

/// How many cards of a column are shown at once.
const CARDS_SHOWN: usize = 6;

/// The board.
#[component]
pub(super) fn Board(overview: RwSignal<Overview>) -> impl IntoView {
    let columns = move || overview.with(|o| columns(&o.open));
    let figures = move || overview.with(|o| (o.now_ms, o.stalled_after_ms));
    let left_out = move || {
        let more = overview.with(|o| o.open_total.saturating_sub(o.open.len() as u64));
        (more > 0).then(
            || view! { <p class="muted">{grouped(more)}{t!(" more wait; those that have waited longest are here.")}</p> },
        )
    };
    let shown = move || {
        let (answered_ms, stalled_after_ms) = figures();
        columns()
            .into_iter()
            .map(|(state, delegations)| {
                let delegations = overview.with(|o| delegations.into_iter().map(|d| (apart(&d, o), d)).collect::<Vec<_>>());
                view! { <BoardColumn state=state delegations=delegations answered_ms=answered_ms stalled_after_ms=stalled_after_ms/> }.into_any()
            })
            .collect_view()
    };
    view! {
        <section>
            <h2>{t!("Open delegations")}</h2>
            <div class="board">{move || shown()}</div>
            {move || left_out()}
        </section>
    }
}

#[component]
fn BoardColumn(state: State, delegations: Vec<Told>, answered_ms: u64, stalled_after_ms: u64) -> impl IntoView {
    let count = delegations.len();
    let mut cards = delegations.into_iter().map(move |delegation| {
        view! { <Card told=delegation answered_ms=answered_ms stalled_after_ms=stalled_after_ms/> }.into_any()
    });
    let first = cards.by_ref().take(CARDS_SHOWN).collect_view();
    let rest = (count > CARDS_SHOWN).then(|| {
        view! { <details class="more"><summary>{count - CARDS_SHOWN}{t!(" more")}</summary>{cards.collect_view()}</details> }.into_any()
    });
    view! {
        <section class="column" class:vacant=count == 0>
            <h3><StateBadge state=state/><span class="count">{count}</span></h3>
            {first}
            {rest}
        </section>
    }
}

#[component]
fn Card(told: Told, answered_ms: u64, stalled_after_ms: u64) -> impl IntoView {
    let (apart, delegation) = told;
    let apart = apart.map(|text| view! { <code>{revealed(&text)}</code> }.into_any());
    let (what, since_ms) = delegation
        .pending_since_ms
        .map_or((t!("last word"), delegation.last_at_ms), |since_ms| (entered(delegation.state), since_ms));
    // What lies ready waits for a reader; only work that should be moving grows hot.
    let hot_after_ms = (delegation.state != State::Ready).then_some(stalled_after_ms);
    let worker = delegation.claimant.clone().or_else(|| delegation.assignee.clone());
    let worker = worker.map(|name| view! { " · "<Agent name=name/> }.into_any());
    view! {
        <a class="card" href=href::task(&delegation.correlation_id)>
            <b>{revealed(&delegation.title)}</b>
            {apart}
            <span class="meta">
                <span title=delegation.stream.clone()>{revealed(last_part(&delegation.stream))}{worker}</span>
                <Ago what=what at_ms=since_ms answered_ms=answered_ms hot_after_ms=hot_after_ms/>
            </span>
        </a>
    }
}

/// What happened when a state was entered, for an age.
fn entered(state: State) -> &'static str {
    match state {
        State::Open => t!("asked"),
        State::Other => t!("begun"),
        state => state.as_str(),
    }
}

/// The delegations in their columns, in the order in which they came.
pub(super) fn columns(open: &[Delegation]) -> Vec<(State, Vec<Delegation>)> {
    State::ALL
        .into_iter()
        .map(|state| (state, open.iter().filter(|d| d.state == state).cloned().collect::<Vec<_>>()))
        .filter(|(state, delegations)| COLUMNS.contains(state) || !delegations.is_empty())
        .collect()
}
