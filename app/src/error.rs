//! The error of a server function: the hub's own [`ApiError`], wrapped so that it may cross the border to the browser.
//!
//! Use [`PageError`] for whatever a page asked the hub. What goes wrong on the way (no network, a proxy's HTML page) becomes
//! [`ErrorCode::Unreachable`] here, since only the browser can know it.

use std::fmt;

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use loggia_domain::{ApiError, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::wire::JsonText;

/// Why a page has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageError(pub ApiError);

impl PageError {
    /// Whether the session is over.
    pub fn is_unauthorized(&self) -> bool {
        self.0.code == ErrorCode::Unauthorized
    }

    /// Whether what was asked for does not exist.
    pub fn is_not_found(&self) -> bool {
        self.0.code == ErrorCode::NotFound
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for PageError {}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl FromServerFnError for PageError {
    type Encoder = JsonText;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        let error = match error {
            ServerFnErrorErr::Args(cause) | ServerFnErrorErr::MissingArg(cause) => {
                ApiError::new(ErrorCode::BadRequest, format!("the question was malformed: {cause}"))
            }
            ServerFnErrorErr::Request(_) => ApiError::new(ErrorCode::Unreachable, "the hub did not answer")
                .hint("see whether `loggia serve` is running and the network is up, then try again"),
            ServerFnErrorErr::Deserialization(_) => {
                ApiError::new(ErrorCode::Unreachable, "the answer did not come from this version of the hub")
                    .hint("reload the page; if it stays, a proxy in between may answer in the hub's place")
            }
            other => ApiError::new(ErrorCode::Internal, other.to_string()),
        };
        Self(error)
    }
}

/// The HTTP status that says the same as an error code.
#[cfg(feature = "ssr")]
pub fn http_status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::BadRequest => 400,
        ErrorCode::Unauthorized => 401,
        ErrorCode::Forbidden => 403,
        ErrorCode::NotFound => 404,
        ErrorCode::Unavailable => 503,
        ErrorCode::Internal | ErrorCode::Unreachable => 500,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_the_hub_is_understood_as_it_stands() {
        let wire = r#"{"error":"no session","code":"unauthorized","hint":"sign in"}"#;
        let error = PageError::de(wire.as_bytes().to_vec().into());
        assert!(error.is_unauthorized());
        assert_eq!(error.0.hint.as_deref(), Some("sign in"));
    }

    #[test]
    fn a_page_of_a_proxy_is_no_answer_of_the_hub() {
        let error = PageError::de(b"<html>502 Bad Gateway</html>".to_vec().into());
        assert_eq!(error.0.code, ErrorCode::Unreachable);
    }
}
