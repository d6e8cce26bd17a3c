//! What a viewer has looked through and searched for: what the forms about it post, and what pages show of it.

use std::collections::HashSet;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::response::Response;
use loggia_app::backend::FILES_SHOWN;
use loggia_domain::search::MAX_QUERY_CHARS;
use loggia_domain::{Raw, Refusal, field};
use serde::Deserialize;

use super::own;
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
    let form = own::form(&viewer, &state, form, "the form needs `id`, `open`, `part` and `viewed`")?;
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
    own::keep(&state, move |viewers| viewers.look_through(viewer.viewer(), &form.part, is_viewed)).await?;
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("id", &id).finish();
    // Files far behind are on pages of their own.
    let page = if form.open < FILES_SHOWN { String::new() } else { format!("&open={}", form.open) };
    Ok(session::see_other(&format!("/artifact?{query}{page}#file-{}", form.open)))
}

/// Which of these parts a viewer has looked through; `None` where nobody can mark any.
pub(super) async fn looked_through(state: &AppState, viewer: &Identity, parts: Vec<String>) -> Option<HashSet<String>> {
    own::allow(viewer, state).ok()?;
    let viewer = viewer.clone();
    own::known(state, move |viewers| viewers.looked_through(viewer.viewer(), &parts)).await
}

/// `POST /searches/forget`: forgets what the viewer searched for.
pub async fn forget_searches(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    let viewer = caller.poster()?;
    own::allow(&viewer, &state).map_err(HttpError::new)?;
    own::keep(&state, move |viewers| viewers.forget_searches(viewer.viewer())).await?;
    Ok(session::see_other("/log"))
}

/// What a viewer searched for in a place, the last first; `words` becomes the last, unless it is empty or nothing is to be written.
pub(super) async fn searches(state: &AppState, viewer: &Identity, place: &'static str, words: &str) -> Vec<String> {
    let fits = (1..=MAX_QUERY_CHARS).contains(&words.chars().count());
    // Those of the palace are of who may see the memory, and need no other scope.
    let searched = (fits && !state.settings.read_only).then(|| words.to_owned());
    let viewer = viewer.clone();
    let read = own::known(state, move |viewers| {
        if let Some(words) = searched {
            viewers.searched(viewer.viewer(), place, &words)?;
        }
        viewers.searches(viewer.viewer(), place)
    });
    read.await.unwrap_or_default()
}

fn refused(field: &'static str, message: &str, value: &str) -> HttpError {
    HttpError::new(Refusal::new(field, message).value(value.chars().take(100).collect::<String>()).into())
}
