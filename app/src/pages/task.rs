//! `/task?id=`: one delegation, from the request to now. The hub renders it; in the browser each event of its correlation is added
//! and the same fold runs again.

mod artifacts;
mod facts;
mod flow;
#[cfg(feature = "ssr")]
mod form;
#[cfg(feature = "ssr")]
mod full;
mod lanes;
mod layout;
mod notes;
mod steps;
mod view;
#[cfg(feature = "ssr")]
mod written;

use leptos::prelude::*;

use super::use_search;
use crate::backend::asked::PageQuery;
use crate::href;
use crate::loading::{Answer, Loaded, Question};
use crate::parts::Playing;
pub(super) use artifacts::apply_line;
#[cfg(feature = "ssr")]
pub(super) use form::create;
use view::TaskView;
#[cfg(feature = "ssr")]
pub use written::write;

/// Loads the delegation.
#[component]
pub fn TaskRoute() -> impl IntoView {
    let search = use_search();
    let asked = Memo::new(move |_| asked(&search.get()));
    let question = Signal::derive(move || Question::Task(asked.get()));
    provide_context(Asked(asked));
    view! { <Playing search=search/><Loaded question=question show=show/> }.into_any()
}

/// What the address asks for, in the context of the page.
#[derive(Clone, Copy)]
struct Asked(Memo<PageQuery>);

fn asked(search: &str) -> PageQuery {
    let value = |key| href::value(search, key).unwrap_or_default();
    PageQuery {
        id: value("id"),
        at: value("at"),
        view: value("view"),
        is_playing: !value("play").is_empty(),
        in_page: cfg!(feature = "ssr"),
    }
}

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Task(page) => {
            let asked = expect_context::<Asked>().0.get_untracked();
            view! { <TaskView asked=asked page=*page/> }.into_any()
        }
        _ => ().into_any(),
    }
}
