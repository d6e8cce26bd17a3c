//! A status as shape, word and colour, always all three. The shapes are in the stylesheet.

use leptos::prelude::*;
use loggia_domain::Status;
use loggia_domain::delegation::State;

/// The status that an event carries; a word that we do not know is shown as it is, without a meaning of ours.
#[component]
pub fn StatusBadge(
    /// The word on the wire.
    #[prop(into)]
    word: String,
) -> impl IntoView {
    let class = Status::parse(&word).map_or("other", Status::as_str);
    view! { <span class=format!("status {class}")>{word}</span> }
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
    let words = std::iter::once(state.as_str()).chain(also).collect::<Vec<_>>().join(", ");
    view! { <span class=format!("status {}", state.as_str())>{words}</span> }
}
