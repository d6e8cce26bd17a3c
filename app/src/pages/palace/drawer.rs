//! The panel beside the list: one drawer, whole.

use leptos::prelude::*;

use super::address;
use crate::backend::memory::{Drawer, PalaceQuery};
use crate::language::t;
use crate::parts::revealed;
use crate::words::counted;

/// The drawer that the address names, or that there is none.
pub(super) fn view(query: &PalaceQuery, drawer: Option<Drawer>) -> AnyView {
    let close = address(&PalaceQuery { id: None, ..query.clone() });
    let close = view! { <a class="button small" href=close>{t!("Close")}</a> };
    let Some(drawer) = drawer else {
        let id = query.id.clone().unwrap_or_default();
        return view! {
            <aside class="drawer panel padded" aria-label=t!("Drawer")>
                <div class="drawer-head"><h2>{t!("No such drawer")}</h2><span class="grow"></span>{close}</div>
                <p><code>{revealed(&id)}</code></p>
                <p class="muted">{t!("It was deleted, or it lies on another hub.")}</p>
            </aside>
        }
        .into_any();
    };
    let place = PalaceQuery {
        wing: Some(drawer.wing.clone()),
        room: Some(drawer.room.clone()),
        id: Some(drawer.id.clone()),
        ..PalaceQuery::default()
    };
    let metadata = drawer
        .metadata
        .iter()
        .map(|(key, value)| view! { <dt>{revealed(key)}</dt><dd><code>{revealed(value)}</code></dd> }.into_any())
        .collect_view();
    let chars = counted(drawer.text.chars().count() as u64, t!("character##n"), t!("characters##n"));
    view! {
        <aside class="drawer panel" aria-label=t!("Drawer")>
            <div class="drawer-head">
                <h2><a href=address(&place)>{revealed(&drawer.wing)}" / "{revealed(&drawer.room)}</a></h2>
                <span class="faint">{chars}</span>
                <span class="grow"></span>
                {close}
            </div>
            <div class="verbatim" tabindex="0" role="region" aria-label=t!("Text of the drawer") translate="no">{revealed(&drawer.text)}</div>
            <dl class="facts"><dt>{t!("id")}</dt><dd><code>{revealed(&drawer.id)}</code></dd>{metadata}</dl>
        </aside>
    }
    .into_any()
}
