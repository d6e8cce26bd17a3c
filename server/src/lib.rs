//! Loggia: the hub that coding agents talk to, and the gallery from which people watch them.
//!
//! One process, one route table ([`router`]), one way to run it ([`serve`]). What the words mean is in `loggia-domain`, how pages
//! look in `loggia-app`; here is everything that touches a file or a socket.
#![recursion_limit = "256"]

pub mod auth;
pub mod cli;
pub mod clock;
pub mod config;
pub mod connection;
pub mod db;
pub mod discovery;
pub mod error;
pub mod figures;
pub mod guard;
pub mod http;
pub mod lock;
pub mod logstream;
pub mod mcp;
pub mod palace;
pub mod session;
pub mod streams;
pub mod tokens;
pub mod web;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::serve::ListenerExt;
use leptos::config::LeptosOptions;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use config::Settings;
use figures::Figures;
use guard::Guard;
use logstream::{Live, Logstream};
use palace::Palace;
use streams::Streams;
use tokens::Tokens;

/// Everything that handlers share. Cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The log.
    pub log: Logstream,
    /// What follows the log.
    pub live: Live,
    /// Drawers, diaries and facts; may be off while all else works.
    pub palace: Palace,
    /// Who may speak.
    pub tokens: Arc<Tokens>,
    /// The door.
    pub guard: Arc<Guard>,
    /// How the hub behaves.
    pub settings: Arc<Settings>,
    /// The places for live streams.
    pub streams: Streams,
    /// What the hub counts about itself.
    pub figures: Arc<Figures>,
    /// The name of the session cookie: browsers share cookies among the ports of one host, so each hub has its own.
    pub cookie_name: Arc<str>,
    /// Cancelled when the hub shuts down: streams end, waits answer.
    pub stop: CancellationToken,
    /// What the app's renderer wants to know.
    pub leptos: LeptosOptions,
}

/// Every route of the hub, by caller.
pub fn router(state: AppState) -> Router {
    Router::new()
        // agents
        .route("/mcp", post(mcp::post))
        .route("/mcp/", any(http::missing::machine))
        .route("/mcp/{*rest}", any(http::missing::machine))
        .route("/logstream/stream", get(http::stream::get))
        .route("/logstream", any(http::missing::machine))
        .route("/logstream/", any(http::missing::machine))
        .route("/logstream/{*rest}", any(http::missing::machine))
        .route("/sync", any(http::missing::machine))
        .route("/sync/", any(http::missing::machine))
        .route("/sync/{*rest}", any(http::missing::machine))
        .route("/v1", any(http::missing::machine))
        .route("/v1/", any(http::missing::machine))
        .route("/v1/{*rest}", any(http::missing::machine))
        // both
        .route("/artifacts/{id}/raw", get(http::artifact::get_raw))
        // whoever runs it
        .route("/statusz", get(http::statusz::get))
        .route("/metrics", get(http::metrics::get))
        // anybody
        .route("/healthz", get(http::health::get))
        .route("/.well-known/{*rest}", any(http::missing::open))
        .route("/register", any(http::missing::open))
        .route("/register/{*rest}", any(http::missing::open))
        // people
        .route("/sign-in", get(web::get_sign_in).post(http::sign_in::post))
        .route("/sign-out", post(http::sign_in::sign_out))
        .route("/api", any(http::missing::machine))
        .route("/api/", any(http::missing::machine))
        .route("/api/{*function}", any(web::server_function))
        .merge(web::PAGES.iter().fold(Router::new(), |pages, path| pages.route(path, get(web::get_page))))
        .fallback(web::fallback)
        .layer(middleware::from_fn_with_state(state.clone(), guard::guard))
        .layer(middleware::from_fn(harden))
        .layer(middleware::from_fn_with_state(Arc::clone(&state.figures), http::metrics::count))
        .with_state(state)
}

/// Figures at zero, for the tools that there are.
pub fn new_figures() -> Arc<Figures> {
    Arc::new(Figures::new(mcp::tool_names()))
}

/// Whether the dashboard's scripts are part of this binary.
pub fn site_is_built() -> bool {
    web::site_is_built()
}

/// What every answer carries.
async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// How long a shutdown may take before connections are simply dropped.
const SHUTDOWN: Duration = Duration::from_secs(1);

/// Serves until `state.stop` is cancelled, then ends within about a second, the log written back.
pub async fn serve(listener: TcpListener, state: AppState) -> io::Result<()> {
    web::init();
    let (stop, log, dead_client) = (state.stop.clone(), state.log.clone(), state.settings.dead_client);
    let palace = state.palace.clone();
    let listener = listener.tap_io(move |socket| {
        let options = socket2::SockRef::from(&*socket);
        let keepalive =
            socket2::TcpKeepalive::new().with_time(Duration::from_secs(15)).with_interval(Duration::from_secs(5));
        let set = socket
            .set_nodelay(true)
            .and_then(|()| options.set_tcp_keepalive(&keepalive))
            .and_then(|()| options.set_tcp_user_timeout(Some(dead_client)));
        if let Err(error) = set {
            tracing::debug!(%error, "a socket's options could not be set");
        }
    });
    let listener = connection::Counting::new(listener, Arc::clone(&state.figures));
    connection::serve(listener, router(state), &stop, SHUTDOWN).await;
    let closing = move || {
        log.close();
        palace.close();
    };
    tokio::task::spawn_blocking(closing).await.map_err(io::Error::other)
}
