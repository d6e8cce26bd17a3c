//! The page of a request that the hub refused before any page was made: a foreign host, too much at once, nobody signed in. It stands
//! without script and without the application, since whoever sees it may have neither.

use leptos::prelude::*;

use crate::language::{self, t};

/// What such a page is called, by its HTTP status.
fn title(status: u16) -> &'static str {
    match status {
        401 => t!("Sign in first"),
        403 => t!("The hub refused this"),
        405 => t!("This address is not for reading"),
        413 | 414 | 431 => t!("This request is too large"),
        429 => t!("Too many requests"),
        503 => t!("Not at this moment"),
        500.. => t!("Something broke"),
        _ => t!("The hub did not accept this"),
    }
}

/// A sentence whose words in backticks are set as code.
fn sentence(text: &str) -> Vec<AnyView> {
    let part = |(at, part): (usize, &str)| {
        let part = part.to_owned();
        if at % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    text.split('`').enumerate().map(part).collect()
}

/// The whole document, as text: what was seen, what to do about it, and the request's id for whoever looks into the hub's log.
pub fn refused_page(status: u16, error: &str, hint: Option<&str>, request_id: &str) -> String {
    // Whoever came by a wrong address would only be refused again.
    let link = match status {
        401 => Some(("/sign-in", t!("Sign in"))),
        403 => None,
        _ => Some(("/", t!("Now"))),
    };
    let link = link.map(|(href, word)| view! { <p><a href=href>{word}</a></p> });
    let hint = hint.map(|hint| view! { <p class="advice">{t!("What to do: ")}{sentence(hint)}</p> });
    let (error, request_id) = (sentence(error), request_id.to_owned());
    // A title is no place for the marks that the other texts get; it is one of ours, see above.
    let title_text = format!("{} · Loggia", title(status));
    Owner::new().with(|| {
        view! {
            <!DOCTYPE html>
            <html lang=language::tag()>
                <head>
                    <meta charset="utf-8"/>
                    <meta name="viewport" content="width=device-width, initial-scale=1"/>
                    <meta name="color-scheme" content="light dark"/>
                    <title inner_html=title_text/>
                    <link rel="icon" type="image/svg+xml" href="/favicon.svg"/>
                    <link rel="stylesheet" href="/pkg/loggia.css"/>
                </head>
                <body>
                    <main id="main" class="sign-in">
                        <section class="panel padded failure">
                            <h1>{title(status)}</h1>
                            <p class="advice">{error}</p>
                            {hint}
                            {link}
                            <p class="muted">{format!("HTTP {status} · {}{request_id}", t!("request "))}</p>
                        </section>
                    </main>
                </body>
            </html>
        }
        .to_html()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_text_and_never_markup() {
        let page = refused_page(403, "the host `<script>x</script>` is not this hub's", Some("<b>"), "1-2");
        assert!(page.contains("<title>The hub refused this · Loggia</title>"), "{page}");
        assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("1-2"), "{page}");
    }
}
