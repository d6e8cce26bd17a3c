//! The time machine's bar: which moment of the past a page shows, said loudly, and the ways to another one. The hub writes it: links and
//! a form that need no script. What a script adds is that playing goes on by itself and that letting the slider go is enough.

use std::time::Duration;

use leptos::prelude::*;

use crate::{browser, href};

/// How long each moment stays while playing.
const PLAY_STEP: Duration = Duration::from_millis(1200);

/// Goes on to the next moment by itself where the address says so, and to the chosen one when the slider is let go.
#[component]
pub fn Playing(
    /// The query string of the page.
    search: Memo<String>,
) -> impl IntoView {
    Effect::new(move |_| {
        let listener = browser::on_document("change", || {
            browser::click(".time-form:focus-within button");
        });
        let listener = StoredValue::new_local(listener);
        on_cleanup(move || listener.dispose());
        if href::value(&search.get(), "play").is_some() {
            let next = || {
                browser::click("a.time-next");
            };
            if let Ok(handle) = set_timeout_with_handle(next, PLAY_STEP) {
                on_cleanup(move || handle.clear());
            }
        }
    });
}

#[cfg(feature = "ssr")]
pub use written::bar;

#[cfg(feature = "ssr")]
mod written {
    use leptos::prelude::*;

    use crate::backend::asked::Moment;
    use crate::href;
    use crate::language::t;
    use crate::parts::{revealed, written_time};
    use crate::words::grouped_seq;

    /// How many moments playing takes from the first event to the last, at most.
    const PLAY_STEPS: i64 = 120;

    /// The bar at the page `path`; `id` is the delegation that the page is about, if it is about one.
    pub fn bar(path: &'static str, id: Option<&str>, moment: &Moment, is_playing: bool) -> AnyView {
        let address = |at: &str, playing: bool| {
            let id = id.map(|id| ("id", id));
            let playing = playing.then_some(("play", "1"));
            format!("{path}?{}", href::query(id.into_iter().chain([("at", at)]).chain(playing)))
        };
        let live = id.map_or_else(|| path.to_owned(), |id| format!("{path}?{}", href::query([("id", id)])));
        let step = (moment.places / PLAY_STEPS).max(1);
        let is_last = moment.place >= moment.places;
        let next = (!is_last).then(|| (moment.place + step).min(moment.places).to_string());
        let link = |words: &'static str, at: Option<&String>| match at {
            Some(at) => view! { <a class="button small" href=address(at, false)>{words}</a> }.into_any(),
            None => view! { <span class="button small" aria-disabled="true">{words}</span> }.into_any(),
        };
        let play = match (&next, is_playing) {
            (Some(next), true) => {
                let goes_on = address(next, true);
                // Without a script the browser itself goes on.
                let by_itself = format!("1;url={goes_on}");
                view! {
                    <a class="button small" href=address(&moment.event.id, false)>{t!("■ Stop")}</a>
                    <a class="time-next visually-hidden" href=goes_on>{t!("next moment")}</a>
                    <noscript><meta http-equiv="refresh" content=by_itself/></noscript>
                }
                .into_any()
            }
            (Some(next), false) => {
                view! { <a class="button small" href=address(next, true)>{t!("▶ Play")}</a> }.into_any()
            }
            // At the end, playing starts again from the beginning.
            (None, _) => {
                view! { <a class="button small" href=address("1", true)>{t!("▶ Play from the start")}</a> }.into_any()
            }
        };
        let place = t!("{place} of {places}", place = grouped_seq(moment.place), places = grouped_seq(moment.places));
        let hidden = id.map(|id| view! { <input type="hidden" name="id" value=id.to_owned()/> }.into_any());
        view! {
            <section class="time-bar" aria-label=t!("Time machine")>
                <p class="time-loud" role="status">
                    <b>{t!("This is the past.")}</b>
                    {t!(" What this hub knew at ")}{written_time(&moment.event.created_at)}{t!(", when event ")}
                    {place}{t!(" had arrived: ")}
                    <a href=href::event(&moment.event.id)>{revealed(&moment.event.event_type)}{t!(" by ")}{revealed(&moment.event.from_agent)}</a>
                    {t!(". Nothing here is live.")}
                </p>
                <a class="button primary" href=live>{t!("Back to live")}</a>
                <form class="time-form" method="get" action=path>
                    {hidden}
                    {link(t!("‹ Earlier"), moment.older.as_ref())}
                    <label class="visually-hidden" for="time-at">{t!("Moment, by order of arrival")}</label>
                    <input id="time-at" type="range" name="at" min="1" max=moment.places.to_string() value=moment.place.to_string()/>
                    <button class="button small">{t!("Go")}</button>
                    {link(t!("Later ›"), moment.newer.as_ref())}
                    {play}
                </form>
            </section>
        }
        .into_any()
    }
}
