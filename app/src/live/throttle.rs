//! Something that may be wished for often and is done once in a while.

#[cfg(feature = "hydrate")]
use std::time::Duration;

#[cfg(feature = "hydrate")]
use leptos::prelude::*;

#[cfg(feature = "hydrate")]
use crate::browser;

/// Runs a function soon after each call, yet never more often than once per gap. Ends with the component that made it.
///
/// On the hub it is nothing: a page is rendered on many threads, and what belongs to one thread must not be dropped on another.
#[derive(Clone, Copy)]
pub struct Throttle {
    #[cfg(feature = "hydrate")]
    inner: StoredValue<Inner, LocalStorage>,
}

#[cfg(feature = "hydrate")]
struct Inner {
    gap_ms: u64,
    last_ms: u64,
    waiting: bool,
    run: Box<dyn Fn()>,
}

#[cfg(not(feature = "hydrate"))]
impl Throttle {
    /// A throttle with a gap in ms.
    pub fn new(_gap_ms: u64, _run: impl Fn() + 'static) -> Self {
        Self {}
    }

    /// Wishes for a run; nothing happens on the hub.
    #[expect(clippy::unused_self, reason = "the same signature as in the browser")]
    pub fn call(self) {}
}

#[cfg(feature = "hydrate")]
impl Throttle {
    /// A throttle with a gap in ms.
    pub fn new(gap_ms: u64, run: impl Fn() + 'static) -> Self {
        Self { inner: StoredValue::new_local(Inner { gap_ms, last_ms: 0, waiting: false, run: Box::new(run) }) }
    }

    /// Wishes for a run.
    pub fn call(self) {
        let wait_ms = self.inner.try_update_value(|inner| {
            if inner.waiting {
                return None;
            }
            inner.waiting = true;
            Some((inner.last_ms + inner.gap_ms).saturating_sub(browser::now_ms()))
        });
        if let Some(Some(wait_ms)) = wait_ms {
            set_timeout(
                move || {
                    self.inner.try_update_value(|inner| {
                        inner.waiting = false;
                        inner.last_ms = browser::now_ms();
                    });
                    self.inner.try_with_value(|inner| (inner.run)());
                },
                Duration::from_millis(wait_ms),
            );
        }
    }
}
