//! One live stream: connects to `/logstream/stream` and notes when which event came.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::Failure;
use crate::target::Target;
use crate::tools::{Key, key};
use crate::wire::{self, Framing, Head};

/// Which event came when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The event.
    pub(crate) key: Key,
    /// When its last byte was read here.
    pub(crate) at: Instant,
}

/// What a stream or a wait has received so far, in its order.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    arrivals: Mutex<Vec<Arrival>>,
    ended: AtomicBool,
}

impl Seen {
    /// Notes an event.
    pub(crate) fn note(&self, key: Key, at: Instant) {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).push(Arrival { key, at });
    }

    /// Notes that nothing more will come.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether nothing more will come.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether anything came.
    pub(crate) fn is_awake(&self) -> bool {
        !self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Whether a certain event came; looks from the newest.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().any(|a| a.key == key)
    }

    /// Everything so far.
    pub(crate) fn all(&self) -> Vec<Arrival> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An open stream. Closed when it is dropped.
pub(crate) struct Stream {
    /// What came.
    pub(crate) seen: Arc<Seen>,
    reader: JoinHandle<()>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Stream {
    /// Opens a stream of one stream's events; `None` when the hub has no room for it.
    pub(crate) async fn open(target: &Target, stream: &str) -> Result<Option<Self>, Failure> {
        let mut socket = wire::connect(target.address).await?;
        let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("stream", stream).finish();
        let path = format!("/logstream/stream?{query}");
        let request = target.request("GET", &path, "Accept: text/event-stream\r\n", b"");
        wire::write_all(&mut socket, &request).await?;
        let mut bytes = Vec::new();
        let (head, length) = loop {
            wire::read_once(&mut socket, |b| bytes.extend_from_slice(b)).await?;
            if let Some(found) = Head::parse(&bytes)? {
                break found;
            }
        };
        match head.status {
            200 => {}
            503 => return Ok(None),
            other => return Err(format!("a stream was answered with {other}").into()),
        }
        let seen = Arc::new(Seen::default());
        let mut frames = Frames { framing: head.framing, line: Vec::new() };
        frames.feed(&bytes[length..], |id| seen.note(key(id), Instant::now()))?;
        let reader = tokio::spawn(read(socket, frames, Arc::clone(&seen)));
        Ok(Some(Self { seen, reader }))
    }
}

async fn read(mut socket: TcpStream, mut frames: Frames, seen: Arc<Seen>) {
    loop {
        let mut fed = Ok(());
        let got = wire::read_once(&mut socket, |bytes| {
            let now = Instant::now();
            fed = frames.feed(bytes, |id| seen.note(key(id), now));
        })
        .await;
        if got.is_err() || fed.is_err() {
            seen.end();
            return;
        }
    }
}

/// Finds the ids in a stream of server-sent events, wherever the bytes were cut.
struct Frames {
    framing: Framing,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
}

impl Frames {
    fn feed(&mut self, bytes: &[u8], mut on: impl FnMut(&[u8])) -> Result<(), Failure> {
        let line = &mut self.line;
        let ended = self.framing.feed(bytes, |mut payload| {
            while let Some(end) = payload.iter().position(|b| *b == b'\n') {
                let (rest, next) = payload.split_at(end);
                payload = &next[1..];
                if line.is_empty() {
                    on_line(rest, &mut on);
                } else {
                    line.extend_from_slice(rest);
                    on_line(line, &mut on);
                    line.clear();
                }
            }
            line.extend_from_slice(payload);
        })?;
        if ended { Err("the hub ended the stream".into()) } else { Ok(()) }
    }
}

fn on_line(line: &[u8], on: &mut impl FnMut(&[u8])) {
    if let Some(id) = line.strip_prefix(b"id:") {
        on(id.trim_ascii());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_wherever_the_bytes_are_cut() {
        let text = b": connected\n\nid: evt_1\nevent: logstream\ndata: {\"id:\": 1}\n\nid: evt_2\r\ndata: {}\r\n\r\n";
        for cut in 0..=text.len() {
            let mut frames = Frames { framing: Framing::UntilClosed, line: Vec::new() };
            let mut ids = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                frames.feed(part, |id| ids.push(String::from_utf8_lossy(id).into_owned())).expect("it goes on");
            }
            assert_eq!(ids, ["evt_1", "evt_2"], "cut at {cut}");
        }
    }
}
