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

/// The strip of Now among the sheets; no page of its own.
pub(super) const PEOPLE: &str = "/people";

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

pub(super) fn show(answer: Answer) -> AnyView {
    let Answer::Sheet(sheet) = answer else { return ().into_any() };
    let Sheet { title, html, version } = sheet;
    let html = RwSignal::new(html.text);
    if !version.is_empty() {
        let url = use_url();
        let place = move || url.with_untracked(|url| (url.path().to_owned(), url.search().to_owned()));
        keep_fresh(html, version, place, is_in_use);
    }
    view! { <Title text=title/><div class="sheet" inner_html=move || html.get()></div> }.into_any()
}

/// A part of a page that the hub writes, first as it came with the page's own answer.
#[component]
pub(super) fn SheetPart(
    /// Its path among the sheets.
    path: &'static str,
    /// As it came.
    first: Sheet,
    /// As it is now; the page sets it where it hears of something newer.
    html: RwSignal<String>,
) -> impl IntoView {
    // It stands within a page that is scrolled: only a selection is not to be moved.
    let is_in_use = || browser::is_hidden() || browser::has_selection();
    keep_fresh(html, first.version, move || (path.to_owned(), String::new()), is_in_use);
    view! { <div class="sheet-part" inner_html=move || html.get()></div> }.into_any()
}

/// Shows what is new at a place, unless the reader is in the middle of something: it would move under the eye.
fn keep_fresh(
    html: RwSignal<String>,
    version: String,
    place: impl Fn() -> (String, String) + Copy + Send + Sync + 'static,
    is_in_use: fn() -> bool,
) {
    let known = StoredValue::new(version);
    let is_asked = StoredValue::new(false);
    let again = move || {
        if is_asked.try_get_value() != Some(false) || is_in_use() {
            return;
        }
        let Some(known_now) = known.try_get_value() else { return };
        is_asked.set_value(true);
        let (path, search) = place();
        let asked = SheetQuery { path, search, known: known_now, in_page: false };
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
    use crate::href;
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
        "/" => {
            let (at, is_playing) = super::now::past_query(&asked.search);
            let (title, view) = super::now::past_page(&backend.past(at).await?, is_playing);
            (title, view.to_html(), String::new())
        }
        "/sessions" => {
            let query = super::sessions::query(&asked.search);
            hashed(super::sessions::page(&query, backend.sessions().await?), &asked.known)
        }
        "/tokens" => {
            let (title, view) = super::tokens::page(backend.tokens().await?);
            (title, view.to_html(), String::new())
        }
        "/audit" => {
            let query = super::audit::query(&asked.search);
            let (title, view) = super::audit::page(&query, backend.audit(query.clone()).await?);
            (title, view.to_html(), String::new())
        }
        "/task/new" => {
            let (title, view) = super::task::create(&backend.viewer(), &backend.typed());
            (title, view.to_html(), String::new())
        }
        "/compare" => {
            let (first, second) = super::artifact::compare_query(&asked.search);
            let (first, second) = (backend.artifact_alone(first).await?, backend.artifact_alone(second).await?);
            let (title, view) = super::artifact::compare(&first, &second);
            (title, view.to_html(), String::new())
        }
        "/agents" => hashed(super::agents::page(backend.agents().await?), &asked.known),
        "/hub" => hashed(super::hub::page(&backend.hub().await?), &asked.known),
        "/agent" => {
            let id = href::value(&asked.search, "id").unwrap_or_default();
            hashed(super::agents::agent_page(backend.agent(id).await?), &asked.known)
        }
        PEOPLE => hashed((String::new(), super::now::strip(&backend.people().await?)), &asked.known),
        "/peek" => {
            let id = href::value(&asked.search, "peek").unwrap_or_default();
            let panel = match backend.event(id.clone()).await {
                Ok(event) => super::log::panel(&event, &asked.search),
                // The log beside it is there all the same.
                Err(error) if error.code == ErrorCode::NotFound => super::log::missing(&id, &asked.search),
                Err(error) => return Err(error),
            };
            (String::new(), panel.to_html(), String::new())
        }
        "/find" => {
            let letters = href::value(&asked.search, "q").unwrap_or_default().trim().to_owned();
            let matches = backend.matches(letters.clone()).await?;
            (String::new(), super::find::found(&letters, &matches).to_html(), String::new())
        }
        "/keys" => (String::new(), super::find::keys().to_html(), String::new()),
        // No markup: the exact text of a part of an event or of a patch, on its way to the clipboard.
        "/copy" => {
            let id = href::value(&asked.search, "id").unwrap_or_default();
            let what = href::value(&asked.search, "what").unwrap_or_default();
            let text = if what == "file" {
                let place = href::value(&asked.search, "open").and_then(|place| place.parse().ok());
                let artifact = backend.artifact_alone(id).await?;
                place.and_then(|place| super::artifact::file_text(&artifact, place))
            } else {
                super::event::written::part(&backend.event(id).await?, &what)
            };
            // An empty text is one; that there is none is an error, so that nobody believes to have copied it.
            let text = text.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "there is no such part"))?;
            (String::new(), text, String::new())
        }
        path => {
            let message = format!("there is no sheet {}", loggia_domain::refusal::quoted(path));
            return Err(ApiError::new(ErrorCode::NotFound, message));
        }
    };
    Ok(Sheet { title, html: Html { text: html, in_page: asked.in_page }, version })
}

/// A sheet whose version is what its markup hashes to, and whose markup is left out for whoever has it.
#[cfg(feature = "ssr")]
fn hashed((title, view): (String, AnyView), known: &str) -> (String, String, String) {
    let html = view.to_html();
    let hash = loggia_domain::artifact::sha256_hex(html.as_bytes());
    let html = if hash == known { String::new() } else { html };
    (title, html, hash)
}

/// Writes into an overview what the hub has to say of people: the strip, and where those are who have something open.
#[cfg(feature = "ssr")]
pub async fn write_people(
    backend: &dyn crate::backend::Backend,
    overview: &mut crate::backend::Overview,
) -> Result<(), loggia_domain::ApiError> {
    use crate::backend::Html;
    use loggia_domain::presence::key;

    let people = backend.people().await?;
    let mut names: Vec<&String> =
        overview.open.iter().filter_map(|card| card.claimant.as_ref().or(card.assignee.as_ref())).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &String| {
        let agent = people.agents.iter().find(|agent| key(&agent.agent) == key(name))?;
        Some((name.clone(), super::agents::presence::in_short(agent, people.now_ms)))
    };
    overview.whereabouts = names.into_iter().filter_map(line).collect();
    let (title, text, version) = hashed((String::new(), super::now::strip(&people)), "");
    overview.people = Sheet { title, html: Html { text, in_page: false }, version };
    Ok(())
}
