//! The hub seen from outside: every test starts the real binary on a palace of its own and speaks to it over HTTP, over the
//! command line, or through the file that other programs share with it. No test knows the hub's code.
//!
//! `hub`, `wire` and `outsider` are the three ways in, `place` is where they meet; the other modules are named after what they ask.

mod cli_child;
mod hub;
mod outsider;
mod place;
mod wire;

mod artifacts;
mod backup;
mod bridge;
mod cli;
mod cli_ack;
mod cli_artifact;
mod cli_completions;
mod cli_diary;
mod cli_drawer;
mod cli_remote;
mod cli_wait;
mod correlation;
mod diary;
mod events;
mod facts;
mod guards;
mod hook;
mod import;
mod import_palace;
mod launch;
mod limits;
mod log_file;
mod mcp;
mod metrics;
mod no_auth;
mod palace_drawers;
mod palace_off;
mod palace_search;
mod payload;
mod relay;
mod search;
mod semantic;
mod serve;
mod sign_in;
mod storm;
mod stream;
mod stream_filters;
mod stream_limits;
mod stream_transport;
mod tidy;
mod tokens;
mod tool_arguments;
mod tunnels;
mod verify;
mod wait;
mod watch;
mod watch_follow;
mod watch_remote;
