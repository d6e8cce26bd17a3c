//! `cargo xtask run`: from nothing to a running hub. Builds only what a visitor needs, no tests, nothing
//! in debug form but this tool.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::command::{cargo, loud};
use crate::progress::{say, step};
use crate::setup::{self, wasm::WasmFrom};
use crate::site::{self, Quality};
use crate::workspace::Workspace;

/// Sets up, builds and becomes the hub.
pub(crate) fn run(workspace: &Workspace, from: Option<WasmFrom>, demo: bool, args: &[OsString]) -> Result<()> {
    let hub = build(workspace, from)?;
    if demo {
        say("writing a day of example delegations");
        loud(Command::new(&hub).arg("demo").args(palace_of(args)))?;
    }
    // This process becomes the hub, so that a signal or Ctrl-C reaches it and nobody stands between.
    let error = Command::new(&hub).arg("serve").args(args).exec();
    Err(error).with_context(|| format!("cannot start `{}`", hub.display()))
}

/// Sets up and builds the release binary with its pages; gives its path.
pub(crate) fn build(workspace: &Workspace, from: Option<WasmFrom>) -> Result<PathBuf> {
    let compiler = step(1, 3, "setup", || setup::for_builds(workspace, from))?;
    step(2, 3, "site: the browser half, compiled to wasm", || {
        site::build(workspace, &compiler, Quality::Release)?;
        site::weigh(workspace)
    })?;
    step(3, 3, "hub: the release binary", || build_hub(workspace))?;
    Ok(workspace.hub("release"))
}

/// Builds the release binary and looks whether the present site is in it. Cargo notices changed files of the
/// site, but not that there is a site now where there was none when the hub was last compiled.
fn build_hub(workspace: &Workspace) -> Result<()> {
    let hub = workspace.hub("release");
    let build = || loud(cargo(workspace).args(["build", "--release", "--package", "loggia"]));
    build()?;
    if embeds(&hub, &site::heaviest_file(workspace))? {
        return Ok(());
    }
    say("the hub was compiled without the present site: compiling it again");
    loud(cargo(workspace).args(["clean", "--release", "--package", "loggia"]))?;
    build()?;
    ensure!(embeds(&hub, &site::heaviest_file(workspace))?, "the release binary does not contain the site");
    Ok(())
}

/// Whether a binary contains the first bytes of a file.
fn embeds(hub: &Path, file: &Path) -> Result<bool> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read `{}`", path.display()));
    let (hub, file) = (read(hub)?, read(file)?);
    let start = &file[..file.len().min(1_024)];
    Ok(hub.windows(start.len().max(1)).any(|window| window == start))
}

/// The palace that arguments for `serve` name, as arguments for `demo`. Without one both follow
/// `$LOGGIA_PALACE` or the default.
fn palace_of(args: &[OsString]) -> Vec<OsString> {
    let mut args = args.iter();
    while let Some(argument) = args.next() {
        if argument == OsStr::new("--palace") {
            return std::iter::once(argument.clone()).chain(args.next().cloned()).collect();
        }
        if argument.to_string_lossy().starts_with("--palace=") {
            return vec![argument.clone()];
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[track_caller]
    fn check(args: &[&str], expected: &[&str]) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let expected: Vec<OsString> = expected.iter().map(OsString::from).collect();
        assert_eq!(palace_of(&args), expected);
    }

    #[test]
    fn a_file_is_found_inside_a_binary() {
        let scratch = Scratch::new();
        let [hub, file] = ["hub", "file"].map(|name| scratch.path().join(name));
        fs::write(&file, "the site").expect("the folder is ours");
        fs::write(&hub, "\x7fELF and the site and more").expect("the folder is ours");
        assert!(embeds(&hub, &file).expect("both can be read"));
        fs::write(&hub, "\x7fELF and the sit").expect("the folder is ours");
        assert!(!embeds(&hub, &file).expect("both can be read"));
    }

    #[test]
    fn the_demo_goes_into_the_palace_that_is_served() {
        check(&["--port", "9000", "--palace", "/tmp/p", "--read-only"], &["--palace", "/tmp/p"]);
        check(&["--palace=/tmp/p"], &["--palace=/tmp/p"]);
        check(&["--port", "9000"], &[]);
        check(&["--palace"], &["--palace"]);
    }
}
