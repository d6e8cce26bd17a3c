//! One session, opened: its window, its plan, its variables.

use leptos::prelude::*;
use loggia_domain::mems::event::{given_at_ms, iso};
use loggia_domain::mems::{Kept, Owner};
use serde_json::{Map, Value};

use super::left;
use crate::backend::sessions::LiveSession;
use crate::language::t;
use crate::parts::{Agent, revealed};
use crate::words::ago;

/// What it remembers; `close` leads back.
pub(super) fn view(one: &LiveSession, close: &str, now_ms: u64) -> AnyView {
    let snapshot = &one.snapshot;
    let messages = snapshot.messages.iter().map(|kept| message(kept, now_ms)).collect_view();
    let window = if snapshot.messages.is_empty() {
        view! { <p class="muted">{t!("Nothing was said yet; there is only a plan or variables.")}</p> }.into_any()
    } else {
        view! { <ol class="window">{messages}</ol> }.into_any()
    };
    let plan = snapshot.active_plan.as_ref().map(|plan| {
        view! { <section><h3>{t!("Plan")}</h3><div class="verbatim" translate="no">{revealed(plan)}</div></section> }
            .into_any()
    });
    let variables = values(t!("Variables"), &snapshot.temp_variables);
    let metadata = values(t!("What else is known"), &snapshot.metadata);
    let expires = iso(snapshot.expires_at_ms).get(..19).unwrap_or_default().replace('T', " ");
    view! {
        <section class="panel padded session" aria-label=t!("Session")>
            <header>
                <h2><Agent name=one.owner.agent_id.clone()/>" · "<span class="mono">{revealed(&one.owner.session_id)}</span></h2>
                <span class="grow"></span>
                <span class="left">{left(one)}</span>
                <a class="button small" href=close.to_owned()>{t!("Close")}</a>
            </header>
            <p class="faint">{t!("Gone at ")}<time class="mono">{expires}" UTC"</time>{t!(", whatever is written until then.")}</p>
            <div class="mind">
                <section><h3>{t!("Said")}</h3>{window}</section>
                <div>{plan}{variables}{metadata}</div>
            </div>
        </section>
    }
    .into_any()
}

/// What stands there for a session that is not live.
pub(super) fn gone(owner: &Owner, close: &str) -> AnyView {
    view! {
        <section class="panel padded session" aria-label=t!("Session")>
            <p>
                {t!("The session ")}<b class="mono">{revealed(&owner.session_id)}</b>{t!(" of ##owner")}<Agent name=owner.agent_id.clone()/>
                {t!(" is not live: its time is over, or it never began. What was said lies in the palace, in the room ")}
                <code>"sessions"</code>{t!(".")}
            </p>
            <p><a class="button small" href=close.to_owned()>{t!("Close")}</a></p>
        </section>
    }
    .into_any()
}

fn message(kept: &Kept, now_ms: u64) -> AnyView {
    let age = given_at_ms(&kept.id).map(|at_ms| ago("", now_ms.saturating_sub(at_ms)).trim_start().to_owned());
    view! {
        <li>
            <span class="role">{revealed(&kept.message.role)}</span>
            <span class="faint">{age}</span>
            <div class="verbatim" translate="no">{revealed(&kept.message.content)}</div>
        </li>
    }
    .into_any()
}

fn values(name: &'static str, values: &Map<String, Value>) -> Option<AnyView> {
    if values.is_empty() {
        return None;
    }
    let rows = values
        .iter()
        .map(|(key, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                other => serde_json::to_string_pretty(other).unwrap_or_default(),
            };
            view! { <dt class="mono">{revealed(key)}</dt><dd class="mono verbatim" translate="no">{revealed(&text)}</dd> }
                .into_any()
        })
        .collect_view();
    Some(view! { <section><h3>{name}</h3><dl class="variables">{rows}</dl></section> }.into_any())
}
