//! What the hub writes into the page of an artifact: its content as it is shown, what a reader should know about it, and the ways to other
//! patches of the same work. The browser puts it in its place; only the hash is the browser's own work.

use leptos::prelude::*;
use loggia_domain::{ApiError, ArtifactKind};

use super::content::Content;
use super::diff::{self, File};
use super::{ansi, would_apply::would_apply};
use crate::backend::asked::PageQuery;
use crate::backend::{ArtifactPage, Backend, Html};
use crate::href;
use crate::language::t;
use crate::parts::{Agent, written_time};
use crate::words::size;

/// The answer to the question for an artifact.
pub async fn write(backend: &dyn Backend, query: &PageQuery) -> Result<ArtifactPage, ApiError> {
    let page = backend.artifact(query.id.clone()).await?;
    let (kind, content) = (page.artifact.kind.clone(), page.artifact.content.clone());
    let files = if kind == ArtifactKind::Patch.as_str() { diff::parse(&ansi::without(&content)) } else { Vec::new() };
    let is_diff = files.iter().any(File::is_diff);
    let head = is_diff.then(|| would_apply(&files, &page));
    let parts: Vec<String> = files.iter().map(File::part).collect();
    let viewed = if is_diff { backend.looked_through(parts.clone()).await } else { None };
    let marks = viewed.map(|viewed| parts.into_iter().map(|part| (viewed.contains(&part), part)).collect());
    let opened = query.view.parse().ok();
    let view = view! {
        {others(&page)}
        <Content kind=kind content=content id=query.id.clone() files=files opened=opened marks=marks head=head/>
    };
    Ok(ArtifactPage { shown: Html { text: view.to_html(), in_page: query.in_page }, ..page })
}

/// The other patches of the same delegation, each with the way to compare.
fn others(page: &ArtifactPage) -> Option<AnyView> {
    if page.artifact.kind != ArtifactKind::Patch.as_str() || page.others.is_empty() {
        return None;
    }
    let items = page
        .others
        .iter()
        .map(|other| {
            // The older one first, so that the comparison reads as what changed since.
            let is_later = (&other.created_at, &other.id) > (&page.artifact.created_at, &page.artifact.id);
            let (first, second) =
                if is_later { (&page.artifact.id, &other.id) } else { (&other.id, &page.artifact.id) };
            let when = if is_later { t!("later, ") } else { t!("earlier, ") };
            view! {
                <li>
                    <a href=href::compare(first, second)>{t!("Compare")}</a>{t!(" with the patch of ")}
                    {size(u64::try_from(other.size_bytes).unwrap_or(0))}{t!(" by ")}<Agent name=other.created_by.clone()/>{t!(", ")}
                    {when}{written_time(&other.created_at)}
                </li>
            }
            .into_any()
        })
        .collect_view();
    Some(view! { <ul class="other-patches" aria-label=t!("Other patches of this delegation")>{items}</ul> }.into_any())
}
