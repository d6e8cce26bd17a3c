//! The browser tests: Playwright's own runner against the debug hub, which reads the site from its folder.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::command::{cargo, loud};
use crate::left_behind;
use crate::setup::TestTools;
use crate::workspace::Workspace;

/// Builds the hub that the browser tests start.
pub(crate) fn build_hub(workspace: &Workspace) -> Result<()> {
    loud(cargo(workspace).args(["build", "--package", "loggia"]))
}

/// Runs the browser tests with further arguments for Playwright. What hubs log and answer is kept in a folder if there is one.
pub(crate) fn run(workspace: &Workspace, tools: &TestTools, args: &[OsString], kept: Option<&Path>) -> Result<()> {
    let folder = workspace.end2end();
    let hub = workspace.hub("debug");
    ensure!(hub.exists(), "`{}` was not built", hub.display());

    // Playwright strips types without looking at them.
    let mut types = tools.node.command("node");
    loud(types.args(["node_modules/typescript/bin/tsc", "--project", "."]).current_dir(&folder))?;

    let mut playwright = tools.node.command("node");
    playwright.args(["node_modules/@playwright/test/cli.js", "test"]).args(args).current_dir(&folder);
    playwright.env("LOGGIA_BIN", &hub).env("LOGGIA_PYTHON", &tools.python).env("LOGGIA_CHROMIUM", &tools.chromium);
    playwright.env("LOGGIA_MODEL", workspace.model());
    if let Some(folder) = kept {
        playwright.env(left_behind::VARIABLE, folder);
    }
    loud(&mut playwright)
}
