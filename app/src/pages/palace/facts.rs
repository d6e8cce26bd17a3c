//! Facts, each with the time over which it holds as a bar on a common scale.

use leptos::prelude::*;
use loggia_domain::palace::temporal::Phase;

use super::address;
use super::bars::{Bar, SCALE, bars};
use super::list::pager;
use crate::backend::memory::{FACTS_PAGE, Fact, PalaceQuery};
use crate::language::t;
use crate::parts::revealed;
use crate::words::counted;

/// The latest facts, on the page of the whole palace.
pub(super) fn some(facts: &[Fact], total: u64, now_ms: u64) -> AnyView {
    let more = PalaceQuery { facts: true, ..PalaceQuery::default() };
    let said = (total > facts.len() as u64).then(|| {
        view! { " · "<a href=address(&more)>{t!("All ")}{counted(total, t!("fact##n"), t!("facts##n"))}</a> }.into_any()
    });
    view! {
        <section>
            <div class="section-head"><h2>{t!("Facts, latest first")}</h2><span class="faint">{t!("dotted line: now")}{said}</span></div>
            {table(facts, now_ms)}
        </section>
    }
    .into_any()
}

/// A page of facts, of all or about something.
pub(super) fn all(query: &PalaceQuery, facts: &[Fact], total: u64, candidates: &[String], now_ms: u64) -> AnyView {
    let title = match &query.entity {
        Some(entity) => view! { {t!("Facts about ")}{revealed(entity)} }.into_any(),
        None => t!("Facts##palace").into_any(),
    };
    let every = query.entity.is_some().then(|| {
        let every = PalaceQuery { facts: true, ..PalaceQuery::default() };
        view! { " · "<a href=address(&every)>{t!("All facts")}</a> }.into_any()
    });
    let body = if facts.is_empty() { nothing(query, candidates) } else { table(facts, now_ms) };
    view! {
        <section>
            <div class="section-head">
                <h2>{title}</h2>
                <span class="faint">{counted(total, t!("fact##n"), t!("facts##n"))}{t!(", latest first · ")}{t!("dotted line: now")}{every}</span>
            </div>
            {body}
            {pager(query, facts.len(), total, FACTS_PAGE)}
        </section>
    }
    .into_any()
}

fn nothing(query: &PalaceQuery, candidates: &[String]) -> AnyView {
    let offered = (!candidates.is_empty()).then(|| {
        let links = candidates.iter().map(|name| view! { <li>{about(name)}</li> }.into_any()).collect_view();
        view! { <p>{t!("Perhaps this was meant:")}</p><ul>{links}</ul> }.into_any()
    });
    let said = if query.entity.is_some() {
        t!("Nothing is known about this.")
    } else {
        t!("No fact has been noted yet. Agents note them with the tool mempalace_kg_add.")
    };
    view! { <div class="panel padded teach"><p>{said}</p>{offered}</div> }.into_any()
}

fn about(name: &str) -> AnyView {
    let target = address(&PalaceQuery { entity: Some(name.to_owned()), ..PalaceQuery::default() });
    view! { <a href=target>{revealed(name)}</a> }.into_any()
}

fn table(facts: &[Fact], now_ms: u64) -> AnyView {
    let drawn = bars(facts, now_ms);
    let now = drawn.now;
    let rows = facts
        .iter()
        .zip(&drawn.each)
        .map(|(fact, bar)| {
            view! {
                <tr>
                    <th scope="row">{about(&fact.subject)}" "<span class="predicate">{revealed(&fact.predicate)}</span>" "{about(&fact.object)}</th>
                    <td class="validity-cell">{picture(bar, now)}</td>
                    <td class="validity-words">{validity(fact, bar.phase)}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="panel">
            <table class="fact-table">
                <caption class="visually-hidden">{t!("Facts and when they hold, times in UTC")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!("fact##head")}</th>
                        <th scope="col" class="validity-cell"><span class="scale"><span>{drawn.first_day}</span><span>{drawn.last_day}</span></span></th>
                        <th scope="col">{t!("holds (UTC)")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The words beside it say the same.
fn picture(bar: &Bar, now: i64) -> AnyView {
    let class = match bar.phase {
        Phase::Past => "past",
        Phase::Present => "present",
        Phase::Future => "future",
    };
    let (left, right) = (bar.from, bar.from + bar.length);
    let cap = |x: i64| view! { <line class="cap" x1=x.to_string() y1="1" x2=x.to_string() y2="15"/> }.into_any();
    let start = bar.has_start.then(|| cap(left));
    let end = bar.has_end.then(|| cap(right));
    view! {
        <svg class=format!("validity {class}") viewBox=format!("0 0 {SCALE} 16") preserveAspectRatio="none" aria-hidden="true" focusable="false">
            <line class="now" x1=now.to_string() y1="0" x2=now.to_string() y2="16"/>
            <rect x=left.to_string() y="4" width=bar.length.to_string() height="8"/>
            {start}{end}
        </svg>
    }
    .into_any()
}

fn validity(fact: &Fact, phase: Phase) -> String {
    // A midnight is mostly the day that somebody gave.
    let short = |time: &str| time.strip_suffix("T00:00:00Z").unwrap_or(time).to_owned();
    let given = |time: &Option<String>| time.as_deref().filter(|t| !t.is_empty()).map(short);
    let span = match (given(&fact.from), given(&fact.to)) {
        (None, None) => t!("always").to_owned(),
        (Some(from), None) => t!("since {time}", time = from),
        (None, Some(to)) => t!("until {to}", to = to),
        (Some(from), Some(to)) => t!("{from} to {to}", from = from, to = to),
    };
    match phase {
        Phase::Past => t!("{span}, ended", span = span),
        Phase::Future => t!("{span}, to come", span = span),
        Phase::Present => span,
    }
}
