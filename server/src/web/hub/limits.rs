//! What a hub puts up with, as its page shows it: each limit with the variable that sets it. What they are for is the page's to say.

use std::time::Duration;

use loggia_app::backend::hub::{Limit, Unit};
use loggia_domain::field::{MAX_ARTIFACT_BYTES, MAX_BODY_BYTES};
use loggia_domain::metadata::MAX_METADATA_BYTES;

use crate::config::{self, Settings};
use crate::limits::MAX_FORM_BYTES;

/// All of them: those that can be set first.
pub(super) fn all(settings: &Settings) -> Vec<Limit> {
    let limits = &settings.limits;
    let count = |name, n: usize| Limit { name, value: Some(wide(n)), unit: Unit::Count };
    let bytes = |name, n: usize| Limit { name, value: Some(wide(n)), unit: Unit::Bytes };
    let time = |name, d: Duration| Limit {
        name,
        value: Some(u64::try_from(d.as_millis()).unwrap_or(u64::MAX)),
        unit: Unit::Milliseconds,
    };
    vec![
        count(config::MAX_STREAMS, settings.max_streams),
        count(config::MAX_STREAMS_PER_TOKEN, settings.max_streams_per_token),
        time(config::DEAD_CLIENT_S, settings.dead_client),
        count(config::MAX_CONNECTIONS, limits.max_connections),
        time(config::HEAD_S, limits.head),
        time(config::BODY_S, limits.body),
        time(config::IDLE_S, limits.idle),
        bytes(config::MAX_URL_BYTES, limits.max_url_bytes),
        bytes(config::MAX_HEADER_BYTES, limits.max_header_bytes),
        count(config::MAX_HEADERS, limits.max_headers),
        Limit { name: config::RATE_PER_S, value: limits.rate_per_s.map(u64::from), unit: Unit::PerSecond },
        time(config::STALLED_AFTER_S, settings.stalled_after),
        bytes("body", MAX_BODY_BYTES),
        bytes("metadata", MAX_METADATA_BYTES),
        bytes("artifact", MAX_ARTIFACT_BYTES),
        bytes("form", MAX_FORM_BYTES),
    ]
}

fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
