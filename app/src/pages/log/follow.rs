//! Whether the page follows the newest event. It stops when the reader scrolls away from the top, selects text, or says so, and
//! goes on when the reader is back at the top.

use leptos::prelude::*;

use crate::browser;

/// From this distance from the top on, in CSS pixels, the reader is reading.
const AWAY_PX: f64 = 120.0;

/// The reasons not to follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Following {
    scrolled: RwSignal<bool>,
    selecting: RwSignal<bool>,
    paused: RwSignal<bool>,
}

impl Following {
    /// Watches the reader, in the browser, as long as the calling component lives.
    pub(super) fn watch() -> Self {
        let this =
            Self { scrolled: RwSignal::new(false), selecting: RwSignal::new(false), paused: RwSignal::new(false) };
        Effect::new(move |_| {
            let scroll = window_event_listener(leptos::ev::scroll, move |_| {
                let away = browser::scrolled_px() > AWAY_PX;
                if this.scrolled.get_untracked() != away {
                    this.scrolled.set(away);
                }
            });
            let selection = browser::on_document("selectionchange", move || {
                let selecting = browser::has_selection();
                if this.selecting.try_get_untracked().is_some_and(|before| before != selecting) {
                    this.selecting.set(selecting);
                }
            });
            StoredValue::new_local(selection);
            on_cleanup(move || scroll.remove());
        });
        this
    }

    /// Whether new rows may be shown. Tracked.
    pub(super) fn is_on(self) -> bool {
        !self.scrolled.get() && !self.selecting.get() && !self.paused.get()
    }

    /// The same, not tracked.
    pub(super) fn is_on_untracked(self) -> bool {
        untrack(|| self.is_on())
    }

    /// Whether the reader has left the top of the page. Tracked.
    pub(super) fn is_away(self) -> bool {
        self.scrolled.get()
    }

    /// Whether the reader said to stop. Tracked.
    pub(super) fn is_paused(self) -> bool {
        self.paused.get()
    }

    /// Stops or goes on, as the reader says.
    pub(super) fn switch_pause(self) {
        self.paused.update(|paused| *paused = !*paused);
    }

    /// Goes on from the top, whatever the reason to stop was.
    pub(super) fn resume(self) {
        browser::clear_selection();
        browser::scroll_to_top();
        self.paused.set(false);
        self.selecting.set(false);
        self.scrolled.set(false);
    }
}
