//! One agent: what waits for it, what it listens to, what it wrote. The inbox knows what its reader has not seen yet.

use leptos::prelude::*;
use loggia_domain::delegation::Delegation;
use loggia_domain::presence::ms_of;
use loggia_domain::task::title;
use loggia_domain::{Column, Event, Filter, timestamp};

use super::presence::{announced, listeners, since, standing};
use super::{unread_words, variants};
use crate::backend::people::{AgentPage, INBOX_SHOWN, LOOPS_SHOWN, WROTE_SHOWN};
use crate::href;
use crate::language::t;
use crate::parts::{Agent, StateBadge, StatusBadge, last_part, revealed};
use crate::words::counted;

/// Its title and its view.
pub(in crate::pages) fn page(page: AgentPage) -> (String, AnyView) {
    (page.agent.agent.clone(), one(&page))
}

fn one(page: &AgentPage) -> AnyView {
    let AgentPage { agent, now_ms, .. } = page;
    let wrote = (agent.events > 0).then(|| {
        let target = href::log(&only(Column::FromAgent, &agent.names), None);
        view! { <a href=target>{counted(agent.events, t!("event##n"), t!("events##n"))}</a> }.into_any()
    });
    view! {
        <nav aria-label=t!("Where you are")><ol class="path"><li><a href="/agents">{t!("Agents")}</a></li></ol></nav>
        <div class="page-head">
            <h1><Agent name=agent.agent.clone()/></h1>
            {standing(agent, *now_ms)}
            <span class="grow"></span>
            {wrote}
            <a href=href::diary(&agent.agent)>{t!("Its diary")}</a>
            <a href=format!("/sessions?{}", href::query([("agent", agent.agent.as_str())]))>{t!("Its sessions")}</a>
            <p class="page-sub faint">{t!("Times are UTC.")}{variants(agent)}</p>
        </div>
        <div class="agent-grid">
            <div class="stack">
                {presence(page)}
                {loops(t!("Waits for it"), t!("Nothing open waits for it."), &page.open_to, agent.open_to, page)}
                {loops(t!("Asked by it"), t!("Nothing that it asked for is open."), &page.open_from, agent.open_from, page)}
            </div>
            <div class="stack">
                {inbox(page)}
                {written(page)}
            </div>
        </div>
    }
    .into_any()
}

fn presence(page: &AgentPage) -> AnyView {
    let AgentPage { agent, now_ms, .. } = page;
    let ago = |at: &Option<String>| match at {
        Some(at) => view! { {since(Some(at), *now_ms)}" "{time(at)} }.into_any(),
        None => t!("never").into_any(),
    };
    let hears = if agent.listeners.is_empty() {
        view! { <span class="faint">{t!("nothing: no stream and no wait is open in its name")}</span> }.into_any()
    } else {
        listeners(&agent.listeners, *now_ms)
    };
    let said = match &agent.announced {
        Some(said) => view! { <a href=href::event(&said.event_id)>{announced(said, *now_ms)}</a> }.into_any(),
        None => view! { <span class="faint">{t!("nothing")}</span> }.into_any(),
    };
    let missed = agent
        .is_missed(*now_ms)
        .then(|| view! { <p class="note warn">{t!("Nobody home, and work waits for it.")}</p> }.into_any());
    view! {
        <section>
            <h2>{t!("Presence")}</h2>
            <div class="panel padded">
                {missed}
                <dl class="facts">
                    <dt>{t!("listens to")}</dt><dd>{hears}</dd>
                    <dt>{t!("last seen")}</dt><dd>{ago(&agent.last_seen)}</dd>
                    <dt>{t!("last wrote")}</dt><dd>{ago(&agent.last_event)}</dd>
                    <dt>{t!("announced")}</dt><dd>{said}</dd>
                </dl>
            </div>
        </section>
    }
    .into_any()
}

fn inbox(page: &AgentPage) -> AnyView {
    let AgentPage { agent, unread, inbox, may_mark, .. } = page;
    let target = href::log(&only(Column::ToAgent, &agent.names), None);
    let said = match unread.count {
        0 => t!("all read").to_owned(),
        _ => t!("{count} unread", count = unread_words(*unread)),
    };
    // Up to what is shown: what came meanwhile stays unread.
    let newest = inbox.first().filter(|_| *may_mark && unread.count > 0).map(|(event, _)| event.id.clone());
    let mark = newest.map(|event| {
        view! {
            <form method="post" action="/agent/read">
                <input type="hidden" name="agent" value=agent.agent.clone()/>
                <input type="hidden" name="event" value=event/>
                <button type="submit" class="button">{t!("Mark as read")}</button>
            </form>
        }
        .into_any()
    });
    let rows = inbox.iter().map(|(event, new)| event_row(event, *new, &event.from_agent, t!("from"))).collect_view();
    let body = if inbox.is_empty() {
        view! { <p class="empty-note">{t!("Nothing was addressed to it, by name or to everybody.")}</p> }.into_any()
    } else {
        view! { <ol class="panel mail">{rows}</ol> }.into_any()
    };
    let more = (inbox.len() >= INBOX_SHOWN).then(|| {
        view! { <p class="muted">{t!("Older ones are in ")}<a href=target.clone()>{t!("the log")}</a>{t!(".")}</p> }
            .into_any()
    });
    view! {
        <section aria-label=t!("Inbox")>
            <div class="section-head"><h2>{t!("Inbox")}</h2><span class="faint">{said}</span><span class="grow"></span>{mark}</div>
            {body}
            {more}
        </section>
    }
    .into_any()
}

fn written(page: &AgentPage) -> AnyView {
    let rows = page
        .wrote
        .iter()
        .map(|event| event_row(event, false, event.to_agent.as_deref().unwrap_or_default(), t!("to")))
        .collect_view();
    let body = if page.wrote.is_empty() {
        view! { <p class="empty-note">{t!("It has written nothing yet.")}</p> }.into_any()
    } else {
        view! { <ol class="panel mail">{rows}</ol> }.into_any()
    };
    let said = (page.wrote.len() >= WROTE_SHOWN).then(|| t!("the newest {count}", count = WROTE_SHOWN));
    view! {
        <section aria-label=t!("What it wrote last")>
            <div class="section-head"><h2>{t!("What it wrote last")}</h2><span class="faint">{said}</span></div>
            {body}
        </section>
    }
    .into_any()
}

fn event_row(event: &Event, new: bool, other: &str, way: &'static str) -> AnyView {
    let said = title(&event.body);
    let text =
        if said.is_empty() { view! { <span class="faint">{t!("no text")}</span> }.into_any() } else { revealed(said) };
    let status = event.status.clone().map(|word| view! { <StatusBadge word=word/> }.into_any());
    let task = event
        .correlation_id
        .as_ref()
        .map(|id| view! { <a class="to-task" href=href::task(id) title=id.clone()>{t!("task")}</a> }.into_any());
    let other = (!other.is_empty())
        .then(|| view! { <span><span class="faint">{way}" "</span><Agent name=other/></span> }.into_any());
    let mark = new.then(|| view! { <span class="unread">{t!("new")}</span> }.into_any());
    view! {
        <li class=if new { "new" } else { "" }>
            <span class="mail-head">{mark}{time(&event.created_at)}{other}<code>{event.event_type.clone()}</code>{status}</span>
            <span class="mail-body"><a href=href::event(&event.id)>{text}</a>{task}</span>
        </li>
    }
    .into_any()
}

fn loops(head: &'static str, none: &'static str, cards: &[Delegation], total: u64, page: &AgentPage) -> AnyView {
    let (now_ms, stalled_after_ms) = (page.now_ms, page.stalled_after_ms);
    let rows = cards.iter().map(|card| loop_row(card, now_ms, stalled_after_ms)).collect_view();
    let body = if cards.is_empty() {
        view! { <p class="empty-note">{none}</p> }.into_any()
    } else {
        view! { <ul class="panel mail">{rows}</ul> }.into_any()
    };
    let said = if total > LOOPS_SHOWN as u64 {
        t!("{shown} of {total}", shown = LOOPS_SHOWN, total = total)
    } else {
        total.to_string()
    };
    view! {
        <section>
            <div class="section-head"><h2>{head}</h2><span class="faint">{said}</span></div>
            {body}
        </section>
    }
    .into_any()
}

fn loop_row(card: &Delegation, now_ms: u64, stalled_after_ms: u64) -> AnyView {
    let also = [
        (card.is_expired(now_ms), t!("expired")),
        (card.open_question, t!("question")),
        (card.is_stalled(now_ms, stalled_after_ms), t!("stalled")),
    ];
    let also: Vec<&'static str> = also.into_iter().filter_map(|(is, word)| is.then_some(word)).collect();
    let at = timestamp::created_at_ms(card.pending_since_ms.unwrap_or(card.last_at_ms)).unwrap_or_default();
    let worker = card.claimant.clone().or_else(|| card.assignee.clone());
    let to =
        worker.map(|name| view! { <span class="arrow" aria-label=t!("to")>" → "</span><Agent name=name/> }.into_any());
    view! {
        <li>
            <span class="mail-head">
                <StateBadge state=card.state also=also/><span>{since(Some(&at), now_ms)}</span>
                <span>{revealed(last_part(&card.stream))}</span>
            </span>
            <span class="mail-body"><a href=href::task(&card.correlation_id)>{revealed(&card.title)}</a></span>
            <span class="mail-head"><span><Agent name=card.requester.clone()/>{to}</span></span>
        </li>
    }
    .into_any()
}

/// `11-30 14:02`, the whole of it in the title. A sheet has no clock of its own, so its times stay UTC.
fn time(at: &str) -> AnyView {
    let known = ms_of(at).and_then(timestamp::created_at_ms);
    let short = known.as_deref().and_then(|at| Some(format!("{} {}", at.get(5..10)?, at.get(11..16)?)));
    view! { <time class="time" datetime=known title=at.to_owned()>{short.unwrap_or_else(|| at.to_owned())}</time> }
        .into_any()
}

fn only(column: Column, names: &[String]) -> Filter {
    names.iter().fold(Filter::default(), |filter, name| filter.with(column, name))
}
