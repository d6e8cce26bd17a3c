//! What stands in a page's place while its answer is on the way.

use leptos::prelude::*;

/// A quiet placeholder.
#[component]
pub fn Busy() -> impl IntoView {
    view! {
        <div class="busy" aria-busy="true">
            <span class="visually-hidden" role="status">"Loading"</span>
            <i></i><i></i><i></i>
        </div>
    }
}
