//! What surrounds every page: the rail, the top bar with the honest badge, and banners about the hub itself.

mod live_badge;
mod rail;
pub(crate) mod switches;
mod top;

use leptos::prelude::*;

use crate::backend::Viewer;
use crate::clock::use_page_clock;
use crate::live::use_live;
use crate::loading::{Answer, Question, load};
pub(crate) use rail::Mark;
use rail::Rail;
use top::TopBar;

/// The frame of a page.
#[component]
pub fn Frame(
    /// Whether somebody is signed in, so that the hub may be asked who; not so on the page for an unknown address.
    #[prop(default = true)]
    signed_in: bool,
    /// The page.
    children: Children,
) -> impl IntoView {
    if signed_in {
        use_live().start(use_page_clock());
    }
    let viewer = signed_in.then(|| load(Signal::stored(Question::Viewer)));
    let viewer = move |show: fn(Viewer) -> AnyView| {
        viewer.map(|viewer| {
            view! {
                <Suspense>
                    {move || Suspend::new(async move {
                        match viewer.await {
                            Ok(Answer::Viewer(viewer)) => show(viewer),
                            // Whatever went wrong is the page's to tell.
                            _ => ().into_any(),
                        }
                    })}
                </Suspense>
            }
            .into_any()
        })
    };
    view! {
        <a class="skip" href="#main" rel="external">"Skip to the content"</a>
        <div class="app">
            <Rail/>
            <div class="page">
                <TopBar who=viewer(top::who)/>
                {viewer(banners)}
                <main id="main" tabindex="-1">{children()}</main>
            </div>
        </div>
    }
}

/// What a reader must know about this hub on every page.
fn banners(viewer: Viewer) -> AnyView {
    let open = viewer.no_auth.then(|| {
        view! {
            <p class="banner" role="note">
                <b>"Anyone on this machine can read and write here. "</b>
                "The hub runs with " <code>"--no-auth"</code> "; start it without that to ask for tokens."
            </p>
        }
        .into_any()
    });
    let frozen = viewer.read_only.then(|| {
        view! {
            <p class="banner" role="note">
                <b>"Read only. "</b> "Agents can read and wait here, and nothing is written."
            </p>
        }
        .into_any()
    });
    view! { {open} {frozen} }.into_any()
}
