//! The one door to the browser. With the feature `hydrate` these functions do what they say; elsewhere they do nothing, so that
//! components need no conditional code of their own. Event handlers and effects may call them; a first frame must not, since it has
//! to be the same on the hub and in the browser.

#[cfg(not(feature = "hydrate"))]
mod absent;
#[cfg(feature = "hydrate")]
mod present;

#[cfg(not(feature = "hydrate"))]
pub use absent::*;
#[cfg(feature = "hydrate")]
pub use present::*;

/// What became of a wish to copy.
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only a browser has a clipboard"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// The text is in the clipboard.
    Done,
    /// The browser refused, as it does on plain http; the text is selected instead, ready for the reader's own keys.
    Selected,
    /// Neither worked.
    Refused,
}
