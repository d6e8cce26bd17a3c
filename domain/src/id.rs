//! Ids of events, artifacts and replicas. Randomness comes from the caller.

use std::fmt::Write as _;

use time::OffsetDateTime;

/// `evt_YYYYMMDDTHHMMSS_<12 hex>` from a UTC time and six random bytes.
pub fn event_id(at: OffsetDateTime, random: [u8; 6]) -> String {
    stamped("evt", at, &random)
}

/// `art_YYYYMMDDTHHMMSS_<12 hex>` from a UTC time and six random bytes.
pub fn artifact_id(at: OffsetDateTime, random: [u8; 6]) -> String {
    stamped("art", at, &random)
}

/// `rep_<32 hex>` from sixteen random bytes.
pub fn replica_id(random: [u8; 16]) -> String {
    format!("rep_{}", hex(&random))
}

/// Whether a text names a replica: `rep_` and 32 (or, from older hubs, 12) lower-case hex digits.
pub fn is_replica_id(text: &str) -> bool {
    text.strip_prefix("rep_").is_some_and(|h| {
        matches!(h.len(), 12 | 32) && h.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

/// Lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, b| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{b:02x}");
        out
    })
}

fn stamped(prefix: &str, at: OffsetDateTime, random: &[u8]) -> String {
    format!(
        "{prefix}_{:04}{:02}{:02}T{:02}{:02}{:02}_{}",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        hex(random)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_carry_their_time_and_their_random_part() {
        let at = OffsetDateTime::from_unix_timestamp(1_782_962_683).expect("in range");
        assert_eq!(event_id(at, [2, 206, 12, 49, 172, 219]), "evt_20260702T032443_02ce0c31acdb");
    }

    #[test]
    fn replica_ids_have_one_of_two_lengths() {
        assert!(is_replica_id(&replica_id([7; 16])));
        assert!(is_replica_id("rep_0123456789ab"));
        for bad in ["rep_", "rep_0123456789AB", "0123456789ab", "rep_0123456789abc", "rep_0123456789ag"] {
            assert!(!is_replica_id(bad), "{bad}");
        }
    }
}
