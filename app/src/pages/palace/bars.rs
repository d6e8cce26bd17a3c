//! Where the validity of facts lies on a common scale of time. Numbers in, numbers out.

use loggia_domain::palace::temporal::{Phase, Validity, start};
use loggia_domain::timestamp::{created_at_ms, parse_rfc3339_ms};

use crate::backend::memory::Fact;

/// How long the scale is.
pub(super) const SCALE: i64 = 1000;
/// The shortest bar that can still be seen.
const SHORTEST: i64 = 6;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// A bar on the scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bar {
    /// Where it begins.
    pub(super) from: i64,
    /// How long it is.
    pub(super) length: i64,
    /// Whether the fact began at a known time.
    pub(super) has_start: bool,
    /// Whether it ends at one.
    pub(super) has_end: bool,
    /// Where the fact stands now.
    pub(super) phase: Phase,
}

/// The bars of some facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bars {
    /// One for each fact, in their order.
    pub(super) each: Vec<Bar>,
    /// Where now is.
    pub(super) now: i64,
    /// The first day on the scale.
    pub(super) first_day: String,
    /// The last one.
    pub(super) last_day: String,
}

/// The bars of facts at a time, ms since 1970. What has no start begins before the scale does, what has no end leaves it.
pub(super) fn bars(facts: &[Fact], now_ms: u64) -> Bars {
    let now_text = created_at_ms(now_ms).unwrap_or_default();
    let now = i64::try_from(now_ms).unwrap_or(i64::MAX / 4);
    let ends: Vec<(Option<i64>, Option<i64>)> =
        facts.iter().map(|f| (begin(f.from.as_deref()), end(f.to.as_deref()))).collect();
    let known = || ends.iter().flat_map(|(from, to)| [*from, *to]).flatten().chain([now]);
    let (least, most) = (known().min().unwrap_or(now), known().max().unwrap_or(now));
    // Some room at both sides, so that an open end is told from one that lies at the edge.
    let margin = ((most - least) / 20).max(DAY_MS);
    let (least, most) = (least - margin, most + margin);
    let place =
        |at: i64| (i128::from(at - least) * i128::from(SCALE) / i128::from(most - least)).clamp(0, i128::from(SCALE));
    let place = |at: i64| i64::try_from(place(at)).unwrap_or(0);
    let bars = facts.iter().zip(&ends).map(|(fact, (from, to))| {
        let left = from.map_or(0, place);
        let right = to.map_or(SCALE, place);
        let length = (right - left).max(SHORTEST);
        Bar {
            from: left.min(SCALE - SHORTEST),
            length,
            has_start: from.is_some(),
            has_end: to.is_some(),
            phase: Validity { from: fact.from.as_deref(), to: fact.to.as_deref() }.phase(&now_text),
        }
    });
    let day = |at: i64| {
        let text = u64::try_from(at).ok().and_then(created_at_ms).unwrap_or_default();
        text.get(..10).unwrap_or_default().to_owned()
    };
    Bars { each: bars.collect(), now: place(now), first_day: day(least), last_day: day(most) }
}

fn begin(time: Option<&str>) -> Option<i64> {
    parse_rfc3339_ms(&start(time.filter(|t| !t.is_empty())?))
}

/// A date lasts until the next one begins.
fn end(time: Option<&str>) -> Option<i64> {
    let time = time?;
    Some(begin(Some(time))? + if time.len() == 10 { DAY_MS } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(from: Option<&str>, to: Option<&str>) -> Fact {
        let text = |t: Option<&str>| t.map(str::to_owned);
        Fact { subject: String::new(), predicate: String::new(), object: String::new(), from: text(from), to: text(to) }
    }

    const NOW_MS: u64 = 1_796_078_550_000; // 2026-11-30T22:42:30Z

    #[test]
    fn bars_lie_in_the_order_of_time() {
        let drawn = bars(
            &[
                fact(Some("2026-01-01"), Some("2026-06-30")),
                fact(Some("2026-07-01T00:00:00Z"), None),
                fact(None, None),
                fact(Some("2027-01-01"), Some("2027-03-01")),
                fact(Some("2026-06-30"), Some("2026-06-30")),
            ],
            NOW_MS,
        );
        let [past, present, always, future, day] = drawn.each.as_slice() else { panic!("five") };
        assert_eq!(past.from + past.length, present.from);
        assert_eq!((present.from + present.length, present.has_end), (SCALE, false));
        assert_eq!((always.from, always.length, always.has_start), (0, SCALE, false));
        assert!(past.from < drawn.now && drawn.now < future.from);
        assert_eq!(
            [past.phase, present.phase, always.phase, future.phase],
            [Phase::Past, Phase::Present, Phase::Present, Phase::Future]
        );
        assert_eq!(day.length, SHORTEST);
        assert!(drawn.first_day.as_str() < "2026-01-01" && drawn.last_day.as_str() > "2027-03-01");
    }

    #[test]
    fn odd_times_draw_something() {
        for odd in [Some(""), Some("soon"), Some("0001-01-01"), Some("9999-12-31"), None] {
            let drawn = bars(&[fact(odd, odd)], NOW_MS);
            let bar = &drawn.each[0];
            assert!(bar.from >= 0 && bar.length > 0 && bar.from + bar.length <= SCALE + SHORTEST, "{odd:?}: {bar:?}");
        }
        assert_eq!(bars(&[], NOW_MS).each, []);
    }
}
