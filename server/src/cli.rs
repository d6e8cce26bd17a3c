//! The command line: the same names, flags and exit codes as `mempalace`, so that an alias works.
//!
//! Sub-commands other than `serve` work on the palace's files directly, beside a running hub or without one.

pub mod demo;

mod artifact;
mod logstream;
mod output;
mod serve;
mod task;
mod token;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config;
use crate::logstream::Logstream;
use output::{Failure, Out};

/// The hub that coding agents talk to, and the gallery from which people watch them.
#[derive(Parser)]
#[command(name = "loggia", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    palace: Palace,
    #[command(subcommand)]
    command: Command,
}

/// Which palace.
#[derive(Args, Clone)]
struct Palace {
    /// The palace folder; else $LOGGIA_PALACE, else ~/.loggia/palace
    #[arg(long, global = true, value_name = "DIR")]
    palace: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the hub and its dashboard
    Serve(serve::Serve),
    /// Append to the log and list it
    #[command(subcommand)]
    Logstream(logstream::Command),
    /// Store and fetch exact texts
    #[command(subcommand)]
    Artifact(artifact::Command),
    /// Delegate work
    #[command(subcommand)]
    Task(task::Command),
    /// Let somebody in
    #[command(subcommand)]
    Token(token::Command),
    /// Write a day of invented delegations into the log, in streams named demo/…
    Demo,
}

/// Reads the command line and runs it; the process's exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout with 0, mistakes to stderr with 2, as everybody expects.
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return if error.print().is_ok() { ExitCode::from(code) } else { ExitCode::from(2) };
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Out::new(false).failure(&Failure::new(format!("the runtime cannot start: {error}"))),
    };
    runtime.block_on(run(cli))
}

async fn run(cli: Cli) -> ExitCode {
    let json = match &cli.command {
        Command::Logstream(c) => c.json(),
        Command::Artifact(c) => c.json(),
        Command::Task(c) => c.json(),
        Command::Token(c) => c.json(),
        Command::Serve(_) | Command::Demo => false,
    };
    let out = Out::new(json);
    let palace = match config::palace(cli.palace.palace) {
        Ok(palace) => palace,
        Err(error) => return out.failure(&error.into()),
    };
    let result = match cli.command {
        Command::Serve(serve) => serve::run(serve, palace).await,
        Command::Logstream(command) => with_log(palace, async |log| logstream::run(command, &log, &out).await).await,
        Command::Artifact(command) => with_log(palace, async |log| artifact::run(command, &log, &out).await).await,
        Command::Task(command) => with_log(palace, async |log| task::run(command, &log, &out).await).await,
        Command::Token(command) => token::run(command, &palace, &out),
        Command::Demo => with_log(palace, async |log| write_demo(&log, &out).await).await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => out.failure(&failure),
    }
}

/// Opens the palace's log, does one thing, and closes it.
async fn with_log<F>(palace: PathBuf, work: F) -> Result<(), Failure>
where
    F: AsyncFnOnce(Logstream) -> Result<(), Failure>,
{
    let log = Logstream::open(&palace)?;
    let result = work(log.clone()).await;
    log.close();
    result
}

async fn write_demo(log: &Logstream, out: &Out) -> Result<(), Failure> {
    let events = demo::write(log, time::OffsetDateTime::now_utc()).await?;
    out.answer(&serde_json::json!({"events": events}), || {
        format!("wrote {events} invented events into streams named demo/…; nothing else was touched")
    })
}
