//! The content of an artifact: a diff as a diff, everything else as numbered lines, and above it what a reader could overlook.

use leptos::prelude::*;
use loggia_domain::ArtifactKind;

use super::diff::{File, parse};
use super::diff_view::DiffView;
use super::lines::NumberedText;
use crate::words::{count_colour_codes, count_hidden, counted, without_colour_codes};

/// The content under its notes.
#[component]
pub(super) fn Content(
    /// What it holds.
    kind: String,
    /// The exact text.
    content: String,
    /// Where its bytes are.
    download: String,
) -> impl IntoView {
    let is_patch = kind == ArtifactKind::Patch.as_str();
    let notes = notes(&content, is_patch)
        .into_iter()
        .map(|note| view! { <p class="note warn">{note}</p> }.into_any())
        .collect_view();
    let shown = without_colour_codes(&content);
    let files = if is_patch { parse(&shown) } else { vec![] };
    let body = if files.iter().any(File::is_diff) {
        view! { <DiffView files=files download=download/> }.into_any()
    } else {
        view! { <NumberedText text=shown download=download/> }.into_any()
    };
    view! { {notes} {body} }
}

/// What a reader should know before trusting the look of a text.
fn notes(content: &str, is_patch: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let carriage_returns = content.matches('\r').count();
    let colour_codes = count_colour_codes(content);
    // Each colour code starts with an escape character, which is not shown and so not counted among what is.
    let hidden = count_hidden(content) - carriage_returns - colour_codes;
    if hidden > 0 {
        notes.push(format!(
            "{} that a reader would not see, or that would reorder the text, written out where they stand",
            counted(hidden as u64, "character", "characters")
        ));
    }
    if carriage_returns > 0 {
        let advice = if is_patch { "; git apply often refuses such a patch" } else { "" };
        notes.push(format!(
            "{}, written as CR{advice}",
            counted(carriage_returns as u64, "carriage return", "carriage returns")
        ));
    }
    if colour_codes > 0 {
        notes.push(format!(
            "{} of a terminal left out here; the download has them",
            counted(colour_codes as u64, "colour code", "colour codes")
        ));
    }
    if is_patch && !content.ends_with('\n') {
        notes.push("No newline at the end: git apply refuses the last hunk of such a patch".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

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
