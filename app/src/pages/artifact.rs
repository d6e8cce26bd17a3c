//! `/artifact?id=`: exact text with its hash, computed again in the page.

#[cfg(feature = "ssr")]
mod ansi;
#[cfg(feature = "ssr")]
mod budget;
#[cfg(feature = "ssr")]
mod compare;
#[cfg(feature = "ssr")]
mod compare_view;
#[cfg(feature = "ssr")]
mod content;
#[cfg(feature = "ssr")]
mod diff;
#[cfg(feature = "ssr")]
mod diff_view;
#[cfg(feature = "ssr")]
pub(super) mod json;
#[cfg(feature = "ssr")]
mod lines;
mod verify;
#[cfg(feature = "ssr")]
mod would_apply;
#[cfg(feature = "ssr")]
mod written;

use leptos::prelude::*;
use leptos_meta::Title;
use loggia_domain::{Artifact, ArtifactKind, Event};

use super::task::apply_line;
use super::use_query_value;
use crate::backend::ArtifactPage;
use crate::backend::asked::PageQuery;
use crate::href;
use crate::language::t;
use crate::loading::{Answer, Loaded, Question};
use crate::parts::{Agent, CopyButton, CopyLine, EventRow, EventTable, Form, Moment, revealed};
use crate::words::size;
#[cfg(feature = "ssr")]
pub(super) use compare_view::{page as compare, query as compare_query};
#[cfg(feature = "ssr")]
pub(super) use diff::file_text;
use verify::Verify;
#[cfg(feature = "ssr")]
pub use written::write;

/// Loads the artifact.
#[component]
pub fn ArtifactRoute() -> impl IntoView {
    let id = use_query_value("id");
    let opened = use_query_value("open");
    let question = Signal::derive(move || {
        let (id, view) = (id.get(), opened.get());
        Question::Artifact(PageQuery { id, view, in_page: cfg!(feature = "ssr"), ..PageQuery::default() })
    });
    view! { <Loaded question=question show=show/> }.into_any()
}

fn show(answer: Answer) -> AnyView {
    match answer {
        Answer::Artifact(page) => view! { <ArtifactView page=page/> }.into_any(),
        _ => ().into_any(),
    }
}

#[component]
fn ArtifactView(page: ArtifactPage) -> impl IntoView {
    let ArtifactPage { artifact, referenced_by, shown, .. } = page;
    let shown = RwSignal::new(shown.text);
    let warnings = warnings(&artifact);
    let bytes = u64::try_from(artifact.size_bytes).unwrap_or(0);
    let id = artifact.id.clone();
    let title = format!("{} {}", artifact.kind, artifact.id);
    view! {
        <Title text=title/>
        <div class="page-head">
            <h1>{revealed(&artifact.kind)}{t!(" of ")}{size(bytes)}</h1>
            <code id="artifact-id">{id.clone()}</code>
            <CopyButton text=id.clone() shown_by="artifact-id" label=t!("Copy id")/>
            <span class="grow"></span>
            {warnings}
            <a class="button primary" href=href::raw(&id) download rel="external">{t!("Download exact bytes")}</a>
        </div>
        <div class="two">
            <section class="panel artifact">
                <Verify recorded=artifact.sha256.clone() recorded_bytes=bytes content=artifact.content.clone()/>
                <div class="written" inner_html=move || shown.get()></div>
            </section>
            <Facts artifact=artifact/>
        </div>
        <References events=referenced_by/>
    }
}

/// What is to be known before the download is applied, beside its button.
fn warnings(artifact: &Artifact) -> Option<AnyView> {
    if artifact.kind != ArtifactKind::Patch.as_str() {
        return None;
    }
    let said = match (artifact.content.ends_with('\n'), artifact.content.contains('\r')) {
        (true, false) => return None,
        (false, false) => t!("no final newline"),
        (true, true) => t!("holds CR"),
        (false, true) => t!("no final newline, holds CR"),
    };
    Some(view! { <span class="mark warn">{said}</span> }.into_any())
}

/// Who stored it, when, and how it is taken over.
#[component]
fn Facts(artifact: Artifact) -> impl IntoView {
    let is_patch = artifact.kind == ArtifactKind::Patch.as_str();
    let command = if is_patch {
        apply_line(&artifact.id, &artifact.sha256)
    } else {
        format!("loggia artifact get {}", artifact.id)
    };
    let name = if is_patch { "apply" } else { "fetch" };
    let hub = artifact
        .origin_replica
        .clone()
        .map(|hub| view! { <dt>{t!("stored on hub")}</dt><dd><code>{revealed(&hub)}</code></dd> }.into_any());
    let metadata = (!artifact.metadata.is_empty()).then(|| {
        view! { <dt>{t!("metadata")}</dt><dd><pre class="body">{revealed(artifact.metadata.text())}</pre></dd> }
            .into_any()
    });
    view! {
        <section class="panel padded">
            <h2>{t!("Facts")}</h2>
            <dl class="facts">
                <dt>{t!("stored by")}</dt><dd><Agent name=artifact.created_by.clone()/></dd>
                <dt>{t!("stored")}</dt><dd><Moment at=artifact.created_at.clone() form=Form::Full/></dd>
                {hub}
                <dt>{name}</dt><dd><CopyLine text=command id="command"/></dd>
                {metadata}
            </dl>
        </section>
    }
}

/// The events that reference it.
#[component]
fn References(events: Vec<Event>) -> impl IntoView {
    let rows = events.into_iter().map(|event| view! { <EventRow event=event/> }.into_any()).collect_view();
    view! {
        <section>
            <h2>{t!("Referenced by")}</h2>
            {if rows.is_empty() {
                view! { <p class="faint">{t!("No event references this artifact yet.")}</p> }.into_any()
            } else {
                view! { <EventTable caption=t!("The events that reference this artifact")>{rows}</EventTable> }.into_any()
            }}
        </section>
    }
}
