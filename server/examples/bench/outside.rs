//! How soon a live stream has what another process wrote into the log's file. That other process is this one.

use std::path::Path;
use std::time::{Duration, Instant};

use loggia::logstream::Logstream;
use tokio::time::sleep;

use crate::Failure;
use crate::fill::event;
use crate::report::Figures;
use crate::stats::{Dice, Latencies, number};
use crate::stream::Stream;
use crate::target::Target;
use crate::tools::key;

/// How long one event may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Appends so many events to the file and waits for each of them on a stream of the hub.
pub(crate) async fn measure(target: &Target, palace: &Path, events: usize, nonce: u64) -> Result<Figures, Failure> {
    let name = format!("bench/outside-{nonce:x}");
    let log = Logstream::open(palace)?;
    let stream = Stream::open(target, &name).await?.ok_or("the hub has no room for a stream")?;
    let (mut dice, mut latencies, mut lost) = (Dice(nonce), Latencies::default(), 0);
    for n in 0..events {
        // Not in step with how often the hub looks.
        sleep(Duration::from_millis(60 + u64::from(dice.below(50)))).await;
        let sent = Instant::now();
        let id = key(log.append(event(n, &name)?).await?.id.as_bytes());
        while !stream.seen.has(id) && sent.elapsed() < PATIENCE && !stream.seen.has_ended() {
            sleep(Duration::from_millis(1)).await;
        }
        match stream.seen.all().iter().find(|a| a.key == id) {
            Some(arrival) => latencies.push(arrival.at.saturating_duration_since(sent)),
            None => lost += 1,
        }
    }
    tokio::task::spawn_blocking(move || log.close()).await?;
    let mut figures = latencies.figures();
    figures.push(("lost", number(lost)));
    Ok(figures)
}
