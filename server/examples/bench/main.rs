//! The load program: measures running hubs over their own protocol, several in one run and in turns, and prints medians.
//!
//! It takes addresses and tokens and depends on no particular hub; only what is measured from outside the protocol (start, memory,
//! writes of another process) needs a Loggia binary or a palace on this machine. `docs/performance.md` shows how it is called.

mod append;
mod args;
mod case;
mod deliver;
mod fill;
mod hub;
mod idle;
mod lists;
mod memory;
mod outside;
mod process;
mod redis;
mod report;
mod stats;
mod stream;
mod target;
mod tools;
mod wire;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser as _;

use args::{Args, Part};
use case::Case;
use hub::Hub;
use redis::Redis;
use report::Report;

/// Whatever went wrong; a load program can only tell and end.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Files that this program and a hub need beside their streams.
const OTHER_FILES: usize = 100;

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(args.threads).enable_all().build();
    match runtime.map_err(Failure::from).and_then(|runtime| runtime.block_on(run(&args))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), Failure> {
    let cases = Case::all(args);
    let streams = cases.iter().map(Case::streams).max().unwrap_or(0);
    let limit = process::file_limit();
    if streams + OTHER_FILES > limit {
        let needed = streams + OTHER_FILES;
        return Err(format!(
            "{streams} streams need {needed} open files here and in the hub, the limit is {limit}\nhint: `ulimit -n {needed}` before starting either"
        )
        .into());
    }
    let mut report = Report::default();
    let mut targets = args.running()?;
    let scratch = tempfile::tempdir()?;
    let redis = args.redis.as_ref().filter(|_| args.wants(Part::Memory));
    let mut redis = redis.map(|binary| Redis::start(binary, scratch.path())).transpose()?;
    let own = match &args.spawn {
        Some(binary) => Some(start(args, binary, scratch.path(), redis.as_ref(), &mut report).await?),
        None => None,
    };
    targets.splice(..0, own.iter().map(|hub| hub.target.clone()));
    if targets.is_empty() {
        return Err("nothing to measure\nhint: give `--target`, `--url` and `--token`, or `--spawn`".into());
    }
    for target in &mut targets {
        target.idle_kib = target.pid.map(process::rss_kib).transpose()?;
    }
    if args.wants(Part::Idle) {
        for target in &targets {
            say(&format!("idle: {}", target.name));
            report.add("idle", &target.name, idle::measure(target).await?);
        }
    }
    for target in &targets {
        if args.wants(Part::List) {
            lists::prepare(target).await?;
        }
        report.add("log", &target.name, vec![("events", lists::log_size(target).await?)]);
    }
    let mut failed = 0;
    for round in 1..=args.rounds {
        for case in &cases {
            for target in &targets {
                say(&format!("round {round} of {}: {}, {}", args.rounds, case.name(), target.name));
                match case.measure(target, args, redis.as_mut()).await {
                    Ok(figures) => report.add(&case.name(), &target.name, figures),
                    // An hour of figures is not thrown away for one of them.
                    Err(error) => {
                        say(&format!("failed: {}, {}: {error}", case.name(), target.name));
                        failed += 1;
                    }
                }
            }
        }
    }
    for target in &targets {
        if let Some(pid) = target.pid {
            report.add("after everything", &target.name, vec![("memory_mib", process::rss_kib(pid)? / 1024.0)]);
        }
    }
    write!(std::io::stdout(), "{}", report.table())?;
    if let Some(file) = &args.json {
        fs::write(file, format!("{:#}\n", report.json(&args.setting())))?;
    }
    own.map_or(Ok(()), Hub::stop)?;
    if failed > 0 { Err(format!("{failed} measurements failed").into()) } else { Ok(()) }
}

/// Starts the hub that is to be measured, on a palace that is filled first if that was asked for.
async fn start(
    args: &Args,
    binary: &Path,
    scratch: &Path,
    redis: Option<&Redis>,
    report: &mut Report,
) -> Result<Hub, Failure> {
    let palace = args.palace.clone().unwrap_or_else(|| scratch.join("palace"));
    if args.fill > 0 {
        say(&format!("filling the log with {} events", args.fill));
        let begun = Instant::now();
        fill::fill(&palace, args.fill).await?;
        report.add("fill", "loggia", vec![("seconds", begun.elapsed().as_secs_f64())]);
    }
    // The first start makes what the palace lacks, and is not one to compare with.
    let redis = redis.map(Redis::url);
    let mut hub = Hub::start(binary, &palace, scratch, redis.as_deref())?;
    report.add("first start", "loggia", vec![("ms", hub.started_in.as_secs_f64() * 1000.0)]);
    if args.wants(Part::Start) {
        for _ in 0..args.rounds.max(5) {
            hub.stop()?;
            hub = Hub::start(binary, &palace, scratch, redis.as_deref())?;
            report.add("start", "loggia", vec![("ms", hub.started_in.as_secs_f64() * 1000.0)]);
        }
    }
    if let Some(pid) = hub.target.pid {
        say("waiting until the hub has counted and indexed what it found");
        report.add("settled after start", "loggia", vec![("s", idle::settle(pid).await?.as_secs_f64())]);
    }
    Ok(hub)
}

/// Says on standard error what is going on.
fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}
