//! Streams with their counts, newest activity first.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use crate::backend::Overview;
use crate::href;
use crate::language::t;
use crate::parts::{Form, Moment, revealed};
use crate::words::{counted, grouped};

/// How many streams are listed.
const SHOWN: usize = 12;

/// The list.
#[component]
pub(super) fn StreamList(overview: RwSignal<Overview>) -> impl IntoView {
    let rows = move || {
        overview.with(|o| {
            o.streams
                .iter()
                .take(SHOWN)
                .map(|s| {
                    let target = href::log(&Filter::default().with(Column::Stream, &s.stream), None);
                    view! {
                        <li>
                            <a href=target>{revealed(&s.stream)}</a>
                            <span class="count">{grouped(s.events)}</span>
                            <span class="newest"><Moment at=s.newest_at.clone() form=Form::Row/></span>
                        </li>
                    }
                    .into_any()
                })
                .collect_view()
        })
    };
    let more = move || {
        let more = overview.with(|o| o.streams.len().saturating_sub(SHOWN));
        (more > 0).then(|| {
            view! { <p class="muted"><a href="/log">{counted(more as u64, t!("more stream##n"), t!("more streams##n"))}</a></p> }
                .into_any()
        })
    };
    let total = move || overview.with(|o| counted(o.events, t!("event##n"), t!("events##n")));
    view! {
        <section>
            <div class="section-head"><h2>{t!("Streams")}</h2><span class="faint">{move || total()}</span></div>
            <ul class="panel stream-list">{move || rows()}</ul>
            {move || more()}
        </section>
    }
}
