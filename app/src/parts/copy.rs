//! Buttons that copy, with an honest word about whether it worked.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ask::ask;
use crate::backend::SheetQuery;
use crate::browser::{self, Copied};
use crate::href;
use crate::language::t;
use crate::question::{Answer, Question};

/// A button that copies a text. Where copying is refused it selects the element that shows the text.
#[component]
pub fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: String,
    /// The id of the element that shows it.
    #[prop(into)]
    shown_by: String,
    /// What is on the button.
    #[prop(optional, into)]
    label: Option<&'static str>,
) -> impl IntoView {
    let label = label.unwrap_or(t!("Copy"));
    let said = RwSignal::new(label);
    let copy = move |_| {
        let (text, shown_by) = (text.clone(), shown_by.clone());
        spawn_local(async move {
            said.try_set(word(browser::copy(text, shown_by).await));
            let reset = move || {
                said.try_set(label);
            };
            set_timeout(reset, Duration::from_secs(3));
        });
    };
    view! { <button type="button" class="button small needs-script" aria-live="polite" on:click=copy>{move || said.get()}</button> }
}

/// A button that copies a part of an event: `body`, `json` or `id`. It is markup alone, so that a page that the hub writes can have
/// it; the browser asks for the exact text when it is pressed, see [`copy_what_was_clicked`].
pub fn copy_button(what: &'static str, label: &'static str, event_id: &str, shown_by: &'static str) -> AnyView {
    let query = href::query([("what", what), ("id", event_id)]);
    view! {
        <button type="button" class="button small needs-script" aria-live="polite" data-copy=query data-shown=shown_by>{label}</button>
    }
    .into_any()
}

/// Copies what a [`copy_button`] stands for, when that is what was clicked.
pub fn copy_what_was_clicked(event: &leptos::ev::MouseEvent) {
    let Some(search) = browser::clicked(event, "[data-copy]", "data-copy") else { return };
    let shown_by = browser::clicked(event, "[data-copy]", "data-shown").unwrap_or_default();
    spawn_local(async move {
        let button = format!("[data-copy=\"{search}\"][data-shown=\"{shown_by}\"]");
        let text = if search.is_empty() {
            // What is shown is all there is, and nobody else has it: a secret that was just made.
            Some(browser::text(&shown_by))
        } else {
            let asked = SheetQuery { path: "/copy".to_owned(), search, ..SheetQuery::default() };
            match ask(Question::Sheet(asked)).await {
                Ok(Answer::Sheet(sheet)) => Some(sheet.html.text),
                _ => None,
            }
        };
        let copied = match text {
            Some(text) => browser::copy(text, shown_by).await,
            None => Copied::Refused,
        };
        browser::say(&button, word(copied));
    });
}

fn word(copied: Copied) -> &'static str {
    match copied {
        Copied::Done => t!("Copied"),
        Copied::Selected => t!("Selected: press Ctrl+C"),
        Copied::Refused => t!("Not copied"),
    }
}

/// A line to paste into a terminal.
#[component]
pub fn CopyLine(
    /// The line.
    #[prop(into)]
    text: String,
    /// The id of the element, unique on the page.
    #[prop(into)]
    id: String,
) -> impl IntoView {
    view! {
        <span class="copy-line">
            <code id=id.clone()>{text.clone()}</code>
            <CopyButton text=text shown_by=id/>
        </span>
    }
}
