//! The door to the browser where there is none: on the hub.

use super::Copied;

/// A listener that hears nothing.
#[derive(Debug)]
pub struct Listener;

/// The reader's clock, ms since 1970.
pub fn now_ms() -> u64 {
    0
}

/// Minutes east of UTC that the reader's zone has at a time.
pub fn zone_offset_min(_at_ms: u64) -> i32 {
    0
}

/// A remembered setting.
pub fn stored(_key: &str) -> Option<String> {
    None
}

/// Remembers a setting; forgets it when there is no value.
pub fn store(_key: &str, _value: Option<&str>) {}

/// Sets or removes an attribute of `<html>`.
pub fn set_root_attribute(_name: &str, _value: Option<&str>) {}

/// The text of an element.
pub fn text(_element_id: &str) -> String {
    String::new()
}

/// Copies a text; `element_id` names what shows it, to be selected where copying is refused.
#[expect(clippy::unused_async, reason = "the browser's side awaits")]
pub async fn copy(_text: String, _element_id: String) -> Copied {
    Copied::Refused
}

/// Whether the tab is hidden.
pub fn is_hidden() -> bool {
    false
}

/// Whether the reader asked for less motion.
pub fn prefers_less_motion() -> bool {
    false
}

/// Leaves for an address by a full page load.
pub fn go(_href: &str) {}

/// Path and query of the page.
pub fn here() -> String {
    String::new()
}

/// How far the page is scrolled, in CSS pixels.
pub fn scrolled_px() -> f64 {
    0.0
}

/// How much of the page lies below what is seen, in CSS pixels.
pub fn below_px() -> f64 {
    f64::MAX
}

/// Scrolls to the top at once.
pub fn scroll_to_top() {}

/// Puts the focus on the first element that a selector names, which also brings it into sight.
pub fn focus(_selector: &str) {}

/// Moves the focus among the elements that a selector names.
pub fn step(_selector: &str, _by: i32) -> bool {
    false
}

/// Clicks on the first element that a selector names.
pub fn click(_selector: &str) -> bool {
    false
}

/// The attribute of what was clicked, or of what it lies in.
pub fn clicked(_event: &leptos::ev::MouseEvent, _selector: &str, _attribute: &str) -> Option<String> {
    None
}

/// Empties the field that a selector names, and puts the focus into it.
pub fn clear(_selector: &str) {}

/// Whether an element that a selector names is there.
pub fn has(_selector: &str) -> bool {
    false
}

/// Opens a dialog above the page.
pub fn open_dialog(_id: &str) {}

/// Closes a dialog.
pub fn close_dialog(_id: &str) {}

/// Says something in an element.
pub fn say(_selector: &str, _words: &str) {}

/// Whether the window has room for a panel beside the page.
pub fn is_wide() -> bool {
    false
}

/// Whether the focus is within an element that a selector names.
pub fn has_focus(_selector: &str) -> bool {
    false
}

/// Whether text is selected.
pub fn has_selection() -> bool {
    false
}

/// Selects nothing.
pub fn clear_selection() {}

/// Calls back on an event of the document until the listener is dropped.
pub fn on_document(_event: &'static str, _f: impl FnMut() + 'static) -> Listener {
    Listener
}
