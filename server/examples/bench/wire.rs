//! HTTP/1.1 as the load program needs it: one kept connection per client, bytes in and bytes out.
//!
//! Not a general client. The hub under test shares two cores with this program, so what a request costs here is taken
//! from what the hub can show; a full client costs several times as much as the hub's own reading of the request.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::Failure;
use crate::target::Target;

/// How many bytes are read at once.
const READ_BYTES: usize = 16 * 1024;

/// Reads once and hands what came to `on`, without keeping a buffer per connection. The end of the connection is an error.
pub(crate) async fn read_once(socket: &mut TcpStream, mut on: impl FnMut(&[u8])) -> io::Result<()> {
    poll_fn(|cx| {
        let mut space = [MaybeUninit::uninit(); READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut *socket).poll_read(cx, &mut buffer))?;
        if buffer.filled().is_empty() {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        on(buffer.filled());
        Poll::Ready(Ok(()))
    })
    .await
}

/// Writes everything.
pub(crate) async fn write_all(socket: &mut TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = poll_fn(|cx| Pin::new(&mut *socket).poll_write(cx, bytes)).await?;
        bytes = &bytes[written..];
    }
    Ok(())
}

/// Connects without delaying small packets.
pub(crate) async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

/// What an answer's head says.
#[derive(Debug, PartialEq)]
pub(crate) struct Head {
    /// The status.
    pub(crate) status: u16,
    /// How the body is delimited.
    pub(crate) framing: Framing,
    /// Whether the connection may be used again.
    pub(crate) keeps: bool,
    /// The first cookie that is set, without its attributes.
    pub(crate) cookie: Option<String>,
}

/// How a body is delimited.
#[derive(Debug, PartialEq)]
pub(crate) enum Framing {
    /// So many bytes are still to come.
    Length(usize),
    /// In chunks.
    Chunked(Chunked),
    /// Until the connection ends.
    UntilClosed,
}

impl Head {
    /// Reads the head at the start of `bytes`; `None` while it is not whole. Also gives its length.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Failure> {
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { return Ok(None) };
        let text = std::str::from_utf8(&bytes[..end])?;
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or("not an HTTP answer")?;
        let mut head =
            Self { status, framing: Framing::UntilClosed, keeps: first.starts_with("HTTP/1.1"), cookie: None };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                head.framing = Framing::Length(value.parse()?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
                head.framing = Framing::Chunked(Chunked::default());
            } else if name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
                head.keeps = false;
            } else if name.eq_ignore_ascii_case("set-cookie") {
                head.cookie = value.split(';').next().map(str::to_owned);
            }
        }
        head.keeps &= head.framing != Framing::UntilClosed;
        Ok(Some((head, end + 4)))
    }
}

impl Framing {
    /// Takes bytes of the connection and hands the body's own to `on`; whether the body is whole.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut on: impl FnMut(&[u8])) -> Result<bool, Failure> {
        match self {
            Self::Length(left) => {
                on(bytes);
                *left = left.checked_sub(bytes.len()).ok_or("the answer is longer than its content-length")?;
                Ok(*left == 0)
            }
            Self::Chunked(chunked) => chunked.feed(bytes, on),
            Self::UntilClosed => {
                on(bytes);
                Ok(false)
            }
        }
    }
}

/// The chunked coding, wherever the bytes were cut.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Chunked {
    place: Place,
    left: usize,
}

#[derive(Debug, Default, PartialEq)]
enum Place {
    /// In the line with the size.
    #[default]
    Size,
    /// In what follows the size in its line.
    Extension,
    /// In the chunk.
    Data,
    /// In the line break after it.
    Break,
    /// At the start of a line after the last chunk.
    Trailer,
    /// Within such a line.
    TrailerLine,
    /// After everything.
    Done,
}

impl Chunked {
    fn feed(&mut self, mut bytes: &[u8], mut on: impl FnMut(&[u8])) -> Result<bool, Failure> {
        while let Some(&byte) = bytes.first() {
            if self.place == Place::Data {
                let (data, rest) = bytes.split_at(self.left.min(bytes.len()));
                on(data);
                self.left -= data.len();
                bytes = rest;
                if self.left == 0 {
                    self.place = Place::Break;
                }
                continue;
            }
            bytes = &bytes[1..];
            match (&self.place, byte) {
                (Place::Size | Place::Extension, b'\n') => {
                    self.place = if self.left == 0 { Place::Trailer } else { Place::Data };
                }
                (Place::Size, b'\r') | (Place::Extension | Place::Break | Place::TrailerLine, _) if byte != b'\n' => {}
                (Place::Size, b';') => self.place = Place::Extension,
                (Place::Size, _) => {
                    let digit = char::from(byte).to_digit(16).ok_or("a chunk's size is not hexadecimal")?;
                    self.left = self.left * 16 + usize::try_from(digit)?;
                }
                (Place::Break, _) => self.place = Place::Size,
                (Place::Trailer, b'\r') => {}
                (Place::Trailer, b'\n') => self.place = Place::Done,
                (Place::Trailer, _) => self.place = Place::TrailerLine,
                (Place::TrailerLine, _) => self.place = Place::Trailer,
                (Place::Extension | Place::Data | Place::Done, _) => return Err("bytes after the last chunk".into()),
            }
        }
        Ok(self.place == Place::Done)
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// The first cookie that is set.
    pub(crate) cookie: Option<String>,
    /// The body, decoded.
    pub(crate) body: Vec<u8>,
}

/// One client with at most one connection, which is kept as long as the hub keeps it.
pub(crate) struct Client {
    target: Target,
    kept: Option<TcpStream>,
}

impl Client {
    /// A client of a hub; it connects when it has something to say.
    pub(crate) fn new(target: &Target) -> Self {
        Self { target: target.clone(), kept: None }
    }

    /// Sends a whole request, see [`Target::request`], and reads the answer. A kept connection that turns out to be closed is
    /// replaced once.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<Reply, Failure> {
        if let Some(socket) = self.kept.take()
            && let Ok(reply) = self.exchange(socket, request).await
        {
            return Ok(reply);
        }
        let socket = connect(self.target.address).await?;
        self.exchange(socket, request).await
    }

    async fn exchange(&mut self, mut socket: TcpStream, request: &[u8]) -> Result<Reply, Failure> {
        write_all(&mut socket, request).await?;
        let mut bytes = Vec::new();
        let (mut head, length) = loop {
            read_once(&mut socket, |b| bytes.extend_from_slice(b)).await?;
            if let Some(found) = Head::parse(&bytes)? {
                break found;
            }
        };
        let mut body = Vec::new();
        let mut whole = head.framing == Framing::Length(0);
        if bytes.len() > length {
            whole = head.framing.feed(&bytes[length..], |b| body.extend_from_slice(b))?;
        }
        while !whole {
            bytes.clear();
            match read_once(&mut socket, |b| bytes.extend_from_slice(b)).await {
                Ok(()) => whole = head.framing.feed(&bytes, |b| body.extend_from_slice(b))?,
                Err(end) if end.kind() == io::ErrorKind::UnexpectedEof && head.framing == Framing::UntilClosed => break,
                Err(error) => return Err(error.into()),
            }
        }
        if head.keeps {
            self.kept = Some(socket);
        }
        Ok(Reply { status: head.status, cookie: head.cookie, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_is_the_same_wherever_it_is_cut() {
        let coded = b"5\r\nhello\r\n1;x=y\r\n \r\na\r\nwide world\r\n0\r\nTrailer: x\r\n\r\n";
        for cut in 0..=coded.len() {
            let (mut chunked, mut body) = (Chunked::default(), Vec::new());
            let early = chunked.feed(&coded[..cut], |b| body.extend_from_slice(b)).expect("well formed");
            assert_eq!(early, cut == coded.len());
            assert!(chunked.feed(&coded[cut..], |b| body.extend_from_slice(b)).expect("well formed"));
            assert_eq!(body, b"hello wide world", "cut at {cut}");
        }
    }

    #[test]
    fn a_head_says_how_the_body_ends() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nSet-Cookie: a=b; Path=/\r\n\r\nrest";
        let (head, length) = Head::parse(bytes).expect("well formed").expect("whole");
        assert_eq!((head.status, head.keeps, head.cookie.as_deref()), (200, true, Some("a=b")));
        assert_eq!((head.framing, &bytes[length..]), (Framing::Length(12), &b"rest"[..]));
        let (head, _) = Head::parse(b"HTTP/1.0 200 OK\r\n\r\n").expect("well formed").expect("whole");
        assert_eq!((head.framing, head.keeps), (Framing::UntilClosed, false));
        assert_eq!(Head::parse(b"HTTP/1.1 200 OK\r\nContent-").expect("not yet wrong"), None);
    }
}
