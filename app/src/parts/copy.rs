//! Buttons that copy, with an honest word about whether it worked.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{self, Copied};

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
    let label = label.unwrap_or("Copy");
    let said = RwSignal::new(label);
    let copy = move |_| {
        let (text, shown_by) = (text.clone(), shown_by.clone());
        spawn_local(async move {
            let word = match browser::copy(text, shown_by).await {
                Copied::Done => "Copied",
                Copied::Selected => "Selected: press Ctrl+C",
                Copied::Refused => "Not copied",
            };
            said.try_set(word);
            let reset = move || {
                said.try_set(label);
            };
            set_timeout(reset, Duration::from_secs(3));
        });
    };
    view! { <button type="button" class="button small needs-script" aria-live="polite" on:click=copy>{move || said.get()}</button> }
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
