//! A Redis for the tests of the memory pipeline: Debian's `redis-server`. The tests start servers of their own; the service that comes
//! with the package is not used, and is stopped where this set-up brought it.

use std::process::Command;

use anyhow::Result;

use crate::command::{answer, exists};
use crate::setup::apt;
use crate::workspace::Workspace;

/// The programs that the tests start.
const PROGRAMS: [&str; 2] = ["redis-server", "redis-cli"];

/// Installs it where it is missing.
pub(super) fn ensure(workspace: &Workspace) -> Result<()> {
    if PROGRAMS.iter().all(exists) {
        return Ok(());
    }
    apt::install(workspace, &["redis-server"], "the tests of the memory pipeline")?;
    // Where no service manager runs, none was started.
    let _ = answer(apt::as_root("systemctl")?.args(["disable", "--now", "redis-server"]));
    answer(Command::new("redis-server").arg("--version"))?;
    Ok(())
}
