//! The plain HTTP routes: health, status and metrics, the live stream, exact artifacts, the log as a file, signing in, and what is not there.

pub mod artifact;
pub mod audit;
pub mod export;
pub mod health;
pub mod language;
pub mod mems;
pub mod metrics;
pub mod missing;
pub mod sign_in;
pub mod statusz;
pub mod stream;
