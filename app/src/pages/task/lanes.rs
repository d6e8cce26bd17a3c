//! The swim lanes, drawn. The list below says the same in words, so the drawing is one picture to those who cannot see it.

use leptos::prelude::*;
use loggia_domain::delegation::Delegation;

use super::flow::{Flow, Point, Words};
use super::layout::{Below, Picture, picture};
use crate::clock::use_page_clock;
use crate::language::t;
use crate::parts::hue;
use crate::words::{counted, duration};

/// The picture of a delegation up to now.
#[component]
pub(super) fn Lanes(
    delegation: ReadSignal<Delegation>,
    now_ms: Memo<u64>,
    stalled_after_ms: u64,
    is_past: bool,
) -> impl IntoView {
    let drawn = Memo::new(move |_| delegation.with(|d| picture(d, now_ms.get(), stalled_after_ms)));
    let span = move || {
        delegation.with(|d| {
            let first_ms = d.steps.first().map_or(d.last_at_ms, |step| step.at_ms);
            let start = match d.steps.first() {
                Some(step) if step.event_type == "task.request" => t!("request"),
                _ => t!("the first event"),
            };
            match d.pending_since_ms {
                Some(_) if is_past => {
                    t!(
                        "From {start} to then, {duration}",
                        start = start,
                        duration = duration(now_ms.get().saturating_sub(first_ms))
                    )
                }
                Some(_) => t!(
                    "From {start} to now, {duration}",
                    start = start,
                    duration = duration(now_ms.get().saturating_sub(first_ms))
                ),
                None => t!(
                    "From {start} to end, {duration}",
                    start = start,
                    duration = duration(d.last_at_ms.saturating_sub(first_ms))
                ),
            }
        })
    };
    let described = move || {
        delegation.with(|d| {
            let steps = counted(d.steps.len() as u64, t!("step##n"), t!("steps##n"));
            let agents = counted(d.agents.len() as u64, t!("agent##n"), t!("agents##n"));
            t!(
                "Swim lanes: {steps} by {agents}. The list below says the same in words.",
                steps = steps,
                agents = agents
            )
        })
    };
    let left_out = move || {
        drawn.with(|p| {
            (p.left_out > 0).then(|| {
                t!(
                    "the {steps} before are in the list below",
                    steps = counted(p.left_out as u64, t!("step##n"), t!("steps##n"))
                )
            })
        })
    };
    let drawing = move |flow: Flow, class: &'static str| {
        let size = move || drawn.with(|p| flow.size(p));
        view! {
            <svg class=class role="img" aria-label=move || described()
                width=move || size().0.to_string()
                height=move || size().1.to_string()
                viewBox=move || { let (width, height) = size(); format!("0 0 {width} {height}") }>
                {move || drawn.with(|p| contents(p, flow))}
            </svg>
        }
        .into_any()
    };
    view! {
        <section class="panel padded">
            <div class="section-head"><h2>{move || span()}</h2><span class="faint">{t!("gaps are not to scale ")}{move || left_out()}</span></div>
            <div class="lanes-frame" tabindex="0" role="region" aria-label=t!("Swim lanes")>
                {drawing(Flow::Right, "lanes")}
                {drawing(Flow::Down, "lanes down")}
            </div>
        </section>
    }
}

fn contents(picture: &Picture, flow: Flow) -> AnyView {
    let lanes = picture
        .lanes
        .iter()
        .map(|lane| {
            let name = (flow == Flow::Right).then(|| {
                view! {
                    <rect class=format!("swatch hue-{}", hue(&lane.name)) x="4" y=(lane.y - 4).to_string() width="8" height="8" rx="2"/>
                    <text class="lane-name" x="18" y=(lane.y + 4).to_string()>{lane.short_name.clone()}</text>
                }
                .into_any()
            });
            let (from, to) = flow.lane(picture, lane.y);
            view! { {line("lane".to_owned(), from, to)} {name} }.into_any()
        })
        .collect_view();
    let place = |x, y| flow.place(picture, (x, y));
    let bars = picture
        .bars
        .iter()
        .map(|bar| line(format!("bar {}", bar.class), place(bar.from_x, bar.y), place(bar.to_x, bar.y)))
        .collect_view();
    let links = picture
        .links
        .iter()
        .map(|link| {
            let d = flow.curve(place(link.from.0, link.from.1), place(link.to.0, link.to.1));
            view! { <path class="link" d=d/> }.into_any()
        })
        .collect_view();
    // Downwards the lanes are too close for names, so each step says whose it is.
    let whose = |y| {
        let lane = picture.lanes.iter().find(|lane| flow == Flow::Down && lane.y == y)?;
        Some(format!("{} · ", lane.short_name))
    };
    let clock = use_page_clock();
    let dots = picture
        .dots
        .iter()
        .map(|dot| {
            let below = match dot.below.clone() {
                Below::At(at_ms) => view! { {move || clock.stamp(at_ms).time} }.into_any(),
                Below::Text(text) => text.into_any(),
            };
            let (x, y) = place(dot.x, dot.y);
            let shape = view! {
                <circle cx=x.to_string() cy=y.to_string() r="7.5"/>
                <text class="glyph" x=x.to_string() y=(y + 3).to_string()>{glyph(dot.class)}</text>
            };
            let words = words(flow.words(picture, (x, y)), dot.label.clone(), whose(dot.y), below);
            view! { <g class=format!("dot {}", dot.class)>{shape}{words}</g> }.into_any()
        })
        .collect_view();
    let pending = picture.pending.as_ref().map(|pending| {
        let (x, y) = place(pending.x, pending.y);
        let mut below = vec![t!("{duration} so far", duration = whole_seconds(pending.for_ms))];
        below.extend(pending.marks.iter().map(|mark| (*mark).to_owned()));
        let below = below.join(" · ").into_any();
        let words = words(flow.words(picture, (x, y)), pending.label.to_owned(), whose(pending.y), below);
        view! {
            <g class=format!("pending {} {}", pending.class, if pending.marks.is_empty() { "" } else { "late" })><circle cx=x.to_string() cy=y.to_string() r="7"/>{words}</g>
        }
        .into_any()
    });
    view! { {lanes} {bars} {links} {dots} {pending} }.into_any()
}

fn line(class: String, from: Point, to: Point) -> AnyView {
    view! { <line class=class x1=from.0.to_string() y1=from.1.to_string() x2=to.0.to_string() y2=to.1.to_string()/> }
        .into_any()
}

/// What is written at a point.
fn words(at: Words, label: String, whose: Option<String>, below: AnyView) -> AnyView {
    view! {
        <text class="label" x=at.x.to_string() y=at.label_y.to_string()>{label}</text>
        <text class="below" x=at.x.to_string() y=at.below_y.to_string()>{whose}{below}</text>
    }
    .into_any()
}

/// A duration that is being counted.
fn whole_seconds(ms: u64) -> String {
    duration(if ms < 1000 { 0 } else { ms })
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
