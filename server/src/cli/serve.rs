//! `loggia serve`: opens the palace, binds, says where, serves until it is told to stop.

use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use leptos::config::LeptosOptions;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::output::{Failure, print};
use crate::AppState;
use crate::config::{self, Bind, Settings};
use crate::discovery::Discovery;
use crate::estate::{Estate, Options};
use crate::guard::Guard;
use crate::limits::Rate;
use crate::lock::PalaceLock;
use crate::logstream::{Live, Logstream};
use crate::mems::Mems;
use crate::palace::Palace;
use crate::presence::Presence;
use crate::streams::Streams;
use crate::tls::Tls;
use crate::tokens::Tokens;
use crate::tokens::audit::Audit;
use crate::viewers::Viewers;

#[derive(Args)]
pub(super) struct Serve {
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 lets the system choose
    #[arg(long, default_value_t = 8787)]
    port: u16,
    /// An address under which people reach this hub, for example behind a proxy; may be repeated
    #[arg(long, value_name = "URL")]
    public_url: Vec<String>,
    /// Speak TLS with the certificate in this PEM file, and what lies between it and its root; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A PEM file with the authorities to trust when this hub pulls from others over https, instead of the usual ones; else $LOGGIA_PEER_CA
    #[arg(long, value_name = "FILE")]
    peer_ca: Option<PathBuf>,
    /// Refuse every write, and pull nothing from other hubs
    #[arg(long)]
    read_only: bool,
    /// Accept everybody without a token; only on a loopback address
    #[arg(long)]
    no_auth: bool,
}

pub(super) async fn run(serve: Serve, palace: PathBuf) -> Result<(), Failure> {
    start_logging();
    let host = address(&serve.host).await?;
    if serve.no_auth && !host.is_loopback() {
        return Err(Failure::new(format!(
            "`--no-auth` with `--host {}` would let everybody in the network write",
            serve.host
        ))
        .hint("leave `--no-auth` away and use tokens, or listen on 127.0.0.1"));
    }
    if serve.no_auth && !serve.public_url.is_empty() {
        return Err(Failure::new("`--no-auth` with `--public-url` would let everybody write who reaches that address")
            .hint("leave `--no-auth` away and use tokens, or leave `--public-url` away"));
    }
    let public_urls = serve.public_url.iter().map(|text| public_url(text)).collect::<Result<Vec<_>, _>>()?;
    let bootstrap_token = config::bootstrap_token()?;
    let settings = Settings::read(serve.no_auth, serve.read_only)?;
    let mems_settings = config::mems()?;
    let tls = match (&serve.tls_cert, &serve.tls_key) {
        (Some(cert), Some(key)) => Some(Arc::new(Tls::open(cert, key).map_err(|e| {
            Failure::new(e.to_string())
                .hint("`--tls-cert` is the chain and `--tls-key` its private key, both PEM files")
        })?)),
        _ => None,
    };

    let mut pulling = Options {
        interval: if serve.read_only { std::time::Duration::ZERO } else { config::sync_interval()? },
        authorities: config::peer_authorities(serve.peer_ca.as_deref())?,
        audit: None,
    };

    let stop = CancellationToken::new();
    let log = Logstream::open(&palace)?;
    let mut lock = PalaceLock::take(&palace)
        .map_err(|e| Failure::new(e.to_string()).hint("stop it first, or give another `--palace`"))?;
    let tokens = Tokens::open(&palace, bootstrap_token.as_deref()).map_err(|e| Failure::new(e.to_string()))?;
    let tokens = Arc::new(tokens);
    tokens.follow().map_err(|e| Failure::new(e.to_string()))?;
    let live = Live::start(&log, &palace, &stop)?;
    let listener = TcpListener::bind(SocketAddr::new(host, serve.port)).await.map_err(|e| {
        Failure::new(format!("cannot listen on {}:{}: {e}", serve.host, serve.port)).hint("give another `--port`")
    })?;
    let bound = listener.local_addr()?;
    lock.listening(bound, tls.is_some()).map_err(|e| Failure::new(e.to_string()))?;
    let discovery =
        config::home().map(|home| Discovery::announce(&home, &palace, bound, tls.is_some(), serve.read_only));
    if let Some(Err(error)) = &discovery {
        tracing::warn!(%error, "the discovery file could not be written; local programs will not find this hub by themselves");
    }

    let replica = log.replica_id().trim_start_matches("rep_");
    let cookie_name = format!("loggia_{}", replica.get(..8).unwrap_or(replica)).into();
    let bind = Bind { host, port: bound.port(), public_urls, tls: tls.is_some() };
    let minted = tokens.mint_first().map_err(|e| Failure::new(e.to_string()))?;
    let link = tokens.new_link().map_err(|e| Failure::new(e.to_string()))?;
    let (max_streams, max_per_token) = (settings.max_streams, settings.max_streams_per_token);
    let palace_store = Palace::open(&palace);
    let mems = Mems::open(&palace, &palace_store, &mems_settings, &stop);
    let audit = Audit::open(&palace).map_err(|e| Failure::new(e.to_string()))?;
    pulling.audit = Some(audit.clone());
    let estate = Estate::new(log.clone(), &palace, pulling);
    let state = AppState {
        estate: estate.clone(),
        log,
        live,
        palace: palace_store,
        mems,
        tokens,
        audit,
        guard: Arc::new(Guard::new(bind.clone(), serve.no_auth)),
        streams: Streams::new(max_streams, max_per_token),
        rate: settings.limits.rate_per_s.map(|per_s| Arc::new(Rate::new(per_s))),
        settings: Arc::new(settings),
        viewers: Arc::new(Viewers::open(&palace).map_err(|e| Failure::new(e.to_string()))?),
        presence: Presence::default(),
        figures: crate::new_figures(),
        cookie_name,
        stop: stop.clone(),
        leptos: LeptosOptions::builder().output_name("loggia").build(),
    };
    if let Some(tls) = &tls {
        tokio::spawn(Arc::clone(tls).follow(stop.clone()));
    }
    estate.start(stop.clone())?;
    stop_on_signal(stop)?;
    say(&bind, bound, minted.as_deref(), &link, serve.no_auth)?;
    crate::serve(listener, state, tls).await?;
    drop(discovery);
    drop(lock);
    Ok(())
}

/// The lines that a person or a script waits for. The token is shown here and nowhere else.
fn say(bind: &Bind, bound: SocketAddr, minted: Option<&str>, link: &str, no_auth: bool) -> Result<(), Failure> {
    let shown = if bound.ip().is_unspecified() { SocketAddr::new([127, 0, 0, 1].into(), bound.port()) } else { bound };
    let scheme = if bind.tls { "https" } else { "http" };
    let base = bind
        .public_urls
        .first()
        .map_or_else(|| format!("{scheme}://{shown}"), |u| u.as_str().trim_end_matches('/').to_owned());
    let mut lines = Vec::new();
    if let Some(token) = minted {
        lines.push(format!("admin token (shown this once, keep it safe): {token}"));
    }
    if no_auth {
        lines.push("warning: everybody on this machine may read and write (--no-auth)".to_owned());
    } else {
        lines.push(format!("sign in once, within ten minutes: {base}/sign-in?code={link}"));
    }
    if !crate::site_is_built() {
        lines.push("note: this binary holds no dashboard scripts; `cargo xtask run` builds them in".to_owned());
    }
    if !bound.ip().is_loopback() && !bind.tls {
        lines.push(
            "warning: tokens travel readably in the network: give `--tls-cert` and `--tls-key`, or listen on 127.0.0.1 behind a proxy"
                .to_owned(),
        );
    }
    lines.push(format!("listening on {scheme}://{bound}\n"));
    print(lines.join("\n").as_bytes())
}

/// An address, or a name that resolves to one.
async fn address(host: &str) -> Result<IpAddr, Failure> {
    if let Ok(ip) = host.trim_matches(['[', ']']).parse() {
        return Ok(ip);
    }
    let mut found =
        tokio::net::lookup_host((host, 0)).await.map_err(|e| Failure::new(format!("host `{host}`: {e}")))?;
    found.next().map(|a| a.ip()).ok_or_else(|| Failure::new(format!("host `{host}` has no address")))
}

fn public_url(text: &str) -> Result<Url, Failure> {
    let bad = |why: &str| {
        Failure::new(format!("`--public-url {text}`: {why}")).hint("for example https://memory.example.com")
    };
    let url = Url::parse(text).map_err(|e| bad(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("not an http or https address"));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || !matches!(url.path(), "" | "/")
        || url.query().is_some()
    {
        return Err(bad("only scheme, host and port"));
    }
    Ok(url)
}

fn stop_on_signal(stop: CancellationToken) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.cancel();
    });
    Ok(())
}

/// Log lines go to stderr; `RUST_LOG` chooses which. Never logged: header values, bodies, tokens, codes, cookies.
fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,loggia=info"));
    // A second subscriber in one process is refused; the first goes on.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .try_init();
}
