//! The name of a day between entries. Pure.

use loggia_domain::timestamp::day_words;

use crate::language::t;

/// As the domain names them.
const WEEKDAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";
const MONTHS: &str = "January February March April May June July August September October November December";

/// A day in the page's language, of `Monday, 30 November 2026`.
fn in_language(words: &str) -> String {
    let mut parts = words.split(' ');
    let (Some(weekday), Some(day), Some(month), Some(year)) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return words.to_owned();
    };
    let at = |names: &'static str, english: &str, all: &str| {
        let place = all.split(' ').position(|name| name == english).unwrap_or_default();
        names.split(' ').nth(place).unwrap_or_default()
    };
    t!(
        "{weekday}, {day} {month} {year}",
        weekday =
            at(t!("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"), weekday.trim_end_matches(','), WEEKDAYS),
        day = day,
        month = at(
            t!("January February March April May June July August September October November December"),
            month,
            MONTHS
        ),
        year = year
    )
}

/// `Monday, 30 November 2026`, with `Today` before it where it is; what is no date stays as it is.
pub(super) fn day_name(date: &str, today: &str) -> String {
    match day_words(date).map(|words| in_language(&words)) {
        Some(name) if date == today => t!("Today · {day}", day = name),
        Some(name) => name,
        None if date.is_empty() => t!("Without a date").to_owned(),
        None => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_names() {
        for (date, name) in [
            ("2026-11-30", "Today · Monday, 30 November 2026"),
            ("2026-11-29", "Sunday, 29 November 2026"),
            ("2024-02-29", "Thursday, 29 February 2024"),
            ("2000-01-01", "Saturday, 1 January 2000"),
            ("", "Without a date"),
            ("2026-13-01", "2026-13-01"),
            ("2026-02-30", "2026-02-30"),
            ("yesterday", "yesterday"),
            ("+26-01-01", "+26-01-01"),
        ] {
            assert_eq!(day_name(date, "2026-11-30"), name);
        }
    }
}
