//! Where hubs and command lines of one test live: a palace and a home, in a temporary folder that is gone afterwards.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Where a hub lives: a folder with the palace and a home beside it. Several processes may share one.
pub(crate) struct Place {
    root: TempDir,
}

impl Place {
    /// A home, and a palace that does not exist yet.
    pub(crate) fn new() -> Arc<Self> {
        let root = TempDir::with_prefix("loggia-it-").expect("the temporary folder is writable");
        fs::create_dir(root.path().join("home")).expect("the folder is new");
        Arc::new(Self { root })
    }

    /// The folder that `--palace` names.
    pub(crate) fn palace(&self) -> PathBuf {
        self.root.path().join("palace")
    }

    /// The folder that `HOME` names.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The file that holds the log.
    pub(crate) fn log_file(&self) -> PathBuf {
        self.palace().join("logstream.sqlite3")
    }

    /// Everything that hubs wrote to stderr here.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(self.stderr_path()).unwrap_or_default()
    }

    /// The file of [`Place::stderr`].
    pub(crate) fn stderr_path(&self) -> PathBuf {
        self.root.path().join("stderr.log")
    }

    /// The binary with a clean environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loggia"));
        command.env_clear().env("HOME", self.home()).current_dir(self.root.path());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    /// The same in a name space of its own, in which the palace is a disk in memory of this size. The process keeps its id.
    pub(crate) fn command_on_disk(&self, size: &str) -> Command {
        fs::create_dir_all(self.palace()).expect("the folder is writable");
        let plain = self.command();
        let mut command = Command::new("unshare");
        let mount = r#"mount -t tmpfs -o "size=$1,mode=700" loggia "$2" && shift 2 && exec "$@""#;
        command.args(["--map-root-user", "--mount", "sh", "-c", mount, "sh", size]).arg(self.palace());
        command.arg(plain.get_program()).env_clear().current_dir(self.root.path());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// The same with a signal ignored. The process keeps its id.
    pub(crate) fn command_without_signal(&self, signal: &str) -> Command {
        let plain = self.command();
        let mut command = Command::new("sh");
        command.args(["-c", r#"trap '' "$1" && shift && exec "$@""#, "sh", signal]);
        command.arg(plain.get_program()).env_clear().current_dir(self.root.path());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// Runs a subcommand on this palace with bytes on its stdin.
    pub(crate) fn cli(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut command = self.command();
        command.arg("--palace").arg(self.palace()).args(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built with the tests");
        let mut input = child.stdin.take().expect("stdin is piped");
        let stdin = stdin.to_vec();
        // A program that refuses its arguments may end before it has read anything.
        let writer = std::thread::spawn(move || drop(input.write_all(&stdin)));
        let output = child.wait_with_output().expect("a child can be waited for");
        writer.join().expect("the writer does not panic");
        output
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        crate::kept::log(&self.stderr_path());
    }
}

/// Whether a file or folder can be used by its owner alone.
pub(crate) fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|m| m.permissions().mode() % 0o100 == 0)
}

/// The SHA-256 of a text in hex digits.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hex, b| hex + &format!("{b:02x}"))
}
