//! `GET /sync/*`: what other hubs pull from this one (`contract: sync`), wire-compatible with MemPalace.
//!
//! It only answers. Who pulls is `estate`, and what peers are told about the estate is its status.

use std::io::Write as _;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawQuery, State};
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
use crate::estate::status;
use crate::logstream::StoreError;
use crate::tokens::Scope;

/// How many events one answer gives at most.
const MAX_LIMIT: i64 = 500;
/// How long a question may wait for something new.
const MAX_WAIT_MS: i64 = 30_000;
/// Answers below this size are not worth compressing.
const MIN_GZIP_BYTES: usize = 1024;

/// `GET /sync/version_vector`: what this hub has. With `wait_ms` (ours alone) it waits until the log has more than `since_seq`, and tells
/// the newest arrival number, so that a peer hears of an event when it is written.
pub async fn get_version_vector(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    caller.either(Scope::Replicate)?;
    let query = Query::read(query.as_deref());
    let wait = query.number("wait_ms", None, 0)?;
    let mut answer = Map::new();
    if let Some(wait_ms) = wait {
        let since = query.number("since_seq", Some(-1), -1)?.unwrap_or(-1);
        let wait = Duration::from_millis(u64::try_from(wait_ms.min(MAX_WAIT_MS)).unwrap_or(0));
        let mut newest = state.live.pump().subscribe();
        tokio::select! {
            // Over time, stopped or something new: in each case the answer is what is there now.
            _ = tokio::time::timeout(wait, newest.wait_for(|seq| *seq > since)) => {}
            () = state.stop.cancelled() => {}
        }
        // Before the vector is read: what arrives in between is told the next time.
        answer.insert("newest_seq".to_owned(), state.log.newest().await?.seq.into());
    }
    let estate = state.estate.status().await?;
    let mut vector = estate.version_vector.clone();
    if state.estate.holds_own() {
        vector.remove(&estate.replica_id);
    }
    let mut mesh = estate.mesh();
    answer.insert("replica_id".to_owned(), estate.replica_id.clone().into());
    answer.insert("version_vector".to_owned(), json!(vector));
    answer.insert("profile".to_owned(), status::profile());
    answer.insert("profiles".to_owned(), mesh["origin_profiles"].take());
    respond(&answer, &headers).await
}

#[derive(Serialize)]
struct Ops {
    origin: String,
    events: Vec<loggia_domain::Event>,
    count: usize,
}

/// `GET /sync/ops`: an author's events after one of its numbers, in the author's order.
pub async fn get_ops(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    caller.either(Scope::Replicate)?;
    let query = Query::read(query.as_deref());
    let origin = field::routing("origin", query.raw("origin")).map_err(bad)?;
    let after = query.number("after", Some(0), 0)?.unwrap_or(0);
    let limit = query.number("limit", Some(MAX_LIMIT), 1)?.unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
    // Our own events are being repaired: who got the later ones now would never ask for the earlier ones.
    let events = if origin == state.log.replica_id() && state.estate.holds_own() {
        Vec::new()
    } else {
        state.log.ops(origin.clone(), after, usize::try_from(limit).unwrap_or(1)).await?
    };
    let count = events.len();
    respond(&Ops { origin, events, count }, &headers).await
}

/// `GET /sync/artifact`: an artifact with its content.
pub async fn get_artifact(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    caller.either(Scope::Replicate)?;
    let id = field::routing("artifact_id", Query::read(query.as_deref()).raw("id")).map_err(bad)?;
    let Some(artifact) = state.log.artifact(id.clone()).await? else {
        return Err(ApiError::new(ErrorCode::NotFound, format!("artifact {} not found", quoted(&id))).into());
    };
    respond(&json!({"artifact": artifact}), &headers).await
}

/// `GET /sync/peers`: the estate; never a token.
pub async fn get_peers(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    caller.either(Scope::Replicate)?;
    respond(&state.estate.status().await?.mesh(), &headers).await
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
async fn respond(value: &impl Serialize, headers: &HeaderMap) -> Result<Response, HttpError> {
    let bytes =
        serde_json::to_vec(value).map_err(|e| StoreError::Storage(format!("an answer cannot be written: {e}")))?;
    let wants = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok());
    let wants_gzip = wants.flat_map(|v| v.split(',')).any(is_gzip);
    let (bytes, is_gzip) = if wants_gzip && bytes.len() >= MIN_GZIP_BYTES {
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

/// Whether one entry of `Accept-Encoding` allows gzip.
fn is_gzip(entry: &str) -> bool {
    let mut parts = entry.split(';').map(str::trim);
    let allowed = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
    allowed && !parts.any(|q| matches!(q.replace(' ', "").as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
}
