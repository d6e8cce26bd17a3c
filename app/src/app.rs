//! The application: its routes, and what every page shares.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{Outlet, ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, StaticSegment};

use crate::clock::provide_page_clock;
use crate::frame::Frame;
use crate::live::provide_live;
use crate::pages::{ArtifactRoute, EventRoute, LogRoute, NotFound, NowRoute, SheetRoute, SignInRoute, TaskRoute};

/// The application. Pages are rendered whole before the first byte leaves, so that they read the same without any script.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_page_clock();
    provide_live();
    view! {
        <Title formatter=|page: String| page_title(&page)/>
        <Router>
            <Routes fallback=|| view! { <Frame behind_door=false><NotFound/></Frame> }.into_any()>
                <ParentRoute path=StaticSegment("") view=|| view! { <Frame><Outlet/></Frame> }>
                    <Route path=StaticSegment("") view=NowRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("log") view=LogRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("event") view=EventRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("task") view=TaskRoute ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("task"), StaticSegment("new")) view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("compare") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("artifact") view=ArtifactRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("agents") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("agent") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("diary") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("palace") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("sessions") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("hub") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("tokens") view=SheetRoute ssr=SsrMode::Async/>
                    <Route path=StaticSegment("audit") view=SheetRoute ssr=SsrMode::Async/>
                </ParentRoute>
                <Route path=StaticSegment("sign-in") view=SignInRoute ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
}

/// What stands in the tab. The hub writes it into the document as it is, so what could end the element is escaped there; in the browser
/// it is a text.
fn page_title(page: &str) -> String {
    if page.is_empty() {
        return "Loggia".to_owned();
    }
    #[cfg(feature = "ssr")]
    let page = page.replace('&', "&amp;").replace('<', "&lt;");
    format!("{page} · Loggia")
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn a_title_never_ends_itself() {
        assert_eq!(page_title("a </title><script>&"), "a &lt;/title>&lt;script>&amp; · Loggia");
        assert_eq!(page_title(""), "Loggia");
    }
}
