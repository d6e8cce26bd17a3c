//! The keyboard on every page, and what it opens above it: the palette and the list of keys, both written by the hub. Nothing of it is
//! needed to use a page.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ask::ask;
use crate::backend::SheetQuery;
use crate::language::t;
use crate::parts::copy_what_was_clicked;
use crate::question::{Answer, Question};
use crate::{browser, href};

const OVERLAY: &str = "overlay";
/// The links to events, one for each row.
const ROWS: &str = "main .to-event";
/// The heads of hunks that are not folded away.
const HUNKS: &str = ".artifact details[open] .line.hunk";
/// What the arrows move through in the palette.
const ENTRIES: &str = "#overlay input, #overlay .found a";

/// Listens to the keyboard, and shows what lies above the page.
#[component]
pub fn Keys() -> impl IntoView {
    let overlay =
        Overlay { html: RwSignal::new(String::new()), finds: RwSignal::new(true), asked: StoredValue::new(0) };
    let after_g = StoredValue::new(false);
    Effect::new(move |_| {
        let keys = window_event_listener(leptos::ev::keydown, move |event| pressed(&event, overlay, after_g));
        let clicks = window_event_listener(leptos::ev::click, move |event| copy_what_was_clicked(&event));
        on_cleanup(move || {
            keys.remove();
            clicks.remove();
        });
    });
    let first = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        browser::click("#overlay .found a");
    };
    // Here, since the router takes the click further up.
    let leave = move |event| {
        if browser::clicked(&event, "a", "href").is_some() {
            browser::close_dialog(OVERLAY);
        }
    };
    view! {
        <dialog id=OVERLAY class="overlay" aria-label=t!("Find")>
            <form on:submit=first hidden=move || !overlay.finds.get()>
                <input type="search" aria-label=t!("Find a page, a stream, an agent or a task") autocomplete="off" spellcheck="false"
                    placeholder=t!("Page, stream, agent, task, id") on:input=move |event| overlay.find(event_target_value(&event))/>
            </form>
            <div inner_html=move || overlay.html.get() on:click=leave></div>
        </dialog>
    }
}

/// What lies above the page.
#[derive(Clone, Copy)]
struct Overlay {
    html: RwSignal<String>,
    /// Whether it is the palette rather than the list of keys.
    finds: RwSignal<bool>,
    /// The number of the last question: an older answer comes too late.
    asked: StoredValue<u32>,
}

impl Overlay {
    fn open(self, finds: bool) {
        self.finds.set(finds);
        self.html.set(String::new());
        browser::open_dialog(OVERLAY);
        if finds {
            browser::clear("#overlay input");
            self.find(String::new());
        } else {
            self.ask("/keys", String::new());
        }
    }

    fn find(self, letters: String) {
        self.ask("/find", href::query([("q", letters.as_str())]));
    }

    fn ask(self, path: &str, search: String) {
        let number = self.asked.get_value() + 1;
        self.asked.set_value(number);
        let asked = SheetQuery { path: path.to_owned(), search, ..SheetQuery::default() };
        spawn_local(async move {
            if let Ok(Answer::Sheet(sheet)) = ask(Question::Sheet(asked)).await
                && self.asked.try_get_value() == Some(number)
            {
                self.html.set(sheet.html.text);
            }
        });
    }
}

fn pressed(event: &KeyboardEvent, overlay: Overlay, after_g: StoredValue<bool>) {
    // These keys choose among the characters that somebody is about to write.
    if event.is_composing() {
        return;
    }
    let key = event.key();
    if (event.ctrl_key() || event.meta_key()) && key == "k" {
        event.prevent_default();
        return overlay.open(true);
    }
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    if browser::has("#overlay[open]") {
        let by = match &*key {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            // Else a field with words in it would take the key to empty itself.
            "Escape" => {
                event.prevent_default();
                return browser::close_dialog(OVERLAY);
            }
            _ => return,
        };
        event.prevent_default();
        browser::step(ENTRIES, by);
        return;
    }
    if browser::has("main :is(input, textarea, select):focus") {
        return;
    }
    let went = after_g.get_value();
    after_g.set_value(false);
    if went {
        browser::click(&format!(".rail [data-key=\"{}\"]", href::encode(&key)));
        return;
    }
    match &*key {
        "j" => step(1),
        "k" => step(-1),
        // On the page of a patch they go from hunk to hunk.
        "n" => drop(browser::click(".hit-next") || browser::step(HUNKS, 1)),
        "N" => drop(browser::click(".hit-previous")),
        "p" => drop(browser::click(".pause") || browser::step(HUNKS, -1)),
        "o" => drop(browser::click(".peek .to-page")),
        "t" => browser::scroll_to_top(),
        "g" => after_g.set_value(true),
        "?" => overlay.open(false),
        "Escape" => drop(browser::click(".peek-close")),
        "/" => {
            event.prevent_default();
            browser::focus("main [type=search]");
        }
        _ => {}
    }
}

/// To another row; where an event is looked at beside the log, that one is looked at now.
fn step(by: i32) {
    if browser::step(ROWS, by) && browser::has(".peek") {
        browser::click(":focus");
    }
}
