//! `/audit`: who changed what, newest first. Written on the hub, see [`super::sheet`].

use leptos::prelude::*;

use crate::backend::admin::{AuditLine, AuditPage, AuditQuery};
use crate::href;
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, grouped};

/// What an address asks for.
pub(super) fn query(search: &str) -> AuditQuery {
    let given = |key| href::value(search, key).filter(|value| !value.trim().is_empty());
    AuditQuery { who: given("who"), kind: given("kind"), before: given("before").and_then(|n| n.parse().ok()) }
}

fn address(query: &AuditQuery, path: &str) -> String {
    let before = query.before.map(|id| id.to_string());
    let pairs = [("who", query.who.as_deref()), ("kind", query.kind.as_deref()), ("before", before.as_deref())];
    let query = href::query(pairs.into_iter().filter_map(|(key, value)| Some((key, value?))));
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Its title and its view.
pub(super) fn page(query: &AuditQuery, page: AuditPage) -> (String, AnyView) {
    let AuditPage { lines, has_more, kept, dropped } = page;
    let older = lines.last().filter(|_| has_more).map(|last| {
        let target = address(&AuditQuery { before: Some(last.id), ..query.clone() }, "/audit");
        view! { <a href=target rel="next">{t!("Older lines")}</a> }.into_any()
    });
    let newest = query.before.is_some().then(|| {
        let target = address(&AuditQuery { before: None, ..query.clone() }, "/audit");
        view! { <a href=target rel="prev">{t!("Newest lines")}</a> }.into_any()
    });
    let export = address(&AuditQuery { before: None, ..query.clone() }, "/audit.ndjson");
    let lost = (dropped > 0).then(|| {
        let said = counted(dropped, t!("line##n"), t!("lines##n"));
        view! { <p class="note warn" role="status">{said}{t!(" could not be noted since the hub started: it had too much to do.")}</p> }.into_any()
    });
    let body = if lines.is_empty() {
        view! { <div class="panel padded teach"><p>{t!("Nothing has been noted that fits.")}</p></div> }.into_any()
    } else {
        table(query, &lines)
    };
    let view = view! {
        <div class="page-head">
            <h1>{t!("Audit")}</h1>
            <span class="grow"></span>
            <a class="button" href="/tokens">{t!("Tokens")}</a>
            <a class="button" href=export rel="external">{t!("Export NDJSON")}</a>
            <p class="page-sub faint">{grouped(kept)}{t!(" lines are kept, older ones go. Reading is not noted, and no text that anybody wrote is.")}{t!(" Times are UTC.")}</p>
        </div>
        {lost}
        {filters(query)}
        {body}
        <nav class="pager" aria-label=t!("Pages of the audit")>{newest}{older}</nav>
    };
    (t!("Audit").to_owned(), view.into_any())
}

fn filters(query: &AuditQuery) -> AnyView {
    let clear = (query.who.is_some() || query.kind.is_some())
        .then(|| view! { <a class="button" href="/audit">{t!("Show all")}</a> }.into_any());
    view! {
        <form method="get" action="/audit" class="admin-filter">
            <label>{t!("Who ")}<input name="who" value=query.who.clone() maxlength="256" autocomplete="off" spellcheck="false"/></label>
            <label>{t!("Kind ")}<input name="kind" value=query.kind.clone() maxlength="256" autocomplete="off" spellcheck="false"/></label>
            <button type="submit" class="button">{t!("Filter")}</button>
            {clear}
        </form>
    }
    .into_any()
}

fn table(query: &AuditQuery, lines: &[AuditLine]) -> AnyView {
    let rows = lines.iter().map(|line| row(query, line)).collect_view();
    view! {
        <div class="panel scroll-x">
            <table class="admin-table">
                <thead>
                    <tr>
                        <th scope="col">{t!("When")}</th>
                        <th scope="col">{t!("Who")}</th>
                        <th scope="col">{t!("What")}</th>
                        <th scope="col">{t!("Which")}</th>
                        <th scope="col">{t!("Outcome")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(query: &AuditQuery, line: &AuditLine) -> AnyView {
    let who = address(&AuditQuery { who: Some(line.who.clone()), before: None, ..query.clone() }, "/audit");
    let kind = address(&AuditQuery { kind: Some(line.kind.clone()), before: None, ..query.clone() }, "/audit");
    let outcome = if line.outcome == "ok" { "life active" } else { "life failed" };
    view! {
        <tr>
            <td class="nowrap"><time datetime=line.at.clone()>{moment(&line.at)}</time></td>
            <td><a href=who>{revealed(&line.who)}</a></td>
            <td class="mono"><a href=kind>{revealed(&line.kind)}</a></td>
            <td class="mono">{which(&line.object)}</td>
            <td><span class=outcome>{line.outcome.clone()}</span></td>
        </tr>
    }
    .into_any()
}

/// What was changed, leading to its page where it has one.
fn which(object: &str) -> AnyView {
    let page = match object.split('_').next() {
        Some("evt") => Some("/event"),
        Some("art") => Some("/artifact"),
        _ => None,
    };
    match page {
        Some(page) => {
            let target = format!("{page}?{}", href::query([("id", object)]));
            view! { <a href=target>{revealed(object)}</a> }.into_any()
        }
        None => revealed(object),
    }
}

/// A stored time for people: `2026-11-30 20:14:05`.
pub(super) fn moment(at: &str) -> String {
    at.trim_end_matches('Z').replacen('T', " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_audit_survives_its_link() {
        let asked =
            AuditQuery { who: Some("a b&c".to_owned()), kind: Some("POST /x?y=<z>".to_owned()), before: Some(17) };
        let address = address(&asked, "/audit");
        assert_eq!(query(address.split_once('?').expect("a query").1), asked, "{address}");
        assert_eq!(moment("2026-11-30T20:14:05Z"), "2026-11-30 20:14:05");
    }
}
