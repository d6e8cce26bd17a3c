//! Debian's compiler as a compiler for wasm: its packages, a linker under the name that the compiler looks
//! for, and the standard library compiled from the packaged source and put beside the others. Touches
//! nothing but those packages and two places below that compiler's own library folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::TARGET;
use crate::command::{answer, quiet};
use crate::progress::say;
use crate::setup::apt;
use crate::workspace::Workspace;

/// Where Debian puts its compiler.
pub(super) const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const LINKER: &str = "/usr/bin/lld-22";
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
const STD_LIMIT: Duration = Duration::from_mins(15);

/// Debian's cargo with Debian's compiler.
pub(super) fn cargo() -> Command {
    let mut command = without_rustup(Path::new(CARGO));
    command.env("RUSTC", RUSTC);
    command
}

/// A program of Debian's toolchain, kept from what rustup and the calling cargo put into the environment:
/// their library path would make it load another compiler's libraries.
pub(super) fn without_rustup(program: &Path) -> Command {
    let mut command = Command::new(program);
    for variable in
        ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO", "LD_LIBRARY_PATH"]
    {
        command.env_remove(variable);
    }
    command
}

/// Installs the packages and makes what is missing until `works` is content.
pub(super) fn ensure(workspace: &Workspace, works: impl Fn() -> Result<()>) -> Result<()> {
    apt::install(workspace, &PACKAGES, "compiling to wasm")?;
    let rustlib = rustlib()?;
    link_linker(&rustlib)?;
    // Now that there is a linker, a library from an earlier set-up may already do.
    if works().is_ok() {
        return Ok(());
    }
    let libraries = compile_std(workspace)?;
    install_std(&libraries, &rustlib.join(TARGET))?;
    works().context("the standard library is in place and the compiler still cannot use it")
}

fn rustlib() -> Result<PathBuf> {
    let sysroot = answer(without_rustup(Path::new(RUSTC)).args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib"))
}

/// The compiler looks for `rust-lld` beside its own libraries; Debian packages none there.
fn link_linker(rustlib: &Path) -> Result<()> {
    let said = answer(without_rustup(Path::new(RUSTC)).arg("-vV"))?;
    let host = host(&said).context("Debian's compiler does not name its host")?;
    let folder = rustlib.join(host).join("bin");
    let link = folder.join("rust-lld");
    if link.exists() {
        return Ok(());
    }
    answer(apt::as_root("mkdir")?.arg("-p").arg(&folder))?;
    answer(apt::as_root("ln")?.args(["-sfn", LINKER]).arg(&link))?;
    Ok(())
}

/// The standard library for the target, as the folder that holds its compiled crates.
fn compile_std(workspace: &Workspace) -> Result<PathBuf> {
    say(&format!("compiling the standard library for {TARGET} with Debian's compiler, about a minute"));
    let folder = workspace.tools().join("wasm-std");
    let source = folder.join("src");
    fs::create_dir_all(&source).with_context(|| format!("cannot make `{}`", source.display()))?;
    // A workspace of its own: the checkout around it must not take it for a lost member.
    let manifest = "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).context("cannot write the manifest of an empty package")?;
    fs::write(source.join("lib.rs"), "").context("cannot write an empty library")?;
    let target = folder.join("target");
    // Crates of an earlier compiler would be copied along with the new ones.
    if target.exists() {
        fs::remove_dir_all(&target).with_context(|| format!("cannot empty `{}`", target.display()))?;
    }
    let mut build = cargo();
    build.current_dir(&folder).args(["build", "--release", "--target", TARGET, "-Zbuild-std=std,panic_abort"]);
    build.arg("--target-dir").arg(&target);
    for variable in ["CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR"] {
        build.env_remove(variable);
    }
    // `-Z` is for nightly compilers; this lets the one stable compiler do it.
    build.env("RUSTC_BOOTSTRAP", "1");
    // Without bitcode a later build with link-time optimisation finds no section `.llvmbc`.
    build.env("RUSTFLAGS", "-Cembed-bitcode=yes").env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    quiet(workspace, "wasm-std", STD_LIMIT, &mut build)?;
    Ok(target.join(TARGET).join("release/deps"))
}

/// Puts the compiled crates where the compiler looks, whole or not at all.
fn install_std(libraries: &Path, place: &Path) -> Result<()> {
    let entries = fs::read_dir(libraries).with_context(|| format!("cannot read `{}`", libraries.display()))?;
    let crates: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| is_of_std(path)).collect();
    if !crates.iter().any(|path| name(path).starts_with("libstd-")) {
        bail!("the build in `{}` made no standard library", libraries.display());
    }
    let fresh = place.with_extension("new");
    answer(apt::as_root("rm")?.arg("-rf").arg(&fresh))?;
    answer(apt::as_root("mkdir")?.arg("-p").arg(fresh.join("lib")))?;
    answer(apt::as_root("cp")?.args(&crates).arg(fresh.join("lib")))?;
    answer(apt::as_root("rm")?.arg("-rf").arg(place))?;
    answer(apt::as_root("mv")?.arg("-T").arg(&fresh).arg(place))?;
    Ok(())
}

fn is_of_std(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rlib") && !name(path).starts_with("libempty-")
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The host that `rustc -vV` names.
fn host(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.strip_prefix("host: "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn the_host_is_read() {
        let said = "rustc 1.96.0 (abc 2026-05-01)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.96.0\n";
        assert_eq!(host(said), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host("rustc 1.96.0"), None);
    }

    #[test]
    fn only_crates_of_the_standard_library_are_taken() {
        assert!(is_of_std(Path::new("deps/libstd-0123.rlib")));
        assert!(!is_of_std(Path::new("deps/libempty-0123.rlib")));
        assert!(!is_of_std(Path::new("deps/libstd-0123.rmeta")));
    }

    #[test]
    fn a_build_without_std_is_not_installed() {
        let folder = Scratch::new();
        fs::write(folder.path().join("libcore-1.rlib"), "").expect("the folder is ours");
        let place = folder.path().join("wasm");
        assert!(install_std(folder.path(), &place).is_err());
        assert!(!place.exists());
    }
}
