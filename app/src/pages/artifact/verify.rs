//! Whether the content that this page received is what was recorded. There is no tick without a computation, and the computation is
//! the hub's own, run here: it needs no secure context and trusts nobody's word.

use leptos::prelude::*;
use loggia_domain::artifact::sha256_hex;
use loggia_domain::timestamp::created_at_ms;

use crate::browser;
use crate::language::t;
use crate::parts::{Form, Moment};
use crate::words::{counted, short_hash};

/// What the page found out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Checked {
    hash: String,
    bytes: u64,
    at_ms: u64,
}

/// The panel above the content.
#[component]
pub(super) fn Verify(
    /// The hash in the log.
    recorded: String,
    /// The size in the log.
    recorded_bytes: u64,
    /// What this page received.
    content: String,
) -> impl IntoView {
    let checked = RwSignal::new(None::<Checked>);
    Effect::new(move |_| {
        let (hash, bytes) = (sha256_hex(content.as_bytes()), content.len() as u64);
        checked.set(Some(Checked { hash, bytes, at_ms: browser::now_ms() }));
    });
    let shown_recorded = hash_line(&recorded, recorded_bytes);
    move || {
        match checked.get() {
        None => view! {
            <div class="verify unchecked">
                <b>{t!("Not checked yet")}</b>
                <span>{t!("recorded")}</span><code title=recorded.clone()>{shown_recorded.clone()}</code>
                <span>{t!("computed")}</span><span class="muted">{t!("this page computes it when its script runs")}</span>
            </div>
        }
        .into_any(),
        Some(found) => {
            let same = found.hash == recorded && found.bytes == recorded_bytes;
            let (class, word) =
                if same { ("verify same", t!("Verified in this page")) } else { ("verify mismatch", t!("MISMATCH")) };
            let warning = (!same).then(|| {
                view! { <p>{t!("What this page received is not what was recorded. Do not apply it.")}</p> }.into_any()
            });
            let at = created_at_ms(found.at_ms).unwrap_or_default();
            view! {
                <div class=class role=(!same).then_some("alert")>
                    <b>{word}</b>
                    <span>{t!("recorded")}</span><code title=recorded.clone()>{shown_recorded.clone()}</code>
                    <span>{t!("computed")}</span>
                    <code title=found.hash.clone()>
                        {hash_line(&found.hash, found.bytes)}{t!(" · sha-256, in this browser, ")}<Moment at=at form=Form::Time/>
                    </code>
                    {warning}
                </div>
            }
            .into_any()
        }
    }
    }
}

fn hash_line(hash: &str, bytes: u64) -> String {
    format!("{} · {}", short_hash(hash), counted(bytes, t!("byte##n"), t!("bytes##n")))
}
