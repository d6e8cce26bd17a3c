//! What every answer carries, and how a refusal looks to a person: the request's id, headers that keep browsers careful, and a page in
//! place of JSON where a browser asked for one. It decides nothing: who is refused, and why, is known before.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::{BodyExt as _, Limited};
use loggia_app::speaking;
use loggia_domain::ApiError;
use serde_json::{Value, json};
use tracing::Instrument as _;

use crate::figures::requests::Route;
use crate::language;

/// The header with the request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// An error's body that is longer than this is left as it is.
const MAX_ERROR_BYTES: usize = 64 * 1024;
const REFUSAL_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Gives each request an id: in the answer's header, in every log line that is written on its behalf, and in the body of an answer that
/// says that something broke. What a client calls its request itself is not repeated: it may be anything.
pub async fn identify(request: Request, next: Next) -> Response {
    let id = new_id();
    let page_language = wants_page(&request).then(|| language::of(request.headers()));
    let route = Route::of(request.uri().path()).as_str();
    let span = tracing::info_span!("request", id, method = %request.method(), route);
    let mut response = next.run(request).instrument(span).await;
    if let Some(language) = page_language.filter(|_| is_shown_as_page(response.status()))
        && let Some(error) = response.extensions_mut().remove::<ApiError>()
    {
        response = speaking(language, || page(response, &error, &id));
    } else if response.status().is_server_error() {
        response = name_request(response, &id).await;
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// What keeps a browser from taking an answer for more than it is.
pub async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Told apart among all requests of all hubs, and easily read out: the hub's start, and the request's number.
fn new_id() -> String {
    static START: LazyLock<u32> = LazyLock::new(|| {
        let mut dice = [0; 4];
        // Without random bytes all starts look the same: the numbers still tell requests apart.
        let _ = getrandom::fill(&mut dice);
        u32::from_le_bytes(dice)
    });
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    format!("{:08x}-{:x}", *START, NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Whether a browser asks for something that it will show as a page.
fn wants_page(request: &Request) -> bool {
    let machine = ["/mcp", "/sync", "/v1", "/api", "/logstream", "/metrics", "/statusz", "/healthz", "/pkg"];
    let path = request.uri().path();
    let is_machine = machine.iter().any(|m| path.strip_prefix(m).is_some_and(|r| r.is_empty() || r.starts_with('/')));
    !is_machine && accepts_html(request.headers())
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|a| a.contains("text/html"))
}

fn is_shown_as_page(status: StatusCode) -> bool {
    // What is not found has a page of the app.
    matches!(status.as_u16(), 401 | 403 | 405 | 413..=415 | 422 | 429 | 431 | 500..)
}

/// The same refusal for a person; the answer's other headers stay.
fn page(response: Response, error: &ApiError, id: &str) -> Response {
    let (mut parts, _) = response.into_parts();
    let html = loggia_app::refused_page(parts.status.as_u16(), &error.error, error.hint.as_deref(), id);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    parts.headers.insert(header::CONTENT_SECURITY_POLICY, REFUSAL_POLICY);
    Response::from_parts(parts, Body::from(html))
}

/// The same error with the request's id in its JSON, in both forms that errors have here.
async fn name_request(response: Response, id: &str) -> Response {
    let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
    if !response.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = Limited::new(body, MAX_ERROR_BYTES).collect().await.map(http_body_util::Collected::to_bytes) else {
        return Response::from_parts(
            parts,
            Body::from(json!({"error": "internal error", "request_id": id}).to_string()),
        );
    };
    let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let named = match value.get_mut("error") {
        Some(Value::Object(error)) => error.entry("data").or_insert_with(|| json!({})).as_object_mut(),
        Some(Value::String(_)) => value.as_object_mut(),
        _ => None,
    };
    if let Some(fields) = named {
        fields.insert("request_id".to_owned(), id.into());
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_broke_names_the_request_in_both_forms_of_errors() {
        #[track_caller]
        fn broken(text: &'static str) -> Response {
            Response::builder()
                .status(500)
                .header(header::CONTENT_TYPE, crate::error::JSON)
                .body(Body::from(text))
                .expect("an answer")
        }
        async fn named(text: &'static str) -> String {
            let body = name_request(broken(text), "7").await.into_body().collect().await.expect("a body");
            String::from_utf8(body.to_bytes().to_vec()).expect("text")
        }
        assert_eq!(named(r#"{"error":"x"}"#).await, r#"{"error":"x","request_id":"7"}"#);
        let rpc = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":{"a":1}}}"#;
        assert!(named(rpc).await.ends_with(r#""data":{"a":1,"request_id":"7"}}}"#));
        assert_eq!(named("not JSON").await, "not JSON");
    }

    #[test]
    fn ids_differ() {
        assert_ne!(new_id(), new_id());
    }
}
