//! A diff, file by file. Counts cover everything, also what is folded away or not shown.

use leptos::prelude::*;

use super::budget::{Budget, MAX_LINE_CHARS};
use super::diff::{File, Kind, Line};
use super::lines::{line_text, not_shown, with_blanks};
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, grouped};

/// The files of a diff.
#[component]
pub(super) fn DiffView(files: Vec<File>, download: String) -> impl IntoView {
    let total: usize = files.iter().map(|file| file.lines.len()).sum();
    let list = (files.iter().filter(|f| f.is_diff()).count() > 1).then(|| file_list(&files));
    let shares = shares(&files);
    let shown: usize = shares.iter().sum();
    let parts = files
        .into_iter()
        .zip(shares)
        .enumerate()
        .map(|(at, (file, shown))| view! { <FilePart file=file at=at shown=shown/> }.into_any())
        .collect_view();
    view! { {list} {parts} {not_shown(total - shown, &download)} }
}

/// How many lines of each file are shown: what is folded away comes last.
fn shares(files: &[File]) -> Vec<usize> {
    let mut budget = Budget::page();
    let mut shares = vec![0; files.len()];
    for folded in [false, true] {
        for (share, file) in shares.iter_mut().zip(files) {
            if file.folded_because().is_some() == folded {
                *share = budget.take(file.lines.len());
            }
        }
    }
    shares
}

fn file_list(files: &[File]) -> AnyView {
    let diffs = || files.iter().enumerate().filter(|(_, file)| file.is_diff());
    let (added, removed) = diffs().fold((0, 0), |(a, r), (_, file)| (a + file.added, r + file.removed));
    let items = diffs()
        .map(|(at, file)| {
            view! {
                <li>
                    <a href=format!("#file-{at}") rel="external">{revealed(&file.path)}</a>
                    {plus_minus(file.added, file.removed)}
                </li>
            }
            .into_any()
        })
        .collect_view();
    let count = diffs().count() as u64;
    view! {
        <details class="file-list" open=count <= 12>
            <summary>{counted(count, t!("file##n"), t!("files##n"))}" "{plus_minus(added, removed)}</summary>
            <ul>{items}</ul>
        </details>
    }
    .into_any()
}

#[component]
fn FilePart(file: File, at: usize, shown: usize) -> impl IntoView {
    if !file.is_diff() {
        let rows = file.lines.iter().take(shown).map(row).collect_view();
        return view! { <div class="code diff around" tabindex="0" role="region" aria-label=t!("Text around the files")>{rows}</div> }.into_any();
    }
    let folded = file.folded_because();
    let marks = file
        .marks
        .iter()
        .copied()
        .chain(folded)
        .map(|mark| view! { <span class="mark">{mark}</span> }.into_any())
        .collect_view();
    let from = file.old_path.as_ref().map(|old| view! { <span class="faint">{t!("from ")}{revealed(old)}</span> }.into_any());
    let missing = file.lines.len() - shown;
    let missing = (missing > 0).then(|| {
        view! { <span class="faint">{counted(missing as u64, t!("line##n"), t!("lines##n"))}{t!(" not shown")}</span> }.into_any()
    });
    let open = folded.is_none() && shown > 0;
    let rows = file.lines.iter().take(shown).map(row).collect_view();
    let label = t!("Changes in {path}", path = file.path);
    view! {
        <details class="file" id=format!("file-{at}") open=open>
            <summary>
                <b>{revealed(&file.path)}</b>
                {from}
                {plus_minus(file.added, file.removed)}
                {marks}
                {missing}
            </summary>
            <div class="code diff" tabindex="0" role="region" aria-label=label>{rows}</div>
        </details>
    }
    .into_any()
}

pub(super) fn row(line: &Line) -> AnyView {
    let class = match line.kind {
        Kind::Context => "line",
        Kind::Added => "line added",
        Kind::Removed => "line removed",
        Kind::Hunk => "line hunk",
        Kind::Note => "line note-line",
    };
    let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
    // Both sides in columns of their own; the stylesheet draws them, so that copying gives the text alone.
    let numbers = format!("{:>5} {:>5}", number(line.old), number(line.new));
    // The sign stands at the start of a line of a hunk; the blanks that count are those behind it.
    let text = match line.kind {
        Kind::Context | Kind::Added | Kind::Removed
            if line.text.is_char_boundary(1) && line.text.len() <= MAX_LINE_CHARS =>
        {
            let (sign, rest) = line.text.split_at(1.min(line.text.len()));
            view! { {sign.to_owned()}{with_blanks(rest)} }.into_any()
        }
        _ => line_text(&line.text),
    };
    // What the keys go to can take the focus.
    let focus = (line.kind == Kind::Hunk).then_some("-1");
    view! { <div class=class data-n=numbers tabindex=focus>{text}</div> }.into_any()
}

pub(super) fn plus_minus(added: usize, removed: usize) -> AnyView {
    view! {
        <span class="plus-minus">
            <span class="plus">"+"{grouped(added as u64)}</span>
            " "
            <span class="minus">"−"{grouped(removed as u64)}</span>
        </span>
    }
    .into_any()
}
