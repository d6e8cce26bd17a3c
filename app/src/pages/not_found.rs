//! The page for an address that means nothing here.

use leptos::prelude::*;

use crate::language::t;
use leptos_meta::Title;

/// Says so, with the status that says so too.
#[component]
pub fn NotFound() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let (Some(response), Ok(status)) = (use_context::<leptos_axum::ResponseOptions>(), 404_u16.try_into()) {
        response.set_status(status);
    }
    view! {
        <Title text=t!("No such page")/>
        <section class="failure">
            <h1>{t!("There is no such page")}</h1>
            <p>{t!("Loggia has a page for what is going on now, and one for the whole log; everything else is reached from there.")}</p>
            <p><a href="/">{t!("Now")}</a>" · "<a href="/log">{t!("Log")}</a></p>
        </section>
    }
    .into_any()
}
