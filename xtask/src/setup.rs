//! Brings a machine to where Loggia can be built and tested. Each step looks whether its thing is there,
//! gets it if not, and says what it does; doing all of it again costs about a second.

mod apt;
mod chromium;
mod model;
mod node;
mod python;
mod redis;
mod rust;
pub(crate) mod wasm;

use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::progress;
use crate::setup::node::Node;
use crate::setup::wasm::{WasmCompiler, WasmFrom};
use crate::workspace::Workspace;

/// What the browser tests need besides the built product.
pub(crate) struct TestTools {
    /// The compiler of the browser half.
    pub(crate) wasm: WasmCompiler,
    /// The browser.
    pub(crate) chromium: PathBuf,
    /// Node, with the packages of `end2end/` installed.
    pub(crate) node: Node,
    /// A Python that has the packages of `end2end/requirements.txt`.
    pub(crate) python: PathBuf,
}

/// What building needs: a C compiler (for SQLite) and a compiler for the wasm target.
pub(crate) fn for_builds(workspace: &Workspace, wasm_from: Option<WasmFrom>) -> Result<WasmCompiler> {
    let _alone = alone(workspace)?;
    builds(workspace, wasm_from)
}

/// What building, checking and all tests need.
pub(crate) fn for_tests(workspace: &Workspace, wasm_from: Option<WasmFrom>) -> Result<TestTools> {
    let _alone = alone(workspace)?;
    let wasm = builds(workspace, wasm_from)?;
    rust::ensure_components(workspace)?;
    let chromium = chromium::ensure(workspace)?;
    progress::say(&format!("browser: {}", chromium.display()));
    let node = node::ensure(workspace)?;
    node.ensure_packages(workspace)?;
    progress::say(&format!("node: {node}"));
    let python = python::ensure(workspace)?;
    progress::say(&format!("python: {}", python.display()));
    redis::ensure(workspace)?;
    let model = model::ensure(workspace, &python)?;
    progress::say(&format!("model of meaning: {}", model.display()));
    Ok(TestTools { wasm, chromium, node, python })
}

fn builds(workspace: &Workspace, wasm_from: Option<WasmFrom>) -> Result<WasmCompiler> {
    rust::ensure_c_compiler(workspace)?;
    let wasm = wasm::ensure(workspace, wasm_from)?;
    progress::say(&format!("wasm compiler: {wasm}"));
    Ok(wasm)
}

/// Holds the set-up for one process at a time: two would install into the same folders. Released on drop,
/// and by the kernel if this process dies.
fn alone(workspace: &Workspace) -> Result<File> {
    let folder = workspace.tools();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let path = folder.join("setup.lock");
    let file = File::create(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
    if file.try_lock().is_err() {
        progress::say("waiting for another set-up in this checkout");
        file.lock().with_context(|| format!("cannot lock `{}`", path.display()))?;
    }
    Ok(file)
}
