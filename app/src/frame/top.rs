//! The top bar: how live the page is, how times and colours are shown, who is signed in.

use leptos::prelude::*;

use super::switches::{LanguageSwitch, ThemeSwitch, ZoneSwitch};
use crate::backend::Viewer;
use crate::language::t;

/// The bar above every page.
#[component]
pub(super) fn TopBar(
    /// How live the page is.
    badge: AnyView,
    /// Who looks, see [`who`].
    who: AnyView,
) -> impl IntoView {
    view! {
        <header class="top">
            {badge}
            <span class="grow"></span>
            <ZoneSwitch/>
            <ThemeSwitch/>
            <LanguageSwitch/>
            {who}
        </header>
    }
}

/// Who is signed in, and the way out.
pub(super) fn who(viewer: Viewer) -> AnyView {
    let role = if viewer.admin {
        t!("admin")
    } else if viewer.write {
        t!("may write")
    } else {
        t!("reads")
    };
    let hub = t!("hub {hub}, Loggia {version}", hub = viewer.replica_id, version = viewer.version);
    // Without tokens there is no session to end.
    let way_out = (!viewer.no_auth).then(|| {
        view! {
            <form method="post" action="/sign-out">
                <button type="submit" class="button">{t!("Sign out")}</button>
            </form>
        }
        .into_any()
    });
    let manage = viewer.admin.then(|| view! { <a href="/tokens">{t!("Tokens")}</a> }.into_any());
    view! {
        <div class="who">
            {manage}
            <span class="who-name" title=hub>{viewer.name}" "<small>{role}</small></span>
            {way_out}
        </div>
    }
    .into_any()
}
