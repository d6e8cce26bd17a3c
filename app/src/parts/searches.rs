//! What a viewer searched for before, offered by the browser under the box.

use leptos::prelude::*;

/// The offers for a box whose `list` is `searches`.
pub fn searches_list(searches: Vec<String>) -> AnyView {
    let words = searches.into_iter().map(|words| view! { <option value=words></option> }.into_any()).collect_view();
    view! { <datalist id="searches">{words}</datalist> }.into_any()
}
