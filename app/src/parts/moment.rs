//! A point in time: absolute always, in the page's zone; how long ago beside it where that helps.

use leptos::prelude::*;
use loggia_domain::timestamp::{created_at_ms, parse_rfc3339_ms};

use crate::clock::use_page_clock;
use crate::words::ago;

/// How much of a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `14:02:31`; on another day than today `11-30 14:02:31`, the day fainter.
    Row,
    /// `14:02:31`.
    Time,
    /// `2026-11-30 14:02:31 UTC`.
    Full,
}

/// A time as an event tells it. What cannot be read as a time is shown as it is.
#[component]
pub fn Moment(
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    #[prop(into)]
    at: String,
    /// How much of it.
    form: Form,
) -> impl IntoView {
    let Some(at_ms) = parse_rfc3339_ms(&at).and_then(|ms| u64::try_from(ms).ok()) else {
        return view! { <span class="time">{at}</span> }.into_any();
    };
    let clock = use_page_clock();
    let stamp = move || clock.stamp(at_ms);
    let day = (form == Form::Row).then(|| {
        view! { <span class="day" hidden=move || clock.is_today(&stamp())>{move || format!("{} ", stamp().day())}</span> }
            .into_any()
    });
    let rest = move || match form {
        Form::Row | Form::Time => stamp().time,
        Form::Full => stamp().full(),
    };
    let datetime = created_at_ms(at_ms).unwrap_or(at);
    view! { <time class="time" datetime=datetime title=move || stamp().full()>{day}{move || rest()}</time> }.into_any()
}

/// How long ago something was, by the hub's clock, and what: `claimed 2 h 11 min ago`. It grows after hydration.
#[component]
pub fn Ago(
    /// What happened then.
    what: &'static str,
    /// When, ms since 1970.
    at_ms: u64,
    /// The hub's clock at the answer that the page shows.
    answered_ms: u64,
    /// From this age on, in ms, it is written as something to worry about.
    hot_after_ms: Option<u64>,
) -> impl IntoView {
    let clock = use_page_clock();
    let age_ms = Memo::new(move |_| clock.hub_now_ms(answered_ms).saturating_sub(at_ms) / 1000 * 1000);
    let hot = move || hot_after_ms.is_some_and(|limit_ms| age_ms.get() >= limit_ms);
    view! { <span class="age" class:hot=move || hot()>{move || ago(what, age_ms.get())}</span> }
}
