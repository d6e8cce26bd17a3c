//! Times of facts: how they are read, compared, and what a fact's validity says about a moment.
//!
//! A fact holds from a start to an end, either of which may be open. Both are a date or a UTC time to the second, kept as they were
//! given; a date is a whole day. Windows over `filed_at`, which is local time, are [`super::window`]'s.

use std::borrow::Cow;

use crate::field::{Raw, is_blank};
use crate::refusal::{Refusal, quoted};
use crate::timestamp;

const ACCEPTED: &str = "YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ";
const DATE_CHARS: usize = 10;

/// A date, or a UTC time ending in `Z` or `+00:00` (kept as `Z`); null and the empty text are none.
pub fn time(field: &str, raw: Raw) -> Result<Option<String>, Refusal> {
    let text = match raw {
        Raw::Absent => return Ok(None),
        Raw::Text(text) if text.is_empty() => return Ok(None),
        Raw::Text(text) => text,
        Raw::Other(value) => {
            return Err(Refusal::new(field, format!("{field} must be a string")).value(value).accepted(ACCEPTED));
        }
    };
    let text = text.trim_matches(is_blank);
    let zulu = text.strip_suffix("+00:00").map_or(Cow::Borrowed(text), |rest| Cow::Owned(format!("{rest}Z")));
    if is_date(&zulu) || is_time(&zulu) {
        return Ok(Some(zulu.into_owned()));
    }
    Err(Refusal::new(
        field,
        format!("{field}={} is not a valid ISO-8601 date or UTC datetime (expected {ACCEPTED})", quoted(text)),
    )
    .value(text)
    .accepted(ACCEPTED))
}

/// The first second of what was given: of a date, its midnight.
pub fn start(time: &str) -> Cow<'_, str> {
    on_day(time, "T00:00:00Z")
}

/// The last second of what was given.
fn end(time: &str) -> Cow<'_, str> {
    on_day(time, "T23:59:59Z")
}

fn on_day<'a>(time: &'a str, clock: &str) -> Cow<'a, str> {
    if time.len() == DATE_CHARS { Cow::Owned(format!("{time}{clock}")) } else { Cow::Borrowed(time) }
}

/// Where a fact stands, seen from a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It has ended.
    Past,
    /// It holds.
    Present,
    /// It is still to begin.
    Future,
}

/// From when to when a fact holds, as it is stored. An empty text, which old palaces hold, is an open end.
#[derive(Debug, Clone, Copy)]
pub struct Validity<'a> {
    /// Its first day or second.
    pub from: Option<&'a str>,
    /// Its last day or second.
    pub to: Option<&'a str>,
}

impl<'a> Validity<'a> {
    fn start(self) -> Option<Cow<'a, str>> {
        self.from.filter(|t| !t.is_empty()).map(start)
    }

    fn end(self) -> Option<Cow<'a, str>> {
        self.to.filter(|t| !t.is_empty()).map(end)
    }

    /// Whether it holds at a time. The second in which it ends no longer counts, so that a fact and its successor never both hold.
    pub fn holds_at(self, time: &str) -> bool {
        let at = start(time);
        self.start().is_none_or(|start| start <= at) && self.end().is_none_or(|end| end > at)
    }

    /// Where it stands at a time, itself given to the second. Here the second in which it ends still counts.
    pub fn phase(self, now: &str) -> Phase {
        if self.start().is_some_and(|start| *start > *now) {
            Phase::Future
        } else if self.end().is_some_and(|end| *end < *now) {
            Phase::Past
        } else {
            Phase::Present
        }
    }

    /// Refuses an end that lies before the start. `field` is what the end is called in the call.
    pub fn check(self, field: &str) -> Result<(), Refusal> {
        let (Some(start), Some(end)) = (self.start(), self.end()) else { return Ok(()) };
        if end >= start {
            return Ok(());
        }
        let (from, to) = (self.from.unwrap_or_default(), self.to.unwrap_or_default());
        Err(Refusal::new(
            field,
            format!(
                "{field}={} is before valid_from={}; an inverted interval would be invisible to every KG query",
                quoted(to),
                quoted(from)
            ),
        )
        .value(to)
        .accepted(format!("{from} or later")))
    }
}

fn is_date(text: &str) -> bool {
    text.len() == DATE_CHARS && is_time(&format!("{text}T00:00:00Z"))
}

/// `YYYY-MM-DDTHH:MM:SSZ` and nothing else: no fraction, no other offset, no lower case, no leap second.
fn is_time(text: &str) -> bool {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00Z";
    let fits = text.len() == SHAPE.len()
        && text.bytes().zip(SHAPE).all(|(c, s)| if *s == b'0' { c.is_ascii_digit() } else { c == *s });
    // The calendar's own rules; the year 0 and the second 60, which RFC 3339 knows, are none here.
    fits && !text.starts_with("0000") && &text[17..19] != "60" && timestamp::parse_rfc3339_ms(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_utc_times_are_kept_as_they_came() {
        #[track_caller]
        fn check(input: &str, expected: Option<&str>) {
            assert_eq!(time("at", input.into()).expect(input).as_deref(), expected);
        }
        check("2020-02-29", Some("2020-02-29"));
        check(" 2020-01-01\u{1f}", Some("2020-01-01"));
        check("2020-01-01T23:59:59Z", Some("2020-01-01T23:59:59Z"));
        check("2021-01-01T11:00:00+00:00", Some("2021-01-01T11:00:00Z"));
        check("0001-01-01", Some("0001-01-01"));
        check("9999-12-31", Some("9999-12-31"));
        check("", None);
        assert_eq!(time("at", Raw::Absent).expect("none"), None);
    }

    #[test]
    fn anything_else_is_refused_in_the_words_that_agents_know() {
        for bad in [
            "2020-02-30",
            "0000-01-01",
            "2020-01",
            "2020-01-01T24:00:00Z",
            "2020-01-01T23:59:60Z",
            "2020-12-31T23:59:60Z",
            "2020-01-01t00:00:00Z",
            "2020-01-01T00:00:00z",
            "2020-01-01 00:00:00Z",
            "2020-01-01T00:00:00.1Z",
            "2020-01-01T00:00:00",
            "2020-01-01T00:00:00+01:00",
            "2020-01-01T00:00:00-00:00",
            "2020-01-01T00:00Z",
            "2020-01-01+00:00",
            "٢٠٢٠-01-01",
            "2020-01-0é",
            "+020-01-01",
            "x",
        ] {
            let message = time("as_of", bad.into()).expect_err(bad).message;
            let expected = "is not a valid ISO-8601 date or UTC datetime (expected YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ)";
            assert_eq!(message, format!("as_of='{bad}' {expected}"));
        }
        assert!(time("at", "it's".into()).expect_err("bad").message.starts_with("at=\"it's\" is not"));
        assert!(time("at", "  ".into()).expect_err("blank").message.starts_with("at='' is not"));
        assert_eq!(time("at", Raw::Other(5.into())).expect_err("typed").message, "at must be a string");
    }

    const fn validity(from: Option<&'static str>, to: Option<&'static str>) -> Validity<'static> {
        Validity { from, to }
    }

    #[test]
    fn a_date_is_a_whole_day_and_the_last_second_no_longer_counts() {
        let day = validity(Some("2020-01-01"), Some("2020-01-01"));
        assert!(day.holds_at("2020-01-01") && day.holds_at("2020-01-01T23:59:58Z"));
        assert!(!day.holds_at("2020-01-01T23:59:59Z") && !day.holds_at("2019-12-31T23:59:59Z"));
        let (old, new) = (validity(None, Some("2023-03-03T00:00:00Z")), validity(Some("2023-03-03T00:00:00Z"), None));
        assert!(!old.holds_at("2023-03-03") && new.holds_at("2023-03-03"));
        assert!(validity(None, None).holds_at("0001-01-01") && validity(Some(""), Some("")).holds_at("0001-01-01"));
    }

    #[test]
    fn a_fact_is_past_present_or_future() {
        #[track_caller]
        fn check(from: Option<&'static str>, to: Option<&'static str>, expected: Phase) {
            assert_eq!(validity(from, to).phase("2026-11-30T16:00:00Z"), expected);
        }
        check(None, None, Phase::Present);
        check(Some("2026-11-30T16:00:01Z"), None, Phase::Future);
        check(Some("2999-01-01"), None, Phase::Future);
        check(Some("2026-11-30"), Some("2026-11-30"), Phase::Present);
        check(None, Some("2026-11-30T16:00:00Z"), Phase::Present);
        check(None, Some("2026-11-30T15:59:59Z"), Phase::Past);
        check(None, Some("2026-11-29"), Phase::Past);
        check(Some(""), Some(""), Phase::Present);
    }

    #[test]
    fn an_end_before_the_start_is_refused() {
        let refusal = validity(Some("2021-01-01"), Some("2020-01-01")).check("valid_to").expect_err("inverted");
        let rest = "an inverted interval would be invisible to every KG query";
        assert_eq!(refusal.message, format!("valid_to='2020-01-01' is before valid_from='2021-01-01'; {rest}"));
        assert_eq!(refusal.field, "valid_to");
        for (from, to) in [
            (Some("2020-01-01T10:00:00Z"), Some("2020-01-01")),
            (Some("2020-01-01"), Some("2020-01-01T00:00:00Z")),
            (None, Some("0001-01-01")),
            (Some("2020-01-01"), Some("")),
        ] {
            assert!(validity(from, to).check("valid_to").is_ok(), "{from:?} {to:?}");
        }
    }
}
