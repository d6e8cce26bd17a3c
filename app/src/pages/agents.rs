//! `/agents`: everybody whom the hub knows, one row each; and `/agent`, one of them. Written on the hub, see [`super::sheet`].

mod agent;
pub(super) mod presence;

pub(super) use agent::page as agent_page;

use leptos::prelude::*;
use loggia_domain::presence::Agent as Known;

use crate::backend::people::{AgentsPage, Unread};
use crate::href;
use crate::language::t;
use crate::parts::{Agent, revealed};
use crate::words::{counted, grouped};
use presence::{announced, listeners, since, standing};

/// Its title and its view.
pub(super) fn page(page: AgentsPage) -> (String, AnyView) {
    (t!("Agents").to_owned(), everybody(page))
}

fn everybody(page: AgentsPage) -> AnyView {
    let AgentsPage { agents, total, unnamed, now_ms } = page;
    let listening = agents.iter().filter(|(agent, _)| !agent.listeners.is_empty()).count();
    let said = t!(
        "{count}, {listening} listening",
        count = counted(total as u64, t!("agent##n"), t!("agents##n")),
        listening = grouped(listening as u64)
    );
    let left_out = total.saturating_sub(agents.len());
    let left_out = (left_out > 0).then(|| {
        view! { <p class="muted">{grouped(left_out as u64)}{t!(" more were seen longer ago.")}</p> }.into_any()
    });
    let nameless = (!unnamed.is_empty()).then(|| {
        let text = t!("{count} that gave no name: ", count = counted(unnamed.len() as u64, t!("listener##n"), t!("listeners##n")));
        view! {
            <p class="muted">
                {text}{listeners(&unnamed, now_ms)}
                {t!(". A stream has the name of its token's agent or of the ")}<code>"to_agent"</code>{t!(" that it asks for; a wait that of its ")}
                <code>"from_agent"</code>{t!(".")}
            </p>
        }
        .into_any()
    });
    let body = if agents.is_empty() { nobody() } else { table(&agents, now_ms) };
    view! {
        <div class="page-head"><h1>{t!("Agents")}</h1><span class="faint">{said}</span></div>
        {body}
        {left_out}
        {nameless}
    }
    .into_any()
}

fn table(agents: &[(Known, Unread)], now_ms: u64) -> AnyView {
    let rows = agents.iter().map(|(agent, unread)| row(agent, *unread, now_ms)).collect_view();
    view! {
        <div class="panel table-frame">
            <table class="agents-table" role="table">
                <caption class="visually-hidden">{t!("Agents: who listens first, then who was seen last")}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{t!("agent##found")}</th>
                        <th scope="col" role="columnheader">{t!("presence")}</th>
                        <th scope="col" role="columnheader">{t!("last seen")}</th>
                        <th scope="col" role="columnheader" class="number">{t!("waits for it")}</th>
                        <th scope="col" role="columnheader" class="number">{t!("asked by it")}</th>
                        <th scope="col" role="columnheader" class="number">{t!("unread")}</th>
                        <th scope="col" role="columnheader"><span class="visually-hidden">{t!("its diary")}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(agent: &Known, unread: Unread, now_ms: u64) -> AnyView {
    let target = href::agent(&agent.agent);
    let hears = (!agent.listeners.is_empty())
        .then(|| view! { <span class="detail">{listeners(&agent.listeners, now_ms)}</span> }.into_any());
    let said =
        agent.announced.as_ref().map(|said| view! { <span class="detail">{announced(said, now_ms)}</span> }.into_any());
    let seen = since(agent.last_seen.as_deref(), now_ms).unwrap_or_else(|| t!("never").to_owned());
    let missed = agent.is_missed(now_ms);
    let missed = missed.then(|| view! { <span class="detail hot">{t!("nobody home")}</span> }.into_any());
    view! {
        <tr role="row">
            <th scope="row" role="rowheader" class="a-name">
                <a href=target><Agent name=agent.agent.clone()/></a>
                {variants(agent)}
            </th>
            <td role="cell" class="a-presence">{standing(agent, now_ms)}{missed}{hears}{said}</td>
            <td role="cell" class="a-seen" title=agent.last_seen.clone()>{seen}</td>
            {number(t!("waits for it"), agent.open_to)}
            {number(t!("asked by it"), agent.open_from)}
            {unread_cell(unread)}
            <td role="cell" class="a-diary"><a href=href::diary(&agent.agent)>{t!("diary##link")}</a></td>
        </tr>
    }
    .into_any()
}

/// A count with the name of its column, which a narrow screen shows beside it.
fn number(what: &'static str, count: u64) -> AnyView {
    let class = if count == 0 { "number zero" } else { "number" };
    view! { <td role="cell" class=class><span class="of">{what}" "</span>{grouped(count)}</td> }.into_any()
}

fn unread_cell(unread: Unread) -> AnyView {
    let class = if unread.count == 0 { "number zero" } else { "number" };
    let shown = if unread.count == 0 {
        "0".into_any()
    } else {
        view! { <span class="unread">{unread_words(unread)}</span> }.into_any()
    };
    view! { <td role="cell" class=class><span class="of">{t!("unread ")}</span>{shown}</td> }.into_any()
}

/// How many are unread: exact, or so many at least.
fn unread_words(unread: Unread) -> String {
    let more = if unread.or_more { "+" } else { "" };
    format!("{}{more}", grouped(unread.count as u64))
}

/// The other spellings of a name.
fn variants(agent: &Known) -> Option<AnyView> {
    let others = agent.names.get(1..).filter(|others| !others.is_empty())?;
    let names = others
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let comma = (at > 0).then_some(t!(", "));
            view! { {comma}<code>{revealed(name)}</code> }.into_any()
        })
        .collect_view();
    Some(view! { <span class="detail">{t!("also spelt ")}{names}</span> }.into_any())
}

fn nobody() -> AnyView {
    view! {
        <section class="panel padded teach">
            <p>{t!("No agent is known yet. Whoever writes an event, calls a tool or listens appears here by its name.")}</p>
            <p class="muted">{t!("One that listens is there as long as this runs:")}</p>
            <p><code>"loggia logstream watch --to-agent win:codex"</code></p>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_joined_and_said() {
        let agent = Known {
            agent: "win:codex".to_owned(),
            names: vec!["win:codex".to_owned(), "Win:Codex".to_owned(), "WIN:<b>".to_owned()],
            ..Known::default()
        };
        let html = row(&agent, Unread { count: 100, or_more: true }, 0).to_html();
        for part in ["also spelt ", "Win:Codex", "WIN:&lt;b&gt;", "100+", "never", "/agent?id=win%3Acodex"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let one = Known { names: vec!["a".to_owned()], ..Known::default() };
        assert!(variants(&one).is_none());
    }
}
