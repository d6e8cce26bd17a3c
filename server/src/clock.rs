//! The machine's clock, asked in one place.

use loggia_domain::timestamp;
use time::OffsetDateTime;

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    timestamp::ms(OffsetDateTime::now_utc())
}
