//! What surrounds every page: the rail, the top bar with the honest badge, and banners about the hub itself.

mod live_badge;
mod rail;
pub(crate) mod switches;
mod top;

use leptos::prelude::*;

use crate::backend::Viewer;
use crate::clock::use_page_clock;
use crate::keys::Keys;
use crate::language::t;
use crate::live::use_live;
use crate::loading::{Answer, Question, load, shown};
use live_badge::LiveBadge;
pub(crate) use rail::Mark;
use rail::Rail;
#[cfg(feature = "ssr")]
pub(crate) use rail::pages;
use top::TopBar;

/// The frame of a page.
#[component]
pub fn Frame(
    /// Whether the hub shows the page to nobody without a session; not so the page for an unknown address.
    #[prop(default = true)]
    behind_door: bool,
    /// The page.
    children: Children,
) -> impl IntoView {
    let viewer = load(Signal::stored(Question::Viewer));
    let viewer = move |show: fn(Viewer) -> AnyView| {
        shown(
            viewer,
            || ().into_any(),
            move |answer| match answer {
                Ok(Answer::Viewer(viewer)) if viewer.is_somebody() => show(viewer),
                // Whatever went wrong is the page's to tell.
                _ => ().into_any(),
            },
        )
    };
    let badge = if behind_door { live_badge() } else { viewer(|_| live_badge()) };
    view! {
        <a class="skip" href="#main" rel="external">{t!("Skip to the content")}</a>
        <div class="app">
            <Rail/>
            <div class="page">
                <TopBar badge=badge who=viewer(top::who)/>
                {viewer(banners)}
                <main id="main" tabindex="-1">{children()}</main>
            </div>
        </div>
        <Keys/>
    }
}

/// Starts the stream, which needs a session, and shows how it fares.
fn live_badge() -> AnyView {
    use_live().start(use_page_clock());
    view! { <LiveBadge/> }.into_any()
}

/// What a reader must know about this hub on every page.
fn banners(viewer: Viewer) -> AnyView {
    // Who put a proxy in front of a hub without tokens would find their own pages working and nobody else's.
    let forwarded = viewer.forwarded.map(|(count, at)| {
        let text = t!(
            "{count} requests that came through a proxy were refused, the last at {at}: nobody from elsewhere is let in without tokens.",
            count = count,
            at = at
        );
        view! { <p class="banner" role="alert"><b>{text}</b></p> }.into_any()
    });
    let open = viewer.no_auth.then(|| {
        view! {
            <p class="banner" role="note">
                <b>{t!("Anyone on this machine can read and write here. ")}</b>
                {t!("The hub runs with ")} <code>"--no-auth"</code> {t!("; start it without that to ask for tokens.")}
            </p>
        }
        .into_any()
    });
    let frozen = viewer.read_only.then(|| {
        view! {
            <p class="banner" role="note">
                <b>{t!("Read only. ")}</b> {t!("Agents can read and wait here, and nothing is written.")}
            </p>
        }
        .into_any()
    });
    // Written by the hub, with every text escaped.
    let notices = (!viewer.notices.is_empty()).then(|| view! { <div inner_html=viewer.notices></div> }.into_any());
    view! { {forwarded} {open} {frozen} {notices} }.into_any()
}
