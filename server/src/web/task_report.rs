//! `GET /task/report?id=`: a delegation as a Markdown document, as a download for whoever has a session.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use loggia_domain::delegation::report::markdown;
use loggia_domain::{ApiError, ErrorCode, Raw, field, refusal};

use super::tasks;
use crate::AppState;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::HttpError;
use crate::tokens::Scope;

/// The document.
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let (identity, _) = caller.either(Scope::Read)?;
    let state = state.seen_by(&identity);
    let query = query.unwrap_or_default();
    let id = url::form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "id");
    let id = id.map_or(Raw::Absent, |(_, id)| Raw::Text(id.into_owned()));
    let id = field::routing("id", id).map_err(|refused| HttpError::new(ApiError::from(refused)))?;
    let Some((delegation, events, artifacts)) = tasks::told(&state, id.clone()).await.map_err(HttpError::new)? else {
        let message = format!("delegation {} not found", refusal::quoted(&id));
        return Err(HttpError::new(ApiError::new(ErrorCode::NotFound, message)));
    };
    let text = markdown(&delegation, &events, &artifacts, now_ms());
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = id.chars().filter(plain).take(80).collect();
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"task-{name}.md\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}
