//! The form that makes a token.

use leptos::prelude::*;

use crate::backend::admin::Refused;

/// Scopes with what they allow, and whether they are ticked at first.
const SCOPES: [(&str, &str, bool); 5] = [
    ("read", "see the log, its artifacts and the pages", true),
    ("write", "append events and store artifacts", true),
    ("memory", "keep drawers, diaries and facts, and read them", true),
    ("replicate", "exchange the log with another hub", false),
    ("admin", "everything", false),
];

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
    let scopes = SCOPES
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
            "Writes only as",
            "mac:claude",
            "One agent on each line; empty: as anybody. Nobody can then speak in another's name with it.",
        ),
        (
            "stream",
            "streams",
            "Only in the streams",
            "project/atlas*",
            "One on each line, * stands for anything; empty: all. The memory has no streams.",
        ),
    ];
    let areas = areas
        .into_iter()
        .map(|(field, name, label, placeholder, hint)| {
            let id = format!("token-{name}");
            let hint_id = format!("token-{name}-hint");
            view! {
                <label for=id.clone()>{label}</label>
                <textarea id=id name=name rows="2" placeholder=placeholder spellcheck="false" aria-invalid=invalid(field)
                    aria-describedby=hint_id.clone()>{format!("\n{}", typed.value(name))}</textarea>
                <small class="faint" id=hint_id>{hint}</small>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <section aria-labelledby="token-new">
            <h2 id="token-new">"New token"</h2>
            <form method="post" action="/tokens" class="panel padded admin-form" autocomplete="off">
                {problem}
                <input type="hidden" name="action" value="create"/>
                <label for="token-name">"Name"</label>
                <input id="token-name" name="name" required maxlength="256" placeholder="mac:claude" spellcheck="false"
                    value=typed.value("name").to_owned() aria-invalid=invalid("name") aria-describedby=described("name")/>
                <fieldset aria-describedby=described("scope")><legend>"May"</legend>{scopes}</fieldset>
                {areas}
                <label for="token-expires">"Ends"</label>
                <input id="token-expires" name="expires" maxlength="40" placeholder="never" spellcheck="false" list="token-ends"
                    value=typed.value("expires").to_owned() aria-invalid=invalid("expires") aria-describedby="token-expires-hint"/>
                <datalist id="token-ends">
                    <option value="24h"></option>
                    <option value="30d"></option>
                    <option value="90d"></option>
                    <option value="365d"></option>
                </datalist>
                <small class="faint" id="token-expires-hint">"30d, 24h, or a moment such as 2027-01-31T12:00:00Z; empty: never"</small>
                <button type="submit" class="button primary">"Make token"</button>
            </form>
        </section>
    }
    .into_any()
}
