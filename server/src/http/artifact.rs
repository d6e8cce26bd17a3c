//! `GET /artifacts/{id}/raw`: the exact bytes, as a download. Never shown by the browser itself: the content is anybody's text.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use loggia_domain::{ApiError, ErrorCode, refusal};

use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::tokens::Scope;

/// The content of an artifact, byte for byte.
pub async fn get_raw(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, HttpError> {
    let (identity, _) = caller.either(Scope::Read)?;
    let artifact = state.seen_by(&identity).log.artifact(id.clone()).await?.ok_or_else(|| {
        HttpError::new(ApiError::new(ErrorCode::NotFound, format!("artifact {} not found", refusal::quoted(&id))))
    })?;
    let extension = match artifact.kind.as_str() {
        "patch" => "patch",
        "json" => "json",
        "log" => "log",
        _ => "txt",
    };
    let name: String = artifact.id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
    let mut response = Response::new(Body::from(artifact.content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}.{extension}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    if let Ok(value) = HeaderValue::from_str(&artifact.sha256) {
        headers.insert("x-artifact-sha256", value);
    }
    Ok(response)
}
