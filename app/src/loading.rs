//! How a page gets its answer: on the hub before the first byte leaves, in the browser by a server function, and what is shown while
//! it is on the way or when it does not come.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ask::ask;
use crate::clock::use_page_clock;
use crate::error::PageError;
use crate::parts::{Busy, Failure};
pub use crate::question::{Answer, Question};
use crate::wire::JsonText;

/// The hub's answer to a question that may change.
pub type Asked = Resource<Result<Answer, PageError>, JsonText>;

/// The answer to a question that may change.
pub fn load(question: Signal<Question>) -> Asked {
    Resource::new_with_options(move || question.get(), ask, false)
}

/// Shows an answer when it is there; another one takes its place when the question changes. Erased, so that the code for waiting
/// is there once.
pub fn shown(
    answer: Asked,
    waiting: fn() -> AnyView,
    show: impl Fn(Result<Answer, PageError>) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let show: Arc<dyn Fn(Result<Answer, PageError>) -> AnyView + Send + Sync> = Arc::new(show);
    shown_erased(answer, waiting, show)
}

fn shown_erased(
    answer: Asked,
    waiting: fn() -> AnyView,
    show: Arc<dyn Fn(Result<Answer, PageError>) -> AnyView + Send + Sync>,
) -> AnyView {
    view! {
        <Transition fallback=waiting>
            {move || {
                let show = Arc::clone(&show);
                Suspend::new(async move { show(answer.await) })
            }}
        </Transition>
    }
    .into_any()
}

/// A page that needs an answer.
#[component]
pub fn Loaded(
    /// What the page wants to know.
    question: Signal<Question>,
    /// The page for an answer. Another question makes another one.
    show: fn(Answer) -> AnyView,
) -> impl IntoView {
    let clock = use_page_clock();
    let busy = || view! { <Busy/> }.into_any();
    shown(load(question), busy, move |answer| match answer {
        Ok(answer) => {
            clock.shows(answer.now_ms());
            show(answer)
        }
        Err(error) => {
            let (title, what, id) = question.with_untracked(Question::names);
            view! { <Title text=title/><Failure error=error what=what id=id/> }.into_any()
        }
    })
}
