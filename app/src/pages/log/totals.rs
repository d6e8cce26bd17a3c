//! How many events have which status, in the whole log: what the filter hides is counted all the same.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use crate::backend::{Counts, StatusCount};
use crate::href;
use crate::language::t;
use crate::parts::StatusBadge;
use crate::words::grouped;

/// The figures, each the way to its events.
#[component]
pub(super) fn Totals(counts: RwSignal<Counts>) -> impl IntoView {
    let all = move || counts.with(|counts| counts.statuses.iter().map(total).collect_view());
    view! { <ul class="totals" aria-label=t!("Statuses in the whole log")>{move || all()}</ul> }
}

fn total(count: &StatusCount) -> AnyView {
    let target = href::log(&Filter::default().with(Column::Status, count.status.clone()), None);
    view! {
        <li><a href=target title=t!("in the whole log, whatever is shown below")><StatusBadge word=count.status.clone()/>" "{grouped(count.events)}</a></li>
    }
    .into_any()
}
