//! Debian's packages, only when something is missing: root or sudo, lists fetched only where there are
//! none or where they turn out too old.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command::{answer, exists, quiet};
use crate::progress::say;
use crate::workspace::Workspace;

/// A browser and its fonts on a slow line.
const LIMIT: Duration = Duration::from_mins(20);

/// Whether this machine installs its packages by apt-get.
pub(super) fn available() -> bool {
    exists("apt-get")
}

/// Whether Debian's records say that a package is installed.
pub(super) fn installed(package: &str) -> bool {
    answer(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]))
        .is_ok_and(|status| status == "installed")
}

/// Installs those of the packages that are not there, saying for what.
pub(super) fn install(workspace: &Workspace, packages: &[&str], purpose: &str) -> Result<()> {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if !available() {
        bail!("{purpose}: this machine has no apt-get; install what Debian calls `{names}` and run this again");
    }
    say(&format!("installing Debian's {names} for {purpose}"));
    if !have_lists(Path::new("/var/lib/apt/lists")) {
        update(workspace)?;
    }
    let attempt = || {
        let mut command = as_root("env")?;
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"]);
        quiet(workspace, "apt-install", LIMIT, command.args(&missing))
    };
    let outcome = match attempt() {
        Err(error) if lists_are_too_old(&format!("{error:#}")) => {
            update(workspace)?;
            attempt()
        }
        outcome => outcome,
    };
    outcome.with_context(|| format!("cannot install Debian's {names} for {purpose}"))
}

/// A command with the rights to change the system.
pub(super) fn as_root(program: &str) -> Result<Command> {
    if answer(Command::new("id").arg("-u"))?.trim() == "0" {
        return Ok(Command::new(program));
    }
    if !exists("sudo") {
        bail!("changing the system needs root and there is no sudo: run `cargo xtask setup` as root once");
    }
    let mut command = Command::new("sudo");
    command.arg(program);
    Ok(command)
}

fn update(workspace: &Workspace) -> Result<()> {
    say("fetching Debian's package lists");
    quiet(workspace, "apt-update", LIMIT, as_root("apt-get")?.arg("update"))
}

fn have_lists(folder: &Path) -> bool {
    fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().contains("_Packages")))
}

/// What apt-get says when its lists name a package that the archive has replaced, or lack one.
fn lists_are_too_old(said: &str) -> bool {
    ["404", "Unable to locate package", "has no installation candidate"].iter().any(|sign| said.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn an_empty_lists_folder_asks_for_an_update() {
        let folder = Scratch::new();
        assert!(!have_lists(folder.path()));
        assert!(!have_lists(&folder.path().join("absent")));
        fs::write(folder.path().join("lock"), "").expect("the folder is ours");
        assert!(!have_lists(folder.path()));
        fs::write(folder.path().join("deb.example_main_binary-amd64_Packages.lz4"), "").expect("the folder is ours");
        assert!(have_lists(folder.path()));
    }

    #[test]
    fn only_stale_lists_are_fetched_again() {
        assert!(lists_are_too_old("E: Unable to locate package rustc-web"));
        assert!(lists_are_too_old("E: Failed to fetch http://deb.example/x.deb  404  Not Found"));
        assert!(!lists_are_too_old("E: Could not get lock /var/lib/dpkg/lock-frontend"));
    }
}
