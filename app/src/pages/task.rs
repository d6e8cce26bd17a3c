//! `/task?id=`: one delegation, from the request to now. The hub renders it; in the browser each event of its correlation is added
//! and the same fold runs again.

mod artifacts;
mod facts;
mod lanes;
mod layout;
mod notes;
mod steps;
mod view;

use leptos::prelude::*;
use leptos_meta::Title;

use super::use_query_value;
use crate::ask;
use crate::parts::{Busy, Failure};
pub(super) use artifacts::apply_line;
use view::TaskView;

/// Loads the delegation.
#[component]
pub fn TaskRoute() -> impl IntoView {
    let id = use_query_value("id");
    let page = Resource::new(move || id.get(), ask::task);
    view! {
        <Transition fallback=Busy>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(page) => view! { <TaskView id=id.get_untracked() page=page/> }.into_any(),
                    Err(error) => view! { <Title text="Task"/><Failure error=error what="the task"/> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}
