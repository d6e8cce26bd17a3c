//! A diff, file by file. Counts cover everything, also what is folded away or not shown.
//!
//! # Design
//! What is folded away is not in the markup: a browser takes ten seconds for the largest patch. Its head is a link to the same page with
//! that file opened, and a patch of very many files is shown some hundreds of them at a time.

use std::ops::Range;

use leptos::prelude::*;

use super::budget::{Budget, MAX_FILES, MAX_LINE_CHARS};
use super::diff::{File, Kind, Line};
use super::lines::{line_text, not_shown, with_blanks};
use crate::href;
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, grouped};

/// The files of a diff.
#[component]
pub(super) fn DiffView(
    files: Vec<File>,
    /// The artifact's id.
    id: String,
    /// Which file is opened whatever it is, by its place.
    opened: Option<usize>,
    /// Of each file whether it was looked through, and the hash of what it says; `None` where nothing can be marked.
    #[prop(optional_no_strip)]
    marks: Option<Vec<(bool, String)>>,
) -> impl IntoView {
    let opened = opened.filter(|place| *place < files.len());
    let window = window(files.len(), opened);
    let list = (files.iter().filter(|f| f.is_diff()).count() > 1).then(|| file_list(&files, &window, marks.as_deref()));
    let shares = shares(&files, &window, opened);
    // What is folded away says so itself, and how to get it.
    let is_meant = |at: usize| window.contains(&at) && !is_folded(&files[at], at, opened);
    let left_out: usize = files
        .iter()
        .zip(&shares)
        .enumerate()
        .filter(|(at, _)| is_meant(*at))
        .map(|(_, (f, n))| f.lines.len() - n)
        .sum();
    let (before, after) = (others(files.len(), &window, &id), others(files.len(), &window, &id));
    let parts = window
        .map(|at| {
            let href = href::file(&id, at);
            let file = &files[at];
            let mark = Mark {
                id: &id,
                at,
                own: marks.as_ref().and_then(|marks| marks.get(at)),
                is_opened: opened == Some(at),
            };
            if !file.is_diff() {
                around(file, shares[at])
            } else if shares[at] == 0 || is_folded(file, at, opened) {
                folded(file, href, mark)
            } else {
                unfolded(file, shares[at], (opened != Some(at)).then_some(href), mark)
            }
        })
        .collect_view();
    view! { {list} {before} {parts} {not_shown(left_out, &href::raw(&id))} {after} }
}

/// Which files the page names: those around the one that is opened.
fn window(count: usize, opened: Option<usize>) -> Range<usize> {
    let start = opened.unwrap_or(0) / MAX_FILES * MAX_FILES;
    start..count.min(start + MAX_FILES)
}

fn is_folded(file: &File, at: usize, opened: Option<usize>) -> bool {
    opened != Some(at) && file.folded_because().is_some()
}

/// How many lines of each file are shown: first of the one that is opened, then in their order.
fn shares(files: &[File], window: &Range<usize>, opened: Option<usize>) -> Vec<usize> {
    let mut budget = Budget::page();
    let mut shares = vec![0; files.len()];
    for at in opened.into_iter().chain(window.clone().filter(|at| opened != Some(*at))) {
        if !is_folded(&files[at], at, opened) {
            shares[at] = budget.take(files[at].lines.iter().map(|line| line.text.len()));
        }
    }
    shares
}

fn file_list(files: &[File], window: &Range<usize>, marks: Option<&[(bool, String)]>) -> AnyView {
    let diffs = || files.iter().enumerate().filter(|(_, file)| file.is_diff());
    let (added, removed) = diffs().fold((0, 0), |(a, r), (_, file)| (a + file.added, r + file.removed));
    let items = diffs()
        .filter(|(at, _)| window.contains(at))
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
    let progress = marks.map(|marks| {
        let done = diffs().filter(|(at, _)| marks.get(*at).is_some_and(|(is_viewed, _)| *is_viewed)).count() as u64;
        let said = t!("{done} of {count} looked through", done = grouped(done), count = grouped(count));
        view! { " "<span class="faint">{said}</span> }.into_any()
    });
    view! {
        <details class="file-list" open=count <= 12>
            <summary>{counted(count, t!("file##n"), t!("files##n"))}" "{plus_minus(added, removed)}{progress}</summary>
            <ul>{items}</ul>
        </details>
    }
    .into_any()
}

/// Which files are named here, and the ways to the others.
fn others(count: usize, window: &Range<usize>, id: &str) -> Option<AnyView> {
    if window.len() == count {
        return None;
    }
    let (first, last) = (grouped(window.start as u64 + 1), grouped(window.end as u64));
    let said = t!("Files {first} to {last} of {count}", first = first, last = last, count = grouped(count as u64));
    let way = |place: usize, words: &'static str| {
        view! { " "<a href=href::file(id, place) rel="external">{words}</a> }.into_any()
    };
    let before = window.start.checked_sub(MAX_FILES).map(|place| way(place, t!("Files before")));
    let after = (window.end < count).then(|| way(window.end, t!("Files after")));
    Some(view! { <p class="other-files">{said}{before}{after}</p> }.into_any())
}

/// What stands around the files.
fn around(text: &File, shown: usize) -> AnyView {
    let rows = text.lines.iter().take(shown).map(row).collect_view();
    view! { <div class="code diff around" tabindex="0" role="region" aria-label=t!("Text around the files")>{rows}</div> }
        .into_any()
}

/// Where a file stands, and whether it was looked through.
#[derive(Clone, Copy)]
struct Mark<'a> {
    id: &'a str,
    at: usize,
    /// Whether it was looked through, and the hash of what it says; `None` where nothing can be marked.
    own: Option<&'a (bool, String)>,
    is_opened: bool,
}

impl Mark<'_> {
    /// Whether its lines are folded away, since the viewer knows them and does not ask for them.
    fn is_known(self) -> bool {
        self.own.is_some_and(|(is_viewed, _)| *is_viewed) && !self.is_opened
    }

    /// The button that copies its part of the patch. What is shown may be cut or escaped, so that there is nothing to select instead.
    fn copy(self, file: &File) -> AnyView {
        let part = href::query([("what", "file"), ("id", self.id), ("open", &self.at.to_string())]);
        let label = t!("Copy the changes in {path}", path = file.path);
        view! {
            <button type="button" class="button small needs-script" aria-live="polite" aria-label=label data-copy=part data-shown="">
                {t!("Copy")}
            </button>
        }
        .into_any()
    }

    /// The form that says so, or takes it back.
    fn form(self, file: &File) -> Option<AnyView> {
        let (is_viewed, part) = self.own?;
        let sent = if *is_viewed { "no" } else { "yes" };
        let form = view! {
            <form method="post" action="/artifact/viewed" class="viewed">
                <input type="hidden" name="id" value=self.id.to_owned()/>
                <input type="hidden" name="open" value=self.at.to_string()/>
                <input type="hidden" name="part" value=part.clone()/>
                <input type="hidden" name="viewed" value=sent/>
                <button type="submit" class="button small" aria-pressed=is_viewed.to_string()
                    aria-label=t!("Looked through: {path}", path = file.path)>{t!("Looked through")}</button>
            </form>
        };
        Some(form.into_any())
    }
}

/// A file whose lines are not in the page.
fn folded(file: &File, href: String, mark: Mark<'_>) -> AnyView {
    let lines = counted(file.lines.len() as u64, t!("line##n"), t!("lines##n"));
    view! {
        <div class="file folded" id=format!("file-{}", mark.at)>
            <a href=href rel="external" title=t!("Open this file")><b>{revealed(&file.path)}</b></a>
            {about(file, file.folded_because())}
            <span class="faint">{lines}{t!(" not shown")}</span>
            {mark.copy(file)}
            {mark.form(file)}
        </div>
    }
    .into_any()
}

/// A file with its lines, or as many as the page has room for and the way to more.
fn unfolded(file: &File, shown: usize, href: Option<String>, mark: Mark<'_>) -> AnyView {
    let at = mark.at;
    let missing = file.lines.len() - shown;
    let missing = (missing > 0).then(|| {
        let said = counted(missing as u64, t!("line##n"), t!("lines##n"));
        let way = href.map(|href| view! { " "<a href=href rel="external">{t!("Open this file")}</a> }.into_any());
        view! { <span class="faint">{said}{t!(" not shown")}{way}</span> }.into_any()
    });
    let rows = file.lines.iter().take(shown).map(row).collect_view();
    let label = t!("Changes in {path}", path = file.path);
    view! {
        <details class="file" id=format!("file-{at}") open=!mark.is_known()>
            <summary><b>{revealed(&file.path)}</b>{about(file, None)}{missing}</summary>
            <div class="file-actions">
                {mark.copy(file)}
                {mark.form(file)}
            </div>
            <div class="code diff" tabindex="0" role="region" aria-label=label>{rows}</div>
        </details>
    }
    .into_any()
}

/// What is to be known of a file beside its path.
fn about(file: &File, folded: Option<&'static str>) -> AnyView {
    let marks = file
        .marks
        .iter()
        .copied()
        .chain(folded)
        .map(|mark| view! { <span class="mark">{mark}</span> }.into_any())
        .collect_view();
    let from =
        file.old_path.as_ref().map(|old| view! { <span class="faint">{t!("from ")}{revealed(old)}</span> }.into_any());
    view! { {from}{plus_minus(file.added, file.removed)}{marks} }.into_any()
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

#[cfg(test)]
mod tests {
    use super::super::diff::parse;
    use super::*;

    fn file(path: &str, lines: usize) -> String {
        let rows: Vec<String> = (0..lines).map(|n| format!("+{path} {n}\n")).collect();
        format!("diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{}", rows.concat())
    }

    fn shown(patch: &str, opened: Option<usize>) -> String {
        view! { <DiffView files=parse(patch) id="art_1".to_owned() opened=opened/> }.to_html()
    }

    #[test]
    fn what_is_folded_is_not_in_the_page_until_it_is_opened() {
        let patch = file("small.rs", 2) + &file("Cargo.lock", 5) + &file("large.rs", 900);
        let closed = shown(&patch, None);
        assert!(closed.contains("small.rs 1<") && !closed.contains("Cargo.lock 4<") && !closed.contains("large.rs 1<"));
        assert!(closed.contains("/artifact?id=art_1&amp;open=2#file-2") && closed.contains(">large<"), "{closed}");
        assert!(!closed.contains("not-shown"), "each folded file says so itself: {closed}");
        let open = shown(&patch, Some(2));
        assert!(open.contains("large.rs 899<") && open.contains("small.rs 1<") && !open.contains("Cargo.lock 4<"));
        assert_eq!(shown(&patch, Some(99)), closed);
    }

    #[test]
    fn the_file_that_is_opened_comes_first_where_there_is_no_room_for_all() {
        let patch = (0..10).map(|n| file(&format!("f{n}.rs"), 400)).collect::<Vec<_>>().concat();
        assert!(!shown(&patch, None).contains("f9.rs 0<"));
        assert!(shown(&patch, Some(9)).contains("f9.rs 399<"));
    }

    #[test]
    fn very_many_files_are_named_some_at_a_time() {
        let patch = (0..700).map(|n| file(&format!("f{n}.rs"), 1)).collect::<Vec<_>>().concat();
        let (first, middle, last) = (shown(&patch, None), shown(&patch, Some(300)), shown(&patch, Some(699)));
        assert!(first.contains("f299.rs 0<") && !first.contains("f300.rs") && !first.contains("Files before"));
        assert!(middle.contains("f300.rs 0<") && middle.contains("Files before") && middle.contains("Files after"));
        assert!(
            last.contains("f699.rs 0<") && last.contains("Files 601 to 700 of 700") && !last.contains("Files after")
        );
    }
}
