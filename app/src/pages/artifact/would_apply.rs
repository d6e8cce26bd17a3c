//! What can be said of a patch without a repository: whether its text is whole, what it does to files, and on which commit it was made.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::ansi;
use super::diff::{Fault, File};
use crate::backend::ArtifactPage;
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, grouped};

/// The hint above a diff. Only git in a checkout knows the rest, and it says so.
pub(super) fn would_apply(files: &[File], page: &ArtifactPage) -> AnyView {
    let files: Vec<&File> = files.iter().filter(|file| file.is_diff()).collect();
    let mut faults: Vec<String> = files.iter().flat_map(|file| faults(file)).collect();
    if ansi::count(&page.artifact.content) > 0 {
        faults
            .push(t!("It holds colour codes of a terminal, which are left out here; git apply refuses it").to_owned());
    }
    if !page.artifact.content.ends_with('\n') {
        faults.push(t!("Its last line has no newline; git apply refuses it").to_owned());
    }
    let whole = faults.is_empty().then(|| t!("No fault is seen in its text."));
    let faults = faults.into_iter().map(|fault| view! { <li class="warn">{fault}</li> }.into_any()).collect_view();
    view! {
        <div class="would-apply">
            <b>{t!("Would it apply?")}</b>
            <ul>
                {faults}
                {whole.map(|said| view! { <li>{said}</li> }.into_any())}
                <li>{kinds(&files)}</li>
                <li>{base(page)}</li>
                <li class="faint">{t!("Whether it fits a checkout only git can say: no repository is read here.")}</li>
            </ul>
        </div>
    }
    .into_any()
}

/// What git would refuse or pass over in a file of a patch, as far as the text shows it.
fn faults(file: &File) -> Vec<String> {
    let path = &file.path;
    let mut said: Vec<String> = file
        .faults
        .iter()
        .map(|fault| match fault {
            Fault::Cut => t!("{path}: a hunk has fewer lines than its head says; git apply refuses it", path = path),
            Fault::Surplus => {
                t!(
                    "{path}: behind a hunk stand lines that its head does not count; git apply leaves them out",
                    path = path
                )
            }
            Fault::OddHead => t!("{path}: a head is not as git reads one; git apply refuses it", path = path),
        })
        .collect();
    if file.lacks_binary() {
        said.push(t!("{path}: its binary content is not in the patch; git apply refuses it", path = path));
    } else if file.is_idle() {
        said.push(t!("{path}: nothing in the patch changes it; git apply refuses that", path = path));
    }
    said
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

/// On which commit it was made, by the events that refer to it or its own metadata, and whether that is the one that was asked for.
fn base(page: &ArtifactPage) -> AnyView {
    let own = page.artifact.metadata.get("base_commit").and_then(|commit| commit.as_str().map(str::to_owned));
    let named = page.referenced_by.iter().filter_map(|event| event.base_commit.clone());
    let commits: BTreeSet<String> = named.chain(own).collect();
    let asked: BTreeSet<String> = page.asked_on.iter().cloned().collect();
    let list = |commits: &BTreeSet<String>| {
        commits.iter().map(|commit| view! { " "<code>{revealed(commit)}</code> }.into_any()).collect_view()
    };
    let beside = if asked.is_empty() {
        None
    } else if asked == commits {
        Some(view! { {t!(", as was asked for")} }.into_any())
    } else {
        Some(view! { {t!("; asked for was")}{list(&asked)} }.into_any())
    };
    let said = match commits.len() {
        0 => t!("Neither it nor an event that refers to it names the commit that it was made on"),
        1 => t!("Made on commit"),
        _ => t!("Its events name different commits:"),
    };
    view! { {said}{list(&commits)}{beside} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;
    use super::*;

    #[test]
    fn what_git_would_refuse_is_said_and_what_is_whole_too() {
        let html = |patch: &str| {
            let mut page = page(&[], &[]);
            patch.clone_into(&mut page.artifact.content);
            would_apply(&parse(patch), &page).to_html()
        };
        let whole = html("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
        assert!(
            whole.contains("No fault") && whole.contains("names the commit") && !whole.contains("refuses"),
            "{whole}"
        );
        let more = html("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n");
        assert!(more.contains("x: behind a hunk stand lines") && !more.contains("No fault"), "{more}");
        let cut = html("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n");
        assert!(cut.contains("x: a hunk has fewer lines") && !cut.contains("No fault"), "{cut}");
        let binary = html("diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n");
        assert!(binary.contains("i.png: its binary content") && binary.contains("1 binary"), "{binary}");
    }

    #[test]
    fn the_commit_is_named_beside_the_one_that_was_asked_for() {
        let html = |named: &[&str], asked: &[&str]| base(&page(named, asked)).to_html();
        assert!(html(&[], &[]).contains("Neither it nor"));
        let plain = html(&["abc"], &[]);
        assert!(plain.contains("Made on commit") && plain.contains("<code>abc") && !plain.contains("asked"), "{plain}");
        assert!(html(&["abc"], &["abc"]).contains(", as was asked for"));
        assert!(html(&["abc"], &["def"]).contains("; asked for was"));
        assert!(html(&["abc", "def"], &["def"]).contains("Its events name different commits:"));
    }

    fn page(named: &[&str], asked: &[&str]) -> ArtifactPage {
        let event = |base: &&str| {
            serde_json::from_value(serde_json::json!({
                "id": "evt_1", "seq": 1, "origin_replica": null, "origin_seq": null, "hlc": null, "type": "patch.ready",
                "stream": "s", "room": "r", "topic": null, "from_agent": "a", "to_agent": null, "correlation_id": null,
                "branch": null, "base_commit": base, "status": null, "artifact_ids": [], "body": "", "created_at": "",
                "metadata": {},
            }))
            .expect("an event")
        };
        let artifact = serde_json::json!({
            "id": "art_1", "kind": "patch", "sha256": "", "size_bytes": 0, "content": "", "created_by": "a", "created_at": "",
            "metadata": {}, "origin_replica": null,
        });
        ArtifactPage {
            artifact: serde_json::from_value(artifact).expect("an artifact"),
            referenced_by: named.iter().map(event).collect(),
            others: Vec::new(),
            asked_on: asked.iter().map(|commit| (*commit).to_owned()).collect(),
            shown: crate::backend::Html::default(),
        }
    }
}
