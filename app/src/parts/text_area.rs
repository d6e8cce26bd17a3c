//! A field for several lines of text, with what was typed into it. On the hub alone: forms are written there.
//!
//! # Design
//! Leptos takes what stands in a `<textarea>` for raw text, as in a script, and writes it unescaped: a text that ends the element would
//! become markup of the page. So this is the one place where a `<textarea>` is written.

use leptos::prelude::*;

/// The field.
#[component]
pub fn TextArea(
    /// Its name in the form.
    name: &'static str,
    /// How many lines are in sight.
    rows: &'static str,
    /// What was typed.
    typed: String,
    /// By what a label or a hint finds it.
    #[prop(optional)]
    id: Option<String>,
    /// An example, seen while it is empty.
    #[prop(optional)]
    placeholder: Option<&'static str>,
    /// Whether a browser sends no form without it.
    #[prop(optional)]
    required: bool,
    /// Whether what was typed was refused.
    #[prop(optional)]
    is_refused: bool,
    /// The id of what explains it; where there is one it holds names rather than sentences, and is not checked for spelling.
    #[prop(optional)]
    described_by: Option<String>,
) -> impl IntoView {
    let spellcheck = described_by.is_some().then_some("false");
    view! {
        <textarea id=id name=name rows=rows placeholder=placeholder required=required spellcheck=spellcheck
            aria-invalid=is_refused.then_some("true") aria-describedby=described_by inner_html=escaped(&typed)></textarea>
    }
}

/// A text as the content of a `<textarea>`. The line break before it is swallowed by whoever reads it, instead of one of the text's own.
fn escaped(text: &str) -> String {
    format!("\n{}", text.replace('&', "&amp;").replace('<', "&lt;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_cannot_end_the_field() {
        let typed = "\n</textarea><img src=x onerror=alert(1)>&lt;";
        let html = view! { <TextArea name="body" rows="3" typed=typed.to_owned()/> }.to_html();
        assert!(html.contains("\n\n&lt;/textarea>&lt;img src=x onerror=alert(1)>&amp;lt;</textarea>"), "{html}");
        assert_eq!(html.matches("</textarea>").count(), 1, "{html}");
    }
}
