//! The application: its routes, and what every page shares.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{Outlet, ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, StaticSegment};

use crate::clock::provide_page_clock;
use crate::frame::Frame;
use crate::live::provide_live;
use crate::pages::{ArtifactRoute, EventRoute, LogRoute, NotFound, NowRoute, SignInRoute, TaskRoute};

/// The application. Pages are rendered whole before the first byte leaves, so that they read the same without any script.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_page_clock();
    provide_live();
    view! {
        <Title formatter=|page: String| if page.is_empty() { "Loggia".to_owned() } else { format!("{page} · Loggia") }/>
        <Router>
            <Routes fallback=|| view! { <Frame behind_door=false><NotFound/></Frame> }.into_any()>
                <ParentRoute path=StaticSegment("") view=|| view! { <Frame><Outlet/></Frame> }>
                    <Route path=StaticSegment("") view=NowRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("log") view=LogRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("event") view=EventRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("task") view=TaskRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("artifact") view=ArtifactRoute ssr=SsrMode::Async/>
                </ParentRoute>
                <Route path=StaticSegment("sign-in") view=SignInRoute ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
}
