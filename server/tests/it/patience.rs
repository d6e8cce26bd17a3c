//! Waiting for what must come: the one loop that looks again until it is there.

use std::time::{Duration, Instant};

/// How long something may take that nothing but a busy machine delays.
const LIMIT: Duration = Duration::from_secs(30);
/// How long to rest between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until something is there, and answers it.
#[track_caller]
pub(crate) fn until<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    until(LIMIT, what, || is_so().then_some(()));
}
