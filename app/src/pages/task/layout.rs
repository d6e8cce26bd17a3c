//! Where things stand in the swim lanes. Pure: a delegation and a time in, numbers and short texts out.
//!
//! # Design
//! Time runs from left to right, but not to scale: a claim after four seconds and a patch after two hours must both be readable. Each
//! pair of neighbours gets room for its label and then a share of what is left by the square root of the time between them. Everything is in whole pixels. The true
//! durations are written at the dots.

use loggia_domain::Status;
use loggia_domain::delegation::{Delegation, State, Step};

use crate::language::t;
use crate::words::duration;

/// How many steps the lanes show; earlier ones are in the list only.
pub(super) const MAX_STEPS: usize = 40;

/// What the names take at the left.
pub(super) const NAMES_WIDTH: i32 = 176;
const RIGHT_MARGIN: i32 = 172;
/// What a mark behind a duration needs beyond that, ` · stalled`.
const MARK_WIDTH: i32 = 60;
const STEP_WIDTH: i32 = 124;
const MIN_WIDTH: i32 = 960;
/// Where the first lane lies.
pub(super) const TOP: i32 = 44;
/// From one lane to the next.
pub(super) const LANE_HEIGHT: i32 = 72;
const LABEL_CHARS: usize = 18;
const NAME_CHARS: usize = 18;

/// A picture of a delegation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) lanes: Vec<Lane>,
    pub(super) bars: Vec<Bar>,
    pub(super) links: Vec<Link>,
    pub(super) dots: Vec<Dot>,
    pub(super) pending: Option<Pending>,
    /// Steps that are in the list only.
    pub(super) left_out: usize,
}

/// One agent's line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) short_name: String,
    pub(super) y: i32,
}

/// A stretch of work or of waiting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    pub(super) from_x: i32,
    pub(super) to_x: i32,
    pub(super) y: i32,
    pub(super) class: &'static str,
}

/// From a step to the one that answers it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) from: (i32, i32),
    pub(super) to: (i32, i32),
}

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dot {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) class: &'static str,
    pub(super) label: String,
    pub(super) below: Below,
    pub(super) event_id: String,
}

/// What is written under a dot.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Below {
    /// The point in time, on the first dot.
    At(u64),
    /// A duration or a remark.
    Text(String),
}

/// What is waited for, at the right end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pending {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) class: &'static str,
    pub(super) label: &'static str,
    /// How long it has been waited for, in ms.
    pub(super) for_ms: u64,
    /// `stalled`, `expired`.
    pub(super) marks: Vec<&'static str>,
}

/// The picture at a time.
pub(super) fn picture(delegation: &Delegation, now_ms: u64, stalled_after_ms: u64) -> Picture {
    let left_out = delegation.steps.len().saturating_sub(MAX_STEPS);
    let steps = &delegation.steps[left_out..];
    let waits = awaited(delegation);
    let names = lane_names(delegation, steps, waits.as_ref().map(|w| w.0.as_str()));
    let lane_y = |name: &str| TOP + LANE_HEIGHT * px(names.iter().position(|n| n == name).unwrap_or(0));

    let mut times: Vec<u64> = steps.iter().map(|step| step.at_ms).collect();
    if waits.is_some() {
        times.push(now_ms.max(times.last().copied().unwrap_or(now_ms)));
    }
    let marks = [
        delegation.is_stalled(now_ms, stalled_after_ms).then_some(t!("stalled")),
        delegation.is_expired(now_ms).then_some(t!("expired")),
    ];
    let marks: Vec<&'static str> = marks.into_iter().flatten().collect();
    let right_margin = RIGHT_MARGIN + if waits.is_some() { MARK_WIDTH * px(marks.len()) } else { 0 };
    let width = (NAMES_WIDTH + right_margin + STEP_WIDTH * px(times.len().saturating_sub(1))).max(MIN_WIDTH);
    let xs = positions(&times, NAMES_WIDTH + 12, width - right_margin);

    let dots: Vec<Dot> = steps
        .iter()
        .zip(&xs)
        .map(|(step, x)| Dot {
            x: *x,
            y: lane_y(&step.from_agent),
            class: class(step),
            label: short(&label(step), LABEL_CHARS),
            below: below(step, left_out == 0),
            event_id: step.event_id.clone(),
        })
        .collect();
    let pending = waits.map(|(name, label)| Pending {
        x: xs.last().copied().unwrap_or(NAMES_WIDTH),
        y: lane_y(&name),
        class: delegation.state.as_str(),
        label,
        for_ms: now_ms.saturating_sub(delegation.pending_since_ms.unwrap_or(now_ms)),
        marks,
    });
    Picture {
        width,
        height: TOP + LANE_HEIGHT * px(names.len().saturating_sub(1)) + 48,
        bars: bars(delegation, steps, &dots, pending.as_ref()),
        links: links(steps, &dots, pending.as_ref()),
        lanes: names
            .iter()
            .map(|name| Lane { name: name.clone(), short_name: short(name, NAME_CHARS), y: lane_y(name) })
            .collect(),
        dots,
        pending,
        left_out,
    }
}

/// For whom a delegation waits, and for what.
fn awaited(delegation: &Delegation) -> Option<(String, &'static str)> {
    let worker = || delegation.claimant.clone().or_else(|| delegation.assignee.clone().filter(|name| name != "*"));
    let requester = || delegation.requester.clone();
    match delegation.state {
        State::Open => Some((worker().unwrap_or_else(requester), t!("waiting for a claim"))),
        State::Claimed => Some((worker().unwrap_or_else(requester), t!("at work"))),
        State::Ready => Some((requester(), t!("waiting to be applied"))),
        State::Blocked => Some((requester(), t!("waiting for an answer"))),
        State::Other => Some((worker().unwrap_or_else(requester), t!("not finished"))),
        State::Applied | State::Failed | State::Superseded => None,
    }
}

fn lane_names(delegation: &Delegation, steps: &[Step], awaited: Option<&str>) -> Vec<String> {
    let writers =
        delegation.agents.iter().map(String::as_str).filter(|name| steps.iter().any(|s| s.from_agent == *name));
    let mut names: Vec<String> = Vec::new();
    for name in writers.chain(awaited) {
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn positions(times: &[u64], from: i32, to: i32) -> Vec<i32> {
    let weights: Vec<u64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]).isqrt()).collect();
    let total = weights.iter().sum::<u64>().max(1);
    let free = u64::try_from(to - from - STEP_WIDTH * px(weights.len())).unwrap_or(0);
    let mut passed = 0;
    let mut xs = Vec::with_capacity(times.len());
    if !times.is_empty() {
        xs.push(from);
    }
    for (at, weight) in weights.iter().enumerate() {
        passed += weight;
        let share = i32::try_from(free * passed / total).unwrap_or(0);
        xs.push(from + STEP_WIDTH * px(at + 1) + share);
    }
    xs
}

/// Work, from a claim to its author's next status; and waiting, where it is waited for in the lane of the last step.
fn bars(delegation: &Delegation, steps: &[Step], dots: &[Dot], pending: Option<&Pending>) -> Vec<Bar> {
    let mut bars = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if step.lost_race || step.status.as_deref() != Some(Status::Claimed.as_str()) {
            continue;
        }
        let moves_on = |later: &Step| later.from_agent == step.from_agent && later.status.is_some();
        let next = steps[at + 1..].iter().position(moves_on).map(|gap| dots[at + 1 + gap].x);
        let open_end = || pending.filter(|p| delegation.state == State::Claimed && p.y == dots[at].y).map(|p| p.x);
        if let Some(to_x) = next.or_else(open_end) {
            bars.push(Bar { from_x: dots[at].x, to_x, y: dots[at].y, class: "claimed" });
        }
    }
    if let (Some(pending), Some(last)) = (pending, dots.last())
        && pending.y == last.y
        && !bars.iter().any(|bar| bar.y == last.y && bar.to_x >= pending.x)
    {
        bars.push(Bar { from_x: last.x, to_x: pending.x, y: pending.y, class: pending.class });
    }
    bars
}

/// From each step's cause to the step, where the lane changes. The cause is what the step acknowledges, or its author's own last step
/// if that came later, since agents acknowledge the request again and again; else the last step before it that did not lose a race.
fn links(steps: &[Step], dots: &[Dot], pending: Option<&Pending>) -> Vec<Link> {
    let mut links = Vec::new();
    for (at, step) in steps.iter().enumerate().skip(1) {
        let before = &steps[..at];
        let acked = step.ack_of.as_ref().and_then(|id| before.iter().position(|s| s.event_id == *id));
        let own = before.iter().rposition(|s| s.from_agent == step.from_agent);
        let last = || before.iter().rposition(|s| !s.lost_race);
        let cause = &dots[acked.max(own).or_else(last).unwrap_or(at - 1)];
        if cause.y != dots[at].y {
            links.push(Link { from: (cause.x, cause.y), to: (dots[at].x, dots[at].y) });
        }
    }
    if let (Some(pending), Some(last)) = (pending, dots.last())
        && pending.y != last.y
    {
        links.push(Link { from: (last.x, last.y), to: (pending.x, pending.y) });
    }
    links
}

fn class(step: &Step) -> &'static str {
    if step.lost_race {
        return "lost";
    }
    step.status.as_deref().and_then(Status::parse).map_or("other", Status::as_str)
}

fn label(step: &Step) -> String {
    let acknowledges = matches!(step.event_type.as_str(), "event.ack" | "task.reply");
    match &step.status {
        _ if step.event_type == "task.request" => t!("request").to_owned(),
        Some(status) if step.lost_race && *status == Status::Claimed.as_str() => t!("claim lost").to_owned(),
        _ if step.question => t!("question").to_owned(),
        Some(status) if acknowledges => status.clone(),
        _ => step.event_type.clone(),
    }
}

fn below(step: &Step, is_whole: bool) -> Below {
    match (step.skew_ms, step.after_ms) {
        (Some(skew_ms), _) => Below::Text(t!("clocks ±{skew}", skew = duration(skew_ms))),
        (None, Some(after_ms)) if is_whole || step.after_ms.is_some() => {
            Below::Text(format!("+{}", duration(after_ms)))
        }
        _ => Below::At(step.at_ms),
    }
}

fn short(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some(_) => text.chars().take(chars - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// A count of steps or lanes, of which there are few.
fn px(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
