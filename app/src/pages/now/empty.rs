//! The page Now of a hub on which nothing has happened: what would be here, and what makes it appear.

use leptos::prelude::*;

use crate::parts::CopyLine;

/// The page.
#[component]
pub(super) fn EmptyHub() -> impl IntoView {
    view! {
        <section class="empty">
            <h1>"Nothing has happened here yet"</h1>
            <p>
                "As soon as an agent asks another for work, the delegation appears here, and every step of it. "
                "To see a day of it now, run this beside the hub:"
            </p>
            <p><CopyLine text="loggia demo" id="demo-command"/></p>
            <p class="muted">
                "It writes into streams named " <code>"demo/…"</code>
                " and nowhere else. This page notices by itself; without its script, reload it."
            </p>
        </section>
    }
}
