//! How many events have which status and are of which type, in the whole log: what the filter hides is counted all the same.

use leptos::prelude::*;
use loggia_domain::{Column, Filter};

use crate::backend::{Counts, Tally};
use crate::href;
use crate::language::t;
use crate::parts::StatusBadge;
use crate::words::grouped;

/// The figures, each the way to its events; the types once somebody wants them.
#[component]
pub(super) fn Totals(counts: RwSignal<Counts>) -> impl IntoView {
    let statuses = move || counts.with(|all| all.statuses.iter().map(|one| total(Column::Status, one)).collect_view());
    let types = move || counts.with(|all| all.types.iter().map(|one| total(Column::Type, one)).collect_view());
    view! {
        <div class="totals">
            <ul aria-label=t!("Statuses in the whole log")>{statuses}</ul>
            <details>
                <summary>{t!("Types")}</summary>
                <ul aria-label=t!("Types in the whole log")>{types}</ul>
            </details>
        </div>
    }
}

fn total(column: Column, tally: &Tally) -> AnyView {
    let target = href::log(&Filter::default().with(column, tally.word.clone()), None);
    let word = tally.word.clone();
    let word = match column {
        Column::Status => view! { <StatusBadge word=word/> }.into_any(),
        _ => view! { <code>{word}</code> }.into_any(),
    };
    view! {
        <li><a href=target title=t!("in the whole log, whatever is shown below")>{word}" "{grouped(tally.events)}</a></li>
    }
    .into_any()
}
