//! What the hub was told by its command line and its environment. The only reader of environment variables.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

/// `LOGGIA_PALACE`: the palace folder when `--palace` is not given. Default `~/.loggia/palace`.
pub const PALACE: &str = "LOGGIA_PALACE";
/// `LOGGIA_TOKEN`: a bootstrap admin token, at least [`MIN_TOKEN_CHARS`] visible ASCII characters. Without it the first start mints
/// one and prints it once. Never written to disk.
pub const TOKEN: &str = "LOGGIA_TOKEN";
/// `LOGGIA_STALLED_AFTER_S`: after how many seconds without an event an open or claimed delegation counts as stalled. Default 1800.
pub const STALLED_AFTER_S: &str = "LOGGIA_STALLED_AFTER_S";

/// `LOGGIA_MAX_STREAMS`: how many live streams there may be at once. Default 16384. Each needs an open file (`ulimit -n`).
pub const MAX_STREAMS: &str = "LOGGIA_MAX_STREAMS";
/// `LOGGIA_MAX_STREAMS_PER_TOKEN`: how many of them one token may hold, with the browser sessions made from it. Default 2048.
pub const MAX_STREAMS_PER_TOKEN: &str = "LOGGIA_MAX_STREAMS_PER_TOKEN";
/// `LOGGIA_DEAD_CLIENT_S`: after how many seconds a connection is cut whose client does not take what was sent to it. Default 30.
pub const DEAD_CLIENT_S: &str = "LOGGIA_DEAD_CLIENT_S";

/// The shortest bootstrap token that is taken.
pub const MIN_TOKEN_CHARS: usize = 16;

/// A setting that cannot be used; the message names it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Where the hub listens and which names it answers to.
#[derive(Debug, Clone)]
pub struct Bind {
    /// The address.
    pub host: IpAddr,
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// Other addresses under which people reach it, for example behind a proxy: their hosts and origins are accepted.
    pub public_urls: Vec<Url>,
}

/// How the hub behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Accept everybody; loopback only.
    pub no_auth: bool,
    /// Refuse every write.
    pub read_only: bool,
    /// After how long without an event an open or claimed delegation counts as stalled.
    pub stalled_after: Duration,
    /// How many live streams there may be at once.
    pub max_streams: usize,
    /// How many of them one token may hold.
    pub max_streams_per_token: usize,
    /// How long a client may leave untaken what was sent to it before its connection is cut.
    pub dead_client: Duration,
}

/// The home folder, if there is one.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|h| !h.as_os_str().is_empty())
}

/// The palace folder: the argument, else `LOGGIA_PALACE`, else `~/.loggia/palace`.
pub fn palace(argument: Option<PathBuf>) -> Result<PathBuf, ConfigError> {
    if let Some(path) = argument {
        return Ok(path);
    }
    if let Some(path) = std::env::var_os(PALACE).filter(|p| !p.is_empty()) {
        return Ok(path.into());
    }
    let home = home().ok_or_else(|| ConfigError(format!("there is no home folder: give --palace or set {PALACE}")))?;
    Ok(home.join(".loggia").join("palace"))
}

/// The bootstrap token, checked.
pub fn bootstrap_token() -> Result<Option<String>, ConfigError> {
    let Some(value) = std::env::var_os(TOKEN).filter(|v| !v.is_empty()) else { return Ok(None) };
    let good = |t: &String| t.len() >= MIN_TOKEN_CHARS && t.bytes().all(|b| b.is_ascii_graphic());
    value.into_string().ok().filter(good).map(Some).ok_or_else(|| {
        ConfigError(format!(
            "{TOKEN} must have at least {MIN_TOKEN_CHARS} visible ASCII characters (its value is not shown)"
        ))
    })
}

/// The token that a command shows to a hub: the argument, else `LOGGIA_TOKEN`. Never repeated in an error.
pub fn client_token(argument: Option<String>) -> Result<Option<String>, ConfigError> {
    let (name, value) = match argument {
        Some(token) => ("--token", Some(token)),
        None => (TOKEN, std::env::var_os(TOKEN).map(|t| t.to_string_lossy().into_owned())),
    };
    match value.filter(|t| !t.is_empty()) {
        Some(token) if !token.bytes().all(|b| b.is_ascii_graphic()) => {
            Err(ConfigError(format!("{name} must be visible ASCII characters (its value is not shown)")))
        }
        token => Ok(token),
    }
}

impl Settings {
    /// The flags, and the rest from the environment.
    pub fn read(no_auth: bool, read_only: bool) -> Result<Self, ConfigError> {
        let seconds = |name, default| number(name, default).map(Duration::from_secs);
        let count = |name, default| number(name, default).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self {
            no_auth,
            read_only,
            stalled_after: seconds(STALLED_AFTER_S, 1800)?,
            max_streams: count(MAX_STREAMS, 16_384)?,
            max_streams_per_token: count(MAX_STREAMS_PER_TOKEN, 2048)?,
            dead_client: seconds(DEAD_CLIENT_S, 30)?,
        })
    }
}

/// A whole number above 0.
fn number(name: &str, default: u64) -> Result<u64, ConfigError> {
    let Some(text) = std::env::var_os(name) else { return Ok(default) };
    text.to_str()
        .and_then(|t| t.parse().ok())
        .filter(|n| *n > 0)
        .ok_or_else(|| ConfigError(format!("{name} must be a whole number above 0, not {}", text.display())))
}
