//! `cargo xtask dev`: a hub that is rebuilt and restarted when a source changes. Looks at modification
//! times a few times a second: some hundred files need no watcher of the system's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};

use crate::command::answer;
use crate::e2e;
use crate::progress::{elapsed, failure, say};
use crate::setup::{self, wasm::WasmCompiler, wasm::WasmFrom};
use crate::site::{self, Quality, stamp};
use crate::workspace::Workspace;

const WATCHED: [&str; 7] = ["app", "domain", "server", "style", "public", "Cargo.toml", "Cargo.lock"];
const GLANCE: Duration = Duration::from_millis(300);
/// How long a hub may take to end its streams before it is killed.
const GRACE: Duration = Duration::from_secs(3);

/// Builds, serves, watches; ends with Ctrl-C.
pub(crate) fn dev(workspace: &Workspace, from: Option<WasmFrom>, args: &[OsString]) -> Result<()> {
    let compiler = setup::for_builds(workspace, from)?;
    let mut hub = None;
    loop {
        // Taken before the build: what is saved while it runs starts the next one.
        let seen = times(workspace);
        let started = Instant::now();
        match rebuild(workspace, &compiler) {
            Ok(()) => {
                stop(hub.take())?;
                hub = Some(start(workspace, args)?);
                say(&format!("rebuilt in {}; watching for changes", elapsed(started.elapsed())));
            }
            // A half-typed line is no reason to end: the last good hub goes on.
            Err(error) => failure(&error),
        }
        await_change(workspace, &seen);
    }
}

fn rebuild(workspace: &Workspace, compiler: &WasmCompiler) -> Result<()> {
    site::build(workspace, compiler, Quality::Draft)?;
    e2e::build_hub(workspace)
}

fn start(workspace: &Workspace, args: &[OsString]) -> Result<Child> {
    let hub = workspace.hub("debug");
    Command::new(&hub).arg("serve").args(args).spawn().with_context(|| format!("cannot start `{}`", hub.display()))
}

fn stop(hub: Option<Child>) -> Result<()> {
    let Some(mut hub) = hub else { return Ok(()) };
    // The standard library only knows how to kill; the hub is asked first. It may have ended by itself.
    let _ = answer(Command::new("kill").args(["-TERM", &hub.id().to_string()]));
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if hub.try_wait().context("cannot wait for the hub")?.is_some() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    hub.kill().context("cannot end the hub")?;
    hub.wait().context("cannot wait for the hub")?;
    Ok(())
}

/// Waits until the files differ from `seen` and have come to rest: editors and git write several at once.
fn await_change(workspace: &Workspace, seen: &BTreeMap<PathBuf, SystemTime>) {
    let mut last = times(workspace);
    loop {
        thread::sleep(GLANCE);
        let now = times(workspace);
        if now != *seen && now == last {
            return;
        }
        last = now;
    }
}

/// When each source was last written. A file that vanishes meanwhile is simply not there.
fn times(workspace: &Workspace) -> BTreeMap<PathBuf, SystemTime> {
    let mut times = BTreeMap::new();
    for input in WATCHED {
        let input = workspace.root.join(input);
        let files = if input.is_dir() { stamp::files_below(&input).unwrap_or_default() } else { vec![input] };
        for file in files {
            if let Ok(time) = file.metadata().and_then(|about| about.modified()) {
                times.insert(file, time);
            }
        }
    }
    times
}
