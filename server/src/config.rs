//! What the hub was told by its command line and its environment. The only reader of environment variables.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
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

/// `LOGGIA_MAX_CONNECTIONS`: how many connections there may be at once. Default 20000. Each needs an open file.
pub const MAX_CONNECTIONS: &str = "LOGGIA_MAX_CONNECTIONS";
/// `LOGGIA_HEAD_S`: how many seconds a client has for a request's line and headers, and before them for the TLS handshake. Default 30.
pub const HEAD_S: &str = "LOGGIA_HEAD_S";
/// `LOGGIA_BODY_S`: how many seconds it has for the body; each 16 KiB that arrives adds one. Default 30.
pub const BODY_S: &str = "LOGGIA_BODY_S";
/// `LOGGIA_IDLE_S`: after how many seconds without a request a connection is closed. Default 300.
pub const IDLE_S: &str = "LOGGIA_IDLE_S";
/// `LOGGIA_MAX_URL_BYTES`: the longest path with its query; beyond is 414. Default 16384, at most 65535.
pub const MAX_URL_BYTES: &str = "LOGGIA_MAX_URL_BYTES";
/// `LOGGIA_MAX_HEADER_BYTES`: the names and values of all headers together; beyond is 431. Default 32768, at most 131072.
pub const MAX_HEADER_BYTES: &str = "LOGGIA_MAX_HEADER_BYTES";
/// `LOGGIA_MAX_HEADERS`: how many headers a request may have; beyond is 431. Default 64, at most 100.
pub const MAX_HEADERS: &str = "LOGGIA_MAX_HEADERS";
/// `LOGGIA_RATE_PER_S`: how many requests a second one token, or one browser session, may make on average, with bursts of ten times as
/// many; beyond is 429. Default: no limit.
pub const RATE_PER_S: &str = "LOGGIA_RATE_PER_S";

/// `REDIS_URL`: the Redis that keeps session memory, for example `redis://127.0.0.1:6379/0`. Without it a file in the palace does.
pub const REDIS_URL: &str = "REDIS_URL";
/// `L0_PIPELINE_ENABLED`: `true` publishes every write of session memory to a Redis stream. Default `false`.
pub const L0_PIPELINE_ENABLED: &str = "L0_PIPELINE_ENABLED";
/// `L0_PIPELINE_STREAM`: the key of that stream. Default `mems:l0:events`.
pub const L0_PIPELINE_STREAM: &str = "L0_PIPELINE_STREAM";
/// `L0_PIPELINE_MAXLEN`: how many entries it keeps, about. Default 10000.
pub const L0_PIPELINE_MAXLEN: &str = "L0_PIPELINE_MAXLEN";
/// `L0_PIPELINE_REDIS_URL`: the Redis to publish to, where that is not the one of `REDIS_URL`.
pub const L0_PIPELINE_REDIS_URL: &str = "L0_PIPELINE_REDIS_URL";

/// `LOGGIA_SYNC_INTERVAL_S`: from one pull from other hubs to the next, in seconds; parts of a second are allowed, 0 is never. A Loggia hub
/// is asked to tell what is new at once, whatever this says. Default 15.
pub const SYNC_INTERVAL_S: &str = "LOGGIA_SYNC_INTERVAL_S";
/// `LOGGIA_PEER_CA`: a PEM file with the authorities to trust when pulling over https, instead of the world's usual ones.
pub const PEER_CA: &str = "LOGGIA_PEER_CA";
/// `LOGGIA_CA`: a PEM file with the authorities to trust when a command speaks to a hub over https, instead of the world's usual ones.
pub const CA: &str = "LOGGIA_CA";
/// `LOGGIA_PEER_TOKEN`: the token that `peers add` and `logstream sync --peer` use for another hub when none is given.
pub const PEER_TOKEN: &str = "LOGGIA_PEER_TOKEN";

/// `MEMPALACE_HOOKS_AUTO_SAVE`: `false`, `0` or `no` keeps the hooks of coding agents from saving; any other value lets them, whatever
/// MemPalace's `config.json` says. Default: as it says, else they save.
pub const HOOKS_AUTO_SAVE: &str = "MEMPALACE_HOOKS_AUTO_SAVE";
/// `MEMPALACE_CONFIG_DIR`: where MemPalace's `config.json` lies, whose `hooks` our hooks read. Default as in MemPalace: `~/.mempalace`
/// if that holds its files, else `$XDG_CONFIG_HOME/mempalace`, else `~/.config/mempalace`.
pub const MEMPALACE_CONFIG_DIR: &str = "MEMPALACE_CONFIG_DIR";

/// Where programs keep their configuration, below the home when it is not set.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

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
    /// Whether it speaks TLS itself.
    pub tls: bool,
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
    /// What a connection and a request may take.
    pub limits: Limits,
}

/// What a connection and a request may take. The sizes of bodies are the routes' own, see `limits`.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How many connections there may be at once.
    pub max_connections: usize,
    /// How long a request's line and headers may take to arrive, and a TLS handshake.
    pub head: Duration,
    /// How long its body may take; what arrives adds to it.
    pub body: Duration,
    /// How long a connection may be kept without a request.
    pub idle: Duration,
    /// The longest path with its query, in bytes.
    pub max_url_bytes: usize,
    /// The names and values of all headers together, in bytes.
    pub max_header_bytes: usize,
    /// How many headers there may be.
    pub max_headers: usize,
    /// How many requests a second one credential may make on average; `None` is no limit.
    pub rate_per_s: Option<u32>,
}

/// The home folder, if there is one.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|h| !h.as_os_str().is_empty())
}

/// The folders in which MemPalace may keep its configuration, the one it looks at first being the first: what its own variables
/// name, and its two usual places. They need not exist.
pub fn mempalace_folders() -> Vec<PathBuf> {
    let home = home();
    let old = home.as_deref().map(old_mempalace);
    folder_in(MEMPALACE_CONFIG_DIR).into_iter().chain(old).chain(new_mempalace(home.as_deref())).collect()
}

/// Where MemPalace always kept its files.
fn old_mempalace(home: &Path) -> PathBuf {
    home.join(".mempalace")
}

/// Where it keeps its configuration since.
fn new_mempalace(home: Option<&Path>) -> Option<PathBuf> {
    folder_in(XDG_CONFIG_HOME).or_else(|| Some(home?.join(".config"))).map(|folder| folder.join("mempalace"))
}

/// The folder that a variable names.
fn folder_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The palace folder: the argument, else `LOGGIA_PALACE`, else `~/.loggia/palace`.
pub fn palace(argument: Option<PathBuf>) -> Result<PathBuf, ConfigError> {
    if let Some(path) = argument {
        return Ok(path);
    }
    if let Some(path) = folder_in(PALACE) {
        return Ok(path);
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

/// How session memory behaves, from [`REDIS_URL`] and the `L0_PIPELINE_*`.
pub fn mems() -> Result<crate::mems::settings::Settings, ConfigError> {
    crate::mems::settings::Settings::read(|name| std::env::var_os(name))
}

/// From one pull to the next; zero is never.
pub fn sync_interval() -> Result<Duration, ConfigError> {
    let Some(text) = std::env::var_os(SYNC_INTERVAL_S).filter(|v| !v.is_empty()) else {
        return Ok(Duration::from_secs(15));
    };
    let seconds = text.to_str().and_then(|t| t.trim().parse::<f64>().ok()).filter(|s| (0.0..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| {
        ConfigError(format!("{SYNC_INTERVAL_S} must be a number of seconds from 0 to 86400, not {}", text.display()))
    })
}

/// Whom to trust when pulling over https: the argument, else [`PEER_CA`], else the world's usual authorities.
pub fn peer_authorities(argument: Option<&Path>) -> Result<Option<ureq::tls::RootCerts>, ConfigError> {
    authorities(("--peer-ca", argument), PEER_CA)
}

/// Whom a command trusts that speaks to a hub over https: the argument, else [`CA`], else the world's usual authorities.
pub fn client_authorities(argument: Option<&Path>) -> Result<Option<ureq::tls::RootCerts>, ConfigError> {
    authorities(("--ca", argument), CA)
}

fn authorities(
    (flag, argument): (&'static str, Option<&Path>),
    variable: &'static str,
) -> Result<Option<ureq::tls::RootCerts>, ConfigError> {
    let (name, path) = match argument {
        Some(path) => (flag, Some(path.to_owned())),
        None => (variable, folder_in(variable)),
    };
    let Some(path) = path else { return Ok(None) };
    let failed = |why: String| ConfigError(format!("{name} {}: {why}", path.display()));
    let pem = std::fs::read(&path).map_err(|e| failed(e.to_string()))?;
    crate::estate::client::authorities(&pem).map(Some).map_err(failed)
}

/// The token for another hub. Never repeated in an error.
pub fn peer_token() -> Option<String> {
    std::env::var_os(PEER_TOKEN).map(|t| t.to_string_lossy().into_owned()).filter(|t| !t.is_empty())
}

/// What [`HOOKS_AUTO_SAVE`] says, if it says anything.
pub fn hooks_auto_save() -> Option<bool> {
    let value = std::env::var_os(HOOKS_AUTO_SAVE).filter(|v| !v.is_empty())?;
    let word = value.to_string_lossy().trim().to_lowercase();
    Some(!["false", "0", "no"].contains(&word.as_str()))
}

/// MemPalace's configuration folder, whether it is there or not.
pub fn mempalace_config(home: &Path) -> PathBuf {
    if let Some(named) = folder_in(MEMPALACE_CONFIG_DIR) {
        return named;
    }
    let old = old_mempalace(home);
    if ["config.json", "people_map.json", "palace/chroma.sqlite3"].iter().any(|name| old.join(name).exists()) {
        return old;
    }
    new_mempalace(Some(home)).unwrap_or(old)
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
            limits: Limits::read()?,
        })
    }
}

impl Limits {
    /// From the environment.
    fn read() -> Result<Self, ConfigError> {
        let seconds = |name, default| number(name, default).map(Duration::from_secs);
        Ok(Self {
            max_connections: at_most(MAX_CONNECTIONS, 20_000, 1_000_000)?,
            head: seconds(HEAD_S, 30)?,
            body: seconds(BODY_S, 30)?,
            idle: seconds(IDLE_S, 300)?,
            max_url_bytes: at_most(MAX_URL_BYTES, 16 * 1024, 65_535)?,
            max_header_bytes: at_most(MAX_HEADER_BYTES, 32 * 1024, 128 * 1024)?,
            max_headers: at_most(MAX_HEADERS, 64, 100)?,
            rate_per_s: std::env::var_os(RATE_PER_S)
                .map(|_| at_most(RATE_PER_S, 1, 1_000_000))
                .transpose()?
                .and_then(|n| u32::try_from(n).ok()),
        })
    }
}

/// A whole number above 0 and up to a bound.
fn at_most(name: &str, default: u64, bound: u64) -> Result<usize, ConfigError> {
    let n = number(name, default)?;
    if n > bound {
        return Err(ConfigError(format!("{name} must be at most {bound}, not {n}")));
    }
    usize::try_from(n).map_err(|_| ConfigError(format!("{name} must be at most {bound}, not {n}")))
}

/// A whole number above 0.
fn number(name: &str, default: u64) -> Result<u64, ConfigError> {
    let Some(text) = std::env::var_os(name) else { return Ok(default) };
    text.to_str()
        .and_then(|t| t.parse().ok())
        .filter(|n| *n > 0)
        .ok_or_else(|| ConfigError(format!("{name} must be a whole number above 0, not {}", text.display())))
}
