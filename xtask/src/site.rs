//! The site: the browser half compiled to wasm, its JavaScript, one stylesheet and the public files, with
//! a compressed neighbour each, assembled in `target/site`, which the hub embeds.
//!
//! # Design
//!
//! The site is built in a fresh folder and changes place with the old one at the end, so that neither an
//! interrupted build nor a hub that reads the folder ever meets half a site. `wasm-bindgen` is a library
//! here, at the version in `Cargo.lock`: there is no tool to install whose version could drift.

mod bind;
mod budget;
mod compress;
mod prune;
pub(crate) mod stamp;
mod style;

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};

pub(crate) use self::budget::{check as check_budget, heaviest_file, weigh};
use crate::command::loud;
use crate::progress::{elapsed, say};
use crate::setup::wasm::{TARGET, WasmCompiler};
use crate::workspace::Workspace;

/// The name of the script, the wasm and the stylesheet; the pages ask for it.
const NAME: &str = "loggia";
/// What the site is made of, besides the compiler: a change in none of these needs no new site.
const INPUTS: [&str; 9] = [
    "app",
    "domain",
    "style",
    "public",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "xtask/src/site.rs",
    "xtask/src/site",
];

/// For whom a site is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// For people: small, compressed as far as it goes.
    Release,
    /// For the one who is changing it: quick, compressed only lightly.
    Draft,
}

impl Quality {
    fn cargo_profile(self) -> &'static str {
        match self {
            Self::Release => "wasm-release",
            Self::Draft => "dev",
        }
    }

    /// The folder that cargo names after the profile.
    fn cargo_folder(self) -> &'static str {
        match self {
            Self::Release => "wasm-release",
            Self::Draft => "debug",
        }
    }
}

/// Builds the site unless it is that of the present sources already.
pub(crate) fn build(workspace: &Workspace, compiler: &WasmCompiler, quality: Quality) -> Result<()> {
    let site = workspace.site();
    let target = site.parent().unwrap_or(&workspace.root);
    fs::create_dir_all(target).with_context(|| format!("cannot make `{}`", target.display()))?;
    let _alone = alone(&target.join("site.lock"))?;

    let mark = target.join("site.stamp");
    let inputs = INPUTS.map(|input| workspace.root.join(input));
    let wanted = stamp::of_site(&workspace.root, &inputs, &[&compiler.to_string(), &format!("{quality:?}")])?;
    if fs::read_to_string(&mark).is_ok_and(|have| have == wanted) && site.join("pkg/loggia_bg.wasm").exists() {
        say("the site is up to date");
        return Ok(());
    }

    let wasm = compile(workspace, compiler, quality)?;
    let started = Instant::now();
    let fresh = target.join("site.new");
    assemble(workspace, &wasm, &fresh, quality)?;
    swap(&fresh, &site, &mark)?;
    fs::write(&mark, wanted).with_context(|| format!("cannot write `{}`", mark.display()))?;
    say(&format!("assembled the site in {}", elapsed(started.elapsed())));
    Ok(())
}

/// Compiles the browser half and gives the path of the wasm file.
fn compile(workspace: &Workspace, compiler: &WasmCompiler, quality: Quality) -> Result<PathBuf> {
    let target = workspace.front_target();
    let mut cargo = compiler.cargo(workspace);
    // The manifest names no crate type: `["cdylib", "rlib"]` there would silently switch off link-time
    // optimisation, and link a library of ninety megabytes in every build of the hub.
    cargo.args(["rustc", "--package", "loggia-app", "--lib", "--crate-type", "cdylib", "--target", TARGET]);
    cargo.args(["--no-default-features", "--features", "hydrate", "--profile", quality.cargo_profile()]);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags());
    loud(cargo.arg("--target-dir").arg(&target))?;
    Ok(target.join(TARGET).join(quality.cargo_folder()).join("loggia_app.wasm"))
}

/// Flags for every package of the browser half; cargo adds them to those of `.cargo/config.toml`.
fn flags() -> String {
    // Hashing in a loop instead of in a row: a third of the code, and an artifact is small.
    let mut flags = vec![r#"--cfg sha2_backend="soft" --cfg sha2_backend_soft="compact""#.to_owned()];
    // Panic messages name files: without the folders of the machine that they were compiled on.
    for folder in registry_folders() {
        let folder = folder.display().to_string();
        if !folder.contains(char::is_whitespace) {
            flags.push(format!("--remap-path-prefix={folder}/="));
        }
    }
    flags.join(" ")
}

/// Where cargo keeps the sources of packages, a folder for each registry, in order.
fn registry_folders() -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let mut folders: Vec<PathBuf> = sources.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// Writes the whole site into `fresh`, which is emptied first.
fn assemble(workspace: &Workspace, wasm: &Path, fresh: &Path, quality: Quality) -> Result<()> {
    if fresh.exists() {
        fs::remove_dir_all(fresh).with_context(|| format!("cannot empty `{}`", fresh.display()))?;
    }
    let package = fresh.join("pkg");
    fs::create_dir_all(&package).with_context(|| format!("cannot make `{}`", package.display()))?;

    bind::bind(wasm, &fresh.with_file_name("bound"), &package, quality)?;

    let sheet = package.join(NAME).with_extension("css");
    fs::write(&sheet, style::sheet(&workspace.root.join("style"))?)
        .with_context(|| format!("cannot write `{}`", sheet.display()))?;
    let public = workspace.root.join("public");
    if public.exists() {
        copy_folder(&public, fresh)?;
    }
    compress::beside_each(fresh, quality)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make `{}`", to.display()))?;
    for file in stamp::files_below(from)? {
        let inside = file.strip_prefix(from).context("a folder lists a file outside itself")?;
        let place = to.join(inside);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        fs::copy(&file, &place).with_context(|| format!("cannot copy `{}`", file.display()))?;
    }
    Ok(())
}

/// Puts the fresh site in the place of the old one. The mark goes first: whatever happens between, a next
/// run builds again instead of trusting it.
fn swap(fresh: &Path, site: &Path, mark: &Path) -> Result<()> {
    if mark.exists() {
        fs::remove_file(mark).with_context(|| format!("cannot remove `{}`", mark.display()))?;
    }
    let old = site.with_extension("old");
    if old.exists() {
        fs::remove_dir_all(&old).with_context(|| format!("cannot remove `{}`", old.display()))?;
    }
    if site.exists() {
        fs::rename(site, &old).with_context(|| format!("cannot move `{}` away", site.display()))?;
    }
    fs::rename(fresh, site).with_context(|| format!("cannot move the new site to `{}`", site.display()))?;
    if old.exists() {
        fs::remove_dir_all(&old).with_context(|| format!("cannot remove `{}`", old.display()))?;
    }
    Ok(())
}

/// Holds the site for one builder at a time.
fn alone(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    if file.try_lock().is_err() {
        say("waiting for another build of the site");
        file.lock().with_context(|| format!("cannot lock `{}`", path.display()))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_new_site_replaces_the_old_one_whole() {
        let folder = Scratch::new();
        let [fresh, site, mark] = ["site.new", "site", "site.stamp"].map(|name| folder.path().join(name));
        // As after a build that was interrupted while it cleaned up.
        for (place, file) in [(&fresh, "new.txt"), (&site, "gone.txt"), (&site.with_extension("old"), "older.txt")] {
            fs::create_dir(place).expect("the folder is ours");
            fs::write(place.join(file), "").expect("the folder is ours");
        }
        fs::write(&mark, "stamp of the old site").expect("the folder is ours");

        swap(&fresh, &site, &mark).expect("all folders are ours");

        assert!(site.join("new.txt").exists() && !site.join("gone.txt").exists());
        assert!(!fresh.exists() && !site.with_extension("old").exists() && !mark.exists());
    }

    #[test]
    fn public_files_keep_their_folders() {
        let folder = Scratch::new();
        let [from, to] = ["public", "site"].map(|name| folder.path().join(name));
        fs::create_dir_all(from.join("icons")).expect("the folder is ours");
        fs::write(from.join("icons/small.svg"), "<svg/>").expect("the folder is ours");

        copy_folder(&from, &to).expect("all folders are ours");

        assert_eq!(fs::read_to_string(to.join("icons/small.svg")).ok().as_deref(), Some("<svg/>"));
    }
}
