//! `/log`: the log, newest first. Rendered by the hub, live after hydration; every filter is in the address.

mod asked;
mod chips;
mod export;
mod filter_form;
mod follow;
mod looks;
mod peek;
#[cfg(feature = "ssr")]
mod peek_sheet;
mod rows;
mod search;
mod totals;
mod tree;
mod view;
mod window;

use leptos::prelude::*;
use leptos_meta::Title;

use super::use_search;
use crate::language::t;
use crate::loading::{Answer, Loaded, Question};
use asked::Asked;
use peek::Peek;
#[cfg(feature = "ssr")]
pub(super) use peek_sheet::{missing, panel};
use view::LogView;

/// Loads the part of the log that the address names.
#[component]
pub fn LogRoute() -> impl IntoView {
    let search = use_search();
    let asked = Memo::new(move |_| Asked::parse(&search.get()));
    provide_context(asked);
    let question = Signal::derive(move || Question::Log(asked.with(Asked::query)));
    view! { <Title text=t!("Log")/><Loaded question=question show=show/><Peek/> }.into_any()
}

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Log(page, counts) => {
            let asked = expect_context::<Memo<Asked>>().get_untracked();
            view! { <LogView asked=asked page=page counts=counts/> }.into_any()
        }
        _ => ().into_any(),
    }
}
