//! Compressed neighbours: beside `page.css` lie `page.css.br` and `page.css.gz`, so that the hub never
//! compresses while it serves.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Quality, stamp};

/// Below this a header is longer than what it saves.
const SMALLEST_BYTES: u64 = 512;
/// Formats that are not compressed by themselves.
const COMPRESSIBLE: [&str; 9] = ["css", "html", "js", "json", "svg", "txt", "wasm", "webmanifest", "xml"];

/// Writes the neighbours of every file of the folder that gains by it.
pub(super) fn beside_each(folder: &Path, quality: Quality) -> Result<()> {
    for path in stamp::files_below(folder)? {
        let size_bytes = fs::metadata(&path).with_context(|| format!("cannot look at `{}`", path.display()))?.len();
        if size_bytes > SMALLEST_BYTES && is_compressible(&path) {
            let content = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
            write(&neighbour(&path, "br"), &brotli(&content, quality)?)?;
            write(&neighbour(&path, "gz"), &gzip(&content, quality)?)?;
        }
    }
    Ok(())
}

/// The path of a file's compressed neighbour.
pub(super) fn neighbour(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

fn is_compressible(path: &Path) -> bool {
    path.extension().is_some_and(|extension| COMPRESSIBLE.iter().any(|known| extension == *known))
}

fn brotli(content: &[u8], quality: Quality) -> Result<Vec<u8>> {
    let effort = match quality {
        Quality::Release => 11,
        Quality::Draft => 2,
    };
    let mut packed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut packed, 64 * 1024, effort, 22);
    writer.write_all(content).context("brotli failed")?;
    drop(writer);
    Ok(packed)
}

fn gzip(content: &[u8], quality: Quality) -> Result<Vec<u8>> {
    let effort = match quality {
        Quality::Release => Compression::best(),
        Quality::Draft => Compression::fast(),
    };
    let mut encoder = GzEncoder::new(Vec::new(), effort);
    encoder.write_all(content).context("gzip failed")?;
    encoder.finish().context("gzip failed")
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).with_context(|| format!("cannot write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::scratch::Scratch;

    #[track_caller]
    fn check(name: &str, size: usize, has_neighbours: bool) {
        let folder = Scratch::new();
        let path = folder.path().join(name);
        fs::write(&path, "a".repeat(size)).expect("the folder is ours");
        beside_each(folder.path(), Quality::Draft).expect("the folder is ours");
        for extension in ["br", "gz"] {
            assert_eq!(neighbour(&path, extension).exists(), has_neighbours, "{name}.{extension}");
        }
    }

    #[test]
    fn text_and_wasm_of_some_size_get_neighbours() {
        check("loggia.css", 2_000, true);
        check("loggia_bg.wasm", 2_000, true);
        check("favicon.svg", 512, false);
        check("picture.png", 2_000, false);
    }

    #[test]
    fn what_is_packed_unpacks_to_the_same() {
        let content = "body { margin: 0 }\n".repeat(400);
        for quality in [Quality::Release, Quality::Draft] {
            let mut unpacked = String::new();
            let packed = brotli(content.as_bytes(), quality).expect("memory takes every write");
            brotli::Decompressor::new(packed.as_slice(), 4_096)
                .read_to_string(&mut unpacked)
                .expect("the packed bytes are whole");
            assert_eq!(unpacked, content);

            unpacked.clear();
            let packed = gzip(content.as_bytes(), quality).expect("memory takes every write");
            flate2::read::GzDecoder::new(packed.as_slice())
                .read_to_string(&mut unpacked)
                .expect("the packed bytes are whole");
            assert_eq!(unpacked, content);
        }
    }
}
