//! HTTP by hand, for what a well-behaved client cannot say: odd headers, cut connections, chunked bodies. What comes on an event
//! stream is read by `sse`.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sse::Stream;

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
        let mut connection = self.try_connect().expect("the hub listens");
        let until = Instant::now() + ANSWER_LIMIT;
        // An answer that came before the whole body was sent may be followed by a reset: what has arrived counts.
        while connection.read_until(until) == Progress::Some {}
        assert!(connection.ended, "the answer does not end: {}", String::from_utf8_lossy(&connection.raw));
        let answer = connection.answer();
        if self.line.starts_with("GET ") {
            crate::kept::answer(&answer.body);
        }
        answer
    }

    /// Sends it and answers the open connection, whose answer may take its time.
    pub(crate) fn connect(self) -> Connection {
        self.try_connect().expect("the hub listens")
    }

    fn try_connect(&self) -> std::io::Result<Connection> {
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
        Some(Stream::new(connection, head, chunked))
    }
}

/// What one look at the socket brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Bytes.
    Some,
    /// Nothing in time.
    Nothing,
    /// The end.
    End,
}

/// A connection with a request on its way.
pub(crate) struct Connection {
    socket: TcpStream,
    /// What arrived and was not taken yet.
    pub(crate) raw: Vec<u8>,
    /// Whether the other side closed it.
    pub(crate) ended: bool,
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

    /// Reads what comes next, if it comes in time.
    pub(crate) fn read_until(&mut self, until: Instant) -> Progress {
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

/// Moves the content of every whole chunk from `raw` to `out`.
pub(crate) fn take_chunks(raw: &mut Vec<u8>, out: &mut Vec<u8>) {
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

/// Where some bytes begin within others.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|w| w == wanted)
}
