//! The door to the browser where there is one.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{EventTarget, HtmlDocument, HtmlElement, VisibilityState};

use super::Copied;

/// A listener on the document, removed when dropped.
#[derive(Debug)]
pub struct Listener {
    target: EventTarget,
    event: &'static str,
    closure: Closure<dyn FnMut()>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.target.remove_event_listener_with_callback(self.event, self.closure.as_ref().unchecked_ref());
    }
}

/// The reader's clock, ms since 1970.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a clock after 1970, below 2^53")]
pub fn now_ms() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}

/// Minutes east of UTC that the reader's zone has at a time.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "below 2^53, and at most 14 hours")]
pub fn zone_offset_min(at_ms: u64) -> i32 {
    -js_sys::Date::new(&wasm_bindgen::JsValue::from_f64(at_ms as f64)).get_timezone_offset() as i32
}

/// A remembered setting.
pub fn stored(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Remembers a setting; forgets it when there is no value. A browser that stores nothing is no fault.
pub fn store(key: &str, value: Option<&str>) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = match value {
            Some(value) => storage.set_item(key, value),
            None => storage.remove_item(key),
        };
    }
}

/// Sets or removes an attribute of `<html>`.
pub fn set_root_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// Copies a text; `element_id` names what shows it, to be selected where copying is refused.
pub async fn copy(text: String, element_id: String) -> Copied {
    // Outside of https and localhost there is no clipboard object at all.
    if window().is_secure_context() && JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok()
    {
        return Copied::Done;
    }
    let selected = || {
        let element = document().get_element_by_id(&element_id)?;
        window().get_selection().ok()??.select_all_children(&element).ok()
    };
    if selected().is_none() {
        return Copied::Refused;
    }
    let old_way = document().dyn_into::<HtmlDocument>().is_ok_and(|d| d.exec_command("copy").unwrap_or(false));
    if old_way { Copied::Done } else { Copied::Selected }
}

/// Whether the tab is hidden.
pub fn is_hidden() -> bool {
    document().visibility_state() == VisibilityState::Hidden
}

/// Whether the reader asked for less motion.
pub fn prefers_less_motion() -> bool {
    matches!(window().match_media("(prefers-reduced-motion: reduce)"), Ok(Some(query)) if query.matches())
}

/// Leaves for an address by a full page load.
pub fn go(href: &str) {
    let _ = window().location().set_href(href);
}

/// Path and query of the page.
pub fn here() -> String {
    let location = window().location();
    location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
}

/// How far the page is scrolled, in CSS pixels.
pub fn scrolled_px() -> f64 {
    window().scroll_y().unwrap_or(0.0)
}

/// Scrolls to the top at once.
pub fn scroll_to_top() {
    window().scroll_to_with_x_and_y(0.0, 0.0);
}

/// Puts the focus on the first element that a selector names, which also brings it into sight.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// Whether the focus is within an element that a selector names.
pub fn has_focus(selector: &str) -> bool {
    matches!(document().query_selector(&format!("{selector}:focus-within")), Ok(Some(_)))
}

/// Whether text is selected.
pub fn has_selection() -> bool {
    matches!(window().get_selection(), Ok(Some(selection)) if !selection.is_collapsed())
}

/// Selects nothing.
pub fn clear_selection() {
    if let Ok(Some(selection)) = window().get_selection() {
        let _ = selection.remove_all_ranges();
    }
}

/// Calls back on an event of the document until the listener is dropped.
pub fn on_document(event: &'static str, f: impl FnMut() + 'static) -> Listener {
    let target: EventTarget = document().into();
    let closure = Closure::<dyn FnMut()>::new(f);
    let _ = target.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
    Listener { target, event, closure }
}
