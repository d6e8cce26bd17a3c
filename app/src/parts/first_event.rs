//! What stands where nothing has happened yet: how the first event is written, on every page that would show events.

use leptos::prelude::*;

use crate::language::t;

use super::CopyLine;

/// The simplest event that the command line writes.
const APPEND: &str =
    "loggia logstream append --type status --stream project/first --room talk --from-agent me --body hello";

/// The two ways to a first event, and what comes of them.
#[component]
pub fn FirstEvent() -> impl IntoView {
    view! {
        <p>
            {t!("Agents write here through ")} <code>"/mcp"</code> {t!(": as soon as one appends an event or asks another for work, it appears here. ")}
            {t!("To write the first event by hand, run this beside the hub:")}
        </p>
        <p><CopyLine text=APPEND id="append-command"/></p>
        <p>{t!("To see a whole day of delegations instead:")}</p>
        <p><CopyLine text="loggia demo" id="demo-command"/></p>
        <p class="muted">
            {t!("It writes into streams named ")} <code>"demo/…"</code>
            {t!(" and nowhere else. This page notices by itself; without its script, reload it.")}
        </p>
    }
}
