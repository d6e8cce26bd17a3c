//! What can be said about the sources without running them: formatting, lints of both halves, and who
//! may depend on whom.

mod dependencies;

use anyhow::Result;

pub(crate) use self::dependencies::check as dependencies;
use crate::command::{cargo, loud};
use crate::progress::step;
use crate::workspace::Workspace;

/// All checks, as `cargo xtask check` runs them.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    step(1, 4, "formatting", || formatting(workspace))?;
    step(2, 4, "dependency rules", || dependencies(workspace))?;
    step(3, 4, "clippy: hub, pages on the server, build tool", || lints(workspace))?;
    step(4, 4, "clippy: pages in the browser", || browser_lints(workspace))
}

/// The sources are as rustfmt writes them.
pub(crate) fn formatting(workspace: &Workspace) -> Result<()> {
    loud(cargo(workspace).args(["fmt", "--all", "--check"]))
}

/// No warnings in everything that runs on the machine.
pub(crate) fn lints(workspace: &Workspace) -> Result<()> {
    // The folder that the hub embeds: its macro wants to see it, empty or not.
    std::fs::create_dir_all(workspace.site())?;
    // Two calls, so that the build tool's dependencies keep the features with which it was compiled to run
    // this, and nothing is compiled twice.
    for selection in [&["--workspace", "--exclude", "xtask"][..], &["--package", "xtask"]] {
        loud(cargo(workspace).arg("clippy").args(selection).args(["--all-targets", "--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// No warnings in the browser half, which is compiled for this machine here: lints need no wasm.
pub(crate) fn browser_lints(workspace: &Workspace) -> Result<()> {
    let mut clippy = cargo(workspace);
    clippy.args(["clippy", "--package", "loggia-app", "--no-default-features", "--features", "hydrate"]);
    loud(clippy.args(["--", "-D", "warnings"]))
}
