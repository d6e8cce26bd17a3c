//! Choosing the language of the pages: what the switch in their frame posts.

use axum::extract::{Form, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use loggia_app::Language;
use serde::Deserialize;
use url::Url;

use crate::AppState;
use crate::language::remembered;
use crate::session;

/// What the switch sends.
#[derive(Deserialize)]
pub struct Choice {
    language: String,
}

/// `POST /language`: remembers the choice and goes back to where the switch was. It changes nothing that the hub keeps, so nobody need
/// be signed in. A language that is not known is none.
pub async fn post(State(state): State<AppState>, headers: HeaderMap, Form(form): Form<Choice>) -> Response {
    let mut response = session::see_other(&back(&headers));
    if let Some(language) = Language::of_tag(&form.language)
        && let Ok(cookie) = HeaderValue::from_str(&remembered(language, state.guard.is_behind_tls(&headers)))
    {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The page with the switch, as the browser names it: its path alone, so that nobody is sent to another site.
fn back(headers: &HeaderMap) -> String {
    let referrer =
        headers.get(header::REFERER).and_then(|value| value.to_str().ok()).and_then(|url| Url::parse(url).ok());
    let Some(url) = referrer else { return "/".to_owned() };
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", url.path());
    // To nobody who just signed in, but to whoever changes the language there, the sign-in page is a page as any other.
    if url.path() == "/sign-in" { path } else { session::local_path(&path).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_leads_back_to_its_page_and_nowhere_else() {
        for (referrer, to) in [
            ("http://127.0.0.1:8787/task?id=a%2Fb&view=full", "/task?id=a%2Fb&view=full"),
            ("http://127.0.0.1:8787/sign-in?next=%2Flog", "/sign-in?next=%2Flog"),
            ("https://evil.example//evil.example/", "/"),
            ("nothing", "/"),
        ] {
            let headers = HeaderMap::from_iter([(header::REFERER, HeaderValue::from_static(referrer))]);
            assert_eq!(back(&headers), to);
        }
        assert_eq!(back(&HeaderMap::new()), "/");
    }
}
