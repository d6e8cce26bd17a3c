//! Signing in with a token and signing out: what the forms of the dashboard post.

use axum::extract::{Form, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

use crate::AppState;
use crate::auth::{self, Caller};
use crate::error::HttpError;
use crate::session;

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
    let SignIn { token, next } = form;
    let next = session::local_path(&next);
    if let Some(secret) = session::change(&state, move |tokens| tokens.sign_in(token.trim())).await? {
        session::note(&state, &secret, "session.begin");
        return Ok(session::begin(&state, &headers, &secret, next));
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", "invalid").append_pair("next", next);
    Ok(session::see_other(&format!("/sign-in?{}", query.finish())))
}

/// `POST /sign-out`
pub async fn sign_out(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    caller.poster()?;
    if let Some(secret) = auth::cookie(&headers, &state.cookie_name) {
        session::note(&state, &secret, "session.end");
        session::change(&state, move |tokens| tokens.sign_out(&secret)).await?;
    }
    Ok(session::end(&state))
}
