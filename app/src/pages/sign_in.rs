//! The sign-in page: a token becomes a session. A plain form, so that it works without the page's script.

use leptos::prelude::*;
use leptos_meta::Title;

use super::{use_query_value, use_search};
use crate::frame::Mark;
use crate::frame::switches::LanguageSwitch;
use crate::href;
use crate::language::t;

/// The sign-in form.
#[component]
pub fn SignInRoute() -> impl IntoView {
    let search = use_search();
    let next = move || href::safe_next(&href::value(&search.get(), "next").unwrap_or_default()).to_owned();
    let error = use_query_value("error");
    let told = move || {
        problem(&error.get())
            .map(|text| view! { <p class="problem-line" role="alert" id="problem">{text}</p> }.into_any())
    };
    let described = move || problem(&error.get()).map(|_| "problem");
    view! {
        <Title text=t!("Sign in")/>
        <main id="main" class="sign-in">
            <form method="post" action="/sign-in" class="panel">
                <h1><Mark/>"Loggia"</h1>
                {move || told()}
                <label for="token">{t!("Token")}</label>
                <input id="token" name="token" type="password" autocomplete="current-password" required autofocus spellcheck="false"
                    aria-describedby=move || described()/>
                <input type="hidden" name="next" value=move || next()/>
                <button type="submit" class="button primary">{t!("Sign in")}</button>
                <p class="muted">
                    {t!("The hub printed a one-time sign-in link when it started. A token that lasts comes from ")}
                    <code>"loggia token create"</code>
                    {t!(" on the hub's machine.")}
                </p>
            </form>
            <LanguageSwitch/>
        </main>
    }
    .into_any()
}

fn problem(error: &str) -> Option<&'static str> {
    match error {
        "" => None,
        "invalid" => Some(t!("The hub does not know this token. Is it whole, and of this hub?")),
        "expired" => Some(t!(
            "This link has been used or is too old. Start the hub again for a new one, or sign in with a token."
        )),
        _ => Some(t!("The hub did not sign you in. Try again.")),
    }
}
