//! How a batch of an author's events is taken in: what they reference is fetched first, then they go into the log in the author's order, up
//! to the first whose artifacts did not come.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use loggia_domain::{Artifact, Event, remote};

use super::client::Fault;
use super::round::{Round, block};
use super::status::Block;
use crate::logstream::apply::Run;

/// How many artifacts are fetched before what needs them is taken in.
const WINDOW: usize = 32;
/// How many are fetched at the same time.
const FETCHERS: usize = 4;
/// How many bytes of artifacts one event may bring.
const MAX_EVENT_BYTES: usize = 256 * 1024 * 1024;

/// Why artifacts did not come, by id.
type Reasons = HashMap<String, String>;

impl Round<'_> {
    /// Fetches what events reference and takes them in, in order.
    pub(super) fn take(&mut self, origin: &str, events: Vec<Event>) -> Result<Option<Block>, Fault> {
        let mut seen = HashSet::new();
        let referenced: Vec<String> =
            events.iter().flat_map(|e| &e.artifact_ids).filter(|id| seen.insert(*id)).cloned().collect();
        let mut missing: HashSet<String> = if referenced.is_empty() {
            HashSet::new()
        } else {
            self.ask(self.estate.log().missing_artifacts(referenced))?.into_iter().collect()
        };
        let mut rest: VecDeque<Event> = events.into();
        while !rest.is_empty() {
            let (mut run, mut wanted) = (Run::default(), Vec::new());
            while let Some(event) = rest.front() {
                let needs: Vec<String> =
                    event.artifact_ids.iter().filter(|id| missing.contains(*id)).cloned().collect();
                if !run.events.is_empty() && wanted.len() + needs.len() > WINDOW {
                    break;
                }
                for id in &needs {
                    missing.remove(id);
                }
                wanted.extend(needs);
                run.events.extend(rest.pop_front());
            }
            let (came, faults) = self.fetch(&wanted)?;
            run.artifacts = came;
            let at_fault =
                |event: &Event| event.artifact_ids.iter().find_map(|id| Some((id.clone(), faults.get(id)?.clone())));
            let bad = run.events.iter().enumerate().find_map(|(at, event)| Some((at, at_fault(event)?)));
            let stop = bad.map(|(at, (artifact_id, reason))| {
                let event = run.events.drain(at..).next();
                block(event.map(|e| e.id), Some(artifact_id), reason)
            });
            let applied = self.ask(self.estate.log().apply(run))?;
            self.pulled.events += applied.events;
            self.pulled.artifacts += applied.artifacts;
            *self.pulled.per_origin.entry(origin.to_owned()).or_default() += applied.events;
            self.estate.pulled(self.name, applied.events, applied.artifacts);
            self.estate.note(self.name, origin, applied.events);
            if let Some(stopped) = applied.stopped {
                return Ok(Some(block(Some(stopped.event_id), stopped.artifact_id, stopped.reason)));
            }
            if stop.is_some() {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    /// Fetches artifacts, some at a time; those that did not come have a reason.
    fn fetch(&self, ids: &[String]) -> Result<(HashMap<String, Artifact>, Reasons), Fault> {
        struct Came {
            next: usize,
            bytes: usize,
            artifacts: HashMap<String, Artifact>,
            faults: Reasons,
            broken: Option<Fault>,
        }
        let came =
            Mutex::new(Came { next: 0, bytes: 0, artifacts: HashMap::new(), faults: HashMap::new(), broken: None });
        let lock = || came.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            loop {
                let id = {
                    let mut came = lock();
                    let Some(id) = ids.get(came.next).filter(|_| came.broken.is_none()) else { return };
                    came.next += 1;
                    if came.bytes > MAX_EVENT_BYTES {
                        let reason = format!("the artifacts of its event have more than {MAX_EVENT_BYTES} bytes");
                        came.faults.insert(id.clone(), reason);
                        continue;
                    }
                    id
                };
                let got = self.client.artifact(id);
                let mut came = lock();
                match got {
                    Ok(Some(value)) => match remote::artifact(id, value) {
                        Ok(artifact) => {
                            came.bytes += artifact.content.len();
                            came.artifacts.insert(id.clone(), artifact);
                        }
                        Err(refusal) => {
                            came.faults.insert(id.clone(), refusal.message);
                        }
                    },
                    Ok(None) => {
                        came.faults.insert(id.clone(), "the peer does not have it".to_owned());
                    }
                    Err(fault) if fault.ends_round() => came.broken = Some(fault),
                    Err(fault) => {
                        came.faults.insert(id.clone(), format!("the peer {fault}"));
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..FETCHERS.min(ids.len()) {
                scope.spawn(work);
            }
            work();
        });
        let came = came.into_inner().unwrap_or_else(PoisonError::into_inner);
        match came.broken {
            Some(fault) => Err(fault),
            None => Ok((came.artifacts, came.faults)),
        }
    }
}
