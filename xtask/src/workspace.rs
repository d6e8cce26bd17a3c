//! Where things lie in this checkout. Paths only: nothing here builds or writes.

use std::env;
use std::path::{Path, PathBuf};

/// The checkout that this build tool was compiled in.
pub(crate) struct Workspace {
    /// The folder of the workspace manifest.
    pub(crate) root: PathBuf,
    /// Cargo's output folder, `$CARGO_TARGET_DIR` or `target`.
    pub(crate) cargo_target: PathBuf,
}

impl Workspace {
    /// The checkout around this package.
    pub(crate) fn here() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().unwrap_or(package).to_path_buf();
        let cargo_target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) if !folder.is_empty() => absolute(PathBuf::from(folder)),
            _ => root.join("target"),
        };
        Self { root, cargo_target }
    }

    /// The assembled site. Always in `target/` of the checkout, because the hub's source names it.
    pub(crate) fn site(&self) -> PathBuf {
        self.root.join("target/site")
    }

    /// Virtual environments and logs of set-up steps: survives `cargo clean` of other folders, never in git.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join("target/tools")
    }

    /// The model's wheel. Always in `target/` of the checkout, because the hub's tests name it.
    pub(crate) fn model(&self) -> PathBuf {
        self.root.join("target/model")
    }

    /// The browser tests.
    pub(crate) fn end2end(&self) -> PathBuf {
        self.root.join("end2end")
    }

    /// Cargo's output folder of the browser half, apart from the hub's so that they never wait for each other.
    pub(crate) fn front_target(&self) -> PathBuf {
        self.cargo_target.join("front")
    }

    /// The hub as built by a profile's folder name, `debug` or `release`.
    pub(crate) fn hub(&self, profile: &str) -> PathBuf {
        self.cargo_target.join(profile).join("loggia")
    }
}

/// A relative `$CARGO_TARGET_DIR` counts from the folder in which cargo was called.
fn absolute(path: PathBuf) -> PathBuf {
    match env::current_dir() {
        Ok(folder) => folder.join(path),
        Err(_) => path,
    }
}
