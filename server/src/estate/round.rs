//! One round with one peer: read its vector, then pull what each author has more of than we do.
//!
//! # Design
//! Authors take turns, a batch each, so that a long catch-up of one holds up no other. Within an author everything is in the author's
//! order, and the first event that cannot be taken stops that author alone: a vector is a maximum, and what was skipped could never be
//! asked for again. Several peers may bring the same events at once; the log takes each once.
//!
//! While a batch is taken in, the one that comes next is asked for: one batch ahead, never more, so that a round holds two in memory.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use loggia_domain::id::is_replica_id;
use loggia_domain::{Event, remote};
use serde_json::Value;

use super::client::{Client, Fault};
use super::intake::Stop;
use super::status::{Block, now};
use super::{Estate, restore};
use crate::clock::now_ms;
use crate::logstream::StoreError;

/// How many events are asked for at once.
const BATCH: usize = 500;
/// The longest profile that is kept, in bytes.
const MAX_PROFILE_BYTES: usize = 4096;
/// How many profiles of others a peer may pass on.
const MAX_PROFILES: usize = 64;
/// How long a blocked author is left alone at first, and at most.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));

/// What a worker remembers of its peer between two rounds.
#[derive(Default)]
pub(super) struct Memory {
    /// The peer's newest arrival number, if it tells it: then it can be asked to wait.
    pub(super) newest_seq: Option<i64>,
    /// Our own origin was compared with the peer's.
    pub(super) own_checked: bool,
    /// The highest number of ours that the peer ever claimed.
    pub(super) own_claimed: i64,
    /// What repairs it has caused.
    pub(super) repairs: restore::Repairs,
    /// Blocked authors: when to try again, and after how long the time after.
    retry: BTreeMap<String, (Instant, Duration)>,
}

/// What a round brought.
#[derive(Debug, Default, Clone)]
pub struct Pulled {
    /// Who the peer is.
    pub replica_id: String,
    /// Its vector.
    pub version_vector: BTreeMap<String, i64>,
    /// What it says about itself.
    pub profile: Option<Value>,
    /// New events by author.
    pub per_origin: BTreeMap<String, u64>,
    /// New events.
    pub events: u64,
    /// New artifacts.
    pub artifacts: u64,
    /// Authors that stopped.
    pub blocks: BTreeMap<String, Block>,
}

/// What a batch came to.
pub(super) enum Step {
    /// There may be more.
    More(i64),
    /// All is here.
    Done,
    /// The author stops.
    Blocked(Block),
    /// The peer wants to be asked for it another time.
    Later(Fault),
}

/// A round with a peer, for one whom it serves.
pub(super) struct Round<'a> {
    pub(super) estate: &'a Estate,
    pub(super) name: &'a str,
    pub(super) client: &'a Client,
    pub(super) pulled: Pulled,
    ahead: Option<Ahead>,
}

/// A batch that was asked for before its turn.
struct Ahead {
    origin: String,
    after: i64,
    told: Result<Vec<Value>, Fault>,
}

impl<'a> Round<'a> {
    /// One that has not begun.
    pub(super) fn new(estate: &'a Estate, name: &'a str, client: &'a Client) -> Self {
        Self { estate, name, client, pulled: Pulled::default(), ahead: None }
    }

    /// Runs it; the peer may take up to `wait` before it has something new. `mends` is whether our own events are compared too.
    pub(super) fn run(mut self, memory: &mut Memory, wait: Duration, mends: bool) -> Result<Pulled, Fault> {
        let wait = if memory.newest_seq.is_some() { wait } else { Duration::ZERO };
        let answer = self.client.vector(wait, memory.newest_seq.unwrap_or(-1))?;
        let odd = self.hear(answer.value, answer.date_s, memory)?;
        let own = self.estate.log().replica_id().to_owned();
        if self.pulled.replica_id == own {
            return Err(Fault::Malformed("it has our own identity: it is this hub, or a copy of it".to_owned()));
        }
        let claimed = self.pulled.version_vector.get(&own).copied().unwrap_or(0);
        if mends {
            restore::check(&mut self, memory, claimed)?;
        }
        self.estate.heard(self.name);
        let later = self.pull(memory, &own)?;
        let blocks = self.pulled.blocks.clone();
        self.estate.write(self.name, |peer| {
            peer.blocks = blocks;
            peer.odd_entries = odd;
        });
        later.map_or(Ok(self.pulled), Err)
    }

    /// Takes in what the peer says about itself; answers the entries of its vector that are none.
    fn hear(&mut self, value: Value, date_s: Option<i64>, memory: &mut Memory) -> Result<Vec<String>, Fault> {
        let Value::Object(mut all) = value else { return Err(Fault::Malformed("not an object".to_owned())) };
        let replica_id = all.remove("replica_id");
        let replica_id = replica_id.as_ref().and_then(Value::as_str).filter(|id| is_replica_id(id));
        let replica_id = replica_id.ok_or_else(|| Fault::Malformed("no `replica_id`".to_owned()))?.to_owned();
        let read = remote::vector(all.remove("version_vector"));
        let (vector, mut odd) = read.map_err(|refusal| Fault::Malformed(refusal.message))?;
        odd.truncate(20);
        memory.newest_seq = all.get("newest_seq").and_then(Value::as_i64).filter(|n| *n >= 0);
        let profile = all.remove("profile").filter(is_small);
        let profiles: BTreeMap<String, Value> = match all.remove("profiles") {
            Some(Value::Object(all)) => {
                all.into_iter().filter(|(id, p)| is_replica_id(id) && is_small(p)).take(MAX_PROFILES).collect()
            }
            _ => BTreeMap::new(),
        };
        let now_s = i64::try_from(now_ms() / 1000).unwrap_or(0);
        let (id, told, about) = (replica_id.clone(), vector.clone(), profile.clone());
        self.estate.write(self.name, |peer| {
            peer.replica_id = Some(id);
            peer.version_vector = told;
            peer.profile = about;
            peer.profiles = profiles;
            peer.last_contact_at = Some(now());
            peer.clock_difference_ms = date_s.map(|date| date.saturating_sub(now_s).saturating_mul(1000));
        });
        self.pulled = Pulled { replica_id, version_vector: vector, profile, ..Pulled::default() };
        Ok(odd)
    }

    /// Takes in what the peer has of all authors; why some of it is to be had another time, if so.
    fn pull(&mut self, memory: &mut Memory, own: &str) -> Result<Option<Fault>, Fault> {
        let mut later = None;
        let ours = self.ask(self.estate.log().version_vector())?;
        let mut turns: VecDeque<(String, i64, i64)> = VecDeque::new();
        for (origin, theirs) in &self.pulled.version_vector {
            let after = ours.get(origin).copied().unwrap_or(0);
            if origin != own && *theirs > after {
                turns.push_back((origin.clone(), after, *theirs));
            } else {
                memory.retry.remove(origin);
            }
        }
        let before = self.estate.blocks(self.name);
        while let Some((origin, after, theirs)) = turns.pop_front() {
            if let (Some((at, _)), Some(block)) = (memory.retry.get(&origin), before.get(&origin))
                && *at > Instant::now()
            {
                self.pulled.blocks.insert(origin, block.clone());
                continue;
            }
            let may_be_asked = |origin: &String| memory.retry.get(origin).is_none_or(|(at, _)| *at <= Instant::now());
            let next = turns.iter().find(|(other, ..)| may_be_asked(other));
            match self.step(&origin, after, theirs, next.map(|(other, after, _)| (other.as_str(), *after)))? {
                Step::More(after) => turns.push_back((origin, after, theirs)),
                Step::Done => {
                    memory.retry.remove(&origin);
                }
                Step::Later(fault) => later = Some(fault),
                Step::Blocked(mut block) => {
                    let pause = memory.retry.get(&origin).map_or(RETRY.0, |(_, pause)| (*pause * 2).min(RETRY.1));
                    memory.retry.insert(origin.clone(), (Instant::now() + pause, pause));
                    if let Some(known) = before.get(&origin).filter(|known| known.reason == block.reason) {
                        block.since.clone_from(&known.since);
                    } else {
                        tracing::warn!(
                            peer = self.name,
                            origin,
                            event = block.event_id,
                            artifact = block.artifact_id,
                            reason = block.reason,
                            "an author's events stop at one that cannot be taken"
                        );
                    }
                    self.pulled.blocks.insert(origin, block);
                }
            }
        }
        Ok(later)
    }

    /// Takes one batch of an author. `next` is whose turn comes after it, if it is another's.
    pub(super) fn step(
        &mut self,
        origin: &str,
        after: i64,
        theirs: i64,
        next: Option<(&str, i64)>,
    ) -> Result<Step, Fault> {
        let told = match self.ahead.take().filter(|ahead| ahead.origin == origin && ahead.after == after) {
            Some(ahead) => ahead.told,
            None => self.client.ops(origin, after, BATCH),
        };
        let told = match told {
            Ok(told) => told,
            Err(fault) if fault.ends_round() => return Err(fault),
            Err(fault) => return Ok(Step::Blocked(block(None, None, format!("the peer {fault}")))),
        };
        if told.is_empty() {
            let reason = format!("the peer says that it has events up to {theirs}, and gives none after {after}");
            return Ok(Step::Blocked(block(None, None, reason)));
        }
        let (mut events, mut last, mut bad) = (Vec::with_capacity(told.len()), after, None);
        for value in told {
            let id = value.get("id").and_then(Value::as_str).map(|id| id.chars().take(256).collect::<String>());
            match remote::event(origin, value) {
                Ok(event) if event.origin_seq.is_some_and(|seq| seq > last) => {
                    last = event.origin_seq.unwrap_or(last);
                    events.push(event);
                }
                Ok(event) => {
                    bad = Some(block(Some(event.id), None, format!("its number does not follow {last}")));
                    break;
                }
                Err(refusal) => {
                    bad = Some(block(id, None, refusal.message));
                    break;
                }
            }
        }
        let own = (bad.is_none() && last < theirs).then_some((origin, last));
        match self.take_and_ask(origin, events, next.or(own))? {
            Some(Stop::Blocked(stopped)) => return Ok(Step::Blocked(stopped)),
            Some(Stop::Later(fault)) => return Ok(Step::Later(fault)),
            None => {}
        }
        Ok(match bad {
            Some(block) => Step::Blocked(block),
            None if last >= theirs => Step::Done,
            None => Step::More(last),
        })
    }

    /// Takes events in, and meanwhile asks for the batch that comes next.
    fn take_and_ask(
        &mut self,
        origin: &str,
        events: Vec<Event>,
        next: Option<(&str, i64)>,
    ) -> Result<Option<Stop>, Fault> {
        let Some((next_origin, after)) = next else { return self.take(origin, events) };
        let client = self.client;
        let (taken, told) = std::thread::scope(|scope| {
            let asked = scope.spawn(move || client.ops(next_origin, after, BATCH));
            (self.take(origin, events), asked.join())
        });
        // One that panicked has said so; the batch is asked for again in its turn.
        self.ahead = told.ok().map(|told| Ahead { origin: next_origin.to_owned(), after, told });
        taken
    }

    /// Asks our own log and waits.
    pub(super) fn ask<T>(&self, question: impl Future<Output = Result<T, StoreError>>) -> Result<T, Fault> {
        self.estate.wait(question).map_err(|e| Fault::Ours(e.to_string()))
    }
}

fn is_small(profile: &Value) -> bool {
    profile.is_object() && profile.to_string().len() <= MAX_PROFILE_BYTES
}

pub(super) fn block(event_id: Option<String>, artifact_id: Option<String>, reason: impl AsRef<str>) -> Block {
    Block { event_id, artifact_id, reason: reason.as_ref().chars().take(500).collect(), since: now() }
}
