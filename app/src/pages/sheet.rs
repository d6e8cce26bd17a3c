//! A sheet: a page that the hub writes whole and the browser only shows. Diaries and the palace are such pages.
//!
//! # Design
//! What a page is made of costs every visitor its code, needed or not, and these pages have nothing that a link or a plain form could
//! not do. So their markup stays on the hub, written by the same `view!` as everywhere, which escapes every text; the browser puts it in
//! its place and knows none of it. A diary is asked for again every few seconds, with the version that is shown: most answers
//! are empty. A version says at which commit of the palace the sheet was written, so that mostly nothing is written at all, and what
//! its markup hashes to, since most commits have nothing to do with the diary.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::hooks::use_url;

use crate::ask::ask;
use crate::backend::{Sheet, SheetQuery};
use crate::browser;
use crate::loading::{Answer, Loaded, Question};

/// How often the hub is asked whether a diary has changed, while the tab is visible.
const AGAIN_AFTER: Duration = Duration::from_secs(3);

/// Loads the sheet that the address names.
#[component]
pub fn SheetRoute() -> impl IntoView {
    let url = use_url();
    let question = Memo::new(move |_| {
        Question::Sheet(url.with(|url| SheetQuery {
            path: url.path().to_owned(),
            search: url.search().to_owned(),
            known: String::new(),
            in_page: cfg!(feature = "ssr"),
        }))
    });
    view! { <Loaded question=question.into() show=show/> }.into_any()
}

fn show(answer: Answer) -> AnyView {
    let Answer::Sheet(sheet) = answer else { return ().into_any() };
    let Sheet { title, html, version } = sheet;
    let html = RwSignal::new(html.text);
    if !version.is_empty() {
        keep_fresh(html, version);
    }
    view! { <Title text=title/><div class="sheet" inner_html=move || html.get()></div> }.into_any()
}

/// Shows what is new, unless the reader is in the middle of something: it would move under the eye.
fn keep_fresh(html: RwSignal<String>, version: String) {
    let url = use_url();
    let known = StoredValue::new(version);
    let is_asked = StoredValue::new(false);
    let again = move || {
        if is_asked.try_get_value() != Some(false) || is_in_use() {
            return;
        }
        let Some(known_now) = known.try_get_value() else { return };
        is_asked.set_value(true);
        let asked = url.with_untracked(|url| SheetQuery {
            path: url.path().to_owned(),
            search: url.search().to_owned(),
            known: known_now,
            in_page: false,
        });
        spawn_local(async move {
            let answer = ask(Question::Sheet(asked)).await;
            let is_still_here = is_asked.try_set_value(false).is_none();
            // Meanwhile the reader may have begun something. Then the same is asked again when it is done.
            if let Ok(Answer::Sheet(sheet)) = answer
                && is_still_here
                && !is_in_use()
            {
                known.set_value(sheet.version);
                if !sheet.html.text.is_empty() {
                    html.set(sheet.html.text);
                }
            }
        });
    };
    Effect::new(move |_| {
        if let Ok(handle) = set_interval_with_handle(again, AGAIN_AFTER) {
            on_cleanup(move || handle.clear());
        }
    });
}

/// Whether the reader is in the middle of something, or not there.
fn is_in_use() -> bool {
    browser::is_hidden() || browser::scrolled_px() > 100.0 || browser::has_selection() || browser::has_focus(".sheet")
}

/// Writes the sheet at an address; an empty one when it is still the one that the asker knows.
#[cfg(feature = "ssr")]
pub async fn write(
    backend: &dyn crate::backend::Backend,
    asked: &SheetQuery,
) -> Result<Sheet, loggia_domain::ApiError> {
    use crate::backend::Html;
    use loggia_domain::artifact::sha256_hex;
    use loggia_domain::{ApiError, ErrorCode};

    let (title, html, version) = match asked.path.as_str() {
        "/diary" => {
            // Before the entries are read: what comes in between is then shown once more, never missed.
            let commit = backend.memory_version().await?;
            let (known_commit, known_hash) = asked.known.split_once(' ').unwrap_or_default();
            if !commit.is_empty() && commit == known_commit {
                (String::new(), String::new(), asked.known.clone())
            } else {
                let query = super::diary::query(&asked.search);
                let (title, view) = super::diary::page(&query, backend.diary(query.clone()).await?);
                let html = view.to_html();
                let hash = sha256_hex(html.as_bytes());
                let html = if hash == known_hash { String::new() } else { html };
                // While the palace is off, there is nothing to follow.
                let version = if commit.is_empty() { commit } else { format!("{commit} {hash}") };
                (title, html, version)
            }
        }
        "/palace" => {
            let query = super::palace::query(&asked.search);
            let (title, view) = super::palace::page(&query, backend.palace(query.clone()).await?);
            (title, view.to_html(), String::new())
        }
        path => {
            let message = format!("there is no sheet {}", loggia_domain::refusal::quoted(path));
            return Err(ApiError::new(ErrorCode::NotFound, message));
        }
    };
    Ok(Sheet { title, html: Html { text: html, in_page: asked.in_page }, version })
}
