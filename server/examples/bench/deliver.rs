//! How long an event takes from just before its append is sent until live streams and a wait have it, and whether all of them got
//! all of it, once and in one order.
//!
//! # Design
//! Events are sent at times that are fixed beforehand, from several connections, so that a hub that falls behind is not asked less
//! often; and with jitter, so that they are not in step with a hub that polls.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{interval_at, sleep, sleep_until, timeout};

use crate::Failure;
use crate::process::{CpuMeter, rss_kib};
use crate::report::Figures;
use crate::stats::{Dice, Latencies, number};
use crate::stream::{Arrival, Seen, Stream};
use crate::target::Target;
use crate::tools::{self, Key, append, key};
use crate::wire::Client;

/// How many streams are opened at the same time.
const OPENING: usize = 64;
/// From how many connections events are sent.
const WRITERS: usize = 4;
/// After how long a stream that does not open is helped.
const NUDGE: Duration = Duration::from_millis(500);
/// How long streams may take to open, and events to arrive after the last one was sent.
const PATIENCE: Duration = Duration::from_mins(1);

/// What is sent to whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// How many streams are open.
    pub(crate) streams: usize,
    /// How many events are sent per second.
    pub(crate) rate_per_s: u32,
    /// How many are sent in all.
    pub(crate) events: usize,
    /// Whether to weigh the hub: later and smaller cases would weigh what an earlier one left behind.
    pub(crate) weigh: bool,
}

/// Opens the streams and a wait, sends the events, and compares who got what.
pub(crate) async fn measure(target: &Target, plan: Plan, nonce: u64) -> Result<Figures, Failure> {
    let name = format!("bench/deliver-{nonce:x}");
    let request = target.append(&name);
    let mut client = Client::new(target);
    let streams = open_all(target, &name, plan.streams, &mut client, &request).await?;
    let last = wake_all(&streams, &mut client, &request).await?;
    let by_waiting = Arc::new(Seen::default());
    let waiter = tokio::spawn(wait(target.clone(), name.clone(), last, Arc::clone(&by_waiting)));

    let meter = CpuMeter::start(target.pid);
    let started = Instant::now();
    let sent = send(target, &request, plan).await?;
    let (took, (hub, own)) = (started.elapsed().as_secs_f64(), meter.used());
    let end = key(append(&mut client, &request).await?.as_bytes());
    let everybody: Vec<&Seen> = streams.iter().map(|s| &*s.seen).chain([&*by_waiting]).collect();
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && !everybody.iter().all(|s| s.has(end) || s.has_ended()) {
        sleep(Duration::from_millis(20)).await;
    }
    let after_kib = target.pid.map(rss_kib).transpose()?;
    waiter.abort();
    let mut compared = Compared::new(&sent);
    for stream in &streams {
        compared.take(&stream.seen.all());
    }
    let mut by_wait = Compared::new(&sent);
    by_wait.take(&by_waiting.all());
    drop(streams);
    for _ in 0..2 {
        // MemPalace notices that a stream is closed when it writes to it for the second time.
        append(&mut client, &request).await?;
        sleep(NUDGE).await;
    }
    let mut figures: Figures = compared.latencies.figures();
    figures.extend(
        by_wait
            .latencies
            .figures()
            .into_iter()
            .zip(["wait_p50_ms", "wait_p99_ms", "wait_max_ms"])
            .map(|((_, value), name)| (name, value)),
    );
    figures.push(("lost", number(compared.lost + by_wait.lost)));
    figures.push(("doubled", number(compared.doubled + by_wait.doubled)));
    figures.push(("streams_in_another_order", number(compared.other_orders)));
    if let (Some(before), Some(after), true) = (target.idle_kib, after_kib, plan.weigh) {
        figures.push(("hub_memory_kib_per_stream", (after - before).max(0.0) / number(plan.streams)));
    }
    figures.extend(hub.map(|cpu| ("hub_cpu_cores", cpu.as_secs_f64() / took)));
    figures.push(("load_cpu_cores", own.as_secs_f64() / took));
    figures.push(("sent_per_s", number(sent.len()) / took));
    Ok(figures)
}

/// Opens so many streams. A hub that is full is asked again, since it may not have noticed yet that the last ones are closed.
async fn open_all(
    target: &Target,
    name: &str,
    count: usize,
    client: &mut Client,
    request: &[u8],
) -> Result<Vec<Stream>, Failure> {
    let (until, mut streams) = (Instant::now() + PATIENCE, Vec::with_capacity(count));
    while streams.len() < count {
        let mut opening = JoinSet::new();
        for _ in 0..OPENING.min(count - streams.len()) {
            let (target, name) = (target.clone(), name.to_owned());
            opening.spawn(async move { Stream::open(&target, &name).await });
        }
        let mut is_full = false;
        let mut nudge = interval_at((Instant::now() + NUDGE).into(), NUDGE);
        while !opening.is_empty() {
            tokio::select! {
                Some(opened) = opening.join_next() => match opened?? {
                    Some(stream) => streams.push(stream),
                    None => is_full = true,
                },
                // MemPalace keeps even the head of its answer back until there is an event to send.
                _ = nudge.tick() => drop(append(client, request).await?),
            }
        }
        if is_full {
            if Instant::now() > until {
                return Err(format!("the hub has no room for {count} streams, only for {}", streams.len()).into());
            }
            sleep(NUDGE).await;
        }
    }
    Ok(streams)
}

/// Sends events until every stream has had one, and gives the id of the last.
async fn wake_all(streams: &[Stream], client: &mut Client, request: &[u8]) -> Result<String, Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        let last = append(client, request).await?;
        let next = Instant::now() + Duration::from_secs(3);
        while Instant::now() < next {
            if streams.iter().all(|s| s.seen.has(key(last.as_bytes()))) {
                return Ok(last);
            }
            sleep(Duration::from_millis(20)).await;
        }
        if Instant::now() > until {
            let awake = streams.iter().filter(|s| s.seen.is_awake()).count();
            return Err(format!("only {awake} of {} streams receive anything", streams.len()).into());
        }
    }
}

/// Waits for events again and again, each time after the last one that it got.
async fn wait(target: Target, name: String, mut last: String, seen: Arc<Seen>) {
    let mut client = Client::new(&target);
    loop {
        let arguments = json!({"stream": name, "since_event_id": last, "timeout_ms": 20_000});
        let Ok(reply) = client.send(&target.call("event_wait", &arguments)).await else { break };
        let now = Instant::now();
        let Ok(answer) = tools::answer(&reply) else { break };
        for id in tools::ids(&answer) {
            seen.note(key(id.as_bytes()), now);
            id.clone_into(&mut last);
        }
    }
    seen.end();
}

/// Sends the events of a plan; when each was sent.
async fn send(target: &Target, request: &[u8], plan: Plan) -> Result<HashMap<Key, Instant>, Failure> {
    let (start, period) = (Instant::now(), Duration::from_secs(1) / plan.rate_per_s);
    let mut dice = Dice(plan.streams as u64);
    let times: Vec<Instant> =
        (0..u32::try_from(plan.events)?).map(|n| start + period * n + period * dice.below(1000) / 1000).collect();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (mut client, request) = (Client::new(target), request.to_vec());
        let times: Vec<Instant> = times.iter().skip(writer).step_by(WRITERS).copied().collect();
        writers.spawn(async move {
            let mut sent = Vec::with_capacity(times.len());
            for at in times {
                sleep_until(at.into()).await;
                let now = Instant::now();
                let id = timeout(PATIENCE, append(&mut client, &request)).await.map_err(|_| "an append hangs")??;
                sent.push((key(id.as_bytes()), now));
            }
            Ok::<_, Failure>(sent)
        });
    }
    let mut sent = HashMap::with_capacity(plan.events);
    while let Some(part) = writers.join_next().await {
        sent.extend(part??);
    }
    Ok(sent)
}

/// What readers got, compared with what was sent.
struct Compared<'a> {
    sent: &'a HashMap<Key, Instant>,
    latencies: Latencies,
    lost: usize,
    doubled: usize,
    order: Option<Vec<Key>>,
    other_orders: usize,
}

impl<'a> Compared<'a> {
    fn new(sent: &'a HashMap<Key, Instant>) -> Self {
        Self { sent, latencies: Latencies::default(), lost: 0, doubled: 0, order: None, other_orders: 0 }
    }

    /// Adds what one reader got.
    fn take(&mut self, arrivals: &[Arrival]) {
        let mut order = Vec::with_capacity(self.sent.len());
        let mut missing: HashMap<Key, Instant> = self.sent.clone();
        for arrival in arrivals.iter().filter(|a| self.sent.contains_key(&a.key)) {
            match missing.remove(&arrival.key) {
                Some(sent) => self.latencies.push(arrival.at.saturating_duration_since(sent)),
                None => self.doubled += 1,
            }
            order.push(arrival.key);
        }
        self.lost += missing.len();
        match &self.order {
            None => self.order = Some(order),
            Some(first) if *first != order => self.other_orders += 1,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_doubled_or_out_of_order_is_counted() {
        let start = Instant::now();
        let sent: HashMap<Key, Instant> = [(1, start), (2, start), (3, start)].into();
        let at = start + Duration::from_millis(5);
        let got = |keys: &[Key]| keys.iter().map(|&key| Arrival { key, at }).collect::<Vec<_>>();
        let mut compared = Compared::new(&sent);
        // 9 was sent before the measurement began.
        compared.take(&got(&[9, 1, 2, 3]));
        compared.take(&got(&[1, 3, 2]));
        compared.take(&got(&[1, 2, 2]));
        assert_eq!((compared.lost, compared.doubled, compared.other_orders), (1, 1, 2));
        assert_eq!(compared.latencies.count(), 8);
    }
}
