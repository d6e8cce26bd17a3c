//! `cargo xtask test`: the whole gate in one order, cheap answers first. The first failure ends it and
//! is named.

use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use crate::command::{cargo, loud};
use crate::progress::{elapsed, say, step};
use crate::setup::{self, TestTools, wasm::WasmFrom};
use crate::site::{self, Quality};
use crate::workspace::Workspace;
use crate::{check, e2e, left_behind};

/// How many tests run at once for each core, unless `RUST_TEST_THREADS` says how many in all: those of the hub mostly wait for processes.
const TESTS_PER_CORE: usize = 2;

/// Sets up and runs everything.
pub(crate) fn test(workspace: &Workspace, from: Option<WasmFrom>) -> Result<()> {
    let started = Instant::now();
    let tools = step(1, 9, "setup", || setup::for_tests(workspace, from))?;
    step(2, 9, "formatting", || check::formatting(workspace))?;
    step(3, 9, "dependency rules", || check::dependencies(workspace))?;
    step(4, 9, "clippy: hub, pages on the server, build tool", || check::lints(workspace))?;
    step(5, 9, "clippy: pages in the browser", || check::browser_lints(workspace))?;
    step(6, 9, "site: the browser half, compiled to wasm", || {
        site::build(workspace, &tools.wasm, Quality::Release)?;
        site::check_budget(workspace)
    })?;
    let kept = left_behind::folder(workspace)?;
    step(7, 9, "unit and integration tests", || cargo_tests(workspace, &tools, &kept))?;
    // Against the hub that the integration tests have just had compiled.
    step(8, 9, "browser tests", || e2e::run(workspace, &tools, &["--forbid-only".into()], Some(&kept)))?;
    step(9, 9, "no secret in what the tests left behind", || left_behind::holds_no_secret(&kept))?;
    say(&format!("everything passed in {}", elapsed(started.elapsed())));
    Ok(())
}

/// Compiles with cargo's own progress, then runs quietly. Two selections for the same reason as the lints.
fn cargo_tests(workspace: &Workspace, tools: &TestTools, kept: &Path) -> Result<()> {
    let at_once = std::thread::available_parallelism().map_or(1, NonZero::get) * TESTS_PER_CORE;
    let at_once = std::env::var_os("RUST_TEST_THREADS").unwrap_or_else(|| at_once.to_string().into());
    for selection in [&["--workspace", "--exclude", "xtask"][..], &["--package", "xtask"]] {
        loud(cargo(workspace).args(["test", "--no-run"]).args(selection))?;
        let mut tests = cargo(workspace);
        tests.args(["test", "--quiet"]).args(selection).env("LOGGIA_PYTHON", &tools.python);
        tests.env(left_behind::VARIABLE, kept).env("RUST_TEST_THREADS", &at_once);
        loud(&mut tests)?;
    }
    Ok(())
}
