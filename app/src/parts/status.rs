//! A status as shape, word and colour, always all three. The shapes are in the stylesheet.

use leptos::prelude::*;
use loggia_domain::Status;
use loggia_domain::delegation::State;

use crate::language::t;

/// The status that an event carries; a word that we do not know is shown as it is, without a meaning of ours.
#[component]
pub fn StatusBadge(
    /// The word on the wire.
    #[prop(into)]
    word: String,
) -> impl IntoView {
    let class = Status::parse(&word).map_or("other", Status::as_str);
    view! { <span class=format!("status {class}") title=translated(class)>{word}</span> }
}

/// What a status means, for whoever rests on it in another language than its word's: the word itself is data and stays.
#[cfg(feature = "ssr")]
fn translated(status: &str) -> Option<&'static str> {
    let text = match status {
        "open" => t!("open##status"),
        "claimed" => t!("claimed##status"),
        "ready" => t!("ready##status"),
        "applied" => t!("applied##status"),
        "blocked" => t!("blocked##status"),
        "failed" => t!("failed##status"),
        "superseded" => t!("superseded##status"),
        _ => return None,
    };
    (text != status).then_some(text)
}

/// Only the hub writes it: the texts would be the browser's load, and a row that comes later does without.
#[cfg(not(feature = "ssr"))]
const fn translated(_: &str) -> Option<&'static str> {
    None
}

/// Where a delegation stands, and what else is to be said about it (`stalled`, `expired`).
#[component]
pub fn StateBadge(
    /// Where it stands.
    state: State,
    /// Words beside the state.
    #[prop(optional, into)]
    also: Vec<&'static str>,
) -> impl IntoView {
    let words = std::iter::once(state.as_str()).chain(also).collect::<Vec<_>>().join(t!(", "));
    view! { <span class=format!("status {}", state.as_str()) title=translated(state.as_str())>{words}</span> }
}
