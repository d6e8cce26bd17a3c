//! `cargo xtask test`: the whole gate in one order, cheap answers first. The first failure ends it and
//! is named.

use std::time::Instant;

use anyhow::Result;

use crate::command::{cargo, loud};
use crate::progress::{elapsed, say, step};
use crate::setup::{self, TestTools, wasm::WasmFrom};
use crate::site::{self, Quality};
use crate::workspace::Workspace;
use crate::{check, e2e};

/// Sets up and runs everything.
pub(crate) fn test(workspace: &Workspace, from: Option<WasmFrom>) -> Result<()> {
    let started = Instant::now();
    let tools = step(1, 8, "setup", || setup::for_tests(workspace, from))?;
    step(2, 8, "formatting", || check::formatting(workspace))?;
    step(3, 8, "dependency rules", || check::dependencies(workspace))?;
    step(4, 8, "clippy: hub, pages on the server, build tool", || check::lints(workspace))?;
    step(5, 8, "clippy: pages in the browser", || check::browser_lints(workspace))?;
    step(6, 8, "site: the browser half, compiled to wasm", || {
        site::build(workspace, &tools.wasm, Quality::Release)?;
        site::check_budget(workspace)
    })?;
    step(7, 8, "unit and integration tests", || cargo_tests(workspace, &tools))?;
    // Against the hub that the integration tests have just had compiled.
    step(8, 8, "browser tests", || e2e::run(workspace, &tools, &["--forbid-only".into()]))?;
    say(&format!("everything passed in {}", elapsed(started.elapsed())));
    Ok(())
}

/// Compiles with cargo's own progress, then runs quietly. Two selections for the same reason as the lints.
fn cargo_tests(workspace: &Workspace, tools: &TestTools) -> Result<()> {
    for selection in [&["--workspace", "--exclude", "xtask"][..], &["--package", "xtask"]] {
        loud(cargo(workspace).args(["test", "--no-run"]).args(selection))?;
        let mut tests = cargo(workspace);
        tests.args(["test", "--quiet"]).args(selection).env("LOGGIA_PYTHON", &tools.python);
        loud(&mut tests)?;
    }
    Ok(())
}
