//! `/task?id=`: one delegation, from the request to now. The hub renders it; in the browser each event of its correlation is added
//! and the same fold runs again.

mod artifacts;
mod facts;
mod flow;
mod lanes;
mod layout;
mod notes;
mod steps;
mod view;

use leptos::prelude::*;

use super::use_query_value;
use crate::loading::{Answer, Loaded, Question};
pub(super) use artifacts::apply_line;
use view::TaskView;

/// Loads the delegation.
#[component]
pub fn TaskRoute() -> impl IntoView {
    let id = use_query_value("id");
    let question = Signal::derive(move || Question::Task(id.get()));
    provide_context(TaskId(id));
    view! { <Loaded question=question show=show/> }.into_any()
}

/// The correlation id in the address, in the context of the page.
#[derive(Clone, Copy)]
struct TaskId(Memo<String>);

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Task(page) => {
            let id = expect_context::<TaskId>().0.get_untracked();
            view! { <TaskView id=id page=page/> }.into_any()
        }
        _ => ().into_any(),
    }
}
