//! What a viewer has looked through and searched for: what the forms about it post, and what pages show of it.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::response::Response;
use loggia_app::backend::FILES_SHOWN;
use loggia_domain::search::MAX_QUERY_CHARS;
use loggia_domain::{ApiError, ErrorCode, Raw, Refusal, field};
use serde::Deserialize;

use super::people::{allow, unkept};
use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::session;
use crate::tokens::Identity;

/// What the form sends.
#[derive(Deserialize)]
pub struct Mark {
    /// The artifact, to come back to it.
    id: String,
    /// The file's place in it.
    open: usize,
    /// The SHA-256 of what the patch says of the file, in hex.
    part: String,
    /// `yes` or `no`.
    viewed: String,
}

/// `POST /artifact/viewed`: the viewer has looked through a file of a patch, or wants to see it again. Nobody else sees it.
pub async fn mark(
    State(state): State<AppState>,
    caller: Caller,
    form: Result<Form<Mark>, FormRejection>,
) -> Result<Response, HttpError> {
    let viewer = caller.poster()?;
    allow(&viewer, &state).map_err(HttpError::new)?;
    // Only then: whoever may not post is told nothing about the form.
    let Form(form) = form.map_err(|rejection| {
        let error = ApiError::new(ErrorCode::BadRequest, "the form needs `id`, `open`, `part` and `viewed`");
        HttpError::new(error).with_status(rejection.status())
    })?;
    let id = field::routing("id", Raw::Text(form.id)).map_err(|r| HttpError::new(r.into()))?;
    let is_hash = form.part.len() == 64 && form.part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_viewed = match form.viewed.as_str() {
        "yes" => true,
        "no" => false,
        other => return Err(refused("viewed", "viewed must be `yes` or `no`", other)),
    };
    if !is_hash {
        return Err(refused("part", "part must be a SHA-256 of 64 small hexadecimal digits", &form.part));
    }
    let viewers = Arc::clone(&state.viewers);
    let kept = tokio::task::spawn_blocking(move || viewers.look_through(&viewer.name, &form.part, is_viewed)).await;
    kept.map_err(|e| unkept(&e))?.map_err(|e| unkept(&e))?;
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("id", &id).finish();
    // Files far behind are on pages of their own.
    let page = if form.open < FILES_SHOWN { String::new() } else { format!("&open={}", form.open) };
    Ok(session::see_other(&format!("/artifact?{query}{page}#file-{}", form.open)))
}

/// Which of these parts a viewer has looked through; `None` where nobody can mark any.
pub(super) async fn looked_through(state: &AppState, viewer: &Identity, parts: Vec<String>) -> Option<HashSet<String>> {
    allow(viewer, state).ok()?;
    let (viewers, name) = (Arc::clone(&state.viewers), viewer.name.clone());
    match tokio::task::spawn_blocking(move || viewers.looked_through(&name, &parts)).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::error!(%error, "what a viewer has looked through is not known");
            None
        }
        Err(_) => None,
    }
}

/// `POST /searches/forget`: forgets what the viewer searched for.
pub async fn forget_searches(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    let viewer = caller.poster()?;
    allow(&viewer, &state).map_err(HttpError::new)?;
    let viewers = Arc::clone(&state.viewers);
    let gone = tokio::task::spawn_blocking(move || viewers.forget_searches(&viewer.name)).await;
    gone.map_err(|e| unkept(&e))?.map_err(|e| unkept(&e))?;
    Ok(session::see_other("/log"))
}

/// What a viewer searched for in a place, the last first; `words` becomes the last, unless it is empty or nothing is to be written.
pub(super) async fn searches(state: &AppState, viewer: &Identity, place: &'static str, words: &str) -> Vec<String> {
    let (viewers, name) = (Arc::clone(&state.viewers), viewer.name.clone());
    let fits = (1..=MAX_QUERY_CHARS).contains(&words.chars().count());
    // Those of the palace are of who may see the memory, and need no other scope.
    let searched = (fits && !state.settings.read_only).then(|| words.to_owned());
    let read = tokio::task::spawn_blocking(move || {
        if let Some(words) = searched {
            viewers.searched(&name, place, &words)?;
        }
        viewers.searches(&name, place)
    });
    match read.await {
        Ok(Ok(words)) => words,
        Ok(Err(error)) => {
            tracing::error!(%error, "what a viewer searched for is not known");
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}

fn refused(field: &'static str, message: &str, value: &str) -> HttpError {
    HttpError::new(Refusal::new(field, message).value(value.chars().take(100).collect::<String>()).into())
}
