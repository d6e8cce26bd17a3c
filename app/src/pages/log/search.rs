//! The search of the log: the box, and what is said about its answer. A plain GET form; finding is the hub's.

use leptos::prelude::*;
use loggia_domain::search::MAX_QUERY_CHARS;

use super::asked::Asked;
use super::filter_form::kept;
use super::window::Window;
use crate::language::t;
use crate::parts::searches_list;
use crate::words::{counted, grouped};
use crate::{browser, href};

/// The box. What the log is filtered by stays.
#[component]
pub(super) fn SearchBox(
    asked: Asked,
    /// What was searched for before.
    searches: Vec<String>,
) -> impl IntoView {
    let filter = kept(asked.filter.pairs());
    view! {
        <form method="get" action="/log" role="search" class="search">
            {filter}
            <input type="search" name="q" value=asked.q maxlength=MAX_QUERY_CHARS.to_string() placeholder=t!("Search bodies, ids, names")
                aria-label=t!("Search the log") list="searches" autocomplete="off" spellcheck="false"/>
            {searches_list(searches)}
            <button type="submit" class="button">{t!("Search")}</button>
        </form>
    }
}

/// How many hits are here and at which one the reader is, the way from one to the next, and the way back to the log.
#[component]
pub(super) fn Hits(asked: Asked, window: RwSignal<Window>, behind: RwSignal<u64>) -> impl IntoView {
    let count = move || window.with(|w| w.rows().len());
    let at = RwSignal::new(0);
    let go_to = move |next: usize| {
        at.set(next);
        browser::focus(&format!(".events tbody tr:nth-child({next}) .to-event"));
    };
    let next = move |_| go_to(at.get_untracked() % untrack(count).max(1) + 1);
    let previous = move |_| go_to(if at.get_untracked() > 1 { at.get_untracked() - 1 } else { untrack(count) });
    let said = move || {
        let mut said = counted(count() as u64, t!("hit##n"), t!("hits##n"));
        if at.get() > 0 {
            said = format!("{}/{said}", at.get());
        }
        if window.with(|w| w.older().is_some()) {
            said.push_str(t!(", older ones below"));
        }
        if behind.get() > 0 {
            said =
                t!("{said}; the newest {count} events are not indexed yet", said = said, count = grouped(behind.get()));
        }
        said
    };
    let log = href::log(&asked.filter, None);
    view! {
        <div class="hits">
            <span role="status">{said}</span>
            <button type="button" class="button needs-script hit-previous" aria-label=t!("Previous hit") on:click=previous>"↑"</button>
            <button type="button" class="button needs-script hit-next" aria-label=t!("Next hit") on:click=next>"↓"</button>
            <a href=log>{t!("End the search")}</a>
        </div>
    }
}
