//! Writes a long log quickly: straight into a palace's file, through the store, before a hub is started on it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loggia::logstream::Logstream;
use loggia_domain::{EventDraft, NewEvent};
use tokio::task::JoinSet;

use crate::Failure;
use crate::lists::STREAM;

/// How many writes wait at the same time, so that they are committed in groups.
const WRITERS: usize = 256;
/// Words of the bodies, so that there is something to search for.
const WORDS: [&str; 16] = [
    "walnut", "harbour", "ledger", "copper", "signal", "meadow", "lantern", "granite", "ribbon", "orchard", "compass",
    "marble", "thicket", "anchor", "velvet", "saddle",
];

/// The `n`-th event of a made-up day: delegations of eight events each among ten agents.
pub(crate) fn event(n: usize, stream: &str) -> Result<NewEvent, Failure> {
    let step = n % 8;
    let (kind, status) = match step {
        0 => ("task.request", Some("open")),
        1 => ("event.ack", Some("claimed")),
        6 => ("patch.ready", Some("ready")),
        7 => ("event.ack", Some("applied")),
        _ => ("task.reply", None),
    };
    let word = |k: usize| WORDS[n.wrapping_mul(31).wrapping_add(k * k * 7 + n / 16 * k) % WORDS.len()];
    let words: Vec<&str> = (1..=24).map(word).collect();
    let draft = EventDraft {
        event_type: kind.into(),
        stream: stream.into(),
        room: ["delegation", "build", "review"][n / 8 % 3].into(),
        from_agent: format!("bench-agent-{}", (n / 8 + step) % 10).into(),
        to_agent: format!("bench-agent-{}", (n / 8 + step + 1) % 10).into(),
        correlation_id: format!("bench-task-{}", n / 8).into(),
        status: status.map(str::to_owned).into(),
        body: format!("step {step} of task {}: {}", n / 8, words.join(" ")).into(),
        ..EventDraft::default()
    };
    draft.check().map_err(|refusal| refusal.message.into())
}

/// The stream of the `n`-th event when a log is filled: twenty of them, [`STREAM`] among them.
fn stream_of(n: usize) -> String {
    match n / 8 % 20 {
        0 => STREAM.to_owned(),
        other => format!("bench/project-{other}"),
    }
}

/// Writes so many events into a palace's log.
pub(crate) async fn fill(palace: &Path, events: usize) -> Result<(), Failure> {
    let log = Logstream::open(palace)?;
    let next = Arc::new(AtomicUsize::new(0));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (log, next) = (log.clone(), Arc::clone(&next));
        writers.spawn(async move {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= events {
                    return Ok::<_, Failure>(());
                }
                log.append(event(n, &stream_of(n))?).await?;
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    tokio::task::spawn_blocking(move || log.close()).await?;
    Ok(())
}
