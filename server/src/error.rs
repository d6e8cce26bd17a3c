//! Errors at the HTTP boundary: one JSON form, `{"error", "code", "hint"}`, for every route that is not MCP.
//!
//! A cause that tells about the inside is logged here, once, and never sent.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use loggia_domain::{ApiError, ErrorCode};

use crate::logstream::StoreError;
use crate::tokens::AuthError;

/// The media type of every JSON answer.
pub const JSON: &str = "application/json; charset=utf-8";

/// An error on its way out.
#[derive(Debug)]
pub struct HttpError {
    status: StatusCode,
    error: ApiError,
}

impl HttpError {
    /// An error of a kind; the status follows from it.
    pub fn new(error: ApiError) -> Self {
        Self { status: status(error.code), error }
    }

    /// The same with another status than the kind's own.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

/// The HTTP status of a kind of error.
pub fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::BadRequest => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::Unavailable | ErrorCode::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self.error).unwrap_or_else(|_| r#"{"error":"internal error"}"#.to_owned());
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        // For whoever shows it to a person.
        response.extensions_mut().insert(self.error);
        response
    }
}

/// What a page or an HTTP client learns of a store error.
pub fn of_store(error: StoreError) -> ApiError {
    match error {
        StoreError::Refused(r) => api_refusal(ErrorCode::BadRequest, r),
        StoreError::NotFound(r) => api_refusal(ErrorCode::NotFound, r),
        error @ (StoreError::Busy | StoreError::Full | StoreError::Closed) => {
            ApiError::new(ErrorCode::Unavailable, error.to_string()).hint("reading goes on; try again in a moment")
        }
        StoreError::Storage(cause) => {
            tracing::error!(%cause, "the log could not be read");
            ApiError::new(ErrorCode::Internal, "the log could not be read").hint("the hub's log says why")
        }
    }
}

fn api_refusal(code: ErrorCode, refusal: loggia_domain::Refusal) -> ApiError {
    ApiError { error: refusal.message, code, hint: refusal.hint }
}

impl From<ApiError> for HttpError {
    fn from(error: ApiError) -> Self {
        Self::new(error)
    }
}

impl From<StoreError> for HttpError {
    fn from(error: StoreError) -> Self {
        Self::new(of_store(error))
    }
}

impl From<AuthError> for HttpError {
    fn from(error: AuthError) -> Self {
        tracing::error!(%error, "credentials could not be checked");
        Self::new(ApiError::new(ErrorCode::Internal, "credentials could not be checked"))
    }
}
