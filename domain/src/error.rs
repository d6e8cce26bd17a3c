//! The one form of an error for pages and HTTP: `{error, code, hint}`.
//!
//! Use it at the boundary only. Inside, modules have their own exact errors; a cause that could tell an outsider about the inside
//! (a path, an SQL text) is logged and never put in here.

use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;

/// What kind of failure, for a program; the HTTP status follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request breaks a rule; 400.
    BadRequest,
    /// No valid credential; 401.
    Unauthorized,
    /// A credential that may not do this, or a wrong host or origin; 403.
    Forbidden,
    /// There is no such thing; 404.
    NotFound,
    /// The store is busy or full for now, trying again may help; 503.
    Unavailable,
    /// Our fault; 500.
    Internal,
    /// The hub did not answer; only made in the browser.
    Unreachable,
}

/// An error as pages and HTTP clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{error}")]
pub struct ApiError {
    /// What went wrong, lower case, without a full stop.
    pub error: String,
    /// What kind of failure.
    pub code: ErrorCode,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ApiError {
    /// An error of a kind.
    pub fn new(code: ErrorCode, error: impl Into<String>) -> Self {
        Self { error: error.into(), code, hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// An input that breaks a rule is a bad request.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self { error: refusal.message, code: ErrorCode::BadRequest, hint: refusal.hint }
    }
}
