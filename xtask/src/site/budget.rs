//! The weight of the browser half: what a first visit pulls over the wire is part of the product, so a
//! build that exceeds it fails.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use super::compress::neighbour;
use crate::progress::say;
use crate::workspace::Workspace;

/// The most that the wasm may weigh after brotli.
const LIMIT_BYTES: u64 = 300_000;

/// Says what the wasm of the present site weighs; too much is an error.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let path = heaviest_file(workspace);
    let size_bytes = fs::metadata(&path).with_context(|| format!("cannot look at `{}`", path.display()))?.len();
    say(&format!("the wasm weighs {} after brotli, of {} allowed", kilobytes(size_bytes), kilobytes(LIMIT_BYTES)));
    ensure!(size_bytes <= LIMIT_BYTES, "the wasm is {} over its limit", kilobytes(size_bytes - LIMIT_BYTES));
    Ok(())
}

/// The wasm as it goes over the wire. A very small one goes as it is.
pub(crate) fn heaviest_file(workspace: &Workspace) -> PathBuf {
    let wasm = workspace.site().join("pkg/loggia_bg.wasm");
    let packed = neighbour(&wasm, "br");
    if packed.exists() { packed } else { wasm }
}

fn kilobytes(size_bytes: u64) -> String {
    format!("{}.{} kB", size_bytes / 1_000, size_bytes % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_in_kilobytes() {
        assert_eq!(kilobytes(299_999), "299.9 kB");
        assert_eq!(kilobytes(LIMIT_BYTES), "300.0 kB");
        assert_eq!(kilobytes(42), "0.0 kB");
    }
}
