//! Numbered lines of a text. The numbers are drawn by the stylesheet, so that copying gives the text alone.

use leptos::prelude::*;

use super::ansi::{Pen, parts};
use super::budget::{Budget, MAX_LINE_CHARS, lines};
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, cut, grouped};

/// A text with line numbers.
#[component]
pub(super) fn NumberedText(text: String, download: String) -> impl IntoView {
    let all = lines(&text);
    let total = all.clone().count();
    let shown = Budget::page().take(all.clone().map(str::len));
    let mut pen = Pen::default();
    let rows = all
        .take(shown)
        .enumerate()
        .map(|(i, line)| {
            view! { <div class="line" data-n=(i + 1).to_string()>{coloured(line, &mut pen)}</div> }.into_any()
        })
        .collect_view();
    view! {
        <div class="code numbered" tabindex="0" role="region" aria-label=t!("Content")>{rows}</div>
        {not_shown(total - shown, &download)}
    }
}

/// A line in the colours of a terminal, cut where it is endless however often it changes its colour.
fn coloured(line: &str, pen: &mut Pen) -> AnyView {
    let (mut left, mut more) = (MAX_LINE_CHARS, 0);
    let mut shown = Vec::new();
    for part in parts(line, pen) {
        let (text, rest) = cut(&part.text, left);
        (left, more) = (left - text.chars().count(), more + rest);
        if text.is_empty() {
            continue;
        }
        shown.push(match part.class.as_str() {
            "" => with_blanks(text),
            class => view! { <span class=class.to_owned()>{revealed(text)}</span> }.into_any(),
        });
    }
    shown.extend(cut_mark(more));
    shown.into_any()
}

/// How much of a line is not shown.
fn cut_mark(more: usize) -> Option<AnyView> {
    let mark = (more > 0).then(|| t!("… {count} more characters", count = grouped(more as u64)))?;
    Some(view! { <span class="cut">{mark}</span> }.into_any())
}

/// A line whose tabs and blanks at its start and its end can be made visible by the stylesheet.
pub(super) fn with_blanks(line: &str) -> AnyView {
    if line.len() > MAX_LINE_CHARS {
        return line_text(line);
    }
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let inner = line.trim_start_matches(is_blank);
    let start = &line[..line.len() - inner.len()];
    let text = inner.trim_end_matches(is_blank);
    let end = &inner[text.len()..];
    let blanks = |run: &str| {
        (!run.is_empty()).then(|| {
            let one = |c: char| match c {
                '\t' => view! { <span class="tab">"\t"</span> }.into_any(),
                c => c.to_string().into_any(),
            };
            view! { <span class="blanks">{run.chars().map(one).collect_view()}</span> }.into_any()
        })
    };
    // A line of blanks alone is its own end.
    view! { {blanks(start)}{line_text(text)}{blanks(end)} }.into_any()
}

/// A line as it is shown: cut where it is endless, unseen characters written out.
pub(super) fn line_text(line: &str) -> AnyView {
    let (start, more) = cut(line, MAX_LINE_CHARS);
    if more == 0 {
        return revealed(line);
    }
    view! { {revealed(start)}{cut_mark(more)} }.into_any()
}

/// What is left out, and how to get it.
pub(super) fn not_shown(lines: usize, download: &str) -> Option<AnyView> {
    (lines > 0).then(|| {
        let download = download.to_owned();
        view! {
            <p class="not-shown">
                {counted(lines as u64, t!("line##n"), t!("lines##n"))}{t!(" not shown. ")}
                <a href=download download rel="external">{t!("Download the exact bytes")}</a>
            </p>
        }
        .into_any()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_however_often_it_changes_its_colour() {
        let line = "\u{1b}[31mab\u{1b}[32mcd".repeat(1000);
        let html = coloured(&line, &mut Pen::default()).to_html();
        assert_eq!(html.matches("<span class=\"sgr-").count(), MAX_LINE_CHARS / 2);
        assert!(html.contains("2\u{202f}000 more characters"), "{}", &html[html.len() - 200..]);
    }
}
