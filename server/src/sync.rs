//! `GET /sync/*`: what other hubs pull from this one (`contract: sync`), wire-compatible with MemPalace.
//!
//! It only answers. Who pulls is `estate`, and what peers are told about the estate is its status.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use loggia_domain::refusal::{quoted, shown};
use loggia_domain::{ApiError, ErrorCode, Raw, Refusal, field};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::AppState;
use crate::auth::Caller;
use crate::error::{HttpError, JSON};
use crate::logstream::StoreError;
use crate::tokens::Scope;

/// How many events one answer gives at most.
const MAX_LIMIT: i64 = 500;
/// How long a question may wait for something new.
const MAX_WAIT_MS: i64 = 30_000;
/// Answers below this size are not worth compressing.
const MIN_GZIP_BYTES: usize = 1024;

/// What a hub that may pull asks.
pub struct Asked {
    caller: Caller,
    query: Query,
    takes_gzip: bool,
}

impl FromRequestParts<AppState> for Asked {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, HttpError> {
        let caller = Caller::of(&parts.headers, state);
        caller.either(Scope::Replicate)?;
        let takes_gzip = takes_gzip(&parts.headers);
        Ok(Self { caller, query: Query::read(parts.uri.query()), takes_gzip })
    }
}

/// `GET /sync/version_vector`: what this hub has. With `wait_ms` (ours alone) it waits until the log has more than `since_seq`, and tells
/// the newest arrival number, so that a peer hears of an event when it is written.
pub async fn get_version_vector(State(state): State<AppState>, asked: Asked) -> Result<Response, HttpError> {
    let wait = asked.query.number("wait_ms", None, 0)?;
    let mut answer = Map::new();
    if let Some(wait_ms) = wait {
        let since = asked.query.number("since_seq", Some(-1), -1)?.unwrap_or(-1);
        let wait = Duration::from_millis(u64::try_from(wait_ms.min(MAX_WAIT_MS)).unwrap_or(0));
        let (_, credential) = asked.caller.either(Scope::Replicate)?;
        let mut newest = state.live.pump().subscribe_numbers();
        tokio::select! {
            // Over time, stopped or something new: in each case the answer is what is there now.
            _ = tokio::time::timeout(wait, newest.wait_for(|seq| *seq > since)) => {}
            () = state.stop.cancelled() => {}
            () = credential.ended(Arc::clone(&state.tokens), Scope::Replicate) => {}
        }
        // Who may no more since the wait began is told nothing.
        asked.caller.either(Scope::Replicate)?;
        // Before the vector is read: what arrives in between is told the next time.
        answer.insert("newest_seq".to_owned(), state.log.newest().await?.seq.into());
    }
    let own = state.log.replica_id();
    let profiles = state.estate.profiles();
    answer.insert("replica_id".to_owned(), own.into());
    answer.insert("version_vector".to_owned(), json!(state.estate.told_vector().await?));
    answer.insert("profile".to_owned(), json!(profiles.get(own)));
    answer.insert("profiles".to_owned(), profiles.into());
    respond(&answer, asked.takes_gzip).await
}

#[derive(Serialize)]
struct Ops {
    origin: String,
    events: Vec<loggia_domain::Event>,
    count: usize,
}

/// `GET /sync/ops`: an author's events after one of its numbers, in the author's order.
pub async fn get_ops(State(state): State<AppState>, asked: Asked) -> Result<Response, HttpError> {
    let origin = field::routing("origin", asked.query.raw("origin")).map_err(bad)?;
    let after = asked.query.number("after", Some(0), 0)?.unwrap_or(0);
    let limit = asked.query.number("limit", Some(MAX_LIMIT), 1)?.unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
    let events = state.estate.told_ops(origin.clone(), after, usize::try_from(limit).unwrap_or(1)).await?;
    let count = events.len();
    respond(&Ops { origin, events, count }, asked.takes_gzip).await
}

/// `GET /sync/artifact`: an artifact with its content.
pub async fn get_artifact(State(state): State<AppState>, asked: Asked) -> Result<Response, HttpError> {
    let id = field::routing("artifact_id", asked.query.raw("id")).map_err(bad)?;
    let Some(artifact) = state.log.artifact(id.clone()).await? else {
        return Err(ApiError::new(ErrorCode::NotFound, format!("artifact {} not found", quoted(&id))).into());
    };
    respond(&json!({"artifact": artifact}), asked.takes_gzip).await
}

/// `GET /sync/peers`: the estate; never a token.
pub async fn get_peers(State(state): State<AppState>, asked: Asked) -> Result<Response, HttpError> {
    respond(&state.estate.status().await?.mesh(), asked.takes_gzip).await
}

/// The parameters of a request; of one that is repeated, the last counts.
struct Query(Map<String, Value>);

impl Query {
    fn read(query: Option<&str>) -> Self {
        let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned().into())).collect())
    }

    fn raw(&self, name: &str) -> Raw {
        Raw::from(self.0.get(name).cloned())
    }

    /// A whole number of at least `least`; absent and empty are the default.
    fn number(&self, name: &'static str, default: Option<i64>, least: i64) -> Result<Option<i64>, HttpError> {
        let Some(value) = self.0.get(name).filter(|v| v.as_str() != Some("")) else { return Ok(default) };
        let number = value.as_str().and_then(|text| text.trim().parse().ok()).filter(|n| *n >= least);
        number.map(Some).ok_or_else(|| {
            let message = format!("{name} must be a whole number of at least {least}, not {}", shown(value));
            ApiError::new(ErrorCode::BadRequest, message).into()
        })
    }
}

fn bad(refusal: Refusal) -> HttpError {
    ApiError { error: refusal.message, code: ErrorCode::BadRequest, hint: refusal.hint }.into()
}

/// JSON, compressed where that was asked for.
async fn respond(value: &impl Serialize, takes_gzip: bool) -> Result<Response, HttpError> {
    let bytes =
        serde_json::to_vec(value).map_err(|e| StoreError::Storage(format!("an answer cannot be written: {e}")))?;
    let (bytes, is_gzip) = if takes_gzip && bytes.len() >= MIN_GZIP_BYTES {
        let packed = tokio::task::spawn_blocking(move || {
            let mut packed = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
            packed.write_all(&bytes).and_then(|()| packed.finish())
        });
        let packed = packed.await.map_err(|_| StoreError::Closed)?;
        (packed.map_err(|e| StoreError::Storage(format!("an answer cannot be packed: {e}")))?, true)
    } else {
        (bytes, false)
    };
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let entries = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok());
    entries.flat_map(|v| v.split(',')).any(is_gzip)
}

/// Whether one entry of `Accept-Encoding` allows gzip.
fn is_gzip(entry: &str) -> bool {
    let mut parts = entry.split(';').map(str::trim);
    let allowed = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
    allowed && !parts.any(|q| matches!(q.replace(' ', "").as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
}
