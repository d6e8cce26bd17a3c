//! The pages of Loggia: rendered on the hub, taken over by the browser.
//!
//! The hub calls [`shell`] and implements [`backend::Backend`]; the browser calls [`hydrate`]. What the words mean is decided in
//! `loggia-domain`, by the same code on both sides. Nothing here opens a database or handles an HTTP route.
#![recursion_limit = "256"]
#![expect(clippy::needless_pass_by_value, reason = "components own their props")]
// With `--cfg erase_components` a closure that is written in the view shares its code with all others of its output type. A closure
// passed by name gets its own, some kilobytes each.
#![expect(clippy::redundant_closure, reason = "closures in a view are written out, see above")]

#[cfg(all(feature = "ssr", feature = "hydrate"))]
compile_error!("features `ssr` and `hydrate` exclude each other: build each half on its own");

pub mod backend;

mod app;
mod ask;
mod browser;
mod clock;
mod error;
mod filters;
mod frame;
mod href;
mod keys;
mod language;
mod live;
mod loading;
mod pages;
mod parts;
mod question;
#[cfg(feature = "ssr")]
mod refused;
#[cfg(feature = "ssr")]
mod shell;
mod wire;
mod words;

pub use app::App;
#[cfg(feature = "ssr")]
pub use language::{Language, speaking};
#[cfg(feature = "ssr")]
pub use refused::refused_page;
#[cfg(feature = "ssr")]
pub use shell::shell;

/// Takes over the page that the hub rendered, and says so on `<html data-hydrated>`: from then on clicks are heard.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(App);
    // Effects run in the tasks before this frame; what they switch on is there by then.
    leptos::prelude::request_animation_frame(|| browser::set_root_attribute("data-hydrated", Some("")));
}
