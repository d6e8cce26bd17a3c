//! Running other programs: loudly (cargo, whose own output is the progress), quietly into a log file
//! with a sign of life (installers), or for their answer. Errors carry the command and its exact words.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::progress;
use crate::workspace::Workspace;

/// How often a quiet command is said to be still at work.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// How many last lines of a quiet command's log an error shows.
const SHOWN_LINES: usize = 25;

/// The cargo that called this tool, in the root of the workspace.
pub(crate) fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&workspace.root);
    // Read by leptos when it is compiled: set, it changes the names under which pages ask for the wasm.
    command.env_remove("LEPTOS_OUTPUT_NAME");
    // Would move the binaries to another folder.
    command.env_remove("CARGO_BUILD_TARGET");
    // Flags in the environment replace those of `.cargo/config.toml`, which both halves must share.
    for (variable, separator) in [("RUSTFLAGS", " "), ("CARGO_ENCODED_RUSTFLAGS", "\u{1f}")] {
        if let Ok(flags) = std::env::var(variable) {
            command.env(variable, with_shared_flags(&flags, separator));
        }
    }
    command
}

/// Somebody's own flags and those of `.cargo/config.toml`.
fn with_shared_flags(flags: &str, separator: &str) -> String {
    let shared = ["--cfg", "erase_components"].join(separator);
    if flags.contains(&shared) {
        return flags.to_owned();
    }
    if flags.is_empty() { shared } else { format!("{flags}{separator}{shared}") }
}

/// Runs a command whose own output is worth seeing.
pub(crate) fn loud(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs a command with its output in `target/tools/<log>.log`; an error shows the end of it.
pub(crate) fn quiet(workspace: &Workspace, log: &str, limit: Duration, command: &mut Command) -> Result<()> {
    let folder = workspace.tools();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let path = folder.join(log).with_extension("log");
    let output = File::create(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
    let errors = output.try_clone().context("cannot share the log file")?;
    let status = supervised(command.stdin(Stdio::null()).stdout(output).stderr(errors), limit)?;
    if !status.success() {
        let said = fs::read_to_string(&path).unwrap_or_default();
        bail!("`{}` failed: {status}\n{}\nthe whole log: {}", shown(command), last_lines(&said), path.display());
    }
    Ok(())
}

/// The standard output of a command that answers at once, or an error with all it said.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}\n{}", shown(command), output.status, last_lines(&said));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program can be started by this name.
pub(crate) fn exists(program: impl AsRef<OsStr>) -> bool {
    let program = Path::new(program.as_ref());
    if program.components().count() > 1 {
        return program.exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Waits for a command, with a sign of life now and then, and ends it at its time limit.
fn supervised(command: &mut Command, limit: Duration) -> Result<ExitStatus> {
    let line = shown(command);
    let mut child = command.spawn().with_context(|| format!("cannot start `{line}`"))?;
    let started = Instant::now();
    let mut next_sign = SIGN_OF_LIFE;
    loop {
        if let Some(status) = child.try_wait().with_context(|| format!("cannot wait for `{line}`"))? {
            return Ok(status);
        }
        let waited = started.elapsed();
        if waited >= limit {
            // It may have ended by itself in this moment, which is as good.
            let _ = child.kill();
            let _ = child.wait();
            bail!("`{line}` did not end within {}", progress::elapsed(limit));
        }
        if waited >= next_sign {
            progress::say(&format!("  still at it after {} s", waited.as_secs()));
            next_sign += SIGN_OF_LIFE;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let program = command.get_program();
    let is_cargo = std::env::var_os("CARGO").is_some_and(|cargo| cargo == program);
    let mut line = if is_cargo { "cargo".to_owned() } else { program.to_string_lossy().into_owned() };
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_command_and_its_words() {
        let error = answer(Command::new("sh").args(["-c", "echo no such luck >&2; exit 3"]))
            .expect_err("the command exits with 3");
        let text = error.to_string();
        assert!(text.contains("exit status: 3") && text.contains("no such luck"), "{text}");
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let error = supervised(Command::new("sleep").arg("60"), Duration::from_millis(100))
            .expect_err("a minute is over the limit");
        assert_eq!(error.to_string(), "`sleep 60` did not end within 0.1 s");
    }

    #[test]
    fn only_the_end_of_a_long_log_is_shown() {
        let lines: Vec<String> = (1..=100).map(|n| format!("line {n}")).collect();
        let log = lines.join("\n");
        let end = last_lines(&log);
        assert!(end.starts_with("line 76\n") && end.ends_with("line 100"), "{end}");
    }

    #[test]
    fn flags_of_the_environment_keep_those_that_both_halves_share() {
        assert_eq!(with_shared_flags("-Ctarget-cpu=native", " "), "-Ctarget-cpu=native --cfg erase_components");
        assert_eq!(with_shared_flags("--cfg erase_components -g", " "), "--cfg erase_components -g");
        assert_eq!(with_shared_flags("-g", "\u{1f}"), "-g\u{1f}--cfg\u{1f}erase_components");
        assert_eq!(with_shared_flags("", " "), "--cfg erase_components");
        assert!(include_str!("../../.cargo/config.toml").contains(r#"rustflags = ["--cfg", "erase_components"]"#));
    }

    #[test]
    fn programs_are_found_by_name_and_by_path() {
        assert!(exists("sh"));
        assert!(exists("/bin/sh"));
        assert!(!exists("no-such-program-here"));
    }
}
