//! Snapshots in a Redis, which several hubs may share.
//!
//! # Design
//! A write reads the snapshot, makes the next one of it, and hands both to a script, which stores the new one only if the old one is
//! still there; otherwise it answers with what is, and the hub tries again. So nothing is lost between hubs, and JSON is merged by the
//! same code as everywhere: Lua would round large numbers and take an empty object for a list. Within a hub, writes of one session
//! queue up first. The event rides in the same script, so the order of events is that of the writes; what XADD says changes nothing for
//! the write. The stream's key is no declared key of the script: an ACL that forbids it must refuse the event alone.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loggia_domain::mems::event::EventIds;
use loggia_domain::mems::{NewWrite, Owner, Snapshot, key};
use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script, ScriptInvocation};
use tokio::sync::Mutex as TurnMutex;
use tokio::time::timeout;

use super::link::{HANGS, Link};
use super::outlet::{Event, Outlet};
use super::publisher::Publisher;
use super::settings::RedisUrl;
use super::{MemsError, random};
use crate::clock::now_ms;

/// How long a question or a write may take in all, so that callers hear within two seconds that Redis does not answer.
const LIMIT: Duration = Duration::from_millis(1500);
/// How many sessions are listed at most.
pub const MAX_SESSIONS: usize = 1000;
/// How many turns there are: writes of sessions that share one wait for each other.
const TURNS: usize = 64;

/// KEYS: the snapshot. ARGV: the id of the snapshot that was read (or ''), the new one, its life in seconds when it is new (or ''),
/// the stream (or ''), its length, then the event's fields. Answers {1, what XADD refused or ''} or {0, the snapshot that is there or ''}.
/// The id stands at a fixed place of the JSON text.
const WRITE: &str = r"
local there = redis.call('GET', KEYS[1])
local id = ''
if there then id = string.sub(there, 14, 49) end
if id ~= ARGV[1] then return {0, there or ''} end
if ARGV[3] == '' then
  redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
else
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
end
if ARGV[4] ~= '' then
  local added = redis.pcall('XADD', ARGV[4], 'MAXLEN', '~', ARGV[5], '*', unpack(ARGV, 6))
  if type(added) == 'table' and added.err then return {1, added.err} end
end
return {1, ''}
";

/// The store.
pub struct RedisStore {
    link: Link,
    script: Script,
    ids: Mutex<EventIds>,
    turns: [TurnMutex<()>; TURNS],
    /// Whether the script publishes.
    publishes: bool,
    outlet: Arc<Outlet>,
}

impl RedisStore {
    /// In a Redis; nothing is asked of it yet.
    pub fn new(url: RedisUrl, publishes: bool, outlet: Arc<Outlet>) -> Self {
        Self {
            link: Link::new(url, LIMIT),
            script: Script::new(WRITE),
            ids: Mutex::default(),
            turns: std::array::from_fn(|_| TurnMutex::new(())),
            publishes,
            outlet,
        }
    }

    /// Writes. That Redis did not answer in time leaves open whether it was done.
    pub async fn write(&self, new: &NewWrite) -> Result<Event, MemsError> {
        let key = key::of(&new.owner);
        timeout(LIMIT, self.write_in_turn(new, &key))
            .await
            .unwrap_or_else(|_| Err(MemsError::Unavailable(HANGS.to_owned())))
    }

    async fn write_in_turn(&self, new: &NewWrite, key: &str) -> Result<Event, MemsError> {
        let mut hash = DefaultHasher::new();
        key.hash(&mut hash);
        let turn = usize::try_from(hash.finish() % TURNS as u64).unwrap_or(0);
        let _turn = self.turns[turn].lock().await;
        let mut there = self.get(key).await?;
        loop {
            let before = there.as_deref().filter(|text| !text.is_empty()).map(parse).transpose()?;
            let now_ms = now_ms();
            let before_id = before.as_ref().map_or("", |snapshot| snapshot.event_id.as_str());
            let after = (!before_id.is_empty()).then_some(before_id);
            let id = self.ids.lock().unwrap_or_else(PoisonError::into_inner).next(now_ms, after, random());
            let (snapshot, did) = Snapshot::after(before.as_ref(), new, id, now_ms);
            snapshot.room(new)?;
            let text = serde_json::to_string(&snapshot).map_err(|error| MemsError::Storage(error.to_string()))?;
            let event = Event::new(new.owner.clone(), &Arc::new(snapshot), did);
            let life = if before.is_some() { String::new() } else { new.ttl_s.to_string() };
            let mut call = self.script.prepare_invoke();
            call.key(key).arg(before_id).arg(text).arg(life);
            self.add_event(&mut call, &event);
            let done = self.link.ask(async |connection| call.invoke_async::<(i64, String)>(connection).await).await;
            let (is_done, said) = done.map_err(MemsError::Unavailable)?;
            if is_done == 1 {
                if let Some(publisher) = self.publisher() {
                    publisher.count(if said.is_empty() { Ok(()) } else { Err(refused(&said)) });
                }
                self.outlet.push(event.clone(), self.publishes);
                return Ok(event);
            }
            // Another hub was faster.
            there = Some(said);
        }
    }

    fn publisher(&self) -> Option<&Publisher> {
        self.outlet.publisher().filter(|_| self.publishes)
    }

    fn add_event(&self, call: &mut ScriptInvocation<'_>, event: &Event) {
        let Some(publisher) = self.publisher() else {
            call.arg("").arg("");
            return;
        };
        call.arg(&publisher.settings().stream).arg(publisher.settings().max_entries);
        for (name, value) in event.fields() {
            call.arg(name).arg(value);
        }
    }

    /// The text of a snapshot.
    async fn get(&self, key: &str) -> Result<Option<String>, MemsError> {
        let asked = self.link.ask(async |c| redis::cmd("GET").arg(key).query_async::<Option<String>>(c).await);
        asked.await.map_err(MemsError::Unavailable)
    }

    /// The live snapshot of a key.
    pub async fn read(&self, key: &str) -> Result<Option<Arc<Snapshot>>, MemsError> {
        self.get(key).await?.map(|text| parse(&text).map(Arc::new)).transpose()
    }

    /// Live snapshots by owner, each with how long it still lives, in ms; at most [`MAX_SESSIONS`].
    pub async fn all(&self) -> Result<Vec<(Owner, Arc<Snapshot>, u64)>, MemsError> {
        let found = self.link.ask(async |connection| {
            let keys = keys(connection).await?;
            let mut pipe = redis::pipe();
            for key in &keys {
                pipe.cmd("GET").arg(key).cmd("PTTL").arg(key);
            }
            if keys.is_empty() {
                return Ok(Vec::new());
            }
            let values: Vec<redis::Value> = pipe.query_async(connection).await?;
            let mut found = Vec::new();
            for (key, pair) in keys.into_iter().zip(values.chunks(2)) {
                let text: Option<String> = redis::from_redis_value_ref(&pair[0]).unwrap_or_default();
                let left: i64 = redis::from_redis_value_ref(&pair[1]).unwrap_or_default();
                if let (Some(owner), Some(text)) = (key::owner(&key), text) {
                    found.push((owner, text, u64::try_from(left).unwrap_or(0)));
                }
            }
            Ok(found)
        });
        let found = found.await.map_err(MemsError::Unavailable)?;
        // What is no snapshot of ours is passed over here; asked for by its key it is an error.
        let ours =
            found.into_iter().filter_map(|(owner, text, left)| Some((owner, Arc::new(parse(&text).ok()?), left)));
        Ok(ours.collect())
    }

    /// How many sessions [`Self::all`] would list.
    pub async fn count(&self) -> Result<usize, MemsError> {
        let counted = self.link.ask(async |connection| Ok(keys(connection).await?.len()));
        counted.await.map_err(MemsError::Unavailable)
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), MemsError> {
        let asked = self.link.ask(async |connection| redis::cmd("PING").query_async::<String>(connection).await);
        asked.await.map(drop).map_err(MemsError::Unavailable)
    }
}

/// The keys of sessions, at most [`MAX_SESSIONS`].
async fn keys(connection: &mut MultiplexedConnection) -> Result<Vec<String>, RedisError> {
    let mut keys: Vec<String> = Vec::new();
    let mut cursor = 0_u64;
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(format!("{}*", key::PREFIX)).arg("COUNT").arg(500);
        let (next, some): (u64, Vec<String>) = scan.query_async(connection).await?;
        keys.extend(some.into_iter().filter(|name| key::owner(name).is_some()));
        cursor = next;
        if cursor == 0 || keys.len() >= MAX_SESSIONS {
            break;
        }
    }
    // A scan may name a key twice.
    keys.sort_unstable();
    keys.dedup();
    keys.truncate(MAX_SESSIONS);
    Ok(keys)
}

fn parse(text: &str) -> Result<Snapshot, MemsError> {
    serde_json::from_str(text)
        .map_err(|error| MemsError::Storage(format!("a snapshot in redis cannot be read: {error}")))
}

/// What XADD said, in the words in which other refusals are told.
fn refused(said: &str) -> String {
    format!("redis refuses: {said}")
}
