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

/// Why an artifact did not come.
#[derive(Clone)]
enum Missing {
    /// It cannot be had, and why.
    Bad(String),
    /// The peer answers for it another time.
    Later(Fault),
}

/// Why an author's events go no further.
pub(super) enum Stop {
    /// One cannot be taken.
    Blocked(Block),
    /// What one needs is to be had another time.
    Later(Fault),
}

/// What was fetched, and why the rest was not, by id.
type Fetched = (HashMap<String, Artifact>, HashMap<String, Missing>);

impl Round<'_> {
    /// Fetches what events reference and takes them in, in order.
    pub(super) fn take(&mut self, origin: &str, events: Vec<Event>) -> Result<Option<Stop>, Fault> {
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
            let stop = bad.map(|(at, (artifact_id, missing))| {
                let event = run.events.drain(at..).next();
                match missing {
                    Missing::Bad(reason) => Stop::Blocked(block(event.map(|e| e.id), Some(artifact_id), reason)),
                    Missing::Later(fault) => Stop::Later(fault),
                }
            });
            let applied = self.ask(self.estate.log().apply(run))?;
            self.pulled.events += applied.events;
            self.pulled.artifacts += applied.artifacts;
            *self.pulled.per_origin.entry(origin.to_owned()).or_default() += applied.events;
            self.estate.pulled(self.name, applied.events, applied.artifacts);
            self.estate.note(self.name, origin, applied.events);
            if let Some(stopped) = applied.stopped {
                let stopped = block(Some(stopped.event_id), stopped.artifact_id, stopped.reason);
                return Ok(Some(Stop::Blocked(stopped)));
            }
            if stop.is_some() {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    /// Fetches artifacts, some at a time. Once the peer wants to be asked another time, nothing more is asked for.
    fn fetch(&self, ids: &[String]) -> Result<Fetched, Fault> {
        #[derive(Default)]
        struct Came {
            next: usize,
            bytes: usize,
            artifacts: HashMap<String, Artifact>,
            missing: HashMap<String, Missing>,
            broken: Option<Fault>,
        }
        let came = Mutex::new(Came::default());
        let lock = || came.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            loop {
                let id = {
                    let mut came = lock();
                    let Some(id) = ids.get(came.next).filter(|_| came.broken.is_none()) else { return };
                    came.next += 1;
                    if came.bytes > MAX_EVENT_BYTES {
                        let reason = format!("the artifacts of its event have more than {MAX_EVENT_BYTES} bytes");
                        came.missing.insert(id.clone(), Missing::Bad(reason));
                        continue;
                    }
                    id
                };
                let got = self.client.artifact(id);
                let mut came = lock();
                let reason = match got {
                    Ok(Some(value)) => match remote::artifact(id, value) {
                        Ok(artifact) => {
                            came.bytes += artifact.content.len();
                            came.artifacts.insert(id.clone(), artifact);
                            continue;
                        }
                        Err(refusal) => refusal.message,
                    },
                    Ok(None) => "the peer does not have it".to_owned(),
                    Err(fault) if fault.ends_round() => {
                        came.broken = Some(fault);
                        return;
                    }
                    Err(fault) => format!("the peer {fault}"),
                };
                came.missing.insert(id.clone(), Missing::Bad(reason));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..FETCHERS.min(ids.len()) {
                scope.spawn(work);
            }
            work();
        });
        let Came { artifacts, mut missing, broken, .. } = came.into_inner().unwrap_or_else(PoisonError::into_inner);
        match broken {
            // The others of its authors may need none of these.
            Some(fault @ Fault::Status(..)) => {
                let unasked = ids.iter().filter(|id| !artifacts.contains_key(*id));
                for id in unasked {
                    missing.entry(id.clone()).or_insert_with(|| Missing::Later(fault.clone()));
                }
            }
            Some(fault) => return Err(fault),
            None => {}
        }
        Ok((artifacts, missing))
    }
}
