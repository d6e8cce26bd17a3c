//! How many writes to session memory a hub takes per second, from one client and from many, each in a session of its own.
//!
//! Closed loop, as for appends. Every message is another one: the palace files the same words once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Failure;
use crate::process::CpuMeter;
use crate::report::Figures;
use crate::stats::{Latencies, number};
use crate::target::Target;
use crate::wire::Client;

/// How long one write may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes from `clients` connections at once for so long, in sessions that no earlier run has used.
pub(crate) async fn measure(
    target: &Target,
    clients: usize,
    lasting: Duration,
    nonce: u64,
) -> Result<Figures, Failure> {
    let together = Arc::new(Barrier::new(clients + 1));
    let mut tasks = JoinSet::new();
    for client in 0..clients {
        let session = format!("{nonce}-{client}");
        tasks.spawn(write(target.clone(), session, lasting, Arc::clone(&together)));
    }
    together.wait().await;
    let meter = CpuMeter::start(target.pid);
    let (mut latencies, mut failed) = (Latencies::default(), 0);
    while let Some(written) = tasks.join_next().await {
        let (own, refused) = written??;
        latencies.extend(own);
        failed += refused;
    }
    let count = number(latencies.count());
    let (hub, own) = meter.used();
    let mut figures = vec![("rate_per_s", count / lasting.as_secs_f64())];
    figures.extend(latencies.figures());
    figures.push(("refused", number(failed)));
    figures.extend(hub.map(|cpu| ("hub_cpu_us_per_write", cpu.as_secs_f64() * 1e6 / count)));
    figures.push(("load_cpu_us_per_write", own.as_secs_f64() * 1e6 / count));
    Ok(figures)
}

async fn write(
    target: Target,
    session: String,
    lasting: Duration,
    together: Arc<Barrier>,
) -> Result<(Latencies, usize), Failure> {
    let mut client = Client::new(&target);
    let request = |n: usize| {
        let content = format!("message {n} of {session}, {}", "x".repeat(170));
        let body =
            json!({"agent_id": "bench", "session_id": session, "messages": [{"role": "user", "content": content}]});
        target.request("POST", "/v1/mems/write", "Content-Type: application/json\r\n", body.to_string().as_bytes())
    };
    // The first one connects and fills nothing; it is not measured, and if it fails the others must still begin.
    let _ = client.send(&request(0)).await;
    together.wait().await;
    let (until, mut latencies, mut refused) = (Instant::now() + lasting, Latencies::default(), 0);
    for n in 1.. {
        let request = request(n);
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        match timeout(PATIENCE, client.send(&request)).await {
            Ok(Ok(reply)) if reply.status == 200 => latencies.push(sent.elapsed()),
            _ => refused += 1,
        }
    }
    Ok((latencies, refused))
}
