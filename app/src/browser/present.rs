//! The door to the browser where there is one.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    ClipboardEvent, Element, EventTarget, HtmlDialogElement, HtmlDocument, HtmlElement, MouseEvent, VisibilityState,
};

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
    let is_selected = selected().is_some();
    // What is selected may be cut, escaped or without its last newline: the text itself is put in its place.
    let put = Closure::<dyn FnMut(ClipboardEvent)>::new(move |event: ClipboardEvent| {
        if event.clipboard_data().is_some_and(|data| data.set_data("text/plain", &text).is_ok()) {
            event.prevent_default();
        }
    });
    let page = document();
    let _ = page.add_event_listener_with_callback("copy", put.as_ref().unchecked_ref());
    let old_way = page.clone().dyn_into::<HtmlDocument>().is_ok_and(|d| d.exec_command("copy").unwrap_or(false));
    let _ = page.remove_event_listener_with_callback("copy", put.as_ref().unchecked_ref());
    match (old_way, is_selected) {
        (true, _) => Copied::Done,
        (false, true) => Copied::Selected,
        (false, false) => Copied::Refused,
    }
}

/// The text of an element.
pub fn text(element_id: &str) -> String {
    document().get_element_by_id(element_id).and_then(|element| element.text_content()).unwrap_or_default()
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

/// How much of the page lies below what is seen, in CSS pixels.
pub fn below_px() -> f64 {
    let whole = document().document_element().map_or(0, |root| root.scroll_height());
    let seen = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    f64::from(whole) - seen - scrolled_px()
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

/// Moves the focus among the elements that a selector names, by so many places; the first or the last of them when it is on none.
/// Answers whether there was one to move to.
pub fn step(selector: &str, by: i32) -> bool {
    let Ok(list) = document().query_selector_all(selector) else { return false };
    let active = document().active_element();
    let count = i32::try_from(list.length()).unwrap_or(0);
    let node = |at: i32| u32::try_from(at).ok().and_then(|at| list.item(at));
    let here = (0..count).find(|at| node(*at).is_some_and(|n| n.contains(active.as_deref())));
    let next = match here {
        Some(at) => at + by,
        None if by > 0 => 0,
        None => count - 1,
    };
    let Some(next) = node(next) else { return false };
    next.unchecked_into::<HtmlElement>().focus().is_ok()
}

/// Clicks on the first element that a selector names, as the reader would. Answers whether there is one.
pub fn click(selector: &str) -> bool {
    let found = document().query_selector(selector).ok().flatten();
    found.map(|element| element.unchecked_into::<HtmlElement>().click()).is_some()
}

/// The attribute of what was clicked, or of what it lies in, if a selector names that; `None` for a click that asks for another tab.
pub fn clicked(event: &MouseEvent, selector: &str, attribute: &str) -> Option<String> {
    if event.default_prevented() || event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key() {
        return None;
    }
    event.target()?.dyn_ref::<Element>()?.closest(selector).ok()??.get_attribute(attribute)
}

/// Empties the field that a selector names, and puts the focus into it.
pub fn clear(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let _ = js_sys::Reflect::set(&element, &"value".into(), &"".into());
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// Whether an element that a selector names is there.
pub fn has(selector: &str) -> bool {
    matches!(document().query_selector(selector), Ok(Some(_)))
}

/// Opens a dialog above the page.
pub fn open_dialog(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let dialog = element.unchecked_into::<HtmlDialogElement>();
        if !dialog.open() {
            let _ = dialog.show_modal();
        }
    }
}

/// Closes a dialog.
pub fn close_dialog(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.unchecked_into::<HtmlDialogElement>().close();
    }
}

/// Says something in an element, in place of what it said.
pub fn say(selector: &str, words: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        element.set_text_content(Some(words));
    }
}

/// Whether the window has room for a panel beside the page.
pub fn is_wide() -> bool {
    matches!(window().match_media("(min-width: 901px)"), Ok(Some(query)) if query.matches())
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
