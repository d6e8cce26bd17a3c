//! The panel beside the log: one event, looked at without leaving the place. Which one is in the address; the hub writes it.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::backend::SheetQuery;
use crate::language::t;
use crate::loading::{Answer, Question, load, shown};
use crate::pages::event::use_form;
use crate::pages::use_search;
use crate::parts::{Busy, Failure};
use crate::{browser, href};

/// The panel, when the address names an event for it.
#[component]
pub(super) fn Peek() -> impl IntoView {
    let search = use_search();
    let is_open = Memo::new(move |_| href::value(&search.get(), "peek").is_some_and(|id| !id.is_empty()));
    move || is_open.get().then(|| view! { <Panel search=search/> }.into_any())
}

#[component]
fn Panel(search: Memo<String>) -> impl IntoView {
    let form = use_form();
    let question = Signal::derive(move || {
        let search = href::changed("", &search.get(), "as", Some(&form.get()));
        Question::Sheet(SheetQuery {
            path: "/peek".to_owned(),
            search,
            known: String::new(),
            in_page: cfg!(feature = "ssr"),
        })
    });
    let panel = shown(
        load(question),
        || view! { <Busy/> }.into_any(),
        move |answer| match answer {
            Ok(Answer::Sheet(sheet)) => view! { <div inner_html=sheet.html.text></div> }.into_any(),
            Ok(_) => ().into_any(),
            Err(error) => {
                let close = href::changed("/log", &search.get_untracked(), "peek", None);
                view! { <Failure error=error what=t!("the event") id=None/><a class="button peek-close" href=close>{t!("Close")}</a> }
                    .into_any()
            }
        },
    );
    view! { <aside class="peek" aria-label=t!("The chosen event")>{panel}</aside> }
}

/// Opens the panel for a row that is clicked on, where there is room for it; elsewhere the row's link leads to the event's page.
pub(super) fn on_row_clicked() -> impl Fn(leptos::ev::MouseEvent) {
    let (navigate, search) = (use_navigate(), use_search());
    move |event| {
        let target = browser::clicked(&event, "a.to-event", "href").filter(|_| browser::is_wide());
        let id = target.and_then(|href| href::value(href.split_once('?')?.1, "id"));
        if let Some(id) = id {
            event.prevent_default();
            let here = search.get_untracked();
            let replace = href::value(&here, "peek").is_some();
            let target = href::changed("/log", &here, "peek", Some(&id));
            navigate(&target, NavigateOptions { scroll: false, replace, ..NavigateOptions::default() });
        }
    }
}
