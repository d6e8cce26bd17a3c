//! How many events a hub takes per second, from one client and from many, each on a connection of its own that is kept.
//!
//! Closed loop: a client sends its next event when the last one was answered. The rate is therefore what so many agents that write
//! without a pause would see, and the latency is that of a busy hub, not of an idle one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Failure;
use crate::process::CpuMeter;
use crate::report::Figures;
use crate::stats::{Latencies, number};
use crate::target::Target;
use crate::tools::{append, appended};
use crate::wire::Client;

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
    let (meter, started) = (CpuMeter::start(target.pid), Instant::now());
    let (mut latencies, mut refused) = (Latencies::default(), 0);
    while let Some(written) = tasks.join_next().await {
        let (more, failures) = written??;
        latencies.extend(more);
        refused += failures;
    }
    let (took, count) = (started.elapsed().as_secs_f64(), number(latencies.count()));
    let (hub, own) = meter.used();
    let mut figures = vec![("rate_per_s", count / took)];
    figures.extend(latencies.figures());
    figures.push(("refused", number(refused)));
    figures.extend(hub.map(|cpu| ("hub_cpu_us_per_append", cpu.as_secs_f64() * 1e6 / count)));
    figures.push(("load_cpu_us_per_append", own.as_secs_f64() * 1e6 / count));
    Ok(figures)
}

/// How long each append took, and how many times the hub did not take a connection or an event: one that is overrun resets
/// connections, and its clients try again.
async fn write(target: Target, lasting: Duration, together: Arc<Barrier>) -> Result<(Latencies, usize), Failure> {
    let mut client = Client::new(&target);
    let request = target.append("bench/append");
    // The first one connects; it is not measured, and if it fails the others must still begin.
    let _ = append(&mut client, &request).await;
    together.wait().await;
    let (until, mut latencies, mut refused) = (Instant::now() + lasting, Latencies::default(), 0);
    loop {
        let sent = Instant::now();
        if sent >= until {
            return Ok((latencies, refused));
        }
        match client.send(&request).await {
            Ok(reply) if reply.status == 200 => {
                appended(&reply)?;
                latencies.push(sent.elapsed());
            }
            Ok(_) | Err(_) => {
                refused += 1;
                sleep(PAUSE).await;
            }
        }
    }
}
