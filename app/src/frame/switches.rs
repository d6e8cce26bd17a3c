//! The two switches that a browser remembers: the zone of times and the theme. They need the page's script and appear with it.

use leptos::prelude::*;

use crate::browser;
use crate::clock::{Zone, use_page_clock};
use crate::language::t;

/// Where the theme is remembered; the shell reads it before the first paint.
pub(crate) const THEME_KEY: &str = "loggia-theme";

/// UTC or the reader's zone, for every time on the page.
#[component]
pub(super) fn ZoneSwitch() -> impl IntoView {
    let clock = use_page_clock();
    let next = move || match clock.zone() {
        Zone::Utc => t!("Show times in your own zone"),
        Zone::Local => t!("Show times in UTC"),
    };
    let now = move || clock.tick_ms().map(|tick_ms| clock.stamp(tick_ms).time).unwrap_or_default();
    view! {
        <button type="button" class="button zone needs-script" title=move || next() on:click=move |_| clock.switch_zone()>
            <span class="zone-name">{move || clock.zone_name()}</span>
            <span class="zone-now" aria-hidden="true">{move || now()}</span>
        </button>
    }
}

/// Light, dark, or as the system has it.
#[component]
pub(super) fn ThemeSwitch() -> impl IntoView {
    let theme = RwSignal::new(Theme::System);
    Effect::new(move |_| theme.set(Theme::parse(browser::stored(THEME_KEY).as_deref())));
    let switch = move |_| {
        let next = theme.get_untracked().next();
        theme.set(next);
        browser::store(THEME_KEY, next.word());
        browser::set_root_attribute("data-theme", next.word());
    };
    view! {
        <button type="button" class="button theme needs-script" on:click=switch title=t!("Switch between light, dark and the system's theme")>
            {t!("Theme: ")}{move || theme.get().label()}
        </button>
    }
}

/// The other language. A plain form, so that it works without the page's script; the hub remembers it in a cookie and comes back here.
#[component]
pub(crate) fn LanguageSwitch() -> impl IntoView {
    view! {
        <form method="post" action="/language" class="language">
            <button type="submit" class="button" name="language" value=t!("zh") lang=t!("zh")>{t!("中文")}</button>
        </form>
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    fn parse(word: Option<&str>) -> Self {
        match word {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    fn word(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::System => t!("auto"),
            Self::Light => t!("light"),
            Self::Dark => t!("dark"),
        }
    }

    fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}
