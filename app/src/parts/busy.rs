//! What stands in a page's place while its answer is on the way.

use leptos::prelude::*;

use crate::language::t;

/// A quiet placeholder.
#[component]
pub fn Busy() -> impl IntoView {
    view! {
        <div class="busy" aria-busy="true">
            <span class="visually-hidden" role="status">{t!("Loading")}</span>
            <i></i><i></i><i></i>
        </div>
    }
}
