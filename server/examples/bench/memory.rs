//! How many writes to session memory a hub takes per second, from one client and from many, each in a session of its own; with messages
//! for the palace and without, and while the Redis to which it publishes answers, hangs or is stopped.
//!
//! Closed loop, as for appends. Every message is another one: the palace files the same words once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Failure;
use crate::process::CpuMeter;
use crate::redis::{Health, Redis};
use crate::report::Figures;
use crate::stats::{Latencies, number};
use crate::target::Target;
use crate::wire::Client;

/// How long one write may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long what waits for the Redis may take to be published, before the next thing is measured.
const CATCH_UP: Duration = Duration::from_secs(30);
/// How long a hub is given to notice that its Redis hangs or is gone.
const NOTICES: Duration = Duration::from_millis(1500);

/// What is written, from how many connections, and how the Redis is meanwhile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    clients: usize,
    has_messages: bool,
    /// `None` when the hub publishes to none.
    redis: Option<Health>,
}

/// What came of one client's writes.
#[derive(Default)]
struct Came {
    latencies: Latencies,
    refused: usize,
    not_filed: usize,
}

impl Load {
    /// Everything that is measured, by state first.
    pub(crate) fn all(clients: &[usize], has_redis: bool) -> Vec<Self> {
        let well = has_redis.then_some(Health::Well);
        let mut states = vec![(true, well), (false, well)];
        if has_redis {
            states.extend([(true, Some(Health::Hangs)), (true, Some(Health::Stopped))]);
        }
        let loads = |(has_messages, redis)| clients.iter().map(move |&clients| Self { clients, has_messages, redis });
        states.into_iter().flat_map(loads).collect()
    }

    /// What the report calls it.
    pub(crate) fn name(&self) -> String {
        let state = match (self.has_messages, self.redis) {
            (false, _) => ", no messages",
            (true, None) => "",
            (true, Some(Health::Well)) => ", published",
            (true, Some(Health::Hangs)) => ", Redis hangs",
            (true, Some(Health::Stopped)) => ", Redis stopped",
        };
        let clients = if self.clients == 1 { "client" } else { "clients" };
        format!("memory{state}, {} {clients}", self.clients)
    }
}

/// Writes for so long, in sessions that no earlier run has used.
pub(crate) async fn measure(
    target: &Target,
    load: Load,
    lasting: Duration,
    nonce: u64,
    redis: Option<&mut Redis>,
) -> Result<Figures, Failure> {
    if let Some(health) = load.redis {
        // Another hub than our own publishes to another Redis, or to none.
        let (Some(redis), Some(_)) = (redis, &target.palace) else { return Ok(Vec::new()) };
        redis.be(health)?;
        if health == Health::Well {
            caught_up(target).await?;
        } else {
            let _ = Client::new(target).send(&request(target, &format!("{nonce}"), 0, true)).await?;
            tokio::time::sleep(NOTICES).await;
        }
    }
    let together = Arc::new(Barrier::new(load.clients + 1));
    let mut tasks = JoinSet::new();
    for client in 0..load.clients {
        let session = format!("{nonce}-{client}");
        tasks.spawn(write(target.clone(), session, load.has_messages, lasting, Arc::clone(&together)));
    }
    together.wait().await;
    let meter = CpuMeter::start(target.pid);
    let mut all = Came::default();
    while let Some(came) = tasks.join_next().await {
        let came = came??;
        all.latencies.extend(came.latencies);
        all.refused += came.refused;
        all.not_filed += came.not_filed;
    }
    let Came { latencies, refused, not_filed } = all;
    let count = number(latencies.count());
    let (hub, own) = meter.used();
    let mut figures = vec![("rate_per_s", count / lasting.as_secs_f64())];
    figures.extend(latencies.figures());
    figures.push(("refused", number(refused)));
    if load.has_messages {
        figures.push(("not_filed", number(not_filed)));
    }
    figures.extend(hub.map(|cpu| ("hub_cpu_us_per_write", cpu.as_secs_f64() * 1e6 / count)));
    figures.push(("load_cpu_us_per_write", own.as_secs_f64() * 1e6 / count));
    Ok(figures)
}

/// Waits until nothing waits for the Redis any more.
async fn caught_up(target: &Target) -> Result<(), Failure> {
    let (until, mut client) = (Instant::now() + CATCH_UP, Client::new(target));
    loop {
        let reply = client.send(&target.request("GET", "/v1/mems/status", "", b"")).await?;
        let status: Value = serde_json::from_slice(&reply.body)?;
        if status["pipeline"]["waiting"] == 0 && status["pipeline"]["trouble"].is_null() {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(format!("the hub does not publish: {}", status["pipeline"]).into());
        }
        // What failed is tried again when something waits.
        client.send(&request(target, "settle", 0, false)).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn request(target: &Target, session: &str, n: usize, has_messages: bool) -> Vec<u8> {
    let content = format!("message {n} of {session}, {}", "x".repeat(170));
    let mut body = json!({"agent_id": "bench", "session_id": session});
    if has_messages {
        body["messages"] = json!([{"role": "user", "content": content}]);
    } else {
        body["active_plan"] = content.into();
    }
    target.request("POST", "/v1/mems/write", "Content-Type: application/json\r\n", body.to_string().as_bytes())
}

async fn write(
    target: Target,
    session: String,
    has_messages: bool,
    lasting: Duration,
    together: Arc<Barrier>,
) -> Result<Came, Failure> {
    const FILED: &[u8] = b"\"persisted_to_l1\":true";
    let mut client = Client::new(&target);
    // The first one connects and fills nothing; it is not measured, and if it fails the others must still begin.
    let _ = client.send(&request(&target, &session, 0, has_messages)).await;
    together.wait().await;
    let (until, mut came) = (Instant::now() + lasting, Came::default());
    for n in 1.. {
        let request = request(&target, &session, n, has_messages);
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        match timeout(PATIENCE, client.send(&request)).await {
            Ok(Ok(reply)) if reply.status == 200 => {
                came.latencies.push(sent.elapsed());
                came.not_filed += usize::from(!reply.body.windows(FILED.len()).any(|part| part == FILED));
            }
            _ => came.refused += 1,
        }
    }
    Ok(came)
}
