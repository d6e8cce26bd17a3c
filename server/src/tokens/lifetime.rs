//! How long something lasts, as people write it: `30d`, `24h`, or the moment of its end.

use std::time::Duration;

use loggia_domain::refusal::quoted;
use loggia_domain::{Refusal, timestamp};
use time::OffsetDateTime;

/// The longest time that is taken, in days: ten years.
pub const MAX_DAYS: u64 = 3650;

/// What is said about a text that is none of this.
const ACCEPTED: &str = "30d, 24h, 90m, or a time such as 2027-01-31T12:00:00Z";

/// A length of time: a number with `m`, `h`, `d` or `w` behind it.
pub fn length(field: &str, text: &str) -> Result<Duration, Refusal> {
    let refused = |why: &str| {
        Refusal::new(field, format!("{field} {} {why}", quoted(text))).value(text).accepted("90m, 24h, 30d, 4w")
    };
    let unit = text.char_indices().next_back().map(|(at, unit)| (&text[..at], unit));
    let Some((number, unit)) = unit else { return Err(refused("is not a length of time")) };
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return Err(refused("is not a length of time")),
    };
    let number: u64 = number.parse().map_err(|_| refused("is not a length of time"))?;
    let minutes = number.checked_mul(minutes).filter(|m| *m <= MAX_DAYS * 24 * 60);
    let minutes = minutes.ok_or_else(|| refused(&format!("is longer than {MAX_DAYS} days")))?;
    Ok(Duration::from_secs(minutes * 60))
}

/// The moment at which something ends: a length of time from now, or an RFC 3339 time that is still to come.
pub fn end(field: &str, text: &str, now: OffsetDateTime) -> Result<String, Refusal> {
    let text = text.trim();
    if let Some(ms) = timestamp::parse_rfc3339_ms(text) {
        let at = u64::try_from(ms).ok().filter(|ms| *ms > timestamp::ms(now)).and_then(timestamp::created_at_ms);
        return at.ok_or_else(|| {
            Refusal::new(field, format!("{field} {} is over already", quoted(text))).value(text).accepted(ACCEPTED)
        });
    }
    let length = length(field, text).map_err(|refusal| refusal.accepted(ACCEPTED))?;
    if length.is_zero() {
        return Err(Refusal::new(field, format!("{field} {} is over at once", quoted(text))).accepted(ACCEPTED));
    }
    Ok(timestamp::created_at(now + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_a_length_or_a_moment() {
        let now = OffsetDateTime::from_unix_timestamp(1_800_000_000).expect("a time");
        for (text, expected) in [
            ("30d", Ok("2027-02-14T08:00:00Z")),
            ("90m", Ok("2027-01-15T09:30:00Z")),
            ("2w", Ok("2027-01-29T08:00:00Z")),
            ("2027-01-15T10:00:00+01:00", Ok("2027-01-15T09:00:00Z")),
            ("2020-01-01T00:00:00Z", Err("expires '2020-01-01T00:00:00Z' is over already")),
            ("0d", Err("expires '0d' is over at once")),
            ("3651d", Err("expires '3651d' is longer than 3650 days")),
            ("99999999999999999999d", Err("expires '99999999999999999999d' is not a length of time")),
            ("soon", Err("expires 'soon' is not a length of time")),
            ("", Err("expires '' is not a length of time")),
            ("3é", Err("expires '3é' is not a length of time")),
        ] {
            let got = end("expires", text, now).map_err(|refusal| refusal.message);
            assert_eq!(got.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }
}
