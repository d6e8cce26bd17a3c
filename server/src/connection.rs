//! Connections as the hub accepts them: what the system reports when it cuts one is counted. Knows bytes, and nothing of HTTP.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::figures::Figures;

/// A listener whose connections count when they are cut.
pub struct Counting<L> {
    listener: L,
    figures: Arc<Figures>,
}

impl<L> Counting<L> {
    /// Counts for these figures.
    pub fn new(listener: L, figures: Arc<Figures>) -> Self {
        Self { listener, figures }
    }
}

impl<L: Listener> Listener for Counting<L> {
    type Io = Counted<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, address) = self.listener.accept().await;
        (Counted { io, figures: Arc::clone(&self.figures), is_cut: false }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// One connection.
pub struct Counted<Io> {
    io: Io,
    figures: Arc<Figures>,
    is_cut: bool,
}

impl<Io> Counted<Io> {
    /// The system says that a connection timed out when its client took, or answered, nothing for too long; and it says so to whoever
    /// reads or writes next.
    fn heard<T>(&mut self, result: io::Result<T>) -> Poll<io::Result<T>> {
        let cut = matches!(&result, Err(error) if error.kind() == io::ErrorKind::TimedOut);
        if cut && !std::mem::replace(&mut self.is_cut, true) {
            self.figures.cut_connections.add(1);
        }
        Poll::Ready(result)
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Counted<Io> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.io).poll_read(cx, buf));
        self.heard(read)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Counted<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.io).poll_write(cx, buf));
        self.heard(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, bufs));
        self.heard(written)
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
