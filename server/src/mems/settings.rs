//! Where session memory is kept and whether writes are published. Reads texts that `config` took from the environment; addresses with
//! passwords are never printed.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _};
use socket2::TcpKeepalive;

use crate::config::{self, ConfigError};

/// How long a name of a stream may be, in bytes.
const MAX_STREAM_BYTES: usize = 512;
/// After how long without a sign of the other machine a connection is given up. A Redis that hangs still gives signs: its system does.
const DEAD: Duration = Duration::from_secs(30);

/// How session memory behaves.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The Redis that keeps it; `None` for the file in the palace.
    pub store: Option<RedisUrl>,
    /// Where writes are published; `None` for nowhere.
    pub pipeline: Option<Pipeline>,
}

/// Where and how writes are published.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The Redis.
    pub url: RedisUrl,
    /// The key of the stream.
    pub stream: String,
    /// How many entries the stream keeps, about.
    pub max_entries: u64,
}

/// The address of a Redis. Shown without its password.
#[derive(Clone)]
pub struct RedisUrl {
    text: String,
    info: ConnectionInfo,
}

impl RedisUrl {
    /// Reads the address that a variable holds.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let bad = |why: &str| ConfigError(format!("{name} {why} (its value is not shown, it may hold a password)"));
        if text.starts_with("rediss:") || text.starts_with("valkeys:") {
            return Err(bad("asks for TLS, which this program does not speak to Redis; use redis:// or a tunnel"));
        }
        let info = text.into_connection_info();
        let info = info.map_err(|_| bad("must be an address like redis://user:password@host:6379/0"))?;
        let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(15)).with_interval(Duration::from_secs(5));
        let tcp = TcpSettings::default().set_nodelay(true).set_keepalive(keepalive).set_user_timeout(DEAD);
        Ok(Self { text: text.to_owned(), info: info.set_tcp_settings(tcp) })
    }

    /// What connects to it.
    pub fn info(&self) -> ConnectionInfo {
        self.info.clone()
    }

    /// Host, port and number of the database.
    pub fn shown(&self) -> String {
        let place = match self.info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("{host}:{port}"),
            ConnectionAddr::Unix(path) => path.display().to_string(),
            _ => "redis".to_owned(),
        };
        format!("{place}/{}", self.info.redis_settings().db())
    }
}

impl PartialEq for RedisUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Settings {
    /// What the variables say; an empty one counts as not set.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let text = |name: &str| match variable(name).filter(|value| !value.is_empty()) {
            None => Ok(None),
            Some(value) => value.into_string().map(Some).map_err(|_| ConfigError(format!("{name} must be a text"))),
        };
        let url = |name: &str| text(name)?.map(|value| RedisUrl::parse(name, &value)).transpose();
        let store = url(config::REDIS_URL)?;
        let own = url(config::L0_PIPELINE_REDIS_URL)?;
        let is_on = match text(config::L0_PIPELINE_ENABLED)? {
            None => false,
            Some(word) => switch(&word).ok_or_else(|| {
                ConfigError(format!("{} must be true or false, not `{word}`", config::L0_PIPELINE_ENABLED))
            })?,
        };
        let stream = text(config::L0_PIPELINE_STREAM)?.unwrap_or_else(|| "mems:l0:events".to_owned());
        if stream.len() > MAX_STREAM_BYTES || stream.trim().is_empty() || stream.chars().any(char::is_control) {
            return Err(ConfigError(format!(
                "{} must be a name of 1 to {MAX_STREAM_BYTES} bytes without control characters",
                config::L0_PIPELINE_STREAM
            )));
        }
        let max_entries = match text(config::L0_PIPELINE_MAXLEN)? {
            None => 10_000,
            Some(number) => {
                number.trim().parse().ok().filter(|n| (1..=i64::MAX as u64).contains(n)).ok_or_else(|| {
                    ConfigError(format!(
                        "{} must be a whole number above 0, not `{number}`",
                        config::L0_PIPELINE_MAXLEN
                    ))
                })?
            }
        };
        let pipeline = if is_on {
            let url = own.or_else(|| store.clone()).ok_or_else(|| {
                ConfigError(format!(
                    "{} is true, but neither {} nor {} names a Redis to publish to",
                    config::L0_PIPELINE_ENABLED,
                    config::L0_PIPELINE_REDIS_URL,
                    config::REDIS_URL
                ))
            })?;
            Some(Pipeline { url, stream, max_entries })
        } else {
            None
        };
        Ok(Self { store, pipeline })
    }

    /// Whether snapshots and events lie in the same Redis: then a write and its event are one step.
    pub fn is_one_redis(&self) -> bool {
        matches!((&self.store, &self.pipeline), (Some(store), Some(pipeline)) if *store == pipeline.url)
    }
}

/// A switch, in the words that people use for one.
fn switch(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, ConfigError> {
        Settings::read(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).into()))
    }

    #[test]
    fn nothing_is_published_unless_it_is_asked_for() {
        let settings = read(&[("REDIS_URL", "redis://127.0.0.1:1/2")]).expect("accepted");
        assert!(settings.pipeline.is_none());
        assert_eq!(settings.store.expect("named").shown(), "127.0.0.1:1/2");
        let settings =
            read(&[("L0_PIPELINE_ENABLED", "TRUE"), ("REDIS_URL", "redis://127.0.0.1:1")]).expect("accepted");
        assert!(settings.is_one_redis());
        let pipeline = settings.pipeline.expect("on");
        assert_eq!((pipeline.stream.as_str(), pipeline.max_entries), ("mems:l0:events", 10_000));
    }

    #[test]
    fn what_cannot_be_used_is_named_and_no_password_is_shown() {
        for (variables, name) in [
            (&[("L0_PIPELINE_ENABLED", "maybe")][..], "L0_PIPELINE_ENABLED"),
            (&[("L0_PIPELINE_ENABLED", "1")], "L0_PIPELINE_REDIS_URL"),
            (&[("L0_PIPELINE_MAXLEN", "0")], "L0_PIPELINE_MAXLEN"),
            (&[("L0_PIPELINE_MAXLEN", "many")], "L0_PIPELINE_MAXLEN"),
            (&[("L0_PIPELINE_STREAM", " ")], "L0_PIPELINE_STREAM"),
            (&[("REDIS_URL", "http://u:geheim@h")], "REDIS_URL"),
            (&[("REDIS_URL", "rediss://u:geheim@h")], "REDIS_URL"),
            (&[("L0_PIPELINE_REDIS_URL", "redis://u:geheim@h:x/")], "L0_PIPELINE_REDIS_URL"),
        ] {
            let error = read(variables).expect_err(name).to_string();
            assert!(error.contains(name) && !error.contains("geheim"), "{error}");
        }
        let settings = read(&[("REDIS_URL", "redis://u:geheim@h:7/1")]).expect("accepted");
        assert!(!format!("{settings:?}").contains("geheim"));
    }
}
