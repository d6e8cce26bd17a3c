//! Connections: how they are accepted and served, and that those which the system cuts are counted.
//!
//! # Design
//! Not `axum::serve`: it looks at the first bytes of every connection for HTTP/2, which is not compiled in, and what it read so far makes
//! hyper's buffer of this connection twice as large for as long as it lives, 8 kB for each of ten thousand streams.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use crate::figures::Figures;

/// Serves every connection until `stop` is cancelled. Then requests under way may end within `patience`.
pub async fn serve<L>(mut listener: L, routes: Router, stop: &CancellationToken, patience: Duration)
where
    L: Listener<Io: Unpin>,
{
    let http = http1::Builder::new();
    let connections = GracefulShutdown::new();
    loop {
        let (io, _) = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let routes = TowerToHyperService::new(routes.clone());
        let connection = connections.watch(http.serve_connection(TokioIo::new(io), routes));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
    drop(listener);
    // Whoever is not done by then is cut off.
    let _ = tokio::time::timeout(patience, connections.shutdown()).await;
}

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
