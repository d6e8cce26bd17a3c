//! How many events a hub takes per second, from one client and from many, each on a connection of its own that is kept.
//!
//! Closed loop: a client sends its next event when the last one was answered. The rate is therefore what so many agents that write
//! without a pause would see, and the latency is that of a busy hub, not of an idle one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::Failure;
use crate::process::CpuMeter;
use crate::report::Figures;
use crate::stats::{Latencies, number};
use crate::target::Target;
use crate::tools::{append, appended};
use crate::wire::Client;

/// How long one append may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client waits after it was refused.
const PAUSE: Duration = Duration::from_millis(5);

/// Appends from `clients` connections at once for so long.
pub(crate) async fn measure(target: &Target, clients: usize, lasting: Duration) -> Result<Figures, Failure> {
    let together = Arc::new(Barrier::new(clients + 1));
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        tasks.spawn(write(target.clone(), lasting, Arc::clone(&together)));
    }
    together.wait().await;
    let meter = CpuMeter::start(target.pid);
    let (mut latencies, mut in_time, mut refused) = (Latencies::default(), 0, 0);
    while let Some(written) = tasks.join_next().await {
        let written = written??;
        latencies.extend(written.latencies);
        in_time += written.in_time;
        refused += written.refused;
    }
    let count = number(latencies.count());
    let (hub, own) = meter.used();
    let mut figures = vec![("rate_per_s", number(in_time) / lasting.as_secs_f64())];
    figures.extend(latencies.figures());
    figures.push(("refused", number(refused)));
    figures.extend(hub.map(|cpu| ("hub_cpu_us_per_append", cpu.as_secs_f64() * 1e6 / count)));
    figures.push(("load_cpu_us_per_append", own.as_secs_f64() * 1e6 / count));
    Ok(figures)
}

/// What one client saw.
#[derive(Default)]
struct Written {
    /// How long each append took, the last one included.
    latencies: Latencies,
    /// How many were answered before the time was over.
    in_time: usize,
    /// How many times the hub did not take a connection or an event: one that is overrun resets connections.
    refused: usize,
}

async fn write(target: Target, lasting: Duration, together: Arc<Barrier>) -> Result<Written, Failure> {
    let mut client = Client::new(&target);
    let request = target.append("bench/append");
    // The first one connects; it is not measured, and if it fails the others must still begin.
    let _ = append(&mut client, &request).await;
    together.wait().await;
    let (until, mut written) = (Instant::now() + lasting, Written::default());
    loop {
        let sent = Instant::now();
        if sent >= until {
            return Ok(written);
        }
        match timeout(PATIENCE, client.send(&request)).await {
            Ok(Ok(reply)) if reply.status == 200 => {
                appended(&reply)?;
                written.latencies.push(sent.elapsed());
                written.in_time += usize::from(Instant::now() <= until);
            }
            _ => {
                written.refused += 1;
                sleep(PAUSE).await;
            }
        }
    }
}
