//! The name of a day between entries. Pure.

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// `Monday, 30 November 2026`, with `Today` before it where it is; what is no date stays as it is.
pub(super) fn day_name(date: &str, today: &str) -> String {
    let Some((year, month, day)) = parts(date) else {
        return if date.is_empty() { "Without a date".to_owned() } else { date.to_owned() };
    };
    let name = format!("{}, {day} {} {year}", DAYS[weekday(year, month, day)], MONTHS[month - 1]);
    if date == today { format!("Today · {name}") } else { name }
}

/// `YYYY-MM-DD` of a day that a calendar may have.
fn parts(date: &str) -> Option<(usize, usize, usize)> {
    let mut parts =
        date.splitn(3, '-').map(|part| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    ((1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

/// The day of the week in the Gregorian calendar, 0 for Sunday: the year is counted from March, so that a leap day ends it.
fn weekday(year: usize, month: usize, day: usize) -> usize {
    const BEFORE_MONTH: [usize; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    (year + year / 4 - year / 100 + year / 400 + BEFORE_MONTH[month - 1] + day) % 7
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
            ("yesterday", "yesterday"),
            ("+26-01-01", "+26-01-01"),
        ] {
            assert_eq!(day_name(date, "2026-11-30"), name);
        }
    }
}
