//! `/tokens`: who may speak to the hub. A list, forms that work without a script, and the secret of a token that was just made, once.
//! Written on the hub, see [`super::sheet`].

mod form;
mod made;

use leptos::prelude::*;

use super::audit::moment;
use crate::backend::admin::{Life, Outcome, Session, Token, TokensPage};
use crate::language::t;
use crate::parts::revealed;
use crate::words::counted;

/// Its title and its view.
pub(super) fn page(page: TokensPage) -> (String, AnyView) {
    let TokensPage { living, over, sessions, outcome, origin } = page;
    let count = counted(living.len() as u64, t!("living token##n"), t!("living tokens##n"));
    let (made, refused) = match outcome {
        Outcome::None => (None, None),
        Outcome::Made(made) => (Some(made::view(&made, &origin)), None),
        Outcome::Refused(refused) => (None, Some(refused)),
    };
    let list = if living.is_empty() {
        view! { <div class="panel padded teach"><p>{t!("No token is stored. The hub was started with the one in LOGGIA_TOKEN.")}</p></div> }.into_any()
    } else {
        table(&living, true)
    };
    let over = (!over.is_empty()).then(|| {
        let count = counted(over.len() as u64, t!("token that is over##n"), t!("tokens that are over##n"));
        view! { <details class="over"><summary>{count}</summary>{table(&over, false)}</details> }.into_any()
    });
    let view = view! {
        <div class="page-head">
            <h1>{t!("Tokens")}</h1>
            <span class="faint">{count}</span>
            <span class="grow"></span>
            <a class="button" href="/audit">{t!("Audit")}</a>
            <p class="page-sub faint">{t!("Each agent and each person gets one of their own: then it can be ended alone, and nobody speaks in another's name. Times are UTC.")}</p>
        </div>
        {made}
        <div class="admin-grid">
            <div class="stack">
                <section aria-label=t!("Tokens")>{list}{over}</section>
                <section>
                    <div class="section-head"><h2>{t!("Browser sessions")}</h2><span class="faint">{t!("A session ends with its token, after thirty days, or here.")}</span></div>
                    {sessions_table(&sessions)}
                </section>
            </div>
            {form::view(refused.as_ref())}
        </div>
    };
    (t!("Tokens").to_owned(), view.into_any())
}

fn table(tokens: &[Token], is_living: bool) -> AnyView {
    let rows = tokens.iter().map(|token| row(token, is_living)).collect_view();
    let last = if is_living { t!("Change") } else { t!("Over since") };
    view! {
        <div class="panel scroll-x">
            <table class="admin-table">
                <thead>
                    <tr>
                        <th scope="col">{t!("Name")}</th>
                        <th scope="col">{t!("May")}</th>
                        <th scope="col">{t!("Last used")}</th>
                        <th scope="col">{t!("Ends")}</th>
                        <th scope="col">{last}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(token: &Token, is_living: bool) -> AnyView {
    let (class, word) = match token.life {
        Life::Active => ("life active", t!("active")),
        Life::Replaced => ("life replaced", t!("replaced##token")),
        Life::Expired => ("life over", t!("expired")),
        Life::Revoked => ("life failed", t!("revoked")),
    };
    let prefix = token.prefix.as_ref().map_or_else(|| token.id.clone(), |prefix| format!("{prefix}…"));
    let by = if token.created_by.is_empty() { String::new() } else { t!(" by {who}", who = token.created_by) };
    let made = t!("made {day}{by}", day = day(&token.created_at), by = by);
    let limits = [(t!("writes as "), &token.agents), (t!("only in "), &token.streams)]
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(word, list)| view! { <div class="limit">{word}{revealed(&list.join(", "))}</div> }.into_any())
        .collect_view();
    let last_used = token.last_used_at.as_deref().map_or_else(|| t!("never").to_owned(), minute);
    let ends = token.expires_at.as_deref().map_or_else(|| t!("never").to_owned(), minute);
    let last = if is_living {
        changes(token)
    } else {
        let at = token.revoked_at.as_deref().or(token.expires_at.as_deref()).map(minute);
        view! { <td class="nowrap" data-label=t!("Over since")>{at}</td> }.into_any()
    };
    view! {
        <tr>
            <th scope="row">
                {revealed(&token.name)}" "<span class=class>{word}</span>
                <div class="faint"><code>{prefix}</code>" "{revealed(&made)}</div>
            </th>
            <td data-label=t!("May")>{token.scopes.join(", ")}{limits}</td>
            <td class="nowrap" data-label=t!("Last used")>{last_used}</td>
            <td class="nowrap" data-label=t!("Ends")>{ends}</td>
            {last}
        </tr>
    }
    .into_any()
}

/// The forms that end or rotate a token; a second look before, since both reach whoever uses it.
fn changes(token: &Token) -> AnyView {
    let rotate = (token.life == Life::Active).then(|| {
        view! {
            <form method="post" action="/tokens" class="inline-form">
                <input type="hidden" name="action" value="rotate"/>
                <input type="hidden" name="token" value=token.id.clone()/>
                <label>{t!("Old secret works for ")}
                    <select name="overlap">
                        <option value="0m">{t!("no longer")}</option>
                        <option value="1h">{t!("1 hour")}</option>
                        <option value="24h" selected>{t!("24 hours")}</option>
                        <option value="7d">{t!("7 days")}</option>
                    </select>
                </label>
                <button type="submit" class="button small">{t!("Rotate")}</button>
            </form>
        }
        .into_any()
    });
    let label = t!("Rotate or revoke {name}", name = token.name);
    view! {
        <td>
            <details class="change">
                <summary aria-label=label>{t!("Change")}</summary>
                {rotate}
                <form method="post" action="/tokens" class="inline-form">
                    <input type="hidden" name="action" value="revoke"/>
                    <input type="hidden" name="token" value=token.id.clone()/>
                    <button type="submit" class="button small danger">{t!("Revoke now")}</button>
                </form>
            </details>
        </td>
    }
    .into_any()
}

fn sessions_table(sessions: &[Session]) -> AnyView {
    if sessions.is_empty() {
        return view! { <div class="panel padded"><p>{t!("No session is open.")}</p></div> }.into_any();
    }
    let rows = sessions
        .iter()
        .map(|session| {
            let own = session.is_own.then(|| view! { <span class="mark">{t!("this one")}</span> }.into_any());
            let label = t!("End the session {id}", id = session.id);
            view! {
                <tr>
                    <th scope="row">{revealed(&session.token)}" "{own}<div class="faint"><code>{session.id.clone()}</code></div></th>
                    <td class="nowrap" data-label=t!("Since")>{minute(&session.created_at)}</td>
                    <td class="nowrap" data-label=t!("Ends")>{minute(&session.expires_at)}</td>
                    <td>
                        <form method="post" action="/tokens" class="inline-form">
                            <input type="hidden" name="action" value="end-session"/>
                            <input type="hidden" name="session" value=session.id.clone()/>
                            <button type="submit" class="button small" aria-label=label>{t!("End")}</button>
                        </form>
                    </td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="panel scroll-x">
            <table class="admin-table">
                <thead>
                    <tr><th scope="col">{t!("Token")}</th><th scope="col">{t!("Since")}</th><th scope="col">{t!("Ends")}</th><th scope="col">{t!("End it")}</th></tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A stored time to the minute.
fn minute(at: &str) -> String {
    moment(at).chars().take(16).collect()
}

fn day(at: &str) -> String {
    at.chars().take(10).collect()
}
