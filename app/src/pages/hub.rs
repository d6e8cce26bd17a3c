//! `/hub`: what is wrong and what to do about it, the hubs that exchange their logs, how this one is doing, its limits, and all of that as
//! a text to pass on. Written on the hub, see [`super::sheet`]. The notices that every page carries are written here too.

mod alarms;
mod health;
mod limits;
mod mesh;
mod replicas;
mod report;

pub(crate) use alarms::notices;

use leptos::prelude::*;
use loggia_domain::timestamp::parse_rfc3339_ms;

use crate::backend::hub::{HubPage, Peer};
use crate::language::t;
use crate::parts::revealed;

/// Its title and its view.
pub(super) fn page(page: &HubPage) -> (String, AnyView) {
    let said = t!("{name}, Loggia {version}", name = page.estate.name, version = page.health.version);
    let view = view! {
        <div class="page-head">
            <h1>{t!("Hub")}</h1>
            <span class="faint">{revealed(&said)}</span>
            <code class="faint hub-id">{page.estate.replica_id.clone()}</code>
        </div>
        {alarms::panel(&page.alarms)}
        <div class="hub-estate">
            {replicas::panel(page)}
            {mesh::panel(&page.estate)}
        </div>
        {health::panels(page)}
        <div class="hub-low">
            {limits::panel(&page.limits)}
            {report::panel(page)}
        </div>
    }
    .into_any();
    (t!("Hub").to_owned(), view)
}

/// How a peer stands: its colour and shape, of those that a status has, and its word.
fn standing(peer: &Peer) -> (&'static str, &'static str) {
    if peer.last_error_at.is_some() {
        ("failed", t!("failing"))
    } else if !peer.blocks.is_empty() {
        ("blocked", t!("holds back"))
    } else if peer.was_reached {
        ("applied", t!("reachable"))
    } else {
        ("open", t!("not heard yet"))
    }
}

/// A standing as it is shown everywhere else.
fn badge((class, word): (&'static str, &'static str)) -> AnyView {
    view! { <span class=format!("status {class}")>{word}</span> }.into_any()
}

/// How long ago a moment was: `12 s ago`.
fn since(at: &str, now_ms: u64) -> String {
    let at_ms = parse_rfc3339_ms(at).and_then(|ms| u64::try_from(ms).ok());
    at_ms.map_or_else(String::new, |at_ms| t!("{time} ago##hub", time = lasting(now_ms.saturating_sub(at_ms) / 1000)))
}

/// A time in its two largest units: `12 s`, `3 min`, `2 h 5 min`, `4 d 3 h`.
fn lasting(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => t!("{n} s##hub", n = seconds),
        60..3600 => t!("{n} min##hub", n = minutes),
        3600..86_400 => t!("{h} h {m} min##hub", h = hours, m = minutes % 60),
        _ => t!("{d} d {h} h##hub", d = days, h = hours % 24),
    }
}

/// The beginning of a replica's id, which is enough to tell a few apart.
fn short(replica_id: &str) -> String {
    let digits = replica_id.strip_prefix("rep_").unwrap_or(replica_id);
    digits.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_at_most_two_units() {
        for (seconds, text) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7_500, "2 h 5 min"), (356_400, "4 d 3 h")] {
            assert_eq!(lasting(seconds), text);
        }
        assert_eq!(since("1970-01-01T00:01:00Z", 90_000), "30 s ago");
        assert_eq!(since("whenever", 90_000), "");
        assert_eq!(short("rep_0123456789abcdef"), "01234567");
        assert_eq!(short("<b>"), "<b>");
    }
}
