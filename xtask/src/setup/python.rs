//! Python environments below `target/tools`: one with the packages of the tests, and a bare maker of
//! environments for [`super::node`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::{answer, exists, quiet};
use crate::progress::say;
use crate::setup::apt;
use crate::site::stamp;
use crate::workspace::Workspace;

/// The oldest Python that the MCP SDK runs on.
const OLDEST: (u32, u32) = (3, 10);
const LIMIT: Duration = Duration::from_mins(10);

/// A Python with the packages of `end2end/requirements.txt`.
pub(super) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let requirements = workspace.end2end().join("requirements.txt");
    let folder = workspace.tools().join("venv");
    let python = folder.join("bin/python");
    let mark = folder.join("installed-from");
    let wanted = stamp::of_files(&[&requirements])?;
    if fs::read_to_string(&mark).is_ok_and(|have| have == wanted) && answer(&mut version_of(&python)).is_ok() {
        return Ok(python);
    }
    say("installing the Python packages of end2end");
    // Written last: without it the next run begins again.
    let _ = fs::remove_file(&mark);
    let python = venv(workspace, &folder)?;
    let mut command = Command::new(&python);
    command.args(["-m", "pip", "install", "--disable-pip-version-check", "-r"]).arg(&requirements);
    quiet(workspace, "pip", LIMIT, &mut command)?;
    fs::write(&mark, wanted).with_context(|| format!("cannot write `{}`", mark.display()))?;
    Ok(python)
}

/// Makes a fresh environment in `folder` and gives its Python.
pub(super) fn venv(workspace: &Workspace, folder: &Path) -> Result<PathBuf> {
    if !exists("python3") {
        apt::install(workspace, &["python3", "python3-venv"], "the tests' Python packages")?;
    }
    let said = answer(&mut version_of(Path::new("python3")))?;
    match version(&said) {
        Some(found) if found >= OLDEST => {}
        _ => bail!("`python3` is {}; the tests need {}.{} or newer", said.trim(), OLDEST.0, OLDEST.1),
    }
    let make = || {
        let mut command = Command::new("python3");
        command.args(["-m", "venv", "--clear"]).arg(folder);
        quiet(workspace, "python-venv", LIMIT, &mut command)
    };
    // Debian packs the installer of packages apart from Python, and it is noticed only here.
    if let Err(error) = make() {
        if !apt::available() || apt::installed("python3-venv") {
            return Err(error);
        }
        apt::install(workspace, &["python3-venv"], "Python environments")?;
        make()?;
    }
    Ok(folder.join("bin/python"))
}

fn version_of(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg("--version");
    command
}

/// The (3, 11) of `Python 3.11.7`.
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().strip_prefix("Python ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        assert_eq!(version("Python 3.11.7\n"), Some((3, 11)));
        assert_eq!(version("Python 3.9.2"), Some((3, 9)));
        assert_eq!(version("Python 4.0.0rc1"), Some((4, 0)));
        assert_eq!(version("python: not found"), None);
    }

    #[test]
    fn three_ten_is_newer_than_three_nine() {
        assert!(version("Python 3.10.0") >= Some(OLDEST));
        assert!(version("Python 3.9.18") < Some(OLDEST));
    }
}
