//! The badge that says how live the page is. Only its words are announced to screen readers, not the running figures.

use leptos::prelude::*;

use crate::clock::use_page_clock;
use crate::language::t;
use crate::live::badge::{Mood, mood};
use crate::live::{Link, use_live};
use crate::words::grouped_seq;
use crate::{browser, href};

/// How live the page is.
#[component]
pub(super) fn LiveBadge() -> impl IntoView {
    let (clock, live) = (use_page_clock(), use_live());
    let opened_ms = Memo::new(move |_| (live.link() == Link::Open).then(browser::now_ms));
    let mood = Memo::new(move |_| match clock.tick_ms() {
        Some(now_ms) => mood(live.link(), live.heartbeat(), opened_ms.get(), now_ms),
        None => Mood::Snapshot,
    });
    let word = Memo::new(move |_| match mood.get() {
        Mood::Snapshot => t!("Snapshot").to_owned(),
        Mood::Connecting => t!("Connecting").to_owned(),
        Mood::Live { .. } => t!("Live").to_owned(),
        Mood::Polling { .. } => t!("Polling").to_owned(),
        Mood::Reconnecting => t!("Reconnecting").to_owned(),
        Mood::Stale { since_ms } => {
            let stamp = clock.stamp(since_ms);
            t!("Stale since {time} {zone}", time = stamp.time.get(..5).unwrap_or("?"), zone = stamp.zone)
        }
        Mood::Unreachable => t!("No connection").to_owned(),
        Mood::Silent => t!("No heartbeat").to_owned(),
        Mood::Paused => t!("Paused").to_owned(),
        Mood::SignedOut => t!("Signed out").to_owned(),
    });
    let figures = move || match mood.get() {
        Mood::Live { seq, age_ms } | Mood::Polling { seq, age_ms } => {
            t!("seq {seq} · {age} s", seq = grouped_seq(seq), age = age_ms / 1000)
        }
        _ => String::new(),
    };
    let way_back = move || {
        (mood.get() == Mood::SignedOut).then(|| {
            view! { <a href=href::sign_in(&browser::here()) rel="external">{t!("sign in again")}</a> }.into_any()
        })
    };
    view! {
        <div class=move || format!("live {}", class(mood.get())) title=move || explanation(mood.get())>
            <span role="status">{move || word.get()}</span>
            <small aria-hidden="true">{move || figures()}</small>
            {move || way_back()}
        </div>
    }
}

fn class(mood: Mood) -> &'static str {
    match mood {
        Mood::Live { .. } => "is-live",
        Mood::Snapshot | Mood::Paused => "is-idle",
        Mood::Connecting | Mood::Reconnecting | Mood::Polling { .. } => "is-trying",
        Mood::Stale { .. } | Mood::Unreachable | Mood::Silent | Mood::SignedOut => "is-lost",
    }
}

fn explanation(mood: Mood) -> &'static str {
    match mood {
        Mood::Snapshot => t!("The page shows the log as it was when it was loaded"),
        Mood::Connecting => t!("The stream is being opened"),
        Mood::Live { .. } => {
            t!("The newest event of the whole log by arrival, and how old the hub's last heartbeat is")
        }
        Mood::Polling { .. } => t!(
            "No live stream comes about; the page asks for what is new now and again, and goes back to the stream when it can"
        ),
        Mood::Reconnecting => t!("The connection broke; nothing is missed, the stream continues where it stopped"),
        Mood::Stale { .. } => {
            t!("No sign of life from the hub since then; what you see may be old, and the page keeps trying")
        }
        Mood::Unreachable => t!("The hub does not answer; the page keeps trying"),
        Mood::Silent => t!("Connected, yet nothing comes through: a proxy in between may be holding the stream back"),
        Mood::Paused => t!("The stream rests while the tab is hidden and continues where it stopped"),
        Mood::SignedOut => t!("Your session is over"),
    }
}
