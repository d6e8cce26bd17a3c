//! `GET /v1/mems/stream`: the events of writes to session memory as server-sent events, the same fields as in the Redis stream. It holds
//! a bounded window: who comes back after that is told of the gap, and every event says the whole state anyway.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Interval;

use super::{pairs, passes};
use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::http::stream::{PING, answer, beat};
use crate::mems::outlet::{Event, Outlet};
use crate::streams::Place;
use crate::tokens::Scope;

/// After how many bytes what is written goes out, before more is looked at: a stream may be far behind.
const ENOUGH_BYTES: usize = 256 * 1024;

/// Opens a stream, from now on or after the event that `Last-Event-ID` names. Parts of an identity in the query keep those events alone
/// that have them.
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let (identity, credential) = caller.either(Scope::Memory)?;
    let place = state.streams.take(&identity.name)?;
    let outlet = Arc::clone(state.mems.outlet()?);
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    let mut first = ": connected\n\n".to_owned();
    let seen = match last {
        None => outlet.newest(),
        Some(id) => outlet.number_of(id).unwrap_or_else(|| {
            first.push_str(&gap());
            outlet.before_oldest()
        }),
    };
    let newest = outlet.follow();
    let ended = Box::pin(credential.ended(Arc::clone(&state.tokens), Scope::Memory));
    let live = LiveStream {
        state,
        ended,
        outlet,
        newest,
        seen,
        wanted: pairs(query.as_deref()),
        beat: beat(PING),
        first: Some(first),
        _place: place,
    };
    Ok(answer(stream::unfold(live, LiveStream::next)))
}

/// One open stream. Dropping it gives its place back.
struct LiveStream {
    state: AppState,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
    outlet: Arc<Outlet>,
    newest: watch::Receiver<u64>,
    /// The number of the last event that was looked at.
    seen: u64,
    wanted: Map<String, Value>,
    beat: Interval,
    first: Option<String>,
    _place: Place,
}

impl LiveStream {
    /// The next chunk; `None` ends the stream.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(first) = self.first.take() {
            return Some((Ok(first.into()), self));
        }
        loop {
            // Before the look: what comes after it wakes this stream again.
            self.newest.mark_unchanged();
            let unseen = self.outlet.after(self.seen);
            let mut text = if unseen.is_gap { gap() } else { String::new() };
            for (number, event) in unseen.events {
                self.seen = number;
                if passes(&event.owner, &self.wanted) {
                    text.push_str(&frame(&event));
                }
                if text.len() >= ENOUGH_BYTES {
                    break;
                }
            }
            if !text.is_empty() {
                return Some((Ok(text.into()), self));
            }
            tokio::select! {
                biased;
                () = self.state.stop.cancelled() => return None,
                // A token that was revoked takes its streams with it.
                () = &mut self.ended => return None,
                _ = self.beat.tick() => return Some((Ok(Bytes::from_static(b": ping\n\n")), self)),
                changed = self.newest.changed() => changed.ok()?,
            }
        }
    }
}

/// What stands for events that the window no longer holds.
fn gap() -> String {
    "event: gap\ndata: {\"hint\":\"events are missing here; every later one holds its session's whole state\"}\n\n"
        .to_owned()
}

fn frame(event: &Event) -> String {
    let fields: Map<String, Value> =
        event.fields().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    format!("id: {}\nevent: {}\ndata: {}\n\n", event.snapshot.event_id, event.did.as_str(), Value::Object(fields))
}
