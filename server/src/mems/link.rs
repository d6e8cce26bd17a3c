//! Connections to a Redis, and its errors in words that never hold an address with a password.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ErrorKind, RedisError};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::settings::RedisUrl;

/// What is said of a Redis that does not answer.
pub const HANGS: &str = "redis does not answer";

/// Connects. Without a limit of its own an answer may take for ever; whoever asks sets one.
pub async fn connect(url: &RedisUrl, limit: Option<Duration>) -> Result<MultiplexedConnection, RedisError> {
    let config = AsyncConnectionConfig::new().set_connection_timeout(limit).set_response_timeout(limit);
    Client::open(url.info())?.get_multiplexed_async_connection_with_config(&config).await
}

/// An error in words. The client's own may repeat what it was given.
pub fn words(error: &RedisError) -> String {
    if let Some(code) = error.code() {
        return match error.detail() {
            Some(detail) => format!("redis refuses: {code} {detail}"),
            None => format!("redis refuses: {code}"),
        };
    }
    match error.kind() {
        ErrorKind::AuthenticationFailed => "redis refuses the user or the password".to_owned(),
        _ if error.is_timeout() => HANGS.to_owned(),
        _ if error.is_io_error() || error.is_connection_dropped() => "redis is not reachable".to_owned(),
        kind => format!("redis cannot be used: {kind:?}"),
    }
}

/// What kind of error those words tell, in one of a few words of ours: for figures, which never repeat what a server says.
pub fn kind(words: &str) -> &'static str {
    const REFUSES: &str = "redis refuses";
    let Some(why) = words.strip_prefix(REFUSES) else {
        return match words {
            HANGS => "hangs",
            "redis is not reachable" => "unreachable",
            _ => "other",
        };
    };
    let code = why.trim_start_matches(':').trim_start().split(' ').next();
    match code {
        Some("OOM") => "full",
        Some("NOPERM") => "forbidden",
        Some("WRONGTYPE") => "wrong_type",
        Some("the" | "NOAUTH" | "WRONGPASS") => "password",
        _ => "refused",
    }
}

/// A connection that is kept and made anew after it broke. Cheap to clone.
#[derive(Clone)]
pub struct Link {
    url: RedisUrl,
    limit: Duration,
    kept: Arc<Mutex<Option<MultiplexedConnection>>>,
}

impl Link {
    /// To a Redis; nothing may take longer than the limit.
    pub fn new(url: RedisUrl, limit: Duration) -> Self {
        Self { url, limit, kept: Arc::default() }
    }

    /// Asks within the limit, connecting first if need be. A connection that broke, or did not answer in time, is not used again.
    pub async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&mut MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Result<T, String> {
        let asked = timeout(self.limit, async {
            let mut connection = self.connection().await.map_err(|error| (words(&error), true))?;
            question(&mut connection).await.map_err(|error| (words(&error), error.code().is_none()))
        });
        let (error, is_broken) = match asked.await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error,
            Err(_) => (HANGS.to_owned(), true),
        };
        if is_broken {
            // Whoever connects at this moment has none to lose.
            if let Ok(mut kept) = self.kept.try_lock() {
                *kept = None;
            }
        }
        Err(error)
    }

    async fn connection(&self) -> Result<MultiplexedConnection, RedisError> {
        let mut kept = self.kept.lock().await;
        if let Some(connection) = &*kept {
            return Ok(connection.clone());
        }
        let connection = connect(&self.url, Some(self.limit)).await?;
        Ok(kept.insert(connection).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_kind() {
        for (words, expected) in [
            (HANGS, "hangs"),
            ("redis is not reachable", "unreachable"),
            ("redis refuses: OOM command not allowed", "full"),
            ("redis refuses: NOPERM this user", "forbidden"),
            ("redis refuses: WRONGTYPE Operation", "wrong_type"),
            ("redis refuses the user or the password", "password"),
            ("redis refuses: NOAUTH Authentication required", "password"),
            ("redis refuses: READONLY", "refused"),
            ("redis cannot be used: Parse", "other"),
        ] {
            assert_eq!(kind(words), expected, "{words}");
        }
    }
}
