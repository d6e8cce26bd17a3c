//! A folder for one test, gone when the test ends.
//!
//! Not the `tempfile` package: what it brings would change features of packages that this tool is built
//! from, and everything heavy in it would be compiled twice, once to run and once to be tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A fresh empty folder.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("xtask-test-{}-{number}", std::process::id()));
        fs::create_dir(&folder).expect("the name is of this process and counted");
        Self(folder)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the system's folder for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
