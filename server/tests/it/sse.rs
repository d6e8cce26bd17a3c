//! Event streams as they arrive, read frame by frame, or not at all. How they are opened is `wire`'s.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::wire::{Answer, Connection, Progress, find, take_chunks};

/// One frame of an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The `id:` line.
    pub(crate) id: Option<String>,
    /// The `event:` line.
    pub(crate) event: Option<String>,
    /// The `data:` lines.
    pub(crate) data: String,
    /// The comment lines, without their colon.
    pub(crate) comment: Option<String>,
}

impl Frame {
    /// The data as the event that it holds.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|e| panic!("{e} in {:?}", self.data))
    }

    /// The event's body.
    #[track_caller]
    pub(crate) fn body(&self) -> String {
        self.json()["body"].as_str().expect("a body is a text").to_owned()
    }
}

/// An open event stream.
pub(crate) struct Stream {
    connection: Connection,
    /// Status and headers.
    pub(crate) head: Answer,
    chunked: bool,
    text: Vec<u8>,
    frames: usize,
}

impl Stream {
    /// A connection whose answer's head was read.
    pub(crate) fn new(connection: Connection, head: Answer, chunked: bool) -> Self {
        Self { connection, head, chunked, text: Vec::new(), frames: 0 }
    }

    /// The next frame of any kind, or `None` when none came in time or the stream ended.
    #[track_caller]
    pub(crate) fn next_frame(&mut self, limit: Duration) -> Option<Frame> {
        let until = Instant::now() + limit;
        loop {
            if self.chunked {
                take_chunks(&mut self.connection.raw, &mut self.text);
            } else {
                self.text.append(&mut self.connection.raw);
            }
            if let Some(end) = find(&self.text, b"\n\n") {
                let rest = self.text.split_off(end + 2);
                let frame = std::mem::replace(&mut self.text, rest);
                self.frames += 1;
                return Some(parse_frame(std::str::from_utf8(&frame).expect("event streams are UTF-8")));
            }
            if self.connection.read_until(until) != Progress::Some {
                return None;
            }
        }
    }

    /// The next frame that says something: no comment, and no heartbeat of a browser's stream. `None` when none came in time or
    /// the stream ended.
    #[track_caller]
    pub(crate) fn next_event(&mut self, limit: Duration) -> Option<Frame> {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.next_frame(left)? {
                frame if frame.data.is_empty() || frame.event.as_deref() == Some("heartbeat") => {}
                frame => return Some(frame),
            }
        }
    }

    /// The next event, which must come.
    #[track_caller]
    pub(crate) fn event(&mut self) -> Frame {
        let frame = self.next_event(Duration::from_secs(20));
        frame.unwrap_or_else(|| panic!("no event after {} frames, ended: {}", self.frames, self.connection.ended))
    }

    /// The ids of so many next events.
    #[track_caller]
    pub(crate) fn ids(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.event().id.expect("every event's frame has an id")).collect()
    }

    /// The bodies of so many next events.
    #[track_caller]
    pub(crate) fn bodies(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.event().body()).collect()
    }

    /// Fails if an event comes within a short time.
    #[track_caller]
    pub(crate) fn expect_silence(&mut self) {
        let frame = self.next_event(Duration::from_millis(300));
        assert!(frame.is_none(), "unexpected: {frame:?}");
    }

    /// Reads on until the hub ends the stream; answers whether it did in time.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while self.connection.read_until(until) == Progress::Some {}
        self.connection.ended
    }
}

fn parse_frame(text: &str) -> Frame {
    let mut frame = Frame { id: None, event: None, data: String::new(), comment: None };
    let mut data_lines = 0;
    for line in text.lines().filter(|l| !l.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" => frame.comment = Some(value.to_owned()),
            "id" => frame.id = Some(value.to_owned()),
            "event" => frame.event = Some(value.to_owned()),
            "data" => {
                data_lines += 1;
                frame.data.push_str(value);
            }
            "retry" => {}
            other => panic!("unknown field {other:?} in {text:?}"),
        }
    }
    assert!(data_lines <= 1, "an event is one line of data: {text:?}");
    frame
}
