//! What the diaries and the palace share: that they are this hub's alone, what stands there when the palace is off, and how its times,
//! which have no zone, are written.

use leptos::prelude::*;

use crate::language::t;
use crate::parts::revealed;

/// Memory is not replicated as the log is; every page of it says so.
pub(super) fn here_only() -> &'static str {
    t!("This hub only: memory does not travel to other hubs.")
}

/// The page while the palace is off.
pub(super) fn off(reason: &str) -> AnyView {
    view! {
        <section class="failure" role="alert">
            <h1>{t!("The palace is off")}</h1>
            <p class="cause"><code>{revealed(reason)}</code></p>
            <p>
                {t!("What agents remember cannot be read or written until this is mended. Everything else goes on: delegations, the log and \
                artifacts do not need it. The hub tries again by itself every few seconds; reload the page to see.")}
            </p>
            <p><a href="/">{t!("Now")}</a>" · "<a href="/log">{t!("Log")}</a></p>
        </section>
    }
    .into_any()
}

/// `2026-11-30 14:02` of a time as the palace keeps it; what is shorter stays as it is.
pub(super) fn minute(time: &str) -> String {
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(clock)) => format!("{day} {clock}"),
        _ => time.to_owned(),
    }
}

/// `14:02:31` of a time as the palace keeps it; nothing of what has no clock.
pub(super) fn clock(time: &str) -> String {
    time.get(11..19).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_far_as_they_are_known() {
        for (time, at_minute, at_clock) in [
            ("2026-11-30T14:02:31.000001", "2026-11-30 14:02", "14:02:31"),
            ("2026-11-30", "2026-11-30", ""),
            ("unknown", "unknown", ""),
            ("", "", ""),
        ] {
            assert_eq!((minute(time).as_str(), clock(time).as_str()), (at_minute, at_clock));
        }
    }
}
