//! What was delivered: each artifact with the way to look at it, and for a patch the line that applies it.

use leptos::prelude::*;
use loggia_domain::delegation::Delegation;
use loggia_domain::{ArtifactKind, ArtifactRecord};

use crate::href;
use crate::language::t;
use crate::parts::{Agent, CopyLine, revealed};
use crate::words::{short_hash, size};

/// The artifacts, in the order in which events reference them.
#[component]
pub(super) fn Artifacts(delegation: ReadSignal<Delegation>, records: ReadSignal<Vec<ArtifactRecord>>) -> impl IntoView {
    let items = move || {
        records.with(|records| {
            delegation.with(|d| {
                d.artifact_ids
                    .iter()
                    .map(|id| match records.iter().find(|record| record.id == *id) {
                        Some(record) => known(record),
                        None => unknown(id),
                    })
                    .collect_view()
            })
        })
    };
    let none = move || {
        delegation
            .with(|d| d.artifact_ids.is_empty())
            .then(|| view! { <p class="faint">{t!("Nothing has been delivered yet.")}</p> }.into_any())
    };
    view! { <section class="panel padded"><h2>{t!("Artifacts")}</h2>{move || none()}<ul class="artifacts">{move || items()}</ul></section> }
}

fn known(record: &ArtifactRecord) -> AnyView {
    let bytes = u64::try_from(record.size_bytes).unwrap_or(0);
    let apply = (record.kind == ArtifactKind::Patch.as_str()).then(|| {
        let line = apply_line(&record.id, &record.sha256);
        view! { <CopyLine text=line id=format!("apply-{}", record.id)/> }.into_any()
    });
    view! {
        <li>
            <div class="artifact-head">
                <a href=href::artifact(&record.id)>{revealed(&record.kind)}" "{size(bytes)}</a>
                <Agent name=record.created_by.clone()/>
            </div>
            <code class="faint" title=record.sha256.clone()>"sha-256 "{short_hash(&record.sha256)}</code>
            {apply}
        </li>
    }
    .into_any()
}

fn unknown(id: &str) -> AnyView {
    view! {
        <li>
            <a href=href::artifact(id)><code>{revealed(id)}</code></a>
            <span class="faint">{t!(" not on this hub yet")}</span>
        </li>
    }
    .into_any()
}

/// The line that applies a patch, if what arrives is what was recorded. There is no button for it: applying is done by people and agents,
/// in their own checkouts.
pub(in crate::pages) fn apply_line(id: &str, sha256: &str) -> String {
    format!("loggia artifact get {id} | sha256sum | grep -q ^{sha256} && loggia artifact get {id} | git apply --3way")
}
