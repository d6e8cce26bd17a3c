//! What Redis says of the stream that is published to: how long it is, and how far its consumers are. For pages and the status.

use std::collections::HashMap;
use std::time::Duration;

use redis::{RedisError, Value};
use serde::Serialize;

use super::link::Link;
use super::settings::Pipeline;

/// How long Redis may take.
const LIMIT: Duration = Duration::from_millis(500);

/// A stream as its Redis sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StreamState {
    /// How many entries it has.
    pub length: u64,
    /// Its consumer groups.
    pub groups: Vec<Group>,
}

/// A group of consumers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How many consumers it has.
    pub consumers: u64,
    /// How many entries were handed out and not acknowledged.
    pub pending: u64,
    /// How many entries it has not read; `None` where Redis does not know.
    pub lag: Option<u64>,
    /// The last entry that was handed out.
    pub last_delivered_id: String,
}

/// Reads it.
pub struct StreamReader {
    link: Link,
    stream: String,
}

impl StreamReader {
    /// Of a pipeline's stream.
    pub fn new(pipeline: Pipeline) -> Self {
        Self { link: Link::new(pipeline.url, LIMIT), stream: pipeline.stream }
    }

    /// How it is now. A stream that is not there yet is empty.
    pub async fn read(&self) -> Result<StreamState, String> {
        self.link
            .ask(async |connection| {
                let length: u64 = redis::cmd("XLEN").arg(&self.stream).query_async(connection).await?;
                let asked = redis::cmd("XINFO").arg("GROUPS").arg(&self.stream).query_async(connection).await;
                let groups: Vec<HashMap<String, Value>> = match asked {
                    Ok(groups) => groups,
                    Err(error) if is_missing(&error) => Vec::new(),
                    Err(error) => return Err(error),
                };
                Ok(StreamState { length, groups: groups.iter().map(group).collect() })
            })
            .await
    }
}

/// Redis calls it an error when it is asked for the groups of no stream.
fn is_missing(error: &RedisError) -> bool {
    error.detail().is_some_and(|detail| detail.contains("no such key"))
}

fn group(fields: &HashMap<String, Value>) -> Group {
    let number =
        |name: &str| fields.get(name).and_then(|v| redis::from_redis_value_ref::<Option<u64>>(v).ok()).flatten();
    let text = |name: &str| fields.get(name).and_then(|v| redis::from_redis_value_ref(v).ok()).unwrap_or_default();
    Group {
        name: text("name"),
        consumers: number("consumers").unwrap_or(0),
        pending: number("pending").unwrap_or(0),
        lag: number("lag"),
        last_delivered_id: text("last-delivered-id"),
    }
}
