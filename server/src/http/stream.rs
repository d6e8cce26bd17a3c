//! `GET /logstream/stream`: the log as server-sent events (`contract: logstream`, section SSE).

#[cfg(test)]
mod hostile;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use loggia_domain::presence::Way;
use loggia_domain::{Column, Filter, field};
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::AppState;
use crate::auth::{Caller, Credential};
use crate::error::HttpError;
use crate::logstream::pump::Frame;
use crate::logstream::{StoreError, Tail};
use crate::presence::{Here, Who};
use crate::streams::Place;
use crate::tokens::Scope;

/// How often an agent's stream gets a comment when nothing else is said.
pub(super) const PING: Duration = Duration::from_secs(15);
/// How often a page gets a heartbeat that its script can see; comments it cannot.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Opens a stream. A bad filter or cursor is a 400 before it starts.
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let (identity, credential) = caller.either(Scope::Read)?;
    let state = state.seen_by(&identity);
    let place = state.streams.take(&identity.name)?;
    let asked = Asked::read(query.as_deref().unwrap_or_default(), &headers).map_err(bad_request)?;
    let newest = state.log.newest().await?;
    let mut first = BytesMut::from(&b": connected\n\n"[..]);
    let cursor = match asked.start {
        Start::Tip => newest.seq,
        Start::Beginning => 0,
        Start::After(id) => state.log.seq_of("since_event_id", id).await.map_err(unknown_cursor)?,
        Start::Resume(id) => match state.log.seq_of("since_event_id", id).await {
            Ok(seq) => seq,
            // A page cannot see a 400: it is told where the log stands and starts over from there.
            Err(StoreError::NotFound(_)) if credential.is_session() => {
                let data = serde_json::json!({"id": newest.id, "seq": newest.seq});
                first.extend_from_slice(format!("event: resync\ndata: {data}\n\n").as_bytes());
                newest.seq
            }
            Err(error) => return Err(unknown_cursor(error)),
        },
    };
    if credential.is_session() {
        // Spread out, so that a restart does not bring every tab back in the same instant.
        let mut dice = [0; 2];
        // Without random bytes all come back together: slower, and nothing worse.
        let _ = getrandom::fill(&mut dice);
        let jitter = u16::from_le_bytes(dice) % 1500;
        first.extend_from_slice(format!("retry: {}\n\n", 1500 + jitter).as_bytes());
        first.extend_from_slice(&heartbeat(newest.seq));
    }
    let beat = beat(if credential.is_session() { HEARTBEAT } else { PING });
    let who = if credential.is_session() { Who::Page } else { state.presence.who(&[to_agent(&asked.filter)]) };
    let filter = asked.filter.clone();
    let tail = Tail::paced(&state.log, state.live.pump(), asked.filter, cursor);
    let here = state.presence.enter(Way::Stream, who, &filter, tail.shared_cursor());
    let stop = Box::pin(state.stop.clone().cancelled_owned());
    let ended = Box::pin(credential.clone().ended(Arc::clone(&state.tokens), Scope::Read));
    let live = LiveStream {
        state,
        stop,
        ended,
        tail,
        credential,
        beat,
        first: Some(first.freeze()),
        ready: Vec::new().into_iter(),
        here,
        _place: place,
    };
    Ok(answer(stream::unfold(live, LiveStream::next)))
}

/// The answer of a stream, which nobody on its way may keep, change or hold back.
pub(super) fn answer(chunks: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static) -> Response {
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Comes every so often, for the first time after that.
pub(super) fn beat(every: Duration) -> Interval {
    let mut beat = tokio::time::interval(every);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.reset();
    beat
}

/// One open stream. Dropping it gives its place back.
struct LiveStream {
    state: AppState,
    /// Registered once: ten thousand streams that did so on every wake-up would queue for one lock.
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Comes when the credential allows no reading any more. Registered once, as `stop`.
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
    tail: Tail,
    credential: Credential,
    beat: Interval,
    first: Option<Bytes>,
    /// What the tail gave and was not sent yet.
    ready: std::vec::IntoIter<Arc<Frame>>,
    here: Here,
    _place: Place,
}

impl LiveStream {
    /// The next chunk; `None` ends the stream.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(first) = self.first.take() {
            return Some((Ok(first), self));
        }
        if self.ready.len() == 0 {
            tokio::select! {
                biased;
                () = &mut self.stop => return None,
                // A token that was revoked takes its streams with it.
                () = &mut self.ended => return None,
                // Before the frames: a stream that lags behind always has some.
                _ = self.beat.tick() => {
                    // A token that was revoked takes its streams with it.
                    if !self.credential.identity(&self.state.tokens).is_some_and(|who| who.may(Scope::Read)) {
                        return None;
                    }
                    let newest = self.state.live.pump().newest();
                    let beat =
                        if self.credential.is_session() { heartbeat(newest) } else { Bytes::from_static(b": ping\n\n") };
                    return Some((Ok(beat), self));
                }
                frames = self.tail.next() => {
                    let frames = frames.inspect_err(|error| tracing::warn!(%error, "a live stream ends")).ok()?;
                    self.state.figures.stream_events.add(frames.len());
                    self.ready = frames.into_iter();
                }
            }
        }
        // One by one: frames are shared by all streams, and what is ready together leaves in one write all the same.
        let frame = self.ready.next()?;
        self.here.unsent(self.ready.len());
        Some((Ok(frame.sse.clone()), self))
    }
}

fn heartbeat(newest_seq: i64) -> Bytes {
    Bytes::from(format!(": ping\n\nevent: heartbeat\ndata: {{\"seq\":{newest_seq}}}\n\n"))
}

/// Where a stream begins.
#[derive(Debug, PartialEq)]
enum Start {
    /// With what arrives from now on.
    Tip,
    /// With the first event of the log.
    Beginning,
    /// After an event named in the address.
    After(String),
    /// After the event that a reconnecting client saw last.
    Resume(String),
}

/// What a stream was asked for.
struct Asked {
    filter: Filter,
    start: Start,
}

impl Asked {
    fn read(query: &str, headers: &HeaderMap) -> Result<Self, loggia_domain::Refusal> {
        let mut filter = Filter::default();
        let mut start = Start::Tip;
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "since_event_id" if !value.is_empty() => {
                    start = Start::After(field::routing("since_event_id", value.as_ref().into())?);
                }
                "from" if value == "start" && start == Start::Tip => start = Start::Beginning,
                // Keys that we do not know are left alone, as MemPalace does.
                other => {
                    filter.take_pair(other, &value)?;
                }
            }
        }
        // A browser that reconnects sends the old address again: what it saw last is in the header.
        if let Some(last) = headers.get("last-event-id").map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned())
            && !last.is_empty()
        {
            start = Start::Resume(field::routing("since_event_id", last.into())?);
        }
        Ok(Self { filter, start })
    }
}

/// The one agent whose events are wanted, if it is one.
fn to_agent(filter: &Filter) -> Option<&str> {
    match filter.any.get(&Column::ToAgent).map(Vec::as_slice) {
        Some([one]) => Some(one),
        _ => None,
    }
}

fn bad_request(refusal: loggia_domain::Refusal) -> HttpError {
    HttpError::new(refusal.into())
}

/// An unknown cursor is the request's fault, not a missing page.
fn unknown_cursor(error: StoreError) -> HttpError {
    match error {
        StoreError::NotFound(refusal) => bad_request(refusal),
        other => other.into(),
    }
}
