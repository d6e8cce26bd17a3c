//! Times as the wire writes them, and durations as people read them.

use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, UtcOffset};

use crate::field::Raw;
use crate::refusal::{Refusal, quoted};

/// `YYYY-MM-DDTHH:MM:SSZ` of a UTC time.
pub fn created_at(at: OffsetDateTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// Milliseconds since 1970; 0 for what lies before.
pub fn ms(at: OffsetDateTime) -> u64 {
    u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(0)
}

/// The same from milliseconds since 1970; a value outside the years that a date can have gives `None`.
pub fn created_at_ms(ms: u64) -> Option<String> {
    let seconds = i64::try_from(ms / 1000).ok()?;
    OffsetDateTime::from_unix_timestamp(seconds).ok().map(created_at)
}

/// Milliseconds since 1970 of an RFC 3339 time.
pub fn parse_rfc3339_ms(text: &str) -> Option<i64> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok()
}

/// The argument `since_created_at`, see [`window`].
pub fn since_created_at(raw: Raw) -> Result<Option<String>, Refusal> {
    window("since_created_at", raw)
}

/// An end of a window in time: a date, or an RFC 3339 time with any fraction and offset; gives the same instant as
/// `created_at` writes it, its fraction cut off. A window, never a cursor (`contract: logstream`, section Reading).
pub fn window(field: &'static str, raw: Raw) -> Result<Option<String>, Refusal> {
    let text = match raw {
        Raw::Absent => return Ok(None),
        Raw::Text(t) if t.is_empty() => return Ok(None),
        Raw::Text(t) => t.trim_matches(crate::field::is_blank).to_owned(),
        Raw::Other(_) => return Err(Refusal::new(field, format!("{field} must be a string"))),
    };
    let refusal = || {
        Refusal::new(
            field,
            format!(
                "{field}={} is not a valid ISO-8601 date or UTC datetime (expected YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ)",
                quoted(&text)
            ),
        )
        .value(text.clone())
        .accepted("YYYY-MM-DD, or an RFC 3339 time such as 2026-11-30T14:02:31.5+01:00")
    };
    if let Some(date) = plain_date(&text) {
        return Ok(Some(format!("{:04}-{:02}-{:02}T00:00:00Z", date.year(), u8::from(date.month()), date.day())));
    }
    let at = OffsetDateTime::parse(&text, &Rfc3339).map_err(|_| refusal())?;
    let utc = at.checked_to_offset(UtcOffset::UTC).filter(|t| t.year() >= 1).ok_or_else(refusal)?;
    Ok(Some(created_at(utc)))
}

/// A duration in words, the two largest units: `4 s`, `2 min 51 s`, `1 h 55 min`, `3 d 4 h`.
pub fn duration_words(ms: u64) -> String {
    let s = ms / 1000;
    match s {
        0 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        1..60 => format!("{s} s"),
        60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {:02} min", s / 3600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3600 % 24),
    }
}

/// A day in words: `Monday, 30 November 2026` of `2026-11-30`; `None` for what is no day of the calendar.
pub fn day_words(date: &str) -> Option<String> {
    let date = plain_date(date)?;
    Some(format!("{}, {} {} {}", date.weekday(), date.day(), date.month(), date.year()))
}

fn plain_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| -> Option<u16> {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = digits(0..4).filter(|y| *y >= 1)?;
    let month = Month::try_from(u8::try_from(digits(5..7)?).ok()?).ok()?;
    Date::from_calendar_date(i32::from(year), month, u8::try_from(digits(8..10)?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_start_at_a_date_or_any_rfc3339_time() {
        #[track_caller]
        fn check(input: &str, expected: &str) {
            assert_eq!(since_created_at(input.into()).expect("valid").as_deref(), Some(expected));
        }
        check("2026-10-05", "2026-10-05T00:00:00Z");
        check("2026-10-05T12:00:00Z", "2026-10-05T12:00:00Z");
        check("2026-10-05T12:00:00.000Z", "2026-10-05T12:00:00Z");
        check("2026-10-05T12:00:00+02:00", "2026-10-05T10:00:00Z");
        check("2026-10-05t12:00:00z", "2026-10-05T12:00:00Z");
        check(" 2026-10-05\n", "2026-10-05T00:00:00Z");
        assert_eq!(since_created_at("".into()).expect("nothing"), None);
    }

    #[test]
    fn what_is_no_time_is_shown_in_the_refusal() {
        for bad in
            ["2026", "2026-13-01", "2026-02-30", "2026-1-1", "2026-01-01T00:00:00", "today", "٢٠٢٦-01-01", "0000-01-01"]
        {
            let refused = since_created_at(bad.into()).expect_err(bad);
            assert!(refused.message.starts_with(&format!("since_created_at='{bad}' is not")), "{}", refused.message);
        }
        assert_eq!(
            since_created_at(Raw::Other(5.into())).expect_err("typed").message,
            "since_created_at must be a string"
        );
    }

    #[test]
    fn a_day_has_its_name() {
        assert_eq!(day_words("2024-02-29").as_deref(), Some("Thursday, 29 February 2024"));
        assert_eq!((day_words("2026-02-29"), day_words("2026-1-1"), day_words("")), (None, None, None));
    }

    #[test]
    fn durations_have_two_units() {
        for (ms, words) in [
            (0, "0.0 s"),
            (400, "0.4 s"),
            (59_999, "59 s"),
            (171_000, "2 min 51 s"),
            (6_900_000, "1 h 55 min"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(duration_words(ms), words);
        }
    }
}
