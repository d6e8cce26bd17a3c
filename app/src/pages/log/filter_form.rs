//! A form for values that are not on the page. A plain GET form: its fields are the keys of the address.

use leptos::prelude::*;
use loggia_domain::{Column, Status};

use super::asked::Asked;
use crate::filters::label;
use crate::language::t;

/// The form, folded away until it is wanted.
#[component]
pub(super) fn FilterForm(asked: Asked) -> impl IntoView {
    let mut pairs = asked.filter.pairs();
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
                <span class="muted">{t!("Values of one field are alternatives.")}</span>
                <button type="submit" class="button primary">{t!("Show")}</button>
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
