//! The command line of the load program.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

use crate::Failure;
use crate::target::Target;

/// Measures running hubs
#[derive(Parser)]
#[command(name = "bench")]
pub(crate) struct Args {
    /// A hub to measure; several are measured in turns
    #[arg(long, value_name = "NAME=URL,TOKEN[,PID]", value_parser = Target::parse)]
    target: Vec<Target>,
    /// The address of one hub, called `loggia`
    #[arg(long, requires = "token")]
    url: Option<String>,
    /// Its token
    #[arg(long, requires = "url")]
    token: Option<String>,
    /// A `loggia` binary to start and measure
    #[arg(long, value_name = "BINARY", conflicts_with = "url")]
    pub(crate) spawn: Option<PathBuf>,
    /// A `redis-server` to start: session memory is then also measured while the hub of `--spawn` publishes to it, while it hangs and
    /// while it is stopped
    #[arg(long, value_name = "BINARY", requires = "spawn", num_args = 0..=1, default_missing_value = "redis-server")]
    pub(crate) redis: Option<PathBuf>,
    /// The palace of the hub of `--url` or `--spawn`; the latter has a temporary one by default
    #[arg(long, value_name = "DIR")]
    pub(crate) palace: Option<PathBuf>,
    /// Write so many events into the palace before the hub of `--spawn` starts
    #[arg(long, value_name = "EVENTS", default_value_t = 0, requires = "spawn")]
    pub(crate) fill: usize,
    /// What to measure
    #[arg(long, value_delimiter = ',', default_value = "start,idle,append,deliver,list,outside")]
    pub(crate) only: Vec<Part>,
    /// How often everything is measured
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: usize,
    /// How long appends and each question are measured in one round
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// From how many connections is appended at once
    #[arg(long, value_delimiter = ',', default_value = "1,8,64")]
    pub(crate) clients: Vec<usize>,
    /// How many streams are open while events are delivered
    #[arg(long, value_delimiter = ',', default_value = "1,8,100,1000")]
    pub(crate) streams: Vec<usize>,
    /// How many events are delivered per second
    #[arg(long, value_delimiter = ',', default_value = "5,20", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rates: Vec<u32>,
    /// How many events are delivered in one round
    #[arg(long, default_value_t = 50)]
    pub(crate) events: usize,
    /// Pages to ask for
    #[arg(long, value_delimiter = ',', default_value = "/,/log")]
    pub(crate) pages: Vec<String>,
    /// The name of a hub that takes no more than eight streams; larger numbers are left out for it
    #[arg(long, value_name = "NAME", default_value = "mempalace")]
    pub(crate) few_streams: Vec<String>,
    /// How many threads send and receive
    #[arg(long, default_value_t = 1)]
    pub(crate) threads: usize,
    /// Write everything to this file too, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// How long a hub takes to start
    Start,
    /// Memory and CPU while nothing happens
    Idle,
    /// Appends per second
    Append,
    /// Writes to session memory per second
    Memory,
    /// From an append to streams and waits
    Deliver,
    /// Lists, search and pages
    List,
    /// From another process's write to a stream
    Outside,
}

impl Args {
    /// Whether a part is to be measured.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.only.contains(&part)
    }

    /// The hubs that run already.
    pub(crate) fn running(&self) -> Result<Vec<Target>, Failure> {
        let mut targets = Vec::new();
        if let (Some(url), Some(token)) = (&self.url, &self.token) {
            targets.push(Target { palace: self.palace.clone(), ..Target::new("loggia", url, token)? });
        }
        targets.extend(self.target.iter().cloned());
        Ok(targets)
    }

    /// How long one thing is measured.
    pub(crate) fn lasting(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// How it was measured, without addresses and tokens.
    pub(crate) fn setting(&self) -> Value {
        json!({"rounds": self.rounds, "seconds": self.seconds, "events_delivered": self.events, "filled": self.fill,
            "threads": self.threads})
    }
}
