//! What is a viewer's own, and what the pages about it share: who may keep something, and how the file is asked.

use std::sync::Arc;

use axum::extract::Form;
use axum::extract::rejection::FormRejection;
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::error::HttpError;
use crate::tokens::{Identity, Scope};
use crate::viewers::{Viewers, ViewersError};

/// Whether a viewer may keep something.
pub(super) fn allow(viewer: &Identity, state: &AppState) -> Result<(), ApiError> {
    if !viewer.may(Scope::Read) {
        return Err(ApiError::new(ErrorCode::Forbidden, format!("token `{}` lacks the scope `read`", viewer.name)));
    }
    if state.settings.read_only {
        return Err(
            ApiError::new(ErrorCode::Forbidden, "this hub is read-only").hint("it was started with --read-only")
        );
    }
    Ok(())
}

/// The form of a viewer who may keep something; `needs` says what belongs into it. Whoever may not is told nothing about the form.
pub(super) fn form<T>(
    viewer: &Identity,
    state: &AppState,
    form: Result<Form<T>, FormRejection>,
    needs: &'static str,
) -> Result<T, HttpError> {
    allow(viewer, state).map_err(HttpError::new)?;
    let Form(form) = form.map_err(|rejection| {
        HttpError::new(ApiError::new(ErrorCode::BadRequest, needs)).with_status(rejection.status())
    })?;
    Ok(form)
}

/// Writes into the file, off the async threads. What fails is logged, and told without its cause.
pub(super) async fn keep(
    state: &AppState,
    write: impl FnOnce(&Viewers) -> Result<(), ViewersError> + Send + 'static,
) -> Result<(), HttpError> {
    ask(state, write).await.map_err(|error| {
        tracing::error!(%error, "what is a viewer's own could not be kept");
        let error = ApiError::new(ErrorCode::Internal, "what is yours could not be kept");
        HttpError::new(error.hint("the hub's log says why"))
    })
}

/// Reads from the file, off the async threads; `None` where that fails, which is logged.
pub(super) async fn known<T: Send + 'static>(
    state: &AppState,
    read: impl FnOnce(&Viewers) -> Result<T, ViewersError> + Send + 'static,
) -> Option<T> {
    let read = ask(state, read).await;
    read.inspect_err(|error| tracing::error!(%error, "what is a viewer's own is not known")).ok()
}

async fn ask<T: Send + 'static>(
    state: &AppState,
    ask: impl FnOnce(&Viewers) -> Result<T, ViewersError> + Send + 'static,
) -> Result<T, String> {
    let viewers = Arc::clone(&state.viewers);
    let answer = tokio::task::spawn_blocking(move || ask(&viewers)).await;
    answer.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}
