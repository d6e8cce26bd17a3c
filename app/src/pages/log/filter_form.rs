//! A form for values that are not on the page. A plain GET form: its fields are the keys of the address.

use leptos::prelude::*;
use loggia_domain::{Column, Status};

use super::asked::Asked;
use crate::filters::label;
use crate::language::t;

/// The form, folded away until it is wanted.
#[component]
pub(super) fn FilterForm(
    asked: Asked,
    /// Whether there is something to forget.
    has_searched: bool,
) -> impl IntoView {
    let forget = has_searched.then(|| {
        view! {
            <button type="submit" class="button" formmethod="post" formaction="/searches/forget">{t!("Forget my searches")}</button>
        }
        .into_any()
    });
    let mut pairs = asked.filter.pairs();
    // These have one value each, which the form shows to be changed.
    pairs.retain(|(name, _)| !name.ends_with("_created_at"));
    let windows = [
        ("since_created_at", t!("since (UTC)"), asked.filter.since_created_at),
        ("before_created_at", t!("before (UTC)"), asked.filter.before_created_at),
    ]
    .map(|(name, label, value)| {
        view! {
            <label for=name>{label}</label>
            <input id=name name=name value=value autocomplete="off" maxlength="40" placeholder="2026-11-30T14:00:00Z"/>
        }
        .into_any()
    });
    if !asked.q.is_empty() {
        pairs.push(("q".to_owned(), asked.q));
    }
    let kept = kept(pairs);
    let fields = Column::ALL
        .into_iter()
        .filter(|column| *column != Column::Status)
        .map(|column| {
            let id = format!("filter-{}", column.as_str());
            view! {
                <label for=id.clone()>{label(column)}</label>
                <input id=id name=column.as_str() autocomplete="off" spellcheck="false" maxlength="256"/>
            }
            .into_any()
        })
        .collect_view();
    let statuses = Status::ALL
        .into_iter()
        .map(|status| view! { <option value=status.as_str()>{status.as_str()}</option> }.into_any())
        .collect_view();
    view! {
        <details class="filter-form">
            <summary class="button">{t!("Filter")}</summary>
            <form method="get" action="/log" class="panel padded">
                {kept}
                {fields}
                <label for="filter-status">{t!("status")}</label>
                <select id="filter-status" name="status"><option value="">{t!("any")}</option>{statuses}</select>
                {windows.into_iter().collect_view()}
                <span class="muted">{t!("Values of one field are alternatives.")}</span>
                <button type="submit" class="button primary">{t!("Show")}</button>
                {forget}
            </form>
        </details>
    }
}

/// What else the address says, so that a form keeps it.
pub(super) fn kept(pairs: Vec<(String, String)>) -> AnyView {
    pairs
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> }.into_any())
        .collect_view()
        .into_any()
}
