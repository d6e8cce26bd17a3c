//! The bytes of one connection on their way: what arrives and what is taken moves its deadline, and what the system cuts is counted.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pace::Pace;
use crate::figures::Figures;

/// One connection.
pub struct Watched<Io> {
    io: Io,
    pace: Arc<Pace>,
    figures: Arc<Figures>,
    is_cut: bool,
}

impl<Io> Watched<Io> {
    /// Watches over it for these figures.
    pub fn new(io: Io, pace: Arc<Pace>, figures: Arc<Figures>) -> Self {
        Self { io, pace, figures, is_cut: false }
    }

    /// The system says that a connection timed out when its client took, or answered, nothing for too long; and it says so to whoever
    /// reads or writes next.
    fn heard(&mut self, error: &io::Error) {
        if error.kind() == io::ErrorKind::TimedOut && !std::mem::replace(&mut self.is_cut, true) {
            self.figures.cut_connections.add(1);
        }
    }

    /// An error if the client took too long, which is counted once.
    fn on_time(&mut self) -> io::Result<()> {
        if !self.pace.is_overdue() {
            return Ok(());
        }
        if !std::mem::replace(&mut self.is_cut, true) {
            self.figures.slow_connections.add(1);
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "the client took too long"))
    }

    fn wrote(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(_)) => self.pace.taken(),
            Poll::Ready(Err(error)) => self.heard(error),
            Poll::Pending => {}
        }
        written
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Watched<Io> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.on_time()?;
        let before = buf.filled().len();
        let read = Pin::new(&mut self.io).poll_read(cx, buf);
        match &read {
            Poll::Ready(Ok(())) if buf.filled().len() > before => self.pace.arrived(),
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(error)) => self.heard(error),
            Poll::Pending => {
                self.pace.is_read_by(cx.waker());
                // It may have become overdue before it could be woken.
                self.on_time()?;
            }
        }
        read
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Watched<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, buf);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
