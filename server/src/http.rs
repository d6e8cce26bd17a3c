//! The plain HTTP routes: health, status and metrics, the live stream, exact artifacts, signing in, and what is not there.

pub mod artifact;
pub mod health;
pub mod metrics;
pub mod missing;
pub mod sign_in;
pub mod statusz;
pub mod stream;
