//! How a hub is doing, in figures. What a figure should make somebody do is an alarm and stands above.

use leptos::prelude::*;

use super::lasting;
use crate::backend::hub::{Health, HubPage};
use crate::language::t;
use crate::parts::{revealed, written_time};
use crate::words::{grouped, grouped_seq, size};

/// The panels.
pub(super) fn panels(page: &HubPage) -> AnyView {
    let health = &page.health;
    view! {
        <section class="health" aria-label=t!("Health##hub")>
            <h2>{t!("Health##hub")}</h2>
            <div class="health-grid">
                {group(t!("Program##hub"), program(health))}
                {group(t!("Log"), log(health))}
                {group(t!("Who is connected"), clients(health))}
                {group(t!("Requests##hub"), requests(health))}
                {group(t!("Memory"), memory(health))}
                {group(t!("Disk##hub"), disk(health))}
            </div>
        </section>
    }
    .into_any()
}

/// A name and its value.
type Figure = (AnyView, AnyView);

fn figure(name: &'static str, value: impl IntoAny) -> Figure {
    (name.into_any(), value.into_any())
}

fn group(name: &'static str, figures: Vec<Figure>) -> AnyView {
    let rows = figures
        .into_iter()
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }.into_any())
        .collect_view();
    view! { <section class="panel padded"><h3>{name}</h3><dl class="health-figures">{rows}</dl></section> }.into_any()
}

fn program(h: &Health) -> Vec<Figure> {
    vec![
        figure(t!("version##hub"), format!("Loggia {}", h.version)),
        figure(t!("running for##hub"), lasting(h.uptime_s)),
        figure(t!("started##hub"), written_time(&h.started_at)),
        figure(t!("tools for agents"), grouped(h.tools as u64)),
        figure(t!("schema of the palace"), h.palace_schema.to_string()),
    ]
}

fn log(h: &Health) -> Vec<Figure> {
    let waiting = of(grouped_seq(h.writer_waiting), h.writer_queue);
    let took = h.last_commit_ms.map_or_else(|| t!("none yet").to_owned(), |ms| format!("{ms:.1} ms"));
    vec![
        figure(t!("events##hub"), grouped(h.events)),
        figure(t!("newest arrival number"), grouped_seq(h.newest_seq)),
        figure(t!("counts behind by"), grouped_seq(h.counts_lag)),
        figure(t!("writes that wait"), waiting),
        figure(t!("writes since the start"), grouped(h.writes)),
        figure(t!("of these refused"), bad(h.writes_refused)),
        figure(t!("transactions##hub"), grouped(h.transactions)),
        figure(t!("of these failed"), bad(h.transactions_failed)),
        figure(t!("last commit took"), took),
    ]
}

fn clients(h: &Health) -> Vec<Figure> {
    let agents = (h.streams as u64).saturating_sub(h.pages);
    vec![
        figure(t!("live streams##hub"), of(grouped(h.streams as u64), h.streams_max)),
        figure(t!("of these pages"), grouped(h.pages)),
        figure(t!("of these agents"), grouped(agents)),
        figure(t!("agents that wait"), grouped_seq(h.waits)),
        figure(t!("connections##hub"), of(grouped_seq(h.connections), h.connections_max)),
        figure(t!("refused, too many"), bad(h.connections_refused)),
        figure(t!("cut, took nothing"), bad(h.connections_cut)),
        figure(t!("cut, sent too slowly"), bad(h.connections_slow)),
        figure(t!("events sent to streams"), grouped(h.stream_events)),
    ]
}

fn requests(h: &Health) -> Vec<Figure> {
    let (calls, not_ok) = h.tool_calls;
    vec![
        figure(t!("answered##hub"), grouped(h.requests)),
        figure(t!("of these refused"), grouped(h.requests_refused)),
        figure(t!("failed by the hub's own fault"), bad(h.requests_failed)),
        figure(t!("calls of tools"), grouped(calls)),
        figure(t!("of these not done"), grouped(not_ok)),
    ]
}

fn memory(h: &Health) -> Vec<Figure> {
    let mut figures = Vec::new();
    match &h.model {
        None => figures.push(figure(t!("diaries and drawers"), standing("failed", t!("off##hub")))),
        Some(model) => {
            let state =
                if model.is_on { standing("applied", t!("on##hub")) } else { standing("open", t!("by words only")) };
            figures.push(figure(t!("diaries and drawers"), standing("applied", t!("on##hub"))));
            figures.push(figure(t!("search by meaning##hub"), state));
            figures.push(figure(t!("texts with a vector"), grouped(model.vectors)));
            figures.push(figure(t!("texts that wait for one"), grouped(model.waiting)));
        }
    }
    let place = if h.sessions_shared { "Redis" } else { t!("a file of this hub") };
    figures.push(figure(t!("session memory##hub"), place));
    match h.pipeline {
        None => figures.push(figure(t!("output pipeline##hub"), t!("off##hub"))),
        Some(pipe) => {
            let state = if pipe.is_failing {
                standing("failed", t!("cannot publish##hub"))
            } else {
                standing("applied", t!("publishing##hub"))
            };
            figures.push(figure(t!("output pipeline##hub"), state));
            figures.push(figure(t!("published##hub"), grouped(pipe.published)));
            figures.push(figure(t!("waiting##hub"), grouped(pipe.waiting)));
            figures.push(figure(t!("dropped##hub"), bad(pipe.dropped)));
        }
    }
    figures
}

fn disk(h: &Health) -> Vec<Figure> {
    let free = h.disk_free_bytes.map_or_else(|| t!("unknown##hub").to_owned(), room);
    let all = h.files.iter().map(|(_, bytes)| bytes).sum();
    let mut figures = vec![figure(t!("free##hub"), free), figure(t!("all files##hub"), room(all))];
    let databases = h.files.iter().filter_map(|(name, bytes)| Some((name.strip_suffix(".sqlite3")?, *bytes)));
    figures.extend(databases.map(|(name, bytes)| {
        let wal = h.files.iter().find(|(other, _)| other.strip_suffix(".sqlite3-wal") == Some(name));
        let wal = wal.filter(|(_, bytes)| *bytes > 0);
        let wal = wal.map(|(_, bytes)| view! { " "<span class="wal">"+ "{room(*bytes)}" WAL"</span> }.into_any());
        (view! { <code>{revealed(name)}</code> }.into_any(), view! { {room(bytes)}{wal} }.into_any())
    }));
    figures
}

/// A size, in GB where it is one.
pub(super) fn room(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => size(bytes),
        _ => format!("{}.{}\u{a0}GB", grouped(bytes / 1_000_000_000), bytes % 1_000_000_000 / 100_000_000),
    }
}

fn of(some: String, all: usize) -> String {
    t!("{n} of {max}", n = some, max = grouped(all as u64))
}

/// A count of what had better not happen.
fn bad(n: u64) -> AnyView {
    let shown = grouped(n);
    if n == 0 { shown.into_any() } else { view! { <span class="hot">{shown}</span> }.into_any() }
}

fn standing(class: &'static str, word: &'static str) -> AnyView {
    super::badge((class, word))
}
