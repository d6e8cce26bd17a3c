//! Consumes the events of session memory as a worker of a group: `consume_memory WORKER`. docs/memory-pipeline.md shows this very text.

use std::collections::HashMap;
use std::error::Error;
use std::io::Write as _;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisError, RedisResult, Value, cmd};

const STREAM: &str = "mems:l0:events";
const GROUP: &str = "consumers";
/// After so long without an XACK another worker takes an entry over.
const IDLE_MS: u64 = 60_000;
const SEEN_FOR_S: u64 = 24 * 3600;

/// An entry's id and fields; one that was trimmed away meanwhile has none.
type Entry = (String, Option<HashMap<String, String>>);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let worker = std::env::args().nth(1).ok_or("the name of this worker is missing")?;
    let client = redis::Client::open("redis://127.0.0.1:6379/0")?;
    loop {
        match work(&client, &worker).await {
            // The stream was deleted, before or while this worker waited: make both anew.
            Err(error) if matches!(error.code(), Some("NOGROUP" | "UNBLOCKED")) => {}
            Err(error) if error.is_io_error() || error.is_connection_dropped() || error.is_timeout() => {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(()),
        }
    }
}

async fn work(client: &redis::Client, worker: &str) -> RedisResult<()> {
    // Longer than it blocks.
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(10)));
    let mut redis = client.get_multiplexed_async_connection_with_config(&config).await?;
    create_group(&mut redis).await?;
    loop {
        take_over(&mut redis, worker).await?;
        let mut read = cmd("XREADGROUP");
        read.arg("GROUP").arg(GROUP).arg(worker).arg("COUNT").arg(10).arg("BLOCK").arg(5000);
        let answer: Option<Vec<(String, Vec<Entry>)>> =
            read.arg("STREAMS").arg(STREAM).arg(">").query_async(&mut redis).await?;
        for (_, entries) in answer.unwrap_or_default() {
            handle(&mut redis, entries).await?;
        }
    }
}

async fn create_group(redis: &mut MultiplexedConnection) -> RedisResult<()> {
    let mut create = cmd("XGROUP");
    create.arg("CREATE").arg(STREAM).arg(GROUP).arg("0").arg("MKSTREAM");
    match create.query_async::<()>(redis).await {
        // Another worker made it first.
        Err(error) if error.code() == Some("BUSYGROUP") => Ok(()),
        answer => answer,
    }
}

async fn take_over(redis: &mut MultiplexedConnection, worker: &str) -> RedisResult<()> {
    let mut start = "0-0".to_owned();
    loop {
        let mut claim = cmd("XAUTOCLAIM");
        claim.arg(STREAM).arg(GROUP).arg(worker).arg(IDLE_MS).arg(&start).arg("COUNT").arg(10);
        // Redis 7 adds the ids of entries that are gone.
        let answer: Vec<Value> = claim.query_async(redis).await?;
        let [next, entries, ..] = answer.as_slice() else { return Ok(()) };
        start = redis::from_redis_value_ref(next)?;
        handle(redis, redis::from_redis_value_ref(entries)?).await?;
        if start == "0-0" {
            return Ok(());
        }
    }
}

async fn handle(redis: &mut MultiplexedConnection, entries: Vec<Entry>) -> RedisResult<()> {
    for (id, fields) in entries {
        if let Some(fields) = fields {
            let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
            let seen = format!("{STREAM}:seen:{GROUP}:{}", field("event_id"));
            if !cmd("EXISTS").arg(&seen).query_async::<bool>(redis).await? {
                let line = format!("{} {} {}", field("event_type"), field("agent_id"), field("content"));
                writeln!(std::io::stdout(), "{line}").map_err(RedisError::from)?;
                // After the work: whoever dies before this line leaves the entry to another worker, who does it again.
                cmd("SET").arg(&seen).arg(1).arg("EX").arg(SEEN_FOR_S).query_async::<()>(redis).await?;
            }
        }
        cmd("XACK").arg(STREAM).arg(GROUP).arg(id).query_async::<()>(redis).await?;
    }
    Ok(())
}
