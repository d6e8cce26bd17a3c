//! The build tool: `cargo xtask run` brings up a hub, `cargo xtask test` is the whole gate, and their
//! parts can be called alone. It knows how the product is built; it has no product code, and the
//! product never depends on it.
//!
//! # Design
//!
//! Everything that a fresh machine lacks is found or made by [`setup`], one small step each, and a step
//! looks at the machine rather than at a note about what was done earlier, so that an interrupted run is
//! simply run again. Nothing is downloaded but packages from the usual registries.

mod check;
mod command;
mod dev;
mod e2e;
mod left_behind;
mod progress;
mod run;
#[cfg(test)]
mod scratch;
mod setup;
mod site;
mod test;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::setup::wasm::WasmFrom;
use crate::site::Quality;
use crate::workspace::Workspace;

#[derive(Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    about = "Builds, runs and tests Loggia",
    disable_help_subcommand = true
)]
struct Cli {
    /// Where the wasm target may come from; otherwise the first way that works, or `$LOGGIA_WASM_FROM`
    #[arg(long, global = true, value_name = "debian|rustup")]
    wasm_from: Option<WasmFrom>,
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Set up, build the release binary with its pages and start the hub
    Run {
        /// First write a day of example delegations into the palace
        #[arg(long)]
        demo: bool,
        /// Arguments for `loggia serve`
        #[arg(last = true)]
        args: Vec<OsString>,
    },
    /// Set up and run every check and every test
    Test,
    /// Install or make what building and testing need
    Setup,
    /// Build the release binary with its pages
    Build,
    /// Formatting, lints and dependency rules
    Check,
    /// The browser tests
    E2e {
        /// Arguments for `playwright test`
        #[arg(last = true)]
        args: Vec<OsString>,
    },
    /// Run the hub, and rebuild and restart it whenever a source changes
    Dev {
        /// Arguments for `loggia serve`
        #[arg(last = true)]
        args: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    match perform(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress::failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn perform(cli: Cli) -> Result<()> {
    let workspace = Workspace::here();
    let wasm_from = WasmFrom::chosen(cli.wasm_from)?;
    match cli.task {
        Task::Run { demo, args } => run::run(&workspace, wasm_from, demo, &args),
        Task::Test => test::test(&workspace, wasm_from),
        Task::Setup => setup::for_tests(&workspace, wasm_from).map(drop),
        Task::Build => run::build(&workspace, wasm_from).map(drop),
        Task::Check => check::check(&workspace),
        Task::E2e { args } => {
            let tools = setup::for_tests(&workspace, wasm_from)?;
            site::build(&workspace, &tools.wasm, Quality::Release)?;
            e2e::build_hub(&workspace)?;
            e2e::run(&workspace, &tools, &args, None)
        }
        Task::Dev { args } => dev::dev(&workspace, wasm_from, &args),
    }
}
