//! The rail: where the pages are. On a narrow screen it becomes a strip.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The pages that exist, in the order of the rail: path and name. `g` and the first letter of a name lead there.
pub(crate) const PAGES: [(&str, &str); 6] = [
    ("/", "Now"),
    ("/log", "Log"),
    ("/agents", "Agents"),
    ("/diary", "Diaries"),
    ("/palace", "Palace"),
    ("/sessions", "Sessions"),
];

/// The mark and the pages that exist.
#[component]
pub(super) fn Rail() -> impl IntoView {
    let path = use_location().pathname;
    let link = move |(href, name): (&'static str, &'static str)| {
        let current = move || (path.get() == href).then_some("page");
        let key = name.get(..1).unwrap_or_default().to_ascii_lowercase();
        view! { <li><a href=href data-key=key aria-current=move || current()>{name}</a></li> }.into_any()
    };
    let links = PAGES.into_iter().map(link).collect_view();
    view! {
        <nav class="rail" aria-label="Pages">
            <a class="brand" href="/" aria-label="Loggia, to the page Now"><Mark/><span>"Loggia"</span></a>
            <ul>
                {links}
            </ul>
        </nav>
    }
}

/// Three arches under a roof.
#[component]
pub(crate) fn Mark() -> impl IntoView {
    view! {
        <svg class="arches" width="26" height="20" viewBox="0 0 26 20" aria-hidden="true" focusable="false">
            <path d="M1 19V9a4 4 0 0 1 8 0v10M9 19V9a4 4 0 0 1 8 0v10M17 19V9a4 4 0 0 1 8 0v10"/>
            <path class="roof" d="M0 1.2h26"/>
        </svg>
    }
}
