//! The pages, one module each: a route that loads, a view that shows, and the plain functions behind it.

#[cfg(feature = "ssr")]
mod agents;
mod artifact;
#[cfg(feature = "ssr")]
mod audit;
#[cfg(feature = "ssr")]
mod diary;
mod event;
#[cfg(feature = "ssr")]
mod find;
#[cfg(feature = "ssr")]
mod hub;
mod log;
#[cfg(feature = "ssr")]
mod memory_parts;
mod not_found;
mod now;
#[cfg(feature = "ssr")]
mod palace;
#[cfg(feature = "ssr")]
mod sessions;
mod sheet;
mod sign_in;
mod task;
#[cfg(feature = "ssr")]
mod tokens;

pub use artifact::ArtifactRoute;
#[cfg(feature = "ssr")]
pub use artifact::write as write_artifact;
pub use event::EventRoute;
#[cfg(feature = "ssr")]
pub(crate) use event::written::write_body;
#[cfg(feature = "ssr")]
pub(crate) use hub::notices as write_notices;
pub use log::LogRoute;
pub use not_found::NotFound;
pub use now::NowRoute;
pub use sheet::SheetRoute;
#[cfg(feature = "ssr")]
pub use sheet::write as write_sheet;
#[cfg(feature = "ssr")]
pub use sheet::write_people;
pub use sign_in::SignInRoute;
pub use task::TaskRoute;
#[cfg(feature = "ssr")]
pub use task::write as write_task;

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
