//! Calling a hub's tools and reading their answers.

use serde::Deserialize;
use serde_json::Value;

use crate::Failure;
use crate::wire::{Client, Reply};

/// An event's id, as a hash: ten thousand streams remember a million of them.
pub(crate) type Key = u64;

/// The key of an id (FNV-1a).
pub(crate) fn key(id: &[u8]) -> Key {
    id.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The id of the event in the answer to an append. Looks for its text only: parsing would cost as much as the hub's own work.
pub(crate) fn appended(reply: &Reply) -> Result<&[u8], Failure> {
    let start = reply.body.windows(4).position(|w| w == b"evt_").filter(|_| reply.status == 200);
    let start = start.ok_or_else(|| {
        format!("an append was answered with {}: {}", reply.status, String::from_utf8_lossy(&reply.body))
    })?;
    let id = &reply.body[start..];
    let end = id.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(id.len());
    Ok(&id[..end])
}

/// Sends an append and gives the event's id.
pub(crate) async fn append(client: &mut Client, request: &[u8]) -> Result<String, Failure> {
    let reply = client.send(request).await?;
    Ok(String::from_utf8_lossy(appended(&reply)?).into_owned())
}

#[derive(Deserialize)]
struct Envelope {
    result: Option<CallResult>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct CallResult {
    content: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: String,
}

/// The object that a tool answered.
pub(crate) fn answer(reply: &Reply) -> Result<Value, Failure> {
    let envelope: Envelope = serde_json::from_slice(&reply.body)
        .map_err(|e| format!("status {}, {e}: {}", reply.status, String::from_utf8_lossy(&reply.body)))?;
    if let Some(error) = envelope.error {
        return Err(error.to_string().into());
    }
    let text = envelope.result.and_then(|r| r.content.into_iter().next()).ok_or("an answer without content")?.text;
    let answer: Value = serde_json::from_str(&text)?;
    match answer.get("error") {
        Some(error) if !error.is_null() => Err(error.to_string().into()),
        _ => Ok(answer),
    }
}

/// The ids of the events in an answer, in its order.
pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    let events = answer.get("events").and_then(Value::as_array);
    events.into_iter().flatten().filter_map(|e| e.get("id")?.as_str()).collect()
}
