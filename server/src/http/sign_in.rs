//! Signing in and out: a token, or the one-time link, becomes an HttpOnly session cookie.
//!
//! `SameSite=Lax`, since Strict would break links opened from a chat; every change is a POST with our Origin.

use axum::extract::{Form, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::AppState;
use crate::auth::{self, Caller};
use crate::error::HttpError;
use crate::tokens::SESSION_TTL;

/// What the sign-in form sends.
#[derive(Deserialize)]
pub struct SignIn {
    token: String,
    #[serde(default)]
    next: String,
}

/// `POST /sign-in`
pub async fn post(
    State(state): State<AppState>,
    headers: HeaderMap,
    Form(form): Form<SignIn>,
) -> Result<Response, HttpError> {
    let next = local_path(&form.next);
    if let Some(session) = state.tokens.sign_in(form.token.trim())? {
        return Ok(signed_in(&state, &headers, &session, next));
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", "invalid").append_pair("next", next);
    Ok(see_other(&format!("/sign-in?{}", query.finish())))
}

/// `POST /sign-out`
pub async fn sign_out(State(state): State<AppState>, caller: Caller, headers: HeaderMap) -> Result<Response, HttpError> {
    caller.poster()?;
    if let Some(session) = auth::cookie(&headers, &state.cookie_name) {
        state.tokens.sign_out(&session)?;
    }
    let mut response = see_other("/sign-in");
    set_cookie(&mut response, &format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", state.cookie_name));
    Ok(response)
}

/// The one-time link, `GET /sign-in?code=…`; `None` when the address holds no code.
pub fn redeem(state: &AppState, headers: &HeaderMap, RawQuery(query): RawQuery) -> Result<Option<Response>, HttpError> {
    let query = query.unwrap_or_default();
    let Some((_, code)) = url::form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "code") else {
        return Ok(None);
    };
    Ok(Some(match state.tokens.redeem_link(&code)? {
        Some(session) => signed_in(state, headers, &session, "/"),
        None => see_other("/sign-in?error=expired"),
    }))
}

fn signed_in(state: &AppState, headers: &HeaderMap, session: &str, next: &str) -> Response {
    let mut response = see_other(next);
    let behind_tls = headers.get(header::ORIGIN).is_some_and(|o| o.as_bytes().starts_with(b"https://"));
    let secure = if behind_tls { "; Secure" } else { "" };
    let max_age = SESSION_TTL.as_secs();
    set_cookie(
        &mut response,
        &format!("{}={session}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}", state.cookie_name),
    );
    response
}

fn see_other(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned()), (header::CACHE_CONTROL, "no-store".to_owned())]).into_response()
}

fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}

/// Where to go on: a path of ours, never another site.
fn local_path(next: &str) -> &str {
    let ours = next.starts_with('/')
        && !next.starts_with("//")
        && next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\')
        && !next.starts_with("/sign-");
    if ours { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn nobody_is_sent_to_another_site() {
        assert_eq!(local_path("/task?id=a%2Fb"), "/task?id=a%2Fb");
        for bad in ["", "//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb", "/\t/evil.example", "/sign-out"] {
            assert_eq!(local_path(bad), "/", "{bad:?}");
        }
    }
}
