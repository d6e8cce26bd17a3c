//! A compiler for the browser half. The target is there already, or rustup adds it, or Debian's compiler
//! serves with a standard library made here (see [`debian`]): the first way that works.
//!
//! # Design
//!
//! Whether a compiler works is decided by compiling and linking a library with link-time optimisation:
//! a target folder without bitcode, without a linker or of another compiler's version passes any
//! cheaper test and fails minutes later.

mod debian;

use std::env;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

use crate::command::{answer, cargo, exists, quiet};
use crate::progress::say;
use crate::workspace::Workspace;

/// The target of the browser half.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// A machine without a way to rustup's server may let it try for ever.
const RUSTUP_LIMIT: Duration = Duration::from_mins(5);

/// A way to the target that somebody insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WasmFrom {
    /// Debian's packaged compiler.
    Debian,
    /// The toolchain in use, with the target by rustup.
    Rustup,
}

impl WasmFrom {
    /// The choice of the command line, else of `$LOGGIA_WASM_FROM`, else none.
    pub(crate) fn chosen(argument: Option<Self>) -> Result<Option<Self>> {
        match (argument, env::var("LOGGIA_WASM_FROM")) {
            (Some(chosen), _) => Ok(Some(chosen)),
            (None, Ok(named)) if !named.is_empty() => {
                named.parse().map(Some).map_err(|error| anyhow!("`$LOGGIA_WASM_FROM`: {error}"))
            }
            (None, _) => Ok(None),
        }
    }
}

impl FromStr for WasmFrom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "debian" => Ok(Self::Debian),
            "rustup" => Ok(Self::Rustup),
            other => Err(format!("`{other}` is neither `debian` nor `rustup`")),
        }
    }
}

/// A compiler that was seen to compile for the target.
pub(crate) struct WasmCompiler {
    kind: Kind,
    version: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The one that compiles everything else too.
    Usual,
    /// Debian's in `/usr/bin`.
    Debian,
}

impl WasmCompiler {
    /// Cargo with this compiler.
    pub(crate) fn cargo(&self, workspace: &Workspace) -> Command {
        let mut command = match self.kind {
            Kind::Usual => cargo(workspace),
            Kind::Debian => {
                let mut command = debian::cargo();
                command.current_dir(&workspace.root).env_remove("LEPTOS_OUTPUT_NAME");
                command
            }
        };
        // Flags for the machine's own processor and linker are no flags for wasm.
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
            command.env_remove(variable);
        }
        command
    }
}

impl Display for WasmCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)?;
        if self.kind == Kind::Debian { f.write_str(", Debian's") } else { Ok(()) }
    }
}

/// Finds or makes a compiler for the target.
pub(super) fn ensure(workspace: &Workspace, from: Option<WasmFrom>) -> Result<WasmCompiler> {
    let probe = Probe::new(workspace)?;
    if from != Some(WasmFrom::Debian)
        && let Ok(compiler) = probe.compiler(Kind::Usual)
    {
        return Ok(compiler);
    }
    if from != Some(WasmFrom::Rustup)
        && let Ok(compiler) = probe.compiler(Kind::Debian)
    {
        return Ok(compiler);
    }
    if from != Some(WasmFrom::Debian) {
        match by_rustup(workspace, &probe) {
            Ok(compiler) => return Ok(compiler),
            Err(error) if from == Some(WasmFrom::Rustup) => return Err(error),
            Err(error) => say(&format!("rustup could not: {error:#}")),
        }
    }
    debian::ensure(workspace, || probe.compiler(Kind::Debian).map(drop))
        .with_context(|| format!("no compiler for {TARGET} could be found or made"))?;
    probe.compiler(Kind::Debian)
}

fn by_rustup(workspace: &Workspace, probe: &Probe) -> Result<WasmCompiler> {
    if !exists("rustup") {
        bail!("there is no rustup");
    }
    say(&format!("asking rustup for {TARGET}"));
    quiet(workspace, "rustup-target", RUSTUP_LIMIT, Command::new("rustup").args(["target", "add", TARGET]))?;
    probe.compiler(Kind::Usual)
}

/// A small library and the attempt to compile it.
struct Probe {
    source: PathBuf,
    output: PathBuf,
}

impl Probe {
    fn new(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.tools().join("wasm-probe");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let source = folder.join("probe.rs");
        let code = "#[no_mangle]\npub extern \"C\" fn f(n: u32) -> usize { (0..n).collect::<Vec<u32>>().len() }\n";
        fs::write(&source, code).with_context(|| format!("cannot write `{}`", source.display()))?;
        Ok(Self { output: folder.join("probe.wasm"), source })
    }

    fn compiler(&self, kind: Kind) -> Result<WasmCompiler> {
        let mut compile = rustc(kind);
        compile.args(["--target", TARGET, "--edition", "2021", "--crate-type", "cdylib", "-Copt-level=1", "-Clto=fat"]);
        answer(compile.arg("-o").arg(&self.output).arg(&self.source))?;
        let version = answer(rustc(kind).arg("--version"))?.trim().to_owned();
        Ok(WasmCompiler { kind, version })
    }
}

fn rustc(kind: Kind) -> Command {
    match kind {
        Kind::Usual => Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())),
        Kind::Debian => debian::without_rustup(Path::new(debian::RUSTC)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_target_is_read() {
        assert_eq!("debian".parse(), Ok(WasmFrom::Debian));
        assert_eq!("rustup".parse(), Ok(WasmFrom::Rustup));
        assert_eq!("Debian".parse::<WasmFrom>(), Err("`Debian` is neither `debian` nor `rustup`".to_owned()));
    }

    #[test]
    fn the_command_line_beats_the_environment() {
        assert_eq!(WasmFrom::chosen(Some(WasmFrom::Rustup)).ok(), Some(Some(WasmFrom::Rustup)));
    }
}
