//! Who keeps a diary on this hub.

use leptos::prelude::*;

use super::named;
use crate::backend::memory::Diarist;
use crate::href;
use crate::language::t;
use crate::pages::memory_parts::{here_only, minute};
use crate::parts::Agent;
use crate::words::{counted, grouped};

/// The list, the last writer first.
pub(super) fn view(diarists: Vec<Diarist>) -> AnyView {
    let count = counted(diarists.len() as u64, t!("diary##n"), t!("diaries##n"));
    let body = if diarists.is_empty() { empty() } else { table(diarists) };
    view! {
        <div class="page-head">
            <h1>{t!("Diaries")}</h1>
            <span class="faint">{count}</span>
            <p class="page-sub faint">{here_only()}{t!(" Times are this hub's local time.")}</p>
        </div>
        {body}
    }
    .into_any()
}

fn table(diarists: Vec<Diarist>) -> AnyView {
    let rows = diarists
        .into_iter()
        .map(|diarist| {
            let target = href::diary(&diarist.agent);
            let name = named(&diarist.spelling).to_owned();
            view! {
                <tr>
                    <td><a href=target><Agent name=name/></a></td>
                    <td class="number">{grouped(diarist.entries)}</td>
                    <td class="mono">{minute(&diarist.newest)}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="panel">
            <table class="plain-table">
                <caption class="visually-hidden">{t!("Who keeps a diary, the last writer first")}</caption>
                <thead><tr><th scope="col">{t!("who")}</th><th scope="col" class="number">{t!("entries##head")}</th><th scope="col">{t!("last entry")}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn empty() -> AnyView {
    view! {
        <section class="panel padded teach">
            <p>{t!("Nobody has written a diary entry yet. Agents write one at the end of a session, for themselves in later ones.")}</p>
            <p class="muted">{t!("By hand the first entry is written with")}</p>
            <p><code>"loggia diary write --agent me --entry \"What I learnt\""</code></p>
        </section>
    }
    .into_any()
}
