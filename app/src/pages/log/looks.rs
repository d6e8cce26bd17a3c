//! How dense the rows of the log are and which columns they have, as the reader likes it. Kept in the browser; the stylesheet does the
//! rest by an attribute of the document, so no row is made anew.

use leptos::prelude::*;

use crate::browser;
use crate::language::t;

const LOOKS_KEY: &str = "loggia-log";

/// The choices, folded away until they are wanted. They need the script, as remembering does.
#[component]
pub(super) fn Looks() -> impl IntoView {
    let looks = RwSignal::new(String::new());
    let show = move |now: String| {
        browser::set_root_attribute("data-log", Some(&now));
        looks.set(now);
    };
    Effect::new(move |_| browser::stored(LOOKS_KEY).into_iter().for_each(show));
    let choose = move |event| {
        if let Some(word) = browser::clicked(&event, "[data-look]", "data-look") {
            let now = looks.with_untracked(|looks| turned(looks, &word));
            browser::store(LOOKS_KEY, Some(&now));
            show(now);
        }
    };
    let choices = [
        ("dense", t!("Dense rows")),
        ("type", t!("Without type")),
        ("agents", t!("Without from → to")),
        ("room", t!("Without stream / room")),
    ];
    let choices = choices
        .map(|(word, label)| {
            let is_on = move || looks.with(|looks| has(looks, word)).to_string();
            view! { <li><button type="button" class="button" data-look=word aria-pressed=is_on>{label}</button></li> }
                .into_any()
        })
        .collect_view();
    view! {
        <details class="export looks needs-script">
            <summary class="button">{t!("View")}</summary>
            <ul class="panel padded" on:click=choose>{choices}</ul>
        </details>
    }
}

fn has(looks: &str, word: &str) -> bool {
    looks.split(' ').any(|look| look == word)
}

/// The same looks with one of them the other way.
fn turned(looks: &str, word: &str) -> String {
    let mut words: Vec<&str> = looks.split(' ').filter(|look| !look.is_empty() && *look != word).collect();
    if !has(looks, word) {
        words.push(word);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_turned_on_and_off_and_leaves_the_others_alone() {
        assert_eq!(turned("", "dense"), "dense");
        assert_eq!(turned("dense", "room"), "dense room");
        assert_eq!(turned("dense room", "dense"), "room");
        assert_eq!(turned("dense", "dense"), "");
    }
}
