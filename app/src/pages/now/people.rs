//! The strip of Now: who listens and who was here, one chip each, and how many events there were in each hour. Written on the hub, as a sheet
//! is: it is asked for again every few seconds, since nobody writes an event when a stream opens or ends.

use leptos::prelude::*;
use loggia_domain::presence::{Agent as Known, Listener, Standing, ms_of};
use loggia_domain::ring::Ring;
use loggia_domain::{Column, Filter};

use crate::backend::people::People;
use crate::href;
use crate::language::t;
use crate::pages::agents::presence::{in_short, lag, standing_word};
use crate::parts::Agent;
use crate::words::{counted, grouped};

/// How many chips there are at most.
const CHIPS: usize = 24;
/// Who neither listens nor was here for so long is left out, in ms: a day. Whom work waits for never is.
const RECENT_MS: u64 = 24 * 3600 * 1000;
/// The figure's height and the width of an hour, in its own units.
const HEIGHT: u64 = 40;
const HOUR: u64 = 12;

/// The strip.
pub(in crate::pages) fn strip(people: &People) -> AnyView {
    let People { agents, unnamed, pages, hours, rings, now_ms } = people;
    let is_here = |agent: &&Known| {
        let seen_ms = agent.last_seen.as_deref().and_then(ms_of);
        agent.standing(*now_ms) == Standing::Listening
            || agent.is_missed(*now_ms)
            || seen_ms.is_some_and(|seen_ms| now_ms.saturating_sub(seen_ms) < RECENT_MS)
    };
    let here: Vec<&Known> = agents.iter().filter(is_here).collect();
    let chips = here.iter().take(CHIPS).map(|agent| chip(agent, *now_ms)).collect_view();
    let more = agents.len().saturating_sub(here.len().min(CHIPS));
    let more = (more > 0).then(|| {
        view! { <li class="person"><a href="/agents">{counted(more as u64, t!("more agent##n"), t!("more agents##n"))}</a></li> }
            .into_any()
    });
    let nobody = (here.is_empty() && unnamed.is_empty()).then(|| {
        view! {
            <p class="empty-note">
                {t!("Nobody listens. An agent is here while it holds a stream or waits: ")}
                <code>"loggia logstream watch --to-agent win:codex"</code>
            </p>
        }
        .into_any()
    });
    let readers = (*pages > 0).then(|| t!("{pages} open", pages = counted(*pages, t!("page##n"), t!("pages##n"))));
    view! {
        {rings.iter().map(|ring| ring_note(ring, *now_ms)).collect_view()}
        <section class="people" aria-label=t!("Who is listening")>
            <div class="section-head"><h2>{t!("Who is listening")}</h2><span class="faint">{readers}</span></div>
            {nobody}
            <ul>{chips}{nameless(unnamed)}{more}</ul>
        </section>
        {rate(hours)}
    }
    .into_any()
}

/// Agents that keep each other awake.
fn ring_note(ring: &Ring, now_ms: u64) -> AnyView {
    let filter = Filter::default().with(Column::Type, "task.reply");
    let target = href::log(
        &match &ring.correlation_id {
            Some(id) => filter.with(Column::CorrelationId, id.clone()),
            None => filter.with(Column::Stream, ring.stream.clone()),
        },
        None,
    );
    let names = ring.agents.iter().map(|name| view! { <Agent name=name.clone()/>" " }.into_any()).collect_view();
    let said = t!(
        "wrote {replies} within {seconds} s, and none of them moved anything: they may be waking each other.",
        replies = counted(ring.replies as u64, t!("reply##n"), t!("replies##n")),
        seconds = now_ms.saturating_sub(ring.since_ms).div_ceil(5000) * 5
    );
    view! {
        <p class="note warn ring" role="status"><b>{t!("A ring of replies: ")}</b>{names}{said}" "<a href=target>{t!("Show the log")}</a></p>
    }
    .into_any()
}

fn chip(agent: &Known, now_ms: u64) -> AnyView {
    let standing = agent.standing(now_ms);
    let class = if agent.is_missed(now_ms) { "said hot" } else { "said" };
    view! {
        <li class="person">
            <a href=href::agent(&agent.agent)><Agent name=agent.agent.clone()/></a>
            <span class=format!("standing bare {}", standing.as_str())><span class="visually-hidden">{standing_word(standing)}{t!(", ")}</span></span>
            <span class=class>{in_short(agent, now_ms)}</span>
        </li>
    }
    .into_any()
}

fn nameless(unnamed: &[Listener]) -> Option<AnyView> {
    let behind = unnamed.iter().map(|l| l.behind).max()?;
    let said = t!(
        "{listeners} without a name, {lag}",
        listeners = counted(unnamed.len() as u64, t!("listener##n"), t!("listeners##n")),
        lag = lag(behind)
    );
    Some(
        view! { <li class="person"><span class="standing bare listening"></span><span class="said">{said}</span></li> }
            .into_any(),
    )
}

/// Events per hour as bars, the present hour darker.
fn rate(hours: &[(String, u64)]) -> AnyView {
    let most = hours.iter().map(|(_, events)| *events).max().unwrap_or(0);
    let sum: u64 = hours.iter().map(|(_, events)| *events).sum();
    let last = hours.len().saturating_sub(1);
    let bars = hours.iter().enumerate().map(|(at, (hour, events))| {
        // What there is at all is seen.
        let height = if *events == 0 { 1 } else { (*events * HEIGHT).checked_div(most).unwrap_or(0).max(2) };
        let title = format!("{}{}{}", clock(hour), t!(": "), counted(*events, t!("event##n"), t!("events##n")));
        let x = at as u64 * HOUR + 1;
        view! {
            <rect x=x.to_string() y=(HEIGHT - height).to_string() width=(HOUR - 2).to_string() height=height.to_string()
                class=if at == last { "present" } else { "" }>
                <title>{title}</title>
            </rect>
        }
        .into_any()
    });
    let bars = bars.collect_view();
    let ends = hours.first().zip(hours.last()).map(|((first, _), (last, _))| {
        view! { <span>{clock(first)}" UTC"</span><span>{clock(last)}" UTC"</span> }.into_any()
    });
    let said = t!(
        "{events} in {hours} hours, at most {most} in one",
        events = counted(sum, t!("event##n"), t!("events##n")),
        hours = hours.len(),
        most = grouped(most)
    );
    view! {
        <section class="panel padded rate">
            <div class="section-head"><h2>{t!("Events per hour, last day")}</h2><span class="faint">{said.clone()}</span></div>
            <svg viewBox=format!("0 0 {} {HEIGHT}", hours.len() as u64 * HOUR) preserveAspectRatio="none" role="img" aria-label=said>{bars}</svg>
            <p class="ends" aria-hidden="true">{ends}</p>
        </section>
    }
    .into_any()
}

/// `14:00` of `2026-11-30T14`.
fn clock(hour: &str) -> String {
    format!("{}:00", hour.get(11..13).unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_is_text_and_says_what_it_leaves_out() {
        let agent = |name: &str| Known { agent: name.to_owned(), names: vec![name.to_owned()], ..Known::default() };
        let missed = Known { open_to: 1, ..agent("<i>gone</i>") };
        let people = People {
            agents: vec![missed, agent("long:ago")],
            hours: vec![("2026-11-30T13".to_owned(), 0), ("2026-11-30T14".to_owned(), 7)],
            ..People::default()
        };
        let html = strip(&people).to_html();
        assert!(html.contains("&lt;i&gt;gone") && !html.contains("<i>gone"), "{html}");
        assert!(html.contains("1\u{a0}more agent") && !html.contains("long:ago"), "{html}");
        assert!(html.contains("7\u{a0}events in 2 hours") && html.contains("14:00: 7\u{a0}events"), "{html}");
        assert!(strip(&People::default()).to_html().contains("Nobody listens"));
    }
}
