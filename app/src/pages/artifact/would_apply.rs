//! What can be said of a patch without a repository: whether its text is whole, what it does to files, and on which commit it was made.

use std::collections::BTreeSet;

use leptos::prelude::*;
use loggia_domain::Event;

use super::diff::File;
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, grouped};

/// The hint above a diff. Only git in a checkout knows the rest, and it says so.
pub(super) fn would_apply(files: &[File], events: &[Event]) -> AnyView {
    let files: Vec<&File> = files.iter().filter(|file| file.is_diff()).collect();
    let faults: Vec<String> = files.iter().filter_map(|file| fault(file)).collect();
    let is_whole = faults.is_empty();
    let whole = is_whole.then(|| t!("Every hunk has the lines that its head says."));
    let faults = faults.into_iter().map(|fault| view! { <li class="warn">{fault}</li> }.into_any()).collect_view();
    view! {
        <div class="would-apply">
            <b>{t!("Would it apply?")}</b>
            <ul>
                {faults}
                {whole.map(|said| view! { <li>{said}</li> }.into_any())}
                <li>{kinds(&files)}</li>
                <li>{base(events)}</li>
                <li class="faint">{t!("Whether it fits a checkout only git can say: no repository is read here.")}</li>
            </ul>
        </div>
    }
    .into_any()
}

/// Why git would refuse a file of a patch, as far as the text shows it.
fn fault(file: &File) -> Option<String> {
    if file.is_cut {
        return Some(t!("{path}: a hunk has fewer lines than its head says; git apply refuses it", path = file.path));
    }
    file.lacks_binary()
        .then(|| t!("{path}: its binary content is not in the patch; git apply refuses it", path = file.path))
}

/// What it does to files, in numbers.
fn kinds(files: &[&File]) -> String {
    let mut said = counted(files.len() as u64, t!("file##n"), t!("files##n"));
    let mut marks: Vec<&str> = Vec::new();
    for mark in files.iter().flat_map(|file| &file.marks) {
        if !marks.contains(mark) {
            marks.push(mark);
        }
    }
    for mark in marks {
        let count = files.iter().filter(|file| file.marks.contains(&mark)).count();
        said.push_str(&t!(", {count} {mark}", count = grouped(count as u64), mark = mark));
    }
    said
}

/// On which commit the events say that it was made.
fn base(events: &[Event]) -> AnyView {
    let commits: BTreeSet<&str> = events.iter().filter_map(|event| event.base_commit.as_deref()).collect();
    if commits.is_empty() {
        return view! { {t!("No event that refers to it names the commit that it was made on.")} }.into_any();
    }
    let said = if commits.len() == 1 { t!("Made on commit ") } else { t!("Its events name different commits: ") };
    let commits =
        commits.into_iter().map(|commit| view! { <code>{revealed(commit)}</code>" " }.into_any()).collect_view();
    view! { {said}{commits} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;
    use super::*;

    #[test]
    fn what_git_would_refuse_is_said_and_what_is_whole_too() {
        let html = |patch: &str| would_apply(&parse(patch), &[]).to_html();
        let whole = html("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
        assert!(
            whole.contains("Every hunk") && whole.contains("names the commit") && !whole.contains("refuses"),
            "{whole}"
        );
        let cut = html("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n");
        assert!(cut.contains("x: a hunk has fewer lines") && !cut.contains("Every hunk"), "{cut}");
        let binary = html("diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n");
        assert!(binary.contains("i.png: its binary content") && binary.contains("1 binary"), "{binary}");
    }
}
