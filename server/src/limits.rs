//! What a request may have: its address, its headers, its body, and how many of them one credential may send. Each refusal names the
//! limit and the setting that changes it.
//!
//! # Design
//! Rates are kept for the credential as it was sent, before anybody looks whose it is: that costs a hash and a lock, and guessing at
//! tokens has no bucket to empty but its own. Bodies have a bound here that fits the route; `/mcp` and `/v1` say it themselves, in the forms
//! that their clients know.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Limited};
use loggia_domain::{ApiError, ErrorCode};

use crate::AppState;
use crate::auth;
use crate::config::{self, Limits};
use crate::error::HttpError;

/// The largest body of a form, or of what a page asks, in bytes: a whole event body fits, every byte of it escaped.
pub const MAX_FORM_BYTES: usize = 1024 * 1024;
/// How much of a larger one is read and thrown away, so that its sender comes to read the answer.
const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;
/// A credential may send so many seconds' worth of requests at once.
const BURST_S: u32 = 10;
/// With more buckets than this, the full ones are thrown away: they say nothing.
const MANY_BUCKETS: usize = 4096;

/// The middleware behind the door.
pub async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if let Err(refused) = check_head(&state.settings.limits, &request) {
        return refused.into_response();
    }
    if let Some(wait) = over_rate(&state, request.headers()) {
        return too_many(&state.settings.limits, wait);
    }
    if says_its_own_limit(request.uri().path()) {
        return next.run(request).await;
    }
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > MAX_FORM_BYTES as u64) {
        drain(request.into_body()).await;
        return too_large().into_response();
    }
    let mut response = next.run(request.map(|body| Body::new(Limited::new(body, MAX_FORM_BYTES)))).await;
    // What reads bodies says it in its own words.
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
        response = too_large().into_response();
    }
    response
}

fn over_rate(state: &AppState, headers: &HeaderMap) -> Option<Duration> {
    state.rate.as_ref()?.take(headers, &state.cookie_name, Instant::now())
}

fn says_its_own_limit(path: &str) -> bool {
    path == "/mcp" || path.starts_with("/v1/")
}

fn check_head(limits: &Limits, request: &Request) -> Result<(), HttpError> {
    let refuse = |status, what: &str, limit: usize, found: usize, setting: &str| {
        let error = ApiError::new(ErrorCode::BadRequest, format!("{what}: at most {limit}, not {found}"));
        Err(HttpError::new(error.hint(format!("{setting} is the limit"))).with_status(status))
    };
    let url_bytes = request.uri().path_and_query().map_or(0, |p| p.as_str().len());
    if url_bytes > limits.max_url_bytes {
        let what = "the address is too long in bytes";
        return refuse(StatusCode::URI_TOO_LONG, what, limits.max_url_bytes, url_bytes, config::MAX_URL_BYTES);
    }
    let headers = request.headers();
    if headers.len() > limits.max_headers {
        let (status, limit) = (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, limits.max_headers);
        return refuse(status, "there are too many headers", limit, headers.len(), config::MAX_HEADERS);
    }
    let header_bytes = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if header_bytes > limits.max_header_bytes {
        let (status, limit) = (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, limits.max_header_bytes);
        return refuse(status, "the headers are too large in bytes", limit, header_bytes, config::MAX_HEADER_BYTES);
    }
    Ok(())
}

fn too_large() -> HttpError {
    let error = format!("the body is too large in bytes: at most {MAX_FORM_BYTES} here");
    HttpError::new(ApiError::new(ErrorCode::BadRequest, error)).with_status(StatusCode::PAYLOAD_TOO_LARGE)
}

fn too_many(limits: &Limits, wait: Duration) -> Response {
    let rate = limits.rate_per_s.unwrap_or_default();
    let error = format!("too many requests: at most {rate} a second");
    let error = ApiError::new(ErrorCode::Unavailable, error)
        .hint(format!("wait as long as Retry-After says; {} is the limit", config::RATE_PER_S));
    let mut response = HttpError::new(error).with_status(StatusCode::TOO_MANY_REQUESTS).into_response();
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

async fn drain(mut body: Body) {
    let mut total = 0;
    while let Some(Ok(frame)) = body.frame().await {
        total += frame.data_ref().map_or(0, bytes::Bytes::len);
        if total > MAX_DRAINED_BYTES {
            return;
        }
    }
}

/// How many requests each credential may still make: a bucket that fills by itself.
#[derive(Debug)]
pub struct Rate {
    per_s: f64,
    most: f64,
    /// Nobody outside can choose credentials that share a bucket.
    hasher: RandomState,
    buckets: Mutex<Buckets>,
}

#[derive(Debug)]
struct Buckets {
    by_credential: HashMap<u64, Bucket>,
    tidied: Instant,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    /// So many requests a second.
    pub fn new(per_s: u32) -> Self {
        let buckets = Buckets { by_credential: HashMap::new(), tidied: Instant::now() };
        Self {
            per_s: f64::from(per_s),
            most: f64::from(per_s.saturating_mul(BURST_S)),
            hasher: RandomState::new(),
            buckets: Mutex::new(buckets),
        }
    }

    /// Takes one request from the bucket of whoever sends these headers; how long to wait when it is empty. Without a credential there is
    /// no bucket: what is open to everybody costs next to nothing.
    fn take(&self, headers: &HeaderMap, cookie_name: &str, now: Instant) -> Option<Duration> {
        self.credentials(headers, cookie_name).filter_map(|credential| self.take_at(credential, now)).max()
    }

    /// The token and the session that are sent. A route looks at one of them: who sends both pays for both, or one that is made up would
    /// hide the other.
    fn credentials(&self, headers: &HeaderMap, cookie_name: &str) -> impl Iterator<Item = u64> {
        let hash = |credential: &[u8]| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write(credential);
            hasher.finish()
        };
        let token = headers.get(header::AUTHORIZATION).map(|token| hash(token.as_bytes()));
        let session = auth::cookie(headers, cookie_name).map(|session| hash(session.as_bytes()));
        token.into_iter().chain(session)
    }

    fn take_at(&self, credential: u64, now: Instant) -> Option<Duration> {
        // A panic elsewhere leaves nothing half-done behind this lock.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.by_credential.len() > MANY_BUCKETS && now.duration_since(buckets.tidied).as_secs() >= 1 {
            buckets.tidied = now;
            buckets.by_credential.retain(|_, bucket| self.filled(bucket, now) < self.most);
        }
        let bucket = buckets.by_credential.entry(credential).or_insert(Bucket { left: self.most, at: now });
        bucket.left = self.filled(bucket, now);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return None;
        }
        Some(Duration::from_secs_f64((1.0 - bucket.left) / self.per_s))
    }

    fn filled(&self, bucket: &Bucket, now: Instant) -> f64 {
        (bucket.left + now.saturating_duration_since(bucket.at).as_secs_f64() * self.per_s).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one credential that is sent, if there is one.
    fn one(rate: &Rate, headers: &HeaderMap) -> Option<u64> {
        let mut sent = rate.credentials(headers, "loggia_1");
        sent.next().filter(|_| sent.next().is_none())
    }

    #[test]
    fn a_bucket_fills_by_itself_and_each_credential_has_its_own() {
        let (rate, start) = (Rate::new(2), Instant::now());
        for n in 0..20 {
            assert_eq!(rate.take_at(1, start), None, "request {n} of a burst of ten seconds");
        }
        assert_eq!(rate.take_at(1, start), Some(Duration::from_millis(500)));
        assert_eq!(rate.take_at(2, start), None, "another credential");
        assert_eq!(rate.take_at(1, start + Duration::from_millis(500)), None);
        assert!(rate.take_at(1, start + Duration::from_millis(500)).is_some());
    }

    #[test]
    fn guessing_at_credentials_does_not_fill_the_memory() {
        let (rate, start) = (Rate::new(1), Instant::now());
        let guesses = 0..u64::try_from(MANY_BUCKETS).expect("a small number") * 3;
        for guess in guesses {
            rate.take_at(guess, start + Duration::from_millis(guess));
        }
        let kept = rate.buckets.lock().expect("nobody panicked").by_credential.len();
        assert!(kept < MANY_BUCKETS * 2, "{kept}");
    }

    #[test]
    fn a_token_a_session_and_nobody_are_told_apart() {
        let rate = Rate::new(1);
        let of = |name: header::HeaderName, value: &'static str| {
            one(&rate, &HeaderMap::from_iter([(name, HeaderValue::from_static(value))]))
        };
        let token = of(header::AUTHORIZATION, "Bearer a");
        assert!(token.is_some() && token == of(header::AUTHORIZATION, "Bearer a"));
        assert_ne!(token, of(header::AUTHORIZATION, "Bearer b"));
        assert!(of(header::COOKIE, "loggia_1=x").is_some());
        assert_eq!(of(header::COOKIE, "loggia_2=x"), None);
        assert_eq!(one(&rate, &HeaderMap::new()), None);
    }

    #[test]
    fn a_token_that_is_made_up_hides_no_session_and_a_session_no_token() {
        let start = Instant::now();
        for (real, made_up) in [
            ((header::COOKIE, "loggia_1=x"), (header::AUTHORIZATION, "Bearer ")),
            ((header::AUTHORIZATION, "Bearer x"), (header::COOKIE, "loggia_1=")),
        ] {
            let rate = Rate::new(1);
            let ask = |n: u32| {
                let made_up = (made_up.0.clone(), format!("{}{n}", made_up.1));
                let sent = [(real.0.clone(), real.1.to_owned()), made_up];
                let headers =
                    sent.into_iter().map(|(name, value)| (name, HeaderValue::try_from(value).expect("a header")));
                rate.take(&headers.collect(), "loggia_1", start)
            };
            assert!((0..10).all(|n| ask(n).is_none()), "a burst");
            assert_eq!(ask(10), Some(Duration::from_secs(1)), "{}", real.0);
        }
    }
}
