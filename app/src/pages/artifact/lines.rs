//! Numbered lines of a text. The numbers are drawn by the stylesheet, so that copying gives the text alone.

use leptos::prelude::*;

use super::budget::{Budget, MAX_LINE_CHARS, lines};
use crate::parts::revealed;
use crate::words::{counted, cut, grouped};

/// A text with line numbers.
#[component]
pub(super) fn NumberedText(text: String, download: String) -> impl IntoView {
    let all = lines(&text);
    let total = all.clone().count();
    let shown = Budget::page().take(total);
    let rows = all
        .take(shown)
        .enumerate()
        .map(|(i, line)| view! { <div class="line" data-n=(i + 1).to_string()>{line_text(line)}</div> }.into_any())
        .collect_view();
    view! {
        <div class="code numbered" tabindex="0" role="region" aria-label="Content">{rows}</div>
        {not_shown(total - shown, &download)}
    }
}

/// A line as it is shown: cut where it is endless, unseen characters written out.
pub(super) fn line_text(line: &str) -> AnyView {
    let (start, more) = cut(line, MAX_LINE_CHARS);
    if more == 0 {
        return revealed(line);
    }
    let mark = format!("… {} more characters", grouped(more as u64));
    view! { {revealed(start)}<span class="cut">{mark}</span> }.into_any()
}

/// What is left out, and how to get it.
pub(super) fn not_shown(lines: usize, download: &str) -> Option<AnyView> {
    (lines > 0).then(|| {
        let download = download.to_owned();
        view! {
            <p class="not-shown">
                {counted(lines as u64, "line", "lines")}" not shown. "
                <a href=download download rel="external">"Download the exact bytes"</a>
            </p>
        }
        .into_any()
    })
}
