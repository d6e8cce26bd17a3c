//! The rail: where the pages are. On a narrow screen it becomes a strip.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::language::t;

/// The pages that exist, in the order of the rail: path, name, and the letter that leads there after `g`, the first of its English name.
pub(crate) fn pages() -> [(&'static str, &'static str, &'static str); 7] {
    [
        ("/", t!("Now"), "n"),
        ("/log", t!("Log"), "l"),
        ("/agents", t!("Agents"), "a"),
        ("/diary", t!("Diaries"), "d"),
        ("/palace", t!("Palace"), "p"),
        ("/sessions", t!("Sessions"), "s"),
        ("/hub", t!("Hub"), "h"),
    ]
}

/// The mark and the pages that exist.
#[component]
pub(super) fn Rail() -> impl IntoView {
    let path = use_location().pathname;
    let link = move |(href, name, key): (&'static str, &'static str, &'static str)| {
        let current = move || (path.get() == href).then_some("page");
        view! { <li><a href=href data-key=key aria-current=move || current()>{name}</a></li> }.into_any()
    };
    let links = pages().into_iter().map(link).collect_view();
    view! {
        <nav class="rail" aria-label=t!("Pages")>
            <a class="brand" href="/" aria-label=t!("Loggia, to the page Now")><Mark/><span>"Loggia"</span></a>
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
