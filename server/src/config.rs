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

/// `MEMPALACE_HOOKS_AUTO_SAVE`: `false`, `0` or `no` keeps the hooks of coding agents from saving; any other value lets them, whatever
/// MemPalace's `config.json` says. Default: as it says, else they save.
pub const HOOKS_AUTO_SAVE: &str = "MEMPALACE_HOOKS_AUTO_SAVE";
/// `MEMPALACE_CONFIG_DIR`: where MemPalace's `config.json` lies, whose `hooks` our hooks read. Default as in MemPalace: `~/.mempalace`
/// if that holds its files, else `$XDG_CONFIG_HOME/mempalace`, else `~/.config/mempalace`.
pub const MEMPALACE_CONFIG_DIR: &str = "MEMPALACE_CONFIG_DIR";

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

/// The folders in which MemPalace may keep its configuration, the one it looks at first being the first: what its own variables
/// name, and its two usual places. They need not exist.
pub fn mempalace_folders() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = home();
    let in_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let given = variable("MEMPALACE_CONFIG_DIR");
    let xdg = variable("XDG_CONFIG_HOME").or_else(|| in_home(".config")).map(|folder| folder.join("mempalace"));
    given.into_iter().chain(in_home(".mempalace")).chain(xdg).collect()
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

/// What [`HOOKS_AUTO_SAVE`] says, if it says anything.
pub fn hooks_auto_save() -> Option<bool> {
    let value = std::env::var_os(HOOKS_AUTO_SAVE).filter(|v| !v.is_empty())?;
    let word = value.to_string_lossy().trim().to_lowercase();
    Some(!["false", "0", "no"].contains(&word.as_str()))
}

/// MemPalace's configuration folder, whether it is there or not.
pub fn mempalace_config(home: &Path) -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(named) = folder(MEMPALACE_CONFIG_DIR) {
        return named;
    }
    let old = home.join(".mempalace");
    if ["config.json", "people_map.json", "palace/chroma.sqlite3"].iter().any(|name| old.join(name).exists()) {
        return old;
    }
    folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("mempalace")
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
