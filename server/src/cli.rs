//! The command line: the same names, flags and exit codes as `mempalace`, so that an alias works.
//!
//! Sub-commands other than `serve` work on the palace's files directly, beside a running hub or without one. Those of the log also
//! speak to a hub elsewhere (`--url`), and `mcp` does nothing else.

pub mod demo;

mod artifact;
mod audit;
mod backup;
mod bridge;
mod completions;
mod diary;
mod drawer;
mod hook;
mod import;
mod launch;
mod logstream;
mod model;
mod output;
mod peers;
mod progress;
mod remote;
mod search;
mod search_palace;
mod serve;
mod session;
mod skill;
mod sync;
mod target;
mod task;
mod token;
mod verify;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::config;
use crate::logstream::Logstream;
use output::{Failure, Out};

/// The hub that coding agents talk to, and the gallery from which people watch them.
#[derive(Parser)]
#[command(name = "loggia", version, disable_help_subcommand = true, infer_long_args = true)]
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
    /// Append to the log, list it, wait for it, watch it
    Logstream(logstream::Group),
    /// Store and fetch exact texts
    Artifact(artifact::Group),
    /// Delegate work, and start on it
    Task(task::Group),
    /// Write a diary, and read it
    Diary(diary::Group),
    /// Search drawers and diaries
    Search(Box<search_palace::Search>),
    /// File texts, fetch, list, change and delete them
    Drawer(drawer::Group),
    /// Install the model that lets searches go by meaning, and see how far it is
    Model(model::Group),
    /// Answer a hook of a coding agent: JSON on stdin, JSON on stdout, always code 0
    Hook(Box<hook::Hook>),
    /// The hubs to pull from, and who this one is
    Peers(peers::Group),
    /// Let somebody in
    #[command(subcommand)]
    Token(token::Command),
    /// See who is signed in with a browser, and end it
    #[command(subcommand)]
    Session(session::Command),
    /// Print who changed what, one JSON object a line, the newest first
    Audit(audit::Command),
    /// Check that everything in the palace is whole
    Verify(verify::Verify),
    /// Copy the palace while its hub runs, and verify the copy
    Backup(backup::Backup),
    /// Take over what another program kept
    #[command(subcommand)]
    Import(import::Command),
    /// Write a day of invented delegations into the log, in streams named demo/…
    Demo,
    /// Pass MCP messages between stdin and stdout and a running hub, for agents that can only start a program
    Mcp(bridge::Bridge),
    /// Print or install what a coding agent should know about delegating
    Skill(skill::Skill),
    /// Print completions for a shell
    Completions(completions::Completions),
    /// Write the manual pages into a folder, one for each command
    Man(completions::Man),
}

/// Reads the command line and runs it; the process's exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // A group alone is a question, not a mistake.
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return match output::print(error.render().to_string().as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => Out::new(false).failure(&failure),
            };
        }
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
    let code = runtime.block_on(run(cli));
    // A request to a hub that is still under way has nobody left to tell.
    runtime.shutdown_background();
    code
}

async fn run(cli: Cli) -> ExitCode {
    let json = match &cli.command {
        Command::Logstream(c) => c.json(),
        Command::Artifact(c) => c.json(),
        Command::Task(c) => c.json(),
        Command::Diary(c) => c.json(),
        Command::Search(c) => c.json,
        Command::Drawer(c) => c.json(),
        Command::Model(c) => c.json(),
        Command::Peers(c) => c.json(),
        Command::Token(c) => c.json(),
        Command::Session(c) => c.json(),
        Command::Verify(c) => c.json,
        Command::Backup(c) => c.json,
        Command::Import(c) => c.json(),
        Command::Serve(_)
        | Command::Audit(_)
        | Command::Demo
        | Command::Mcp(_)
        | Command::Hook(_)
        | Command::Skill(_)
        | Command::Completions(_)
        | Command::Man(_) => false,
    };
    let out = Out::new(json);
    let (palace, command) = match (config::palace(cli.palace.palace), cli.command) {
        (Ok(palace), command) => (palace, command),
        // Whatever is wrong, a hook does not fail the session that calls it.
        (Err(error), Command::Hook(hook)) => return hook.run(Err(error)).await,
        (Err(error), _) => return out.failure(&error.into()),
    };
    let done = |()| ExitCode::SUCCESS;
    let result = match command {
        Command::Serve(serve) => serve::run(serve, palace).await.map(done),
        Command::Logstream(group) => group.run(palace, &out).await,
        Command::Artifact(group) => group.run(palace, &out).await,
        Command::Task(group) => group.run(palace, &out).await,
        Command::Diary(group) => group.run(palace, &out).await,
        Command::Search(search) => search.run(palace, &out).await,
        Command::Hook(hook) => Ok(hook.run(Ok(palace)).await),
        Command::Drawer(group) => group.run(palace, &out).await,
        Command::Model(group) => group.run(palace, &out).await,
        Command::Peers(group) => group.run(&palace, &out).map(done),
        Command::Token(command) => token::run(command, &palace, &out).map(done),
        Command::Session(command) => session::run(command, &palace, &out).map(done),
        Command::Audit(command) => audit::run(command, &palace).map(done),
        Command::Verify(verify) => verify::run(&verify, &palace, &out),
        Command::Backup(backup) => backup::run(&backup, &palace, &out),
        Command::Import(import) => import::run(&import, &palace, &out).await,
        Command::Demo => with_log(palace, async |log| write_demo(&log, &out).await).await.map(done),
        Command::Mcp(bridge) => bridge.run(palace).await,
        Command::Skill(skill) => skill::run(skill, &out).map(done),
        Command::Completions(completions) => completions.run(Cli::command()).map(done),
        Command::Man(man) => man.run(Cli::command()).map(done),
    };
    result.unwrap_or_else(|failure| out.failure(&failure))
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
