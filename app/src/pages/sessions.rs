//! `/sessions`: what agents have in mind right now, each live session with the time that it still has, and how its events reach others.
//! Written on the hub, see [`super::sheet`].

mod pipeline;
mod session;

use leptos::prelude::*;
use loggia_domain::mems::{Owner, key};

use crate::backend::sessions::{LiveSession, SessionsPage, SessionsQuery};
use crate::href;
use crate::language::t;
use crate::parts::{Agent, revealed};
use crate::words::{ago, counted, duration, grouped};

/// What an address asks for.
pub(super) fn query(search: &str) -> SessionsQuery {
    let given = |name| href::value(search, name).filter(|value| !value.is_empty());
    SessionsQuery { agent: given("agent"), key: given("key") }
}

/// The address of the page with a session opened.
fn link(query: &SessionsQuery, owner: Option<&Owner>) -> String {
    let key = owner.map(key::of);
    let pairs = [("agent", query.agent.as_deref()), ("key", key.as_deref())];
    let search = href::query(pairs.into_iter().filter_map(|(name, value)| Some((name, value?))));
    if search.is_empty() { "/sessions".to_owned() } else { format!("/sessions?{search}") }
}

/// Its title and its view.
pub(super) fn page(query: &SessionsQuery, page: SessionsPage) -> (String, AnyView) {
    let SessionsPage { sessions, is_shared, pipeline, now_ms } = page;
    let (count, body) = match sessions {
        Ok(all) => {
            let shown: Vec<LiveSession> = all
                .into_iter()
                .filter(|one| query.agent.as_ref().is_none_or(|a| a.eq_ignore_ascii_case(&one.owner.agent_id)))
                .collect();
            (counted(shown.len() as u64, t!("live session##n"), t!("live sessions##n")), live(query, shown, now_ms))
        }
        Err(error) => (String::new(), off(&error)),
    };
    let every =
        query.agent.is_some().then(|| view! { <a class="button" href="/sessions">{t!("All agents")}</a> }.into_any());
    let title = query.agent.clone().map_or_else(
        || view! { <h1>{t!("Sessions")}</h1> }.into_any(),
        |agent| view! { <h1>{t!("Sessions")}{t!(" of ##owner")}<Agent name=agent/></h1> }.into_any(),
    );
    let view = view! {
        <div class="page-head">
            {title}
            <span class="faint">{count}</span>
            <span class="grow"></span>
            {every}
            <p class="page-sub faint">{t!("What agents have in mind right now: the last 20 messages, the plan and the variables of each live session. A session lives from its first write, and is gone when its time is over; what was said stays in the palace.")}" "{if is_shared { t!("Kept in a Redis, which other hubs may share.") } else { t!("Kept on this hub.") }}</p>
        </div>
        {body}
        {pipeline::view(pipeline, now_ms)}
    };
    (t!("Sessions").to_owned(), view.into_any())
}

fn off(error: &str) -> AnyView {
    view! {
        <section class="failure" role="alert">
            <p class="cause"><code>{revealed(error)}</code></p>
            <p>{t!("Session memory does not answer.")}{t!(" Everything else goes on. This page asks again by itself.")}</p>
        </section>
    }
    .into_any()
}

fn live(query: &SessionsQuery, sessions: Vec<LiveSession>, now_ms: u64) -> AnyView {
    if sessions.is_empty() {
        return empty(query);
    }
    let chosen = query.key.as_deref().and_then(key::owner);
    let opened = chosen.as_ref().map(|owner| match sessions.iter().find(|one| one.owner == *owner) {
        Some(one) => session::view(one, &link(query, None), now_ms),
        None => session::gone(owner, &link(query, None)),
    });
    let rows = sessions.iter().map(|one| row(query, one, chosen.as_ref() == Some(&one.owner), now_ms)).collect_view();
    view! {
        {opened}
        <div class="panel sessions-frame">
            <table class="plain-table sessions">
                <caption class="visually-hidden">{t!("Live sessions, the last writer first")}</caption>
                <thead>
                    <tr>
                        <th scope="col">"agent"</th>
                        <th scope="col">{t!("session")}</th>
                        <th scope="col" class="number">{t!("messages")}</th>
                        <th scope="col">{t!("last write")}</th>
                        <th scope="col">{t!("left")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(query: &SessionsQuery, one: &LiveSession, is_chosen: bool, now_ms: u64) -> AnyView {
    let LiveSession { owner, snapshot, .. } = one;
    let target = link(query, Some(owner));
    let whose = whose(owner);
    view! {
        <tr class:chosen=is_chosen>
            <td><Agent name=owner.agent_id.clone()/></td>
            <td>
                <a class="mono" href=target aria-current=is_chosen.then_some("true")>{revealed(&owner.session_id)}</a>
                {whose}
            </td>
            <td class="number">{grouped(snapshot.messages.len() as u64)}</td>
            <td>{ago("", now_ms.saturating_sub(snapshot.updated_at_ms)).trim_start().to_owned()}</td>
            <td class="left">{left(one)}</td>
        </tr>
    }
    .into_any()
}

/// The time that a session still has: in words, and how much of its whole life that is.
fn left(one: &LiveSession) -> AnyView {
    let whole_ms = one.snapshot.expires_at_ms.saturating_sub(one.snapshot.created_at_ms).max(1);
    let words = duration(one.left_ms);
    let permille = one.left_ms.min(whole_ms) * 1000 / whole_ms;
    view! {
        <span class="left-words">{words}</span>
        <progress max="1000" value=permille.to_string() aria-hidden="true"></progress>
    }
    .into_any()
}

/// Tenant, user and scope, where they are set.
fn whose(owner: &Owner) -> Option<AnyView> {
    let parts = [("tenant", &owner.tenant_id), ("user", &owner.user_id), ("scope", &owner.scope)];
    let parts: Vec<AnyView> = parts
        .into_iter()
        .filter_map(|(name, part)| {
            let part = part.as_ref()?;
            Some(view! { <span class="whose">{name}" "<b>{revealed(part)}</b></span>" " }.into_any())
        })
        .collect();
    (!parts.is_empty()).then(|| view! { <small class="faint">{parts}</small> }.into_any())
}

fn empty(query: &SessionsQuery) -> AnyView {
    const EXAMPLE: &str = r#"curl -H "Authorization: Bearer $LOGGIA_TOKEN" -H "Content-Type: application/json" -d '{"agent_id": "me", "session_id": "s1", "messages": [{"role": "user", "content": "hello"}]}' http://127.0.0.1:8787/v1/mems/write"#;
    if query.agent.is_some() {
        return view! { <section class="panel padded teach"><p>{t!("No session of this agent is live.")}</p></section> }.into_any();
    }
    view! {
        <section class="panel padded teach">
            <p>{t!("No session is live. An agent begins one with its first write:")}</p>
            <p><code>{EXAMPLE}</code></p>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_survives_its_link() {
        for (tenant, agent) in [(None, "win:codex:a b&c"), (Some("_"), "50%41"), (Some("a:b"), "<script>é漢😀")] {
            let owner = Owner {
                tenant_id: tenant.map(str::to_owned),
                agent_id: agent.to_owned(),
                session_id: "s:1 %".to_owned(),
                ..Owner::default()
            };
            let asked = SessionsQuery { agent: Some(agent.to_owned()), key: Some(key::of(&owner)) };
            let address = link(&asked, Some(&owner));
            let read = query(address.split_once('?').expect("a query").1);
            assert_eq!(read, asked, "{address}");
            assert_eq!(key::owner(read.key.as_deref().expect("a key")), Some(owner));
        }
        assert_eq!(link(&SessionsQuery::default(), None), "/sessions");
    }
}
