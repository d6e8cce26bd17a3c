//! What stands in a page's place when there is no answer: what failed, what still works, what to do.

use leptos::prelude::*;
use loggia_domain::ErrorCode;

use super::revealed;
use crate::error::PageError;
use crate::language::t;
use crate::{browser, href};

/// An error in the place of a page. When the session is over, the browser goes to the sign-in page.
#[component]
pub fn Failure(
    /// Why.
    error: PageError,
    /// What the page would have shown, for a sentence: `the log`.
    what: &'static str,
    /// The id in the address, on a page about one thing.
    id: Option<String>,
) -> impl IntoView {
    if error.is_unauthorized() {
        Effect::new(move |_| browser::go(&href::sign_in(&browser::here())));
    }
    let (title, next) = sentences(error.0.code, what);
    // That it is not there is the title; what helps is which id was looked for.
    let cause = id.filter(|_| error.is_not_found()).unwrap_or_else(|| error.0.error.clone());
    // What the hub itself advises is closer to the cause than what can be said in general, but of what is not there nothing more is known.
    let advice = error.0.hint.clone().filter(|_| !error.is_not_found()).unwrap_or_else(|| next.to_owned());
    view! {
        <section class="failure" role="alert">
            <h1>{title}</h1>
            <p class="cause"><code>{revealed(&cause)}</code></p>
            <p class="advice">{advice}</p>
            <p><a href="/">{t!("Now")}</a>" · "<a href="/log">{t!("Log")}</a></p>
        </section>
    }
}

fn sentences(code: ErrorCode, what: &str) -> (String, &'static str) {
    match code {
        ErrorCode::NotFound => (
            t!("This hub has no such {what}", what = what.trim_start_matches("the ")),
            t!("It may live on another hub that has not synced yet, or the address was cut when it was copied."),
        ),
        ErrorCode::Unauthorized => {
            (t!("You are not signed in").to_owned(), t!("The page leads to the sign-in in a moment."))
        }
        ErrorCode::Forbidden => (
            t!("This token may not read {what}", what = what),
            t!("Sign out and sign in with a token that has the scope `read`."),
        ),
        ErrorCode::BadRequest => (
            t!("The question for {what} was refused", what = what),
            t!("Nothing is wrong with the hub: take the offending part out of the address."),
        ),
        ErrorCode::Unavailable => (
            t!("The hub is too busy for {what}", what = what),
            t!("Nothing is lost: agents wait and try again. So can you, by reloading."),
        ),
        ErrorCode::Unreachable => (
            t!("The hub did not answer for {what}", what = what),
            t!("Agents cannot reach it either. The page works again once it answers: reload it."),
        ),
        ErrorCode::Internal => (
            t!("The hub failed on {what}", what = what),
            t!("Its own log names the cause. Other pages may still work."),
        ),
    }
}
