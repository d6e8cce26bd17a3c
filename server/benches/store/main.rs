//! The store alone, without HTTP: how many events per second are durable, and how long a list takes.
//!
//! Beside it stands the least that such a log can cost: a bare program that inserts the same rows into the same tables and indexes,
//! one by one, in eights and in batches of 64, just as durably (`synchronous=FULL`, WAL). One iteration of everything that appends
//! is 64 events; what comes last is a table in rows per second, with the store's share of the bare program's best.

mod bare;

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use loggia::logstream::Logstream;
use loggia::logstream::read::{ListQuery, Order};
use loggia_domain::{Column, EventDraft, Filter, NewEvent};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use bare::Bare;

/// How many events one iteration appends.
const EVENTS: usize = 64;
/// How long the log is that lists are taken from.
const LONG: usize = 10_000;

/// Rows per second of every sample, by name.
#[derive(Default)]
struct Rates(RefCell<Vec<(&'static str, Vec<f64>)>>);

impl Rates {
    /// Notes how long so many iterations took.
    fn note(&self, name: &'static str, iterations: u64, took: Duration) {
        let rows = u32::try_from(iterations).map_or(f64::NAN, f64::from) * 64.0;
        let mut rates = self.0.borrow_mut();
        let rate = rows / took.as_secs_f64();
        match rates.iter_mut().find(|(known, _)| *known == name) {
            Some((_, samples)) => samples.push(rate),
            None => rates.push((name, vec![rate])),
        }
    }

    /// The table of medians.
    fn table(&self) -> String {
        let medians: Vec<(&str, f64)> = self
            .0
            .borrow_mut()
            .iter_mut()
            .map(|(name, samples)| {
                samples.sort_by(f64::total_cmp);
                (*name, samples[samples.len() / 2])
            })
            .collect();
        let best = medians.iter().find(|(name, _)| *name == bare::NAMES[2]).map_or(f64::NAN, |(_, rate)| *rate);
        let lines =
            medians.iter().map(|(name, rate)| format!("{name:<28} {rate:>9.0} {:>8.0} %\n", rate / best * 100.0));
        format!("\n{:<28} {:>9} {:>10}\n{}", "synchronous=FULL", "rows/s", "of bare 64", lines.collect::<String>())
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let runtime = Runtime::new().expect("threads can be started");
    let rates = Rates::default();
    let mut group = criterion.benchmark_group("append");
    group.throughput(Throughput::Elements(EVENTS as u64));
    for (name, batch) in bare::NAMES.into_iter().zip([1, 8, 64]) {
        insert_bare(&mut group, &rates, name, batch);
    }
    for (name, callers) in [("store, 1 caller", 1), ("store, 8 callers", 8), ("store, 64 callers", 64)] {
        append(&mut group, &runtime, &rates, name, callers);
    }
    group.finish();
    lists(&mut criterion, &runtime);
    criterion.final_summary();
    // A filter on the command line may have left out everything that appends.
    if !rates.0.borrow().is_empty() {
        let _ = write!(std::io::stdout(), "{}", rates.table());
    }
}

/// An event of ordinary size.
fn event(stream: &str) -> NewEvent {
    let draft = EventDraft {
        event_type: "bench.event".into(),
        stream: stream.into(),
        room: "bench".into(),
        from_agent: "bench".into(),
        to_agent: "somebody".into(),
        correlation_id: "task".into(),
        body: "x".repeat(200).into(),
        ..EventDraft::default()
    };
    draft.check().expect("it keeps every rule")
}

fn insert_bare(group: &mut BenchmarkGroup<'_, WallTime>, rates: &Rates, name: &'static str, batch: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut bare = Bare::open(&folder.path().join("bare.sqlite3"));
    let event = event("bench");
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let started = Instant::now();
            for _ in 0..iterations {
                for _ in 0..EVENTS / batch {
                    bare.insert(&event, batch);
                }
            }
            let took = started.elapsed();
            rates.note(name, iterations, took);
            took
        });
    });
}

fn append(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    rates: &Rates,
    name: &'static str,
    callers: usize,
) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = Logstream::open(folder.path()).expect("a new palace");
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let each = iterations * (EVENTS / callers) as u64;
            let started = Instant::now();
            runtime.block_on(async {
                let mut tasks = JoinSet::new();
                for _ in 0..callers {
                    let log = log.clone();
                    tasks.spawn(async move {
                        let event = event("bench");
                        for _ in 0..each {
                            log.append(event.clone()).await.expect("it is appended");
                        }
                    });
                }
                while let Some(done) = tasks.join_next().await {
                    done.expect("no caller panics");
                }
            });
            let took = started.elapsed();
            rates.note(name, iterations, took);
            took
        });
    });
    log.close();
}

fn lists(criterion: &mut Criterion, runtime: &Runtime) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = Logstream::open(folder.path()).expect("a new palace");
    let mut filled = false;
    let mut group = criterion.benchmark_group("list of a log of 10 000");
    for limit in [50, 500] {
        group.throughput(Throughput::Elements(limit as u64));
        group.bench_function(format!("{limit} of one stream"), |bencher| {
            if !filled {
                fill(runtime, &log);
                filled = true;
            }
            bencher.iter(|| {
                let query = ListQuery {
                    filter: Filter::default().with(Column::Stream, "bench/3"),
                    since_event_id: None,
                    before_event_id: None,
                    order: Order::Desc,
                    limit,
                };
                let listed = runtime.block_on(log.list(black_box(query))).expect("it is listed");
                assert_eq!(listed.events.len(), limit);
                listed
            });
        });
    }
    group.finish();
}

/// Ten streams of a thousand events each.
fn fill(runtime: &Runtime, log: &Logstream) {
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for stream in 0..10 {
            for _ in 0..10 {
                let log = log.clone();
                tasks.spawn(async move {
                    for _ in 0..LONG / 100 {
                        log.append(event(&format!("bench/{stream}"))).await.expect("it is appended");
                    }
                });
            }
        }
        while let Some(done) = tasks.join_next().await {
            done.expect("no writer panics");
        }
    });
}
