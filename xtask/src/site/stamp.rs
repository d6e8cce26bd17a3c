//! Fingerprints of files, by which a finished step is recognised: names and contents, never times, so
//! that a fresh checkout or a touched file costs nothing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

/// The fingerprint of some files' contents.
pub(crate) fn of_files(files: &[&Path]) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        add(&mut hash, "", &read(file)?);
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// The fingerprint of files and whole folders (an absent one is empty) and of words such as a compiler's version.
pub(super) fn of_site(root: &Path, inputs: &[PathBuf], words: &[&str]) -> Result<String> {
    let mut hash = Sha256::new();
    for word in words {
        add(&mut hash, word, &[]);
    }
    for input in inputs {
        let files = if input.is_dir() { files_below(input)? } else { vec![input.clone()] };
        for file in files.iter().filter(|file| file.exists()) {
            let name = file.strip_prefix(root).unwrap_or(file);
            add(&mut hash, &name.to_string_lossy(), &read(file)?);
        }
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// All files of a folder and its folders, in order.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read `{}`", folder.display()))?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// Lengths go in too: without them two neighbours could exchange bytes unseen.
fn add(hash: &mut Sha256, name: &str, content: &[u8]) {
    for part in [name.as_bytes(), content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    struct Checkout(Scratch);

    impl Checkout {
        fn new() -> Self {
            let checkout = Self(Scratch::new());
            checkout.write("app/src/lib.rs", "pub fn page() {}");
            checkout.write("style/base.css", "body {}");
            checkout
        }

        fn write(&self, name: &str, content: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().expect("the name has a folder")).expect("the folder is ours");
            fs::write(path, content).expect("the folder is ours");
        }

        fn stamp(&self, compiler: &str) -> String {
            let inputs = ["app", "style", "public", "Cargo.lock"].map(|name| self.0.path().join(name));
            of_site(self.0.path(), &inputs, &[compiler]).expect("the files are ours")
        }
    }

    #[test]
    fn nothing_changed_is_the_same_stamp() {
        let checkout = Checkout::new();
        let before = checkout.stamp("rustc 1.95.0");
        checkout.write("app/src/lib.rs", "pub fn page() {}");
        checkout.write("server/src/main.rs", "fn main() {}");
        assert_eq!(checkout.stamp("rustc 1.95.0"), before);
    }

    #[test]
    fn the_stamp_is_that_of_the_content_and_not_of_the_place() {
        assert_eq!(Checkout::new().stamp("rustc 1.95.0"), Checkout::new().stamp("rustc 1.95.0"));
    }

    #[test]
    fn every_relevant_change_is_another_stamp() {
        #[track_caller]
        fn check(change: impl Fn(&Checkout)) {
            let checkout = Checkout::new();
            let before = checkout.stamp("rustc 1.95.0");
            change(&checkout);
            assert_ne!(checkout.stamp("rustc 1.95.0"), before);
        }
        check(|checkout| checkout.write("app/src/lib.rs", "pub fn page() { }"));
        check(|checkout| checkout.write("app/src/other.rs", ""));
        check(|checkout| checkout.write("public/favicon.svg", "<svg/>"));
        check(|checkout| checkout.write("Cargo.lock", "version = 4"));
        check(|checkout| {
            fs::rename(checkout.0.path().join("style/base.css"), checkout.0.path().join("style/basis.css"))
                .expect("the folder is ours");
        });
        check(|checkout| fs::remove_file(checkout.0.path().join("style/base.css")).expect("the folder is ours"));
    }

    #[test]
    fn another_compiler_is_another_stamp() {
        let checkout = Checkout::new();
        assert_ne!(checkout.stamp("rustc 1.95.0"), checkout.stamp("rustc 1.96.0"));
    }
}
