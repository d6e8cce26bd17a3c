//! The content of an artifact: a diff as a diff, JSON laid out, a log in its colours, everything else as numbered lines, and above it what a reader could overlook.

use leptos::prelude::*;
use loggia_domain::ArtifactKind;

use super::ansi;
use super::budget::{Budget, MAX_LINES};
use super::diff::File;
use super::diff_view::DiffView;
use super::json;
use super::lines::{NumberedText, line_text, not_shown};
use crate::href;
use crate::language::t;
use crate::words::{count_hidden, counted};

/// The content under its notes.
#[component]
pub(super) fn Content(
    /// What it holds.
    kind: String,
    /// The exact text.
    content: String,
    /// Its id.
    id: String,
    /// What it holds as a diff; nothing of anything else.
    files: Vec<File>,
    /// Which file of a diff is opened, by its place.
    opened: Option<usize>,
    /// Of each file whether it was looked through, and the hash of what it says; `None` where nothing can be marked.
    #[prop(optional_no_strip)]
    marks: Option<Vec<(bool, String)>>,
    /// What stands above a diff.
    #[prop(optional_no_strip)]
    head: Option<AnyView>,
) -> impl IntoView {
    let download = href::raw(&id);
    let is_patch = kind == ArtifactKind::Patch.as_str();
    let notes = notes(&content, is_patch)
        .into_iter()
        .map(|note| view! { <p class="note warn">{note}</p> }.into_any())
        .collect_view();
    let is_diff = files.iter().any(File::is_diff);
    let json = if kind == ArtifactKind::Json.as_str() { json::lines(&content, MAX_LINES) } else { None };
    let is_json = json.is_some();
    let body = if is_diff {
        view! { {head} <DiffView files=files id=id opened=opened marks=marks/> }.into_any()
    } else if let Some(lines) = json {
        json_text(lines, &download)
    } else {
        view! { <NumberedText text=content download=download/> }.into_any()
    };
    let said = is_json.then(|| {
        view! { <p class="faint laid-out">{t!("Laid out for reading, values as written; the download is exact.")}</p> }
            .into_any()
    });
    let hunks = is_diff.then(|| {
        view! { <span class="faint needs-script"><kbd>"n"</kbd>" "<kbd>"p"</kbd>{t!(" next and previous hunk")}</span> }
            .into_any()
    });
    view! {
        {notes}
        <div class="switches">
            <label><input type="checkbox" class="wrap-lines" checked=!is_diff/>{t!(" wrap lines")}</label>
            <label><input type="checkbox" class="show-blanks"/>{t!(" show blanks and tabs")}</label>
            {hunks}
        </div>
        {said}
        {body}
    }
}

/// JSON on indented lines.
fn json_text(json::Lines { first, total, .. }: json::Lines, download: &str) -> AnyView {
    let shown = Budget::page().take(first.iter().map(|line| line.iter().map(|(_, text)| text.len()).sum()));
    let rows = first
        .into_iter()
        .take(shown)
        .enumerate()
        .map(|(at, pieces)| {
            let pieces = pieces
                .into_iter()
                .map(|(kind, text)| match kind {
                    // What is nested too deep to be laid out is one mark, with whatever stands in it.
                    json::Kind::Mark => line_text(&text),
                    kind => view! { <span class=kind.class()>{line_text(&text)}</span> }.into_any(),
                })
                .collect_view();
            view! { <div class="line" data-n=(at + 1).to_string()>{pieces}</div> }.into_any()
        })
        .collect_view();
    view! {
        <div class="code numbered" tabindex="0" role="region" aria-label=t!("Content")>{rows}</div>
        {not_shown(total - shown, download)}
    }
    .into_any()
}

/// What a reader should know before trusting the look of a text.
fn notes(content: &str, is_patch: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let carriage_returns = content.matches('\r').count();
    let colour_codes = ansi::count(content);
    // Each colour code starts with an escape character, which is not shown and so not counted among what is.
    let hidden = count_hidden(content) - carriage_returns - colour_codes;
    if hidden > 0 {
        notes.push(t!(
            "{count} that a reader would not see, or that would reorder the text, written out where they stand",
            count = counted(hidden as u64, t!("character##n"), t!("characters##n"))
        ));
    }
    if carriage_returns > 0 {
        let advice = if is_patch { t!("; git apply often refuses such a patch") } else { "" };
        notes.push(t!(
            "{count}, written as CR{advice}",
            advice = advice,
            count = counted(carriage_returns as u64, t!("carriage return##n"), t!("carriage returns##n"))
        ));
    }
    if colour_codes > 0 {
        notes.push(t!(
            "{count} of a terminal {how}; the download has them as they are",
            count = counted(colour_codes as u64, t!("colour code##n"), t!("colour codes##n")),
            how = if is_patch { t!("left out here") } else { t!("shown as colours") }
        ));
    }
    if is_patch && !content.ends_with('\n') {
        notes.push(t!("No newline at the end: git apply refuses the last hunk of such a patch").to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_too_deep_is_written_out_and_cut_all_the_same() {
        let html = |inner: &str| {
            let content = format!("{}\"{inner}\"{}", "[".repeat(40), "]".repeat(40));
            view! { <Content kind="json".to_owned() content=content id="art_1".to_owned() files=vec![] opened=None/> }
                .to_html()
        };
        let hidden = html("a\u{202e}b");
        assert!(hidden.contains("laid-out") && hidden.contains("U+202E") && !hidden.contains('\u{202e}'), "{hidden}");
        let long = html(&"x".repeat(9_000));
        assert!(long.contains("class=\"cut\"") && !long.contains(&"x".repeat(2_001)));
    }

    #[test]
    fn each_note_counts_its_own_characters() {
        assert_eq!(notes("plain\n", true), Vec::<String>::new());
        let all = notes("a\r\n\u{1b}[31mred\u{1b}[0m\u{202e}x", true);
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all[0].starts_with("1\u{a0}character "), "{all:?}");
        assert!(all[1].starts_with("1\u{a0}carriage return,"), "{all:?}");
        assert!(all[2].starts_with("2\u{a0}colour codes "), "{all:?}");
        assert_eq!(notes("no newline", false), Vec::<String>::new());
    }
}
