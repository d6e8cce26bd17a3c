//! HTTP by hand, for what a well-behaved client cannot say: odd headers, cut connections, chunked bodies, and event streams that
//! are read frame by frame, or not at all.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a whole answer may take before a test gives up.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);

/// A request, every byte of which the test decides.
#[derive(Clone)]
pub(crate) struct Request {
    port: u16,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request with nothing but its `Host` and the wish to close afterwards.
    pub(crate) fn new(port: u16, method: &str, target: &str) -> Self {
        let headers = vec![("Host".into(), format!("127.0.0.1:{port}")), ("Connection".into(), "close".into())];
        Self { port, line: format!("{method} {target} HTTP/1.1"), headers, body: Vec::new() }
    }

    /// One more header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self
    }

    /// A header with another value than before.
    pub(crate) fn set(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    /// A body and its length.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.set("Content-Length", &length)
    }

    /// A JSON body, as MCP clients send it.
    pub(crate) fn json(self, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", "application/json").body(body)
    }

    /// What a form sends.
    pub(crate) fn form(self, fields: &str) -> Self {
        self.header("Content-Type", "application/x-www-form-urlencoded").body(fields)
    }

    /// A body in chunks of so many bytes.
    pub(crate) fn chunked(mut self, body: &[u8], chunk_bytes: usize) -> Self {
        self.body = Vec::with_capacity(body.len() + 1024);
        for chunk in body.chunks(chunk_bytes) {
            self.body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            self.body.extend_from_slice(chunk);
            self.body.extend_from_slice(b"\r\n");
        }
        self.body.extend_from_slice(b"0\r\n\r\n");
        self.header("Content-Type", "application/json").set("Transfer-Encoding", "chunked")
    }

    /// Sends it and reads the whole answer.
    #[track_caller]
    pub(crate) fn send(self) -> Answer {
        let mut connection = self.connect();
        let until = Instant::now() + ANSWER_LIMIT;
        // An answer that came before the whole body was sent may be followed by a reset: what has arrived counts.
        while connection.read_until(until) == Progress::Some {}
        assert!(connection.ended, "the answer does not end: {}", String::from_utf8_lossy(&connection.raw));
        connection.answer()
    }

    /// Sends it and answers the open connection, whose answer may take its time.
    pub(crate) fn connect(self) -> Connection {
        self.try_connect().expect("the hub listens")
    }

    fn try_connect(self) -> std::io::Result<Connection> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port))?;
        socket.set_nodelay(true).expect("a TCP socket");
        let headers: Vec<String> = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{}\r\n{}\r\n", self.line, headers.concat());
        // The hub may answer and close before it has read everything: then the answer counts, not the error here.
        let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(&self.body));
        Ok(Connection { socket, raw: Vec::new(), ended: false })
    }

    /// Opens an event stream, which must be granted.
    #[track_caller]
    pub(crate) fn open(self) -> Stream {
        self.try_open().expect("the hub answers")
    }

    /// As [`Request::open`], for a hub that may be gone, or have no place for another stream (503).
    #[track_caller]
    pub(crate) fn try_open(self) -> Option<Stream> {
        let mut connection = self.try_connect().ok()?;
        let until = Instant::now() + ANSWER_LIMIT;
        let head_end = loop {
            if let Some(at) = find(&connection.raw, b"\r\n\r\n") {
                break at + 4;
            }
            if connection.read_until(until) != Progress::Some {
                return None;
            }
        };
        let body = connection.raw.split_off(head_end);
        let head = connection.answer();
        if head.status == 503 {
            return None;
        }
        assert_eq!(head.status, 200, "no stream: {}", String::from_utf8_lossy(&body));
        let chunked = head.header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked"));
        connection.raw = body;
        Some(Stream { connection, head, chunked, text: Vec::new(), frames: 0 })
    }
}

/// What one look at the socket brought.
#[derive(Debug, PartialEq, Eq)]
enum Progress {
    Some,
    Nothing,
    End,
}

/// A connection with a request on its way.
pub(crate) struct Connection {
    socket: TcpStream,
    raw: Vec<u8>,
    ended: bool,
}

impl Connection {
    /// Reads the whole answer, which must come within the limit.
    #[track_caller]
    pub(crate) fn wait(mut self, limit: Duration) -> Answer {
        let until = Instant::now() + limit;
        while self.read_until(until) == Progress::Some {}
        assert!(self.ended, "no whole answer within {limit:?}: {}", String::from_utf8_lossy(&self.raw));
        self.answer()
    }

    fn read_until(&mut self, until: Instant) -> Progress {
        let Some(left) = until.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) else {
            return Progress::Nothing;
        };
        self.socket.set_read_timeout(Some(left)).expect("the time is not zero");
        let mut buffer = [0; 16_384];
        match self.socket.read(&mut buffer) {
            Ok(0) => self.ended = true,
            Ok(n) => {
                self.raw.extend_from_slice(&buffer[..n]);
                return Progress::Some;
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Progress::Nothing,
            Err(_) => self.ended = true,
        }
        Progress::End
    }

    #[track_caller]
    fn answer(&self) -> Answer {
        let Some(head_end) = find(&self.raw, b"\r\n\r\n") else {
            panic!("no answer, only {:?}", String::from_utf8_lossy(&self.raw))
        };
        let head = String::from_utf8_lossy(&self.raw[..head_end]);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|l| l.split(' ').nth(1)).and_then(|s| s.parse().ok());
        let headers = lines.filter_map(|l| l.split_once(':')).map(|(n, v)| (n.to_lowercase(), v.trim().to_owned()));
        let mut answer =
            Answer { status: status.expect("a status line"), headers: headers.collect(), body: Vec::new() };
        let rest = &self.raw[head_end + 4..];
        answer.body = if answer.header("transfer-encoding").is_some() {
            let (mut rest, mut body) = (rest.to_vec(), Vec::new());
            take_chunks(&mut rest, &mut body);
            body
        } else {
            rest.to_vec()
        };
        answer
    }
}

/// An answer as it arrived.
pub(crate) struct Answer {
    /// The status code.
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The same from the client that most tests use.
    pub(crate) fn from_ureq(mut response: ureq::http::Response<ureq::Body>) -> Self {
        let headers = response.headers().iter();
        let headers = headers.map(|(n, v)| (n.as_str().to_owned(), String::from_utf8_lossy(v.as_bytes()).into_owned()));
        let (status, headers) = (response.status().as_u16(), headers.collect());
        let body = response.body_mut().with_config().read_to_vec().expect("a whole answer");
        Self { status, headers, body }
    }

    /// The first header of a name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The cookie that it sets, as a browser sends it back.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.header("set-cookie")?.split(';').next().map(str::to_owned)
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, announced as such.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let announced = self.header("content-type").is_some_and(|t| t.starts_with("application/json"));
        match serde_json::from_slice(&self.body) {
            Ok(value) if announced => value,
            _ => panic!("no JSON: {self:?}"),
        }
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "HTTP {}", self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "{name}: {value}")?;
        }
        writeln!(f, "\n{}", self.text().chars().take(2000).collect::<String>())
    }
}

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

/// Moves the content of every whole chunk from `raw` to `out`.
fn take_chunks(raw: &mut Vec<u8>, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(line_end) = find(&raw[at..], b"\r\n") {
        let size = std::str::from_utf8(&raw[at..at + line_end]).ok().and_then(|s| usize::from_str_radix(s, 16).ok());
        let size = size.expect("a chunk begins with its size");
        let from = at + line_end + 2;
        if raw.len() < from + size + 2 {
            break;
        }
        out.extend_from_slice(&raw[from..from + size]);
        at = from + size + 2;
    }
    raw.drain(..at);
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|w| w == wanted)
}
