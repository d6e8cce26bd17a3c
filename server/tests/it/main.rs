//! The hub seen from outside: every test starts the real binary on a palace of its own and speaks to it over HTTP, over the
//! command line, or through the file that other programs share with it. No test knows the hub's code.
//!
//! `hub`, `wire` and `outsider` are the three ways in, `place` is where they meet; the other modules are named after what they ask.

mod hub;
mod outsider;
mod place;
mod wire;

mod artifacts;
mod cli;
mod events;
mod guards;
mod limits;
mod log_file;
mod mcp;
mod no_auth;
mod payload;
mod relay;
mod serve;
mod sign_in;
mod storm;
mod stream;
mod stream_filters;
mod stream_transport;
mod tidy;
mod tokens;
mod tool_arguments;
mod wait;
