//! The parts of the ordinary toolchain that are easy to lack: a C compiler, `rustfmt` and `clippy`.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::{answer, cargo, exists, quiet};
use crate::progress::say;
use crate::setup::apt;
use crate::workspace::Workspace;

/// SQLite is compiled from source, so a C compiler must be there.
pub(super) fn ensure_c_compiler(workspace: &Workspace) -> Result<()> {
    let named = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    // `CC` may carry a wrapper or flags; its first word is the program.
    let program = named.split_whitespace().next().unwrap_or("cc");
    if exists(program) {
        return Ok(());
    }
    if named != "cc" {
        bail!("`$CC` names `{named}`, which is not there; a C compiler is needed to build SQLite");
    }
    apt::install(workspace, &["build-essential"], "a C compiler (`cc`), which builds SQLite and links Rust")
}

/// The gate formats and lints.
pub(super) fn ensure_components(workspace: &Workspace) -> Result<()> {
    let mut missing = Vec::new();
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if answer(cargo(workspace).args([subcommand, "--version"])).is_err() {
            missing.push(component);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" and ");
    if !exists("rustup") {
        bail!("the toolchain lacks {names}, and there is no rustup to add it");
    }
    say(&format!("asking rustup for {names}"));
    let mut command = Command::new("rustup");
    command.args(["component", "add"]).args(&missing);
    quiet(workspace, "rustup-component", Duration::from_mins(5), &mut command)
        .with_context(|| format!("the toolchain lacks {names}"))
}
