//! `loggia mcp`: the bridge for agents that can only start a program. Each line of stdin is a JSON-RPC message that is posted to a
//! running hub; each answer is a line on stdout.
//!
//! # Design
//! It knows no tools: what a hub answers is passed on byte for byte, on one line. Requests run beside one another, since one that waits for
//! events may take five minutes. Every request with an id gets an answer with that id, whatever happens to the hub: an agent that waits for
//! an answer waits for ever. Nothing is posted twice.

mod find;
mod message;

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use ureq::tls::RootCerts;

use super::output::{Failure, deliver, notice};
use super::remote::Hub;
use crate::config;
use find::running_hub;
use message::{Asked, answer, error};

/// How long a hub may take to answer: it ends a wait after five minutes itself.
const PATIENCE: Duration = Duration::from_secs(330);
/// How many lines wait to be posted.
const LINES: usize = 16;

#[derive(Args)]
pub(super) struct Bridge {
    /// The hub's address; else the hub that runs on the palace is found
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The token; better set $LOGGIA_TOKEN, which others on the machine cannot see
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// A PEM file with the authorities to trust when the hub speaks TLS, instead of the usual ones; else $LOGGIA_CA
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// How the hub is found, anew for each message: it may have been started again elsewhere.
#[derive(Clone)]
enum Way {
    Given(Hub),
    Palace { palace: PathBuf, token: Option<String>, authorities: Option<RootCerts> },
}

impl Way {
    fn hub(&self) -> Result<Hub, Failure> {
        match self {
            Self::Given(hub) => Ok(hub.clone()),
            Self::Palace { palace, token, authorities } => {
                Hub::new(&running_hub(palace)?, token.clone(), authorities.clone())
            }
        }
    }
}

impl Bridge {
    pub(super) async fn run(self, palace: PathBuf) -> Result<ExitCode, Failure> {
        let token = config::client_token(self.token)?;
        let authorities = config::client_authorities(self.ca.as_deref())?;
        let way = match self.url {
            Some(url) => Way::Given(Hub::new(&url, token, authorities)?),
            None => Way::Palace { palace, token, authorities },
        };
        let mut lines = stdin_lines()?;
        let mut running = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(ended) = running.join_next() => {
                    ended.map_err(|e| Failure::new(format!("a request ended early: {e}")))??;
                }
                line = lines.recv() => match line {
                    Some(line) => {
                        let way = way.clone();
                        running.spawn_blocking(move || pass_on(&way, &line?));
                    }
                    None => break,
                },
            }
        }
        // The agent closed its end: what it asked is still answered.
        while let Some(ended) = running.join_next().await {
            ended.map_err(|e| Failure::new(format!("a request ended early: {e}")))??;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Posts one message and prints what comes back. Fails only when nobody reads the answers any more.
fn pass_on(way: &Way, line: &[u8]) -> Result<(), Failure> {
    let Some(asked) = Asked::read(line) else {
        return Ok(deliver(error(None, -32700, "Parse error", None).as_bytes())?);
    };
    let said = way.hub().and_then(|hub| {
        let reply = hub.post(line, PATIENCE)?;
        answer(&asked, reply.status, &reply.body).map_err(|()| hub.odd(reply.status, &reply.body))
    });
    let text = match said {
        Ok(text) => text,
        // Nobody waits for an answer to a notification.
        Err(failure) if !asked.wants_answer() => {
            notice(failure.message());
            None
        }
        Err(failure) => Some(error(asked.id(), -32000, failure.message(), failure.what_to_do())),
    };
    match text {
        Some(text) => Ok(deliver(text.as_bytes())?),
        None => Ok(()),
    }
}

/// The lines of stdin, without empty ones. A thread reads, since reading blocks.
fn stdin_lines() -> Result<Receiver<Result<Vec<u8>, Failure>>, Failure> {
    let (sender, lines) = channel(LINES);
    std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        let mut stdin = BufReader::new(std::io::stdin().lock());
        loop {
            let mut line = Vec::new();
            let read = stdin.read_until(b'\n', &mut line);
            let line = match read {
                Ok(0) => return,
                Ok(_) if line.trim_ascii().is_empty() => continue,
                Ok(_) => Ok(line.trim_ascii().to_owned()),
                Err(error) => Err(error.into()),
            };
            let is_last = line.is_err();
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(lines)
}
