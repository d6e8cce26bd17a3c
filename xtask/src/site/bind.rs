//! The JavaScript around the compiled browser half, by wasm-bindgen as a library. Its result is kept for as
//! long as the wasm stays the same: a change of a stylesheet need not wait for it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

use super::{NAME, Quality, copy_folder, prune, stamp};

/// Writes script and wasm into `package`, from `kept` if that was made of the same wasm.
pub(super) fn bind(wasm: &Path, kept: &Path, package: &Path, quality: Quality) -> Result<()> {
    let mark = kept.with_extension("stamp");
    let wanted = format!("{} {quality:?}", stamp::of_files(&[wasm])?);
    if !kept.exists() || fs::read_to_string(&mark).ok().as_deref() != Some(&wanted) {
        // Written last: without it the next run begins again.
        let _ = fs::remove_file(&mark);
        if kept.exists() {
            fs::remove_dir_all(kept).with_context(|| format!("cannot empty `{}`", kept.display()))?;
        }
        generate(wasm, kept, quality)?;
        fs::write(&mark, wanted).with_context(|| format!("cannot write `{}`", mark.display()))?;
    }
    copy_folder(kept, package)
}

fn generate(wasm: &Path, folder: &Path, quality: Quality) -> Result<()> {
    let mut bindgen = Bindgen::new();
    match quality {
        Quality::Release => {
            let wasm = fs::read(wasm).with_context(|| format!("cannot read `{}`", wasm.display()))?;
            bindgen.input_module(NAME, prune::pruned(&wasm)?).remove_name_section(true).remove_producers_section(true);
        }
        Quality::Draft => {
            bindgen.input_path(wasm);
        }
    }
    bindgen.web(true)?.typescript(false).out_name(NAME);
    bindgen.generate(folder).context("wasm-bindgen refused the compiled browser half")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn the_same_wasm_is_bound_once() {
        let scratch = Scratch::new();
        let [wasm, kept, package] = ["a.wasm", "bound", "pkg"].map(|name| scratch.path().join(name));
        // The smallest module that there is.
        fs::write(&wasm, b"\0asm\x01\0\0\0").expect("the folder is ours");
        let bound = || bind(&wasm, &kept, &package, Quality::Draft).expect("an empty module can be bound");
        bound();
        assert!(package.join("loggia.js").exists() && package.join("loggia_bg.wasm").exists());

        fs::write(kept.join("loggia.js"), "kept").expect("the folder is ours");
        bound();
        assert_eq!(fs::read_to_string(package.join("loggia.js")).ok().as_deref(), Some("kept"));

        // The same module with an empty section of no meaning.
        fs::write(&wasm, b"\0asm\x01\0\0\0\0\x02\x01x").expect("the folder is ours");
        bound();
        assert_ne!(fs::read_to_string(package.join("loggia.js")).ok().as_deref(), Some("kept"));
    }
}
