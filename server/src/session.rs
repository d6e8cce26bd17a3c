//! How a browser session begins and ends: the cookie, and where the browser goes next.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::error::HttpError;
use crate::tokens::{AuthError, SESSION_TTL, Tokens};

/// Sends the browser on with the cookie of its new session. `SameSite=Lax`, since Strict would break links opened from a chat; every
/// change is a POST with our Origin.
pub fn begin(state: &AppState, headers: &HeaderMap, session: &str, next: &str) -> Response {
    let mut response = see_other(next);
    let secure = if state.guard.is_behind_tls(headers) { "; Secure" } else { "" };
    let max_age = SESSION_TTL.as_secs();
    set_cookie(
        &mut response,
        &format!("{}={session}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}", state.cookie_name),
    );
    response
}

/// Sends the browser to the sign-in page and takes its cookie away.
pub fn end(state: &AppState) -> Response {
    let mut response = see_other("/sign-in");
    set_cookie(&mut response, &format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", state.cookie_name));
    response
}

/// Changes credentials off the async threads: their file may be held by another process for seconds.
pub async fn change<T: Send + 'static>(
    state: &AppState,
    change: impl FnOnce(&Tokens) -> Result<T, AuthError> + Send + 'static,
) -> Result<T, HttpError> {
    let tokens = Arc::clone(&state.tokens);
    let changed = tokio::task::spawn_blocking(move || change(&tokens)).await;
    let broken = |_| HttpError::new(ApiError::new(ErrorCode::Internal, "credentials could not be changed"));
    Ok(changed.map_err(broken)??)
}

/// Notes in the audit what becomes of a session, by whose it is.
pub fn note(state: &AppState, session: &str, kind: &str) {
    let who = state.tokens.session(session).map(|who| who.name);
    state.audit.note(who.as_deref().unwrap_or_default(), kind, "", "ok");
}

/// 303, not to be kept.
pub fn see_other(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned()), (header::CACHE_CONTROL, "no-store".to_owned())])
        .into_response()
}

fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}

/// Where to go on: a path of ours, never another site.
pub fn local_path(next: &str) -> &str {
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
        for bad in [
            "",
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "/a\r\nb",
            "/\t/evil.example",
            "/sign-out",
        ] {
            assert_eq!(local_path(bad), "/", "{bad:?}");
        }
    }
}
