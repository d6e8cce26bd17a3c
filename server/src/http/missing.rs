//! What is not there on a machine route is a plain 404 in JSON, never a page: a client that probes must not take HTML for an answer.

use axum::http::Uri;
use loggia_domain::{ApiError, ErrorCode};

use crate::auth::{Caller, Denied};
use crate::error::HttpError;
use crate::tokens::Scope;

/// Below a machine prefix: 401 first, so that outsiders learn nothing.
pub async fn machine(caller: Caller, uri: Uri) -> Result<(), Denied> {
    caller.either(Scope::Read)?;
    Err(not_found(&uri))
}

/// Discovery probes of clients that would like OAuth: there is none, and they must see that at once.
pub async fn open(uri: Uri) -> HttpError {
    not_found(&uri)
}

fn not_found(uri: &Uri) -> HttpError {
    let path: String = uri.path().chars().take(200).collect();
    HttpError::new(ApiError::new(ErrorCode::NotFound, format!("there is no `{path}`")))
}
