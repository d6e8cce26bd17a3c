//! A point in time in what the hub writes: UTC, since whoever reads it later is not known.

use leptos::prelude::*;

/// `2026-11-30 14:02:31 UTC` of `YYYY-MM-DDTHH:MM:SSZ`; what is no such time is shown as it is.
pub fn written_time(at: &str) -> AnyView {
    let shown = match (at.get(..10), at.get(11..19), at.get(19..)) {
        (Some(day), Some(clock), Some("Z")) => format!("{day} {clock} UTC"),
        _ => at.to_owned(),
    };
    view! { <time class="time" datetime=at.to_owned()>{shown}</time> }.into_any()
}
