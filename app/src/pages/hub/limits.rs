//! What a hub puts up with, each limit with the variable that sets it.

use leptos::prelude::*;

use super::lasting;
use crate::backend::hub::{Limit, Unit};
use crate::language::t;
use crate::words::{grouped, size};

/// The panel.
pub(super) fn panel(limits: &[Limit]) -> AnyView {
    let rows = limits.iter().map(row).collect_view();
    view! {
        <section class="panel padded limits" aria-label=t!("Limits")>
            <h2>{t!("Limits")}</h2>
            <table class="plain-table">
                <caption class="visually-hidden">{t!("Limits and the variables that set them")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!("what##limit")}</th>
                        <th scope="col" class="number">{t!("limit##hub")}</th>
                        <th scope="col">{t!("set by##hub")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
    .into_any()
}

fn row(limit: &Limit) -> AnyView {
    let set_by = if limit.name.contains('_') {
        view! { <code>{limit.name}</code> }.into_any()
    } else {
        view! { <span class="faint">{t!("fixed##hub")}</span> }.into_any()
    };
    let (what, value) = (what(limit.name).unwrap_or(limit.name), value(limit));
    view! { <tr><td>{what}</td><td class="number">{value}</td><td>{set_by}</td></tr> }.into_any()
}

/// What a limit is for; `None` for one that nobody has described.
fn what(name: &str) -> Option<&'static str> {
    Some(match name {
        "LOGGIA_MAX_STREAMS" => t!("live streams at once"),
        "LOGGIA_MAX_STREAMS_PER_TOKEN" => t!("of these for one token"),
        "LOGGIA_DEAD_CLIENT_S" => t!("until a client that takes nothing is cut"),
        "LOGGIA_MAX_CONNECTIONS" => t!("connections at once"),
        "LOGGIA_HEAD_S" => t!("for a request's headers to arrive"),
        "LOGGIA_BODY_S" => t!("for its body, which earns more by arriving"),
        "LOGGIA_IDLE_S" => t!("until an idle connection is closed"),
        "LOGGIA_MAX_URL_BYTES" => t!("an address##hub"),
        "LOGGIA_MAX_HEADER_BYTES" => t!("all headers together"),
        "LOGGIA_MAX_HEADERS" => t!("headers of a request"),
        "LOGGIA_RATE_PER_S" => t!("requests of one token"),
        "LOGGIA_STALLED_AFTER_S" => t!("until silent work counts as stalled"),
        "body" => t!("the body of an event"),
        "metadata" => t!("the metadata of an event"),
        "artifact" => t!("an artifact##hub"),
        "form" => t!("a form, or what a page asks"),
        _ => return None,
    })
}

/// How much it is, in words; the report says it in the same way.
pub(super) fn value(limit: &Limit) -> String {
    let Some(value) = limit.value else { return t!("no limit##hub").to_owned() };
    match limit.unit {
        Unit::Count => grouped(value),
        Unit::Bytes => size(value),
        Unit::Milliseconds => lasting(value / 1000),
        Unit::PerSecond => t!("{n} a second", n = grouped(value)),
    }
}
