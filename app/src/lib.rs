//! The pages of Loggia: rendered on the hub, taken over by the browser.
#![recursion_limit = "256"]

#[cfg(all(feature = "ssr", feature = "hydrate"))]
compile_error!("features `ssr` and `hydrate` exclude each other: build each half on its own");

pub mod backend;
