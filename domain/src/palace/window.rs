//! Windows of time over `filed_at`, which is naive local time: bounds and stored values are compared by their wall clock.

use time::{Date, Month, Time};

use crate::field::{Raw, is_blank};
use crate::refusal::{Refusal, quoted};

/// From when (inclusive) to when (exclusive); both as [`wall_clock`] writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// The first moment that counts.
    pub since: Option<String>,
    /// The first that no longer does.
    pub before: Option<String>,
}

/// Reads both bounds. Either may be missing.
pub fn window(since: Raw, before: Raw) -> Result<Window, Refusal> {
    let (since, before) = (bound("since", since)?, bound("before", before)?);
    if let (Some((since_text, since_at)), Some((before_text, before_at))) = (&since, &before)
        && since_at >= before_at
    {
        return Err(Refusal::new(
            "since",
            format!("since ({}) must be earlier than before ({})", quoted(since_text), quoted(before_text)),
        )
        .value(since_text.as_str()));
    }
    Ok(Window { since: since.map(|(_, at)| at), before: before.map(|(_, at)| at) })
}

fn bound(field: &str, raw: Raw) -> Result<Option<(String, String)>, Refusal> {
    let text = match raw {
        Raw::Absent => return Ok(None),
        Raw::Text(text) => text,
        Raw::Other(value) => {
            return Err(Refusal::new(field, format!("{field} must be an ISO date string")).value(value));
        }
    };
    let trimmed = text.trim_matches(is_blank);
    if trimmed.is_empty() {
        return Ok(None);
    }
    let at = wall_clock(trimmed).ok_or_else(|| {
        Refusal::new(
            field,
            format!(
                "{field} must be an ISO date string (e.g. '2026-04-01' or '2026-04-01T09:30:00'), got {}",
                quoted(&text)
            ),
        )
        .value(text.as_str())
    })?;
    Ok(Some((trimmed.to_owned(), at)))
}

/// `YYYY-MM-DDTHH:MM:SS.ffffff` of an ISO date or time; a zone is dropped, the clock on the wall stays. `None` for anything else.
pub fn wall_clock(text: &str) -> Option<String> {
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let date = date(text.get(..10)?)?;
    let rest = &text[10..];
    let (time, micros) = if rest.is_empty() { (Time::MIDNIGHT, 0) } else { clock(rest)? };
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{micros:06}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    ))
}

fn date(text: &str) -> Option<Date> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let year = number(year, 4)?;
    let month = Month::try_from(u8::try_from(number(month, 2)?).ok()?).ok()?;
    let day = u8::try_from(number(day, 2)?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok().filter(|y| *y >= 1)?, month, day).ok()
}

/// `T` or a blank, hour, and perhaps minute, second, fraction and offset.
fn clock(text: &str) -> Option<(Time, u32)> {
    let text = text.strip_prefix(['T', ' '])?;
    let (text, offset) = text.find(['+', '-']).map_or((text, ""), |at| text.split_at(at));
    if !offset.is_empty() && !is_offset(&offset[1..]) {
        return None;
    }
    let (text, fraction) = text.split_once(['.', ',']).map_or((text, None), |(t, f)| (t, Some(f)));
    let parts: Vec<u8> =
        text.split(':').map(|p| number(p, 2).and_then(|n| u8::try_from(n).ok())).collect::<Option<_>>()?;
    let time = match (parts.as_slice(), fraction) {
        ([h], None) => Time::from_hms(*h, 0, 0),
        ([h, m], None) => Time::from_hms(*h, *m, 0),
        ([h, m, s], _) => Time::from_hms(*h, *m, *s),
        _ => return None,
    };
    let micros = match fraction {
        None => 0,
        Some(f) if !f.is_empty() && f.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{:0<6}", &f[..f.len().min(6)]).parse().ok()?
        }
        Some(_) => return None,
    };
    Some((time.ok()?, micros))
}

/// `HH`, `HHMM`, `HH:MM` or `HH:MM:SS`.
fn is_offset(text: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != ':').collect();
    matches!(digits.len(), 2 | 4 | 6) && digits.bytes().all(|b| b.is_ascii_digit())
}

fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_dropped_and_the_wall_clock_stays() {
        #[track_caller]
        fn check(input: &str, expected: &str) {
            assert_eq!(wall_clock(input).as_deref(), Some(expected));
        }
        check("2026-04-01", "2026-04-01T00:00:00.000000");
        check("2026-04-01T09", "2026-04-01T09:00:00.000000");
        check("2026-04-01 09:30", "2026-04-01T09:30:00.000000");
        check("2026-04-01T09:30:05.5Z", "2026-04-01T09:30:05.500000");
        check("2026-04-01T09:30:05.123456789+05:45", "2026-04-01T09:30:05.123456");
        check("2026-04-01T09:30:05-0800", "2026-04-01T09:30:05.000000");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for bad in [
            "",
            "nope",
            "2026-13-01",
            "2026-02-30",
            "2026-04-01T",
            "2026-04-01T25:00",
            "2026-04-01T9",
            "0000-01-01",
            "2026-04-01T09:30.5",
            "2026-04-01x09",
            "2026-04-01T09:30:00+xx",
            "٢٠٢٦-01-01",
            "2026-04-0é",
        ] {
            assert_eq!(wall_clock(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_window_is_refused_in_the_words_that_agents_know() {
        #[track_caller]
        fn refused(since: Raw, before: Raw, message: &str) {
            assert_eq!(window(since, before).expect_err(message).message, message);
        }
        const GOT: &str = "must be an ISO date string (e.g. '2026-04-01' or '2026-04-01T09:30:00'), got";
        refused("nope".into(), Raw::Absent, &format!("since {GOT} 'nope'"));
        refused(Raw::Absent, "n'o".into(), &format!("before {GOT} \"n'o\""));
        refused(Raw::Other(5.into()), Raw::Absent, "since must be an ISO date string");
        let order = "since ('2026-02-01') must be earlier than before ('2026-01-01')";
        refused("2026-02-01".into(), "2026-01-01".into(), order);
        assert_eq!(window(" ".into(), "".into()).expect("none"), Window::default());
    }
}
