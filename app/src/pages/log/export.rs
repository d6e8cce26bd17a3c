//! The way to take what is shown along as a file. The hub writes it, whole and in pages, so no script is needed.

use leptos::prelude::*;

use crate::language::t;

use super::asked::Asked;

/// The formats, folded away until one is wanted.
#[component]
pub(super) fn Export(asked: Asked) -> impl IntoView {
    let link = |format: &'static str, label: &'static str| {
        view! { <li><a href=asked.export(format) rel="external" download="">{label}</a></li> }.into_any()
    };
    view! {
        <details class="export">
            <summary class="button">{t!("Export")}</summary>
            <ul class="panel padded plain">
                {link("ndjson", t!("NDJSON, one event per line"))}
                {link("txt", t!("Plain text"))}
            </ul>
        </details>
    }
}
