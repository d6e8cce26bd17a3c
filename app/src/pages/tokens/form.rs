//! The form that makes a token.

use leptos::prelude::*;

use crate::backend::admin::Refused;
use crate::language::t;
use crate::parts::TextArea;

/// Scopes with what they allow, and whether they are ticked at first.
fn scopes() -> [(&'static str, &'static str, bool); 5] {
    [
        ("read", t!("see the log, its artifacts and the pages"), true),
        ("write", t!("append events and store artifacts"), true),
        ("memory", t!("keep drawers, diaries and facts, and read them"), true),
        ("replicate", t!("exchange the log with another hub"), false),
        ("admin", t!("everything"), false),
    ]
}

/// The form; after a refusal with what was typed and why it was not taken.
pub(super) fn view(refused: Option<&Refused>) -> AnyView {
    let nothing = Refused::default();
    let typed = refused.unwrap_or(&nothing);
    let problem = refused.map(|refused| {
        let message = refused.message.clone();
        view! { <p class="problem-line" role="alert" id="token-problem">{message}</p> }.into_any()
    });
    let invalid = |field: &str| (refused.is_some() && typed.field == field).then_some("true");
    let described = |field: &str| (refused.is_some() && typed.field == field).then_some("token-problem");
    let scopes = scopes()
        .into_iter()
        .map(|(word, allows, at_first)| {
            let ticked = if refused.is_some() { typed.has("scope", word) } else { at_first };
            view! {
                <label class="tick">
                    <input type="checkbox" name="scope" value=word checked=ticked/>
                    <span>{word}" "<small class="faint">{allows}</small></span>
                </label>
            }
            .into_any()
        })
        .collect_view();
    let areas = [
        (
            "agent",
            "agents",
            t!("Writes only as"),
            "mac:claude",
            t!("One agent on each line; empty: as anybody. Nobody can then speak in another's name with it."),
        ),
        (
            "stream",
            "streams",
            t!("Only in the streams"),
            "project/atlas*",
            t!("One on each line, * stands for anything; empty: all. The memory has no streams."),
        ),
    ];
    let areas = areas
        .into_iter()
        .map(|(field, name, label, placeholder, hint)| {
            let id = format!("token-{name}");
            let hint_id = format!("token-{name}-hint");
            view! {
                <label for=id.clone()>{label}</label>
                <TextArea id=id name=name rows="2" placeholder=placeholder typed=typed.value(name).to_owned()
                    is_refused=refused.is_some() && typed.field == field described_by=hint_id.clone()/>
                <small class="faint" id=hint_id>{hint}</small>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <section aria-labelledby="token-new">
            <h2 id="token-new">{t!("New token")}</h2>
            <form method="post" action="/tokens" class="panel padded admin-form" autocomplete="off">
                {problem}
                <input type="hidden" name="action" value="create"/>
                <label for="token-name">{t!("Name")}</label>
                <input id="token-name" name="name" required maxlength="256" placeholder="mac:claude" spellcheck="false"
                    value=typed.value("name").to_owned() aria-invalid=invalid("name") aria-describedby=described("name")/>
                <fieldset aria-describedby=described("scope")><legend>{t!("May")}</legend>{scopes}</fieldset>
                {areas}
                <label for="token-expires">{t!("Ends")}</label>
                <input id="token-expires" name="expires" maxlength="40" placeholder=t!("never") spellcheck="false" list="token-ends"
                    value=typed.value("expires").to_owned() aria-invalid=invalid("expires") aria-describedby="token-expires-hint"/>
                <datalist id="token-ends">
                    <option value="24h"></option>
                    <option value="30d"></option>
                    <option value="90d"></option>
                    <option value="365d"></option>
                </datalist>
                <small class="faint" id="token-expires-hint">{t!("30d, 24h, or a moment such as 2027-01-31T12:00:00Z; empty: never")}</small>
                <button type="submit" class="button primary">{t!("Make token")}</button>
            </form>
        </section>
    }
    .into_any()
}
