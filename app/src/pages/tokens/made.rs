//! A token that was just made: its secret, shown this once, and what to put where. The snippets name the environment variable, never the
//! secret: they end up in files that are shared.

use leptos::prelude::*;

use crate::backend::admin::Made;
use crate::language::t;
use crate::parts::revealed;

/// Name, file, and text of each snippet for a hub at an address.
fn snippets(origin: &str) -> [(&'static str, &'static str, String); 4] {
    [
        (
            "Claude Code",
            t!("in a shell"),
            format!(
                "claude mcp add --transport http loggia {origin}/mcp --header 'Authorization: Bearer ${{LOGGIA_TOKEN}}'"
            ),
        ),
        (
            "Codex",
            "~/.codex/config.toml",
            format!("[mcp_servers.loggia]\nurl = \"{origin}/mcp\"\nbearer_token_env_var = \"LOGGIA_TOKEN\""),
        ),
        (
            "Cursor",
            ".cursor/mcp.json",
            format!(
                "{{\n  \"mcpServers\": {{\n    \"loggia\": {{\n      \"url\": \"{origin}/mcp\",\n      \"headers\": {{ \"Authorization\": \"Bearer ${{env:LOGGIA_TOKEN}}\" }}\n    }}\n  }}\n}}"
            ),
        ),
        (
            "curl",
            t!("in a shell"),
            format!(
                "curl -sS {origin}/mcp -H \"Authorization: Bearer $LOGGIA_TOKEN\" -H 'Content-Type: application/json' \\\n  -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}'"
            ),
        ),
    ]
}

/// The panel above the list.
pub(super) fn view(made: &Made, origin: &str) -> AnyView {
    let title = if made.is_rotated { t!("New secret for ") } else { t!("Token for ") };
    let overlap = made.is_rotated.then(|| {
        view! { <p class="muted">{t!("The secret before it works until the end that you see in the list.")}</p> }
            .into_any()
    });
    let ends = made
        .expires_at
        .clone()
        .map(|at| view! { <p class="muted">{t!("It ends at ")}{super::minute(&at)}" UTC"{t!(".")}</p> }.into_any());
    let shown = snippets(origin)
        .into_iter()
        .enumerate()
        .map(|(n, (name, place, text))| {
            let id = format!("snippet-{n}");
            view! {
                <details class="snippet" open=n == 0>
                    <summary>{name}" "<small class="faint">{place}</small></summary>
                    <pre id=id.clone()>{text}</pre>
                    {copy_button(&id)}
                </details>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <section class="panel padded made" role="status" aria-labelledby="made-title">
            <h2 id="made-title">{title}{revealed(&made.name)}</h2>
            <p><strong>{t!("This secret is shown this once. The hub keeps only its hash: whoever loses it makes another one.")}</strong></p>
            <p class="secret"><code id="secret">{made.secret.clone()}</code>{copy_button("secret")}</p>
            {overlap}
            {ends}
            <p>{t!("Put it where the agent is started, and nowhere else:")}</p>
            <pre id="variable">"read -rs LOGGIA_TOKEN && export LOGGIA_TOKEN"</pre>
            <div class="snippets">{shown}</div>
        </section>
    }
    .into_any()
}

/// A button that copies what an element of this page shows; without a script, and where copying is refused, the text can be selected.
fn copy_button(shown_by: &str) -> AnyView {
    view! {
        <button type="button" class="button small needs-script" aria-live="polite" data-copy="" data-shown=shown_by.to_owned()>{t!("Copy")}</button>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_snippet_holds_a_secret_and_each_names_the_variable() {
        for (name, _, text) in snippets("https://hub.example") {
            assert!(text.contains("LOGGIA_TOKEN") && text.contains("https://hub.example/mcp"), "{name}: {text}");
        }
        let cursor: serde_json::Value = serde_json::from_str(&snippets("http://h")[2].2).expect("JSON");
        assert_eq!(cursor["mcpServers"]["loggia"]["url"], "http://h/mcp");
    }
}
