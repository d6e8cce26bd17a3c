//! The hook of the time machine in Now: with `at=` in the address the page is the board of the past, which the hub writes whole.

use leptos::prelude::*;

use super::super::{sheet, use_search};
use crate::backend::SheetQuery;
use crate::href;
use crate::language::t;
use crate::loading::{Answer, Question};
use crate::parts::Playing;

/// What the page asks for: the present, or the board at a moment; and what plays.
pub(super) fn asked() -> (Signal<Question>, AnyView) {
    let search = use_search();
    let question = Memo::new(move |_| {
        search.with(|search| match href::value(search, "at") {
            Some(at) if !at.is_empty() => Question::Sheet(SheetQuery {
                path: "/".to_owned(),
                search: search.clone(),
                known: String::new(),
                in_page: cfg!(feature = "ssr"),
            }),
            _ => Question::Overview,
        })
    });
    (question.into(), view! { <Playing search=search/> }.into_any())
}

/// The board at a moment.
pub(super) fn show(answer: Answer) -> AnyView {
    sheet::show(answer)
}

/// The ways out of Now that a person takes: into the past, and to a new task.
#[component]
pub(super) fn Tools(
    /// The newest event.
    tip: Option<String>,
) -> impl IntoView {
    let past = tip.map(|id| {
        let target = format!("/?at={}", href::encode(&id));
        view! { <a class="button" href=target>{t!("Time machine")}</a> }.into_any()
    });
    view! { <p class="now-tools">{past}<a class="button" href="/task/new">{t!("New task")}</a></p> }
}
