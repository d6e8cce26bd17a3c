//! The hub's certificate: read from two PEM files, and read again when they change.
//!
//! # Design
//! Certificates are renewed by other programs every few weeks, and nobody restarts a hub for it. The files are looked at every few seconds,
//! by their times and sizes: a watch on them would miss links that are turned, which is how those programs replace files. A pair that
//! cannot be used (half-written, or not belonging together) changes nothing: the one before goes on, and a warning says why.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// What is wrong with a certificate or its key; names the file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TlsError(String);

/// The certificate that is shown now.
pub struct Tls {
    files: Files,
    /// As the files were before they were read first.
    seen: Seen,
    config: RwLock<Arc<ServerConfig>>,
}

#[derive(Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

/// What changes whenever a file does.
type Seen = [Option<(SystemTime, u64)>; 2];

impl Tls {
    /// Reads the certificate (with whatever lies between it and its root) and its private key.
    pub fn open(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = Files { cert: cert.to_owned(), key: key.to_owned() };
        let seen = files.seen();
        let config = files.read()?;
        Ok(Self { files, seen, config: RwLock::new(config) })
    }

    /// Follows the files until `stop` is cancelled.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut seen = self.seen;
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                _ = look.tick() => {}
                () = stop.cancelled() => return,
            }
            let now = self.look().await;
            if now == seen {
                continue;
            }
            seen = now;
            let tls = Arc::clone(&self);
            match tokio::task::spawn_blocking(move || tls.files.read()).await {
                Ok(Ok(config)) => {
                    *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
                    tracing::info!("a new TLS certificate is shown from now on");
                }
                Ok(Err(error)) => tracing::warn!(%error, "the new TLS certificate cannot be used, the old one stays"),
                Err(error) => tracing::warn!(%error, "the new TLS certificate was not read, the old one stays"),
            }
        }
    }

    /// Does the handshake, with the certificate of this moment.
    pub async fn accept(&self, socket: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        let config = Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(config).accept(socket).await
    }

    async fn look(self: &Arc<Self>) -> Seen {
        let tls = Arc::clone(self);
        tokio::task::spawn_blocking(move || tls.files.seen()).await.unwrap_or([None; 2])
    }
}

impl Files {
    fn seen(&self) -> Seen {
        [&self.cert, &self.key].map(|path| {
            let file = std::fs::metadata(path).ok()?;
            Some((file.modified().ok()?, file.len()))
        })
    }

    fn read(&self) -> Result<Arc<ServerConfig>, TlsError> {
        let bad = |path: &Path, why: &dyn std::fmt::Display| TlsError(format!("{}: {why}", path.display()));
        let chain = CertificateDer::pem_file_iter(&self.cert)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| bad(&self.cert, &error))?;
        if chain.is_empty() {
            return Err(bad(&self.cert, &"it holds no certificate in PEM form"));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| bad(&self.key, &error))?;
        let provider = Arc::new(ring::default_provider());
        let pair = CertifiedKey::from_der(chain, key, &provider)
            .map_err(|why| TlsError(format!("{} and {}: {why}", self.cert.display(), self.key.display())))?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| bad(&self.cert, &error))?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}
