//! The swim lanes, drawn. The list below says the same in words, so the drawing is one picture to those who cannot see it.

use leptos::prelude::*;
use loggia_domain::delegation::Delegation;
use loggia_domain::timestamp::duration_words;

use super::layout::{Below, Dot, Pending, Picture, picture};
use crate::clock::use_page_clock;
use crate::parts::hue;
use crate::words::counted;

/// The picture of a delegation up to now.
#[component]
pub(super) fn Lanes(delegation: ReadSignal<Delegation>, now_ms: Memo<u64>) -> impl IntoView {
    let drawn = Memo::new(move |_| delegation.with(|d| picture(d, now_ms.get())));
    let span = move || {
        delegation.with(|d| {
            let first_ms = d.steps.first().map_or(d.last_at_ms, |step| step.at_ms);
            let start = match d.steps.first() {
                Some(step) if step.event_type == "task.request" => "request",
                _ => "the first event",
            };
            match d.pending_since_ms {
                Some(_) => format!("From {start} to now, {}", duration_words(now_ms.get().saturating_sub(first_ms))),
                None => format!("From {start} to end, {}", duration_words(d.last_at_ms.saturating_sub(first_ms))),
            }
        })
    };
    let described = move || {
        delegation.with(|d| {
            let steps = counted(d.steps.len() as u64, "step", "steps");
            let agents = counted(d.agents.len() as u64, "agent", "agents");
            format!("Swim lanes: {steps} by {agents}. The list below says the same in words.")
        })
    };
    let left_out = move || {
        drawn.with(|p| {
            (p.left_out > 0)
                .then(|| format!("the {} before are in the list below", counted(p.left_out as u64, "step", "steps")))
        })
    };
    view! {
        <section class="panel padded">
            <div class="section-head"><h2>{move || span()}</h2><span class="faint">"gaps are not to scale "{move || left_out()}</span></div>
            <div class="lanes-frame" tabindex="0" role="region" aria-label="Swim lanes, can be scrolled sideways">
                <svg class="lanes" role="img" aria-label=move || described()
                    width=move || drawn.with(|p| p.width.to_string())
                    height=move || drawn.with(|p| p.height.to_string())
                    viewBox=move || drawn.with(|p| format!("0 0 {} {}", p.width, p.height))>
                    {move || drawn.with(contents)}
                </svg>
            </div>
        </section>
    }
}

fn contents(picture: &Picture) -> AnyView {
    let right = picture.width - 12;
    let lanes = picture
        .lanes
        .iter()
        .map(|lane| {
            view! {
                <line class="lane" x1="170" x2=right.to_string() y1=lane.y.to_string() y2=lane.y.to_string()/>
                <rect class=format!("swatch hue-{}", hue(&lane.name)) x="4" y=(lane.y - 4).to_string() width="8" height="8" rx="2"/>
                <text class="lane-name" x="18" y=(lane.y + 4).to_string()>{lane.short_name.clone()}</text>
            }
            .into_any()
        })
        .collect_view();
    let bars = picture
        .bars
        .iter()
        .map(|bar| {
            view! {
                <rect class=format!("bar {}", bar.class) x=bar.from_x.to_string() y=(bar.y - 4).to_string()
                    width=(bar.to_x - bar.from_x).to_string() height="8" rx="4"/>
            }
            .into_any()
        })
        .collect_view();
    let links = picture
        .links
        .iter()
        .map(|link| view! { <path class="link" d=curve(link.from, link.to)/> }.into_any())
        .collect_view();
    let dots = picture.dots.iter().cloned().map(dot).collect_view();
    let pending = picture.pending.clone().map(pending);
    view! { {lanes} {bars} {links} {dots} {pending} }.into_any()
}

fn dot(dot: Dot) -> AnyView {
    let clock = use_page_clock();
    let below = match dot.below {
        Below::At(at_ms) => view! { {move || clock.stamp(at_ms).time} }.into_any(),
        Below::Text(text) => text.into_any(),
    };
    let (x, y) = (dot.x, dot.y);
    view! {
        <g class=format!("dot {}", dot.class)>
            <circle cx=x.to_string() cy=y.to_string() r="7.5"/>
            <text class="glyph" x=x.to_string() y=(y + 3).to_string()>{glyph(dot.class)}</text>
            <text class="label" x=(x + 11).to_string() y=(y - 11).to_string()>{dot.label}</text>
            <text class="below" x=(x + 11).to_string() y=(y + 20).to_string()>{below}</text>
        </g>
    }
    .into_any()
}

fn pending(pending: Pending) -> AnyView {
    let (x, y) = (pending.x, pending.y);
    view! {
        <g class=format!("pending {}", pending.class)>
            <circle cx=x.to_string() cy=y.to_string() r="7"/>
            <text class="label" x=(x + 11).to_string() y=(y - 11).to_string()>{pending.label}</text>
            <text class="below" x=(x + 11).to_string() y=(y + 20).to_string()>{whole_seconds(pending.for_ms)}" so far"</text>
        </g>
    }
    .into_any()
}

/// A duration that is being counted.
fn whole_seconds(ms: u64) -> String {
    if ms < 1000 { "0 s".to_owned() } else { duration_words(ms) }
}

/// A curve that leaves and arrives level.
fn curve((from_x, from_y): (i32, i32), (to_x, to_y): (i32, i32)) -> String {
    let bend = ((to_x - from_x) / 2).min(60);
    format!("M{from_x} {from_y}C{} {from_y} {} {to_y} {to_x} {to_y}", from_x + bend, to_x - bend)
}

/// The shape of a status, the same as in its badge.
fn glyph(class: &str) -> &'static str {
    match class {
        "open" => "○",
        "claimed" => "◐",
        "ready" => "◆",
        "applied" => "✓",
        "blocked" => "■",
        "failed" => "✕",
        "superseded" => "↷",
        _ => "·",
    }
}
