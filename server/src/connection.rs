//! Connections: how they are accepted, kept within their limits, and served, with TLS or without.
//!
//! # Design
//! Not `axum::serve`: it looks at the first bytes of every connection for HTTP/2, which is not compiled in, and what it read so far makes
//! hyper's buffer of this connection twice as large for as long as it lives, 8 kB for each of ten thousand streams. Nor hyper's
//! `header_read_timeout`, which keeps a timer for each connection, and knows neither bodies nor connections that ask nothing: see `pace`.

mod exchange;
mod io;
pub mod pace;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::config::Limits;
use crate::error::JSON;
use crate::figures::Figures;
use crate::tls::Tls;
use exchange::Exchange;
use io::Watched;
use pace::Paces;

/// The most that a request's head may have before anybody looks at it, in bytes; the limits of `limits` lie below, and their
/// answers say more.
const MAX_HEAD_BYTES: usize = 256 * 1024;
/// How many of those who came too many are told so at once; the rest are only cut.
const MAX_REFUSED: usize = 64;
/// How long one of them may take to hear it.
const REFUSAL: Duration = Duration::from_secs(1);

/// What connections are served with.
pub struct Door {
    /// How many there may be, and how long they may take.
    pub limits: Limits,
    /// How long a client may leave untaken what was sent to it.
    pub dead_client: Duration,
    /// The certificate, where connections are encrypted.
    pub tls: Option<Arc<Tls>>,
    /// What is counted.
    pub figures: Arc<Figures>,
}

/// Serves every connection until `stop` is cancelled. Then requests under way may end within `patience`.
pub async fn serve(
    mut listener: TcpListener,
    routes: Router,
    door: Door,
    stop: &CancellationToken,
    patience: Duration,
) {
    let mut http = http1::Builder::new();
    http.max_header_size(MAX_HEAD_BYTES);
    let hub = Arc::new(Hub {
        http,
        routes,
        paces: Paces::new(&door.limits),
        places: Arc::new(Semaphore::new(door.limits.max_connections)),
        too_many: Arc::new(Semaphore::new(MAX_REFUSED)),
        door,
    });
    let connections = GracefulShutdown::new();
    let kept = Arc::clone(&hub);
    let keeper = tokio::spawn(async move { kept.paces.keep().await });
    loop {
        let (socket, _) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = stop.cancelled() => break,
        };
        hub.take(socket, connections.watcher());
    }
    drop(listener);
    // Whoever is not done by then is cut off.
    let _ = tokio::time::timeout(patience, connections.shutdown()).await;
    keeper.abort();
}

struct Hub {
    http: http1::Builder,
    routes: Router,
    paces: Paces,
    places: Arc<Semaphore>,
    too_many: Arc<Semaphore>,
    door: Door,
}

impl Hub {
    fn take(self: &Arc<Self>, socket: TcpStream, watcher: Watcher) {
        set_options(&socket, self.door.dead_client);
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            self.door.figures.refused_connections.add(1);
            if let Ok(turn) = Arc::clone(&self.too_many).try_acquire_owned()
                && self.door.tls.is_none()
            {
                tokio::spawn(refuse(socket, turn));
            }
            return;
        };
        match self.door.tls.clone() {
            None => self.converse(socket, place, watcher),
            Some(tls) => {
                let hub = Arc::clone(self);
                tokio::spawn(async move {
                    match tokio::time::timeout(hub.door.limits.head, shake_hands(socket, &tls)).await {
                        Ok(Ok(socket)) => hub.converse(socket, place, watcher),
                        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                        Err(_) => hub.door.figures.slow_connections.add(1),
                    }
                });
            }
        }
    }

    fn converse<Io>(self: &Arc<Self>, socket: Io, place: OwnedSemaphorePermit, watcher: Watcher)
    where
        Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let due = self.paces.enter();
        let exchange = Exchange::new(self.routes.clone(), Arc::clone(&due));
        let figures = Arc::clone(&self.door.figures);
        let socket = Watched::new(socket, due, Arc::clone(&figures));
        let connection = watcher.watch(self.http.serve_connection(TokioIo::new(socket), exchange));
        tokio::spawn(async move {
            let _inside = figures.connections.enter();
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(place);
        });
    }
}

fn set_options(socket: &TcpStream, dead_client: Duration) {
    let options = socket2::SockRef::from(socket);
    let keepalive =
        socket2::TcpKeepalive::new().with_time(Duration::from_secs(15)).with_interval(Duration::from_secs(5));
    let set = socket
        .set_nodelay(true)
        .and_then(|()| options.set_tcp_keepalive(&keepalive))
        .and_then(|()| options.set_tcp_user_timeout(Some(dead_client)));
    if let Err(error) = set {
        tracing::debug!(%error, "a socket's options could not be set");
    }
}

/// Begins TLS. Whoever typed `http://` learns more than that the connection was closed.
async fn shake_hands(mut socket: TcpStream, tls: &Tls) -> std::io::Result<TlsStream<TcpStream>> {
    let mut first = [0];
    // A handshake begins with the byte 22, a request with its method.
    if socket.peek(&mut first).await? == 1 && first[0].is_ascii_uppercase() {
        let error = r#"{"error":"this hub speaks TLS","code":"bad_request","hint":"the address begins with https://"}"#;
        say_and_close(&mut socket, "400 Bad Request", error).await?;
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "plain HTTP on a port with TLS"));
    }
    tls.accept(socket).await
}

/// Says that there are too many.
async fn refuse(mut socket: TcpStream, _turn: OwnedSemaphorePermit) {
    let error = r#"{"error":"all connections of this hub are taken","code":"unavailable","hint":"try again in a few seconds; LOGGIA_MAX_CONNECTIONS is the limit"}"#;
    let said = say_and_close(&mut socket, "503 Service Unavailable\r\nretry-after: 5", error);
    // Whoever does not listen has lost nothing by it.
    let _ = tokio::time::timeout(REFUSAL, said).await;
}

/// An answer to a request that nobody read. What comes in is heard out: a sender in full flow sees a reset instead of the answer
/// otherwise. Whoever calls this sets a time.
async fn say_and_close(socket: &mut TcpStream, status: &str, error: &str) -> std::io::Result<()> {
    let length = error.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {JSON}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{error}"
    );
    socket.write_all(answer.as_bytes()).await?;
    socket.shutdown().await?;
    let mut ignored = [0; 1024];
    while socket.read(&mut ignored).await? > 0 {}
    Ok(())
}
