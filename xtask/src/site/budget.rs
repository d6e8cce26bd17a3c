//! The weight of the browser half: what a first visit pulls over the wire is part of the product, so the
//! gate fails where it exceeds a limit.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use super::compress::neighbour;
use crate::progress::say;
use crate::workspace::Workspace;

/// The most that the wasm may weigh after brotli.
const LIMIT_BYTES: u64 = 300_000;

/// Says what the wasm of the present site weighs.
pub(crate) fn weigh(workspace: &Workspace) -> Result<u64> {
    let path = heaviest_file(workspace);
    let size_bytes = fs::metadata(&path).with_context(|| format!("cannot look at `{}`", path.display()))?.len();
    say(&format!("the wasm weighs {} after brotli, of {} allowed", kilobytes(size_bytes), kilobytes(LIMIT_BYTES)));
    Ok(size_bytes)
}

/// Says it, and too much is an error. For the gate: a visitor's build is not the place to insist.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let size_bytes = weigh(workspace)?;
    ensure!(
        size_bytes <= LIMIT_BYTES,
        "the wasm is {} over its limit",
        kilobytes(size_bytes.saturating_sub(LIMIT_BYTES))
    );
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
