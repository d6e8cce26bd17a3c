//! In which form a body is shown: the text itself, pretty, or as Markdown. Said in the address, else remembered.

use leptos::prelude::*;

use crate::language::t;
use crate::pages::use_search;
use crate::{browser, href};

/// The forms, as the address and the page name them: the first is the text itself.
const FORMS: [&str; 3] = ["raw", "pretty", "markdown"];
const FORM_KEY: &str = "loggia-body";

/// The form for the bodies of this page. The first frame knows only the address; what the reader chose last comes after it.
pub(in crate::pages) fn use_form() -> Memo<String> {
    let search = use_search();
    let remembered = RwSignal::new(String::new());
    let said = move || href::value(&search.get(), "as").filter(|form| FORMS.contains(&form.as_str()));
    Effect::new(move |_| {
        if let Some(form) = said() {
            browser::store(FORM_KEY, Some(&form));
        }
        remembered.set(browser::stored(FORM_KEY).unwrap_or_default());
    });
    Memo::new(move |_| {
        let form = said().unwrap_or_else(|| remembered.get());
        if form.is_empty() { FORMS[0].to_owned() } else { form }
    })
}

/// The links from one form to another, within an address.
pub(in crate::pages) fn form_links(path: &str, search: &str, form: &str) -> AnyView {
    let links = FORMS
        .into_iter()
        .map(|name| {
            let label = match name {
                "raw" => t!("Raw"),
                "pretty" => t!("Pretty"),
                _ => "Markdown",
            };
            let target = href::changed(path, search, "as", Some(name));
            let current = (name == form).then_some("true");
            view! { <a class="button small" href=target aria-current=current data-noscroll="">{label}</a> }.into_any()
        })
        .collect_view();
    view! { <span class="forms" role="group" aria-label=t!("Form of the body")>{links}</span> }.into_any()
}
