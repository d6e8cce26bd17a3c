//! Loggia: the hub that coding agents talk to, and the gallery from which people watch them.
//!
//! One process, one route table ([`router`]), one way to run it ([`serve`]). What the words mean is in `loggia-domain`, how pages
//! look in `loggia-app`; here is everything that touches a file or a socket.
#![recursion_limit = "256"]

pub mod answer;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod config;
pub mod connection;
pub mod db;
pub mod discovery;
pub mod error;
pub mod estate;
pub mod figures;
pub mod guard;
pub mod http;
pub mod language;
pub mod limits;
pub mod lock;
pub mod logstream;
pub mod mcp;
pub mod mems;
pub mod palace;
pub mod presence;
pub mod session;
pub mod streams;
pub mod sync;
pub mod tls;
pub mod tokens;
pub mod viewers;
pub mod web;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use axum::routing::{any, get, post};
use leptos::config::LeptosOptions;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use config::Settings;
use estate::Estate;
use figures::Figures;
use guard::Guard;
use limits::Rate;
use logstream::{Live, Logstream};
use mems::Mems;
use palace::Palace;
use presence::Presence;
use streams::Streams;
use tls::Tls;
use tokens::audit::Audit;
use tokens::{Identity, Tokens};
use viewers::Viewers;

/// Everything that handlers share. Cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The log.
    pub log: Logstream,
    /// What follows the log.
    pub live: Live,
    /// Drawers, diaries and facts; may be off while all else works.
    pub palace: Palace,
    /// Hot session memory; may be off while all else works.
    pub mems: Mems,
    /// Who may speak.
    pub tokens: Arc<Tokens>,
    /// Who changed what.
    pub audit: Audit,
    /// The door.
    pub guard: Arc<Guard>,
    /// How the hub behaves.
    pub settings: Arc<Settings>,
    /// The places for live streams.
    pub streams: Streams,
    /// How many requests each credential may still make; `None` is no limit.
    pub rate: Option<Arc<Rate>>,
    /// What each viewer has read.
    pub viewers: Arc<Viewers>,
    /// Who listens and who called.
    pub presence: Presence,
    /// The hubs to pull from, and what is known about them.
    pub estate: Estate,
    /// What the hub counts about itself.
    pub figures: Arc<Figures>,
    /// The name of the session cookie: browsers share cookies among the ports of one host, so each hub has its own.
    pub cookie_name: Arc<str>,
    /// Cancelled when the hub shuts down: streams end, waits answer.
    pub stop: CancellationToken,
    /// What the app's renderer wants to know.
    pub leptos: LeptosOptions,
}

impl AppState {
    /// The same for one caller: the log as far as it is theirs to see. Whoever serves a request that touches the log begins with this.
    #[must_use]
    pub fn seen_by(mut self, who: &Identity) -> Self {
        self.log = self.log.within(who.reach().clone());
        self.live = self.live.within(&self.log);
        self.presence = self.presence.bound_to(who.agents());
        self
    }
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
        .route("/sync/version_vector", get(sync::get_version_vector))
        .route("/sync/ops", get(sync::get_ops))
        .route("/sync/artifact", get(sync::get_artifact))
        .route("/sync/peers", get(sync::get_peers))
        .route("/sync", any(http::missing::machine))
        .route("/sync/", any(http::missing::machine))
        .route("/sync/{*rest}", any(http::missing::machine))
        .route("/v1/mems/write", post(http::mems::post_write))
        .route("/v1/mems/context", get(http::mems::get_context))
        .route("/v1/mems/sessions", get(http::mems::get_sessions))
        .route("/v1/mems/status", get(http::mems::get_status))
        .route("/v1/mems/health", get(http::mems::get_health))
        .route("/v1/mems/stream", get(http::mems::stream::get))
        .route("/v1", any(http::missing::machine))
        .route("/v1/", any(http::missing::machine))
        .route("/v1/{*rest}", any(http::missing::machine))
        // both
        .route("/artifacts/{id}/raw", get(http::artifact::get_raw))
        .route("/log/export", get(http::export::get))
        // whoever runs it
        .route("/statusz", get(http::statusz::get))
        .route("/audit.ndjson", get(http::audit::get))
        .route("/metrics", get(http::metrics::get))
        // anybody
        .route("/healthz", get(http::health::get))
        .route("/.well-known/{*rest}", any(http::missing::open))
        .route("/register", any(http::missing::open))
        .route("/register/{*rest}", any(http::missing::open))
        // people
        .route("/task", post(web::post_answer))
        .route("/task/new", post(web::post_task))
        .route("/task/report", get(web::get_task_report))
        .route("/sign-in", get(web::get_sign_in).post(http::sign_in::post))
        .route("/sign-out", post(http::sign_in::sign_out))
        .route("/language", post(http::language::post))
        .route("/tokens", post(web::post_tokens))
        .route("/agent/read", post(web::people::mark_read))
        .route("/artifact/viewed", post(web::viewed::mark))
        .route("/searches/forget", post(web::viewed::forget_searches))
        .route("/api", any(http::missing::machine))
        .route("/api/", any(http::missing::machine))
        .route("/api/{*function}", any(web::server_function))
        .merge(web::PAGES.iter().fold(Router::new(), |pages, path| pages.route(path, get(web::get_page))))
        .fallback(web::fallback)
        .layer(middleware::from_fn_with_state(state.clone(), limits::limit))
        .layer(middleware::from_fn_with_state(state.clone(), guard::guard))
        .layer(middleware::from_fn(answer::harden))
        .layer(middleware::from_fn(answer::identify))
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

/// How long a shutdown may take before connections are simply dropped.
const SHUTDOWN: Duration = Duration::from_secs(1);

/// Serves until `state.stop` is cancelled, then ends within about a second, the log written back. With a certificate, it speaks TLS.
pub async fn serve(listener: TcpListener, state: AppState, tls: Option<Arc<Tls>>) -> io::Result<()> {
    web::init();
    let mems = state.mems.clone();
    let (stop, log, palace) = (state.stop.clone(), state.log.clone(), state.palace.clone());
    let (tokens, audit) = (Arc::clone(&state.tokens), state.audit.clone());
    let door = connection::Door {
        limits: state.settings.limits.clone(),
        dead_client: state.settings.dead_client,
        tls,
        figures: Arc::clone(&state.figures),
    };
    connection::serve(listener, router(state), door, &stop, SHUTDOWN).await;
    mems.close().await;
    let closing = move || {
        log.close();
        palace.close();
        tokens.close();
        audit.close();
    };
    tokio::task::spawn_blocking(closing).await.map_err(io::Error::other)
}
