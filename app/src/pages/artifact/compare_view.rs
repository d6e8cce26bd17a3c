//! `/compare?a=&b=`: two patches side by side, file by file. Written on the hub, see [`super::super::sheet`].

use leptos::prelude::*;
use loggia_domain::Artifact;

use super::ansi;
use super::budget::Budget;
use super::compare::{Difference, compare};
use super::diff::{Kind, parse};
use super::diff_view::{plus_minus, row};
use super::lines::not_shown;
use crate::href;
use crate::language::t;
use crate::parts::{Agent, revealed, written_time};
use crate::words::{counted, short_hash, size};

/// Which patches an address asks for.
pub(in crate::pages) fn query(search: &str) -> (String, String) {
    let value = |key| href::value(search, key).unwrap_or_default();
    (value("a"), value("b"))
}

/// Its title and its view.
pub(in crate::pages) fn page(first: &Artifact, second: &Artifact) -> (String, AnyView) {
    let files = |artifact: &Artifact| parse(&ansi::without(&artifact.content));
    let differences = compare(files(first), files(second));
    let same = differences.iter().filter(|d| matches!(d, Difference::Same(_))).count();
    let differ = differences.len() - same;
    let said = if first.sha256 == second.sha256 {
        t!("Both are the same, byte for byte.").to_owned()
    } else if differ == 0 {
        t!("Both change the same files in the same way; only where the hunks stand, or the text around the files, differs.")
            .to_owned()
    } else {
        let (differ, same) = (
            counted(differ as u64, t!("file##n"), t!("files##n")),
            counted(same as u64, t!("file##n"), t!("files##n")),
        );
        t!("{differ} changed differently, {same} in the same way.", differ = differ, same = same)
    };
    let mut budget = Budget::page();
    let parts = differences.into_iter().map(|difference| part(difference, second, &mut budget)).collect_view();
    let view = view! {
        <div class="page-head">
            <h1 class="grow">{t!("Two patches compared")}</h1>
            <a class="button" href=href::compare(&second.id, &first.id)>{t!("Swap")}</a>
        </div>
        <dl class="facts panel padded">
            <dt>{t!("first, −")}</dt><dd>{about(first)}</dd>
            <dt>{t!("second, +")}</dt><dd>{about(second)}</dd>
        </dl>
        <p>{said}{t!(" Signs within a line are the patches' own.")}</p>
        <section class="panel artifact">
            <div class="switches">
                <label><input type="checkbox" class="wrap-lines"/>{t!(" wrap lines")}</label>
                <label><input type="checkbox" class="show-blanks"/>{t!(" show blanks and tabs")}</label>
            </div>
            {parts}
        </section>
    };
    (t!("Two patches compared").to_owned(), view.into_any())
}

fn about(artifact: &Artifact) -> AnyView {
    view! {
        <a href=href::artifact(&artifact.id)><code>{revealed(&artifact.id)}</code></a>{t!(" by ")}
        <Agent name=artifact.created_by.clone()/>{t!(", ")}{written_time(&artifact.created_at)}{t!(", ")}
        {size(u64::try_from(artifact.size_bytes).unwrap_or(0))}{t!(", sha-256 ")}
        <code title=artifact.sha256.clone()>{short_hash(&artifact.sha256)}</code>
    }
    .into_any()
}

fn part(difference: Difference, second: &Artifact, budget: &mut Budget) -> AnyView {
    let is_changed = matches!(difference, Difference::Changed(..));
    let (path, word, lines) = match difference {
        Difference::Same(path) => (path, t!("the same in both"), vec![]),
        Difference::Unaligned(path) => (path, t!("too different to be shown line by line"), vec![]),
        Difference::FirstOnly(file) => (file.path, t!("in the first patch alone"), file.lines),
        Difference::SecondOnly(file) => (file.path, t!("in the second patch alone"), file.lines),
        Difference::Changed(path, lines) => (path, t!("changed differently"), lines),
    };
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count();
    let figures = (!lines.is_empty()).then(|| plus_minus(count(Kind::Added), count(Kind::Removed)));
    let shown = budget.take(lines.iter().map(|line| line.text.len()));
    let rows = lines.iter().take(shown).map(row).collect_view();
    let label = t!("Differences in {path}", path = path);
    let code = (!lines.is_empty()).then(|| {
        view! {
            <div class="code diff" tabindex="0" role="region" aria-label=label>{rows}</div>
            {not_shown(lines.len() - shown, &href::raw(&second.id))}
        }
        .into_any()
    });
    let is_open = is_changed && shown > 0;
    view! {
        <details class="file" open=is_open>
            <summary><b>{revealed(&path)}</b>{figures}<span class="mark">{word}</span></summary>
            {code}
        </details>
    }
    .into_any()
}
