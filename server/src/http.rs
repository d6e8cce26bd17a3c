//! The plain HTTP routes: health, the live stream, exact artifacts, signing in, and what is not there.

pub mod artifact;
pub mod health;
pub mod missing;
pub mod sign_in;
pub mod stream;
