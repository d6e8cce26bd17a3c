//! The pages, one module each: a route that loads, a view that shows, and the plain functions behind it.

mod artifact;
#[cfg(feature = "ssr")]
mod diary;
mod event;
mod log;
#[cfg(feature = "ssr")]
mod memory_parts;
mod not_found;
mod now;
#[cfg(feature = "ssr")]
mod palace;
mod sheet;
mod sign_in;
mod task;

pub use artifact::ArtifactRoute;
pub use event::EventRoute;
pub use log::LogRoute;
pub use not_found::NotFound;
pub use now::NowRoute;
pub use sheet::SheetRoute;
#[cfg(feature = "ssr")]
pub use sheet::write as write_sheet;
pub use sign_in::SignInRoute;
pub use task::TaskRoute;

use leptos::prelude::*;
use leptos_router::hooks::use_url;

/// The raw query string of the page. The router's own map decodes twice, see [`crate::href`].
fn use_search() -> Memo<String> {
    let url = use_url();
    Memo::new(move |_| url.with(|url| url.search().to_owned()))
}

/// One value of the page's query string, empty when it is not there.
fn use_query_value(key: &'static str) -> Memo<String> {
    let search = use_search();
    Memo::new(move |_| crate::href::value(&search.get(), key).unwrap_or_default())
}
