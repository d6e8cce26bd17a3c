//! A hub that this program starts and stops itself, to measure its start and to know its process and palace.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::target::Target;

/// The token of such a hub: it listens on the loopback address, for as long as this program runs.
const TOKEN: &str = "lg_bench_0123456789abcdefghijklmnopqrstuvwxyz";

/// A running hub. Ended when it is dropped.
pub(crate) struct Hub {
    child: Child,
    /// How to reach it.
    pub(crate) target: Target,
    /// From the start of the process to the line that says it listens.
    pub(crate) started_in: Duration,
}

impl Hub {
    /// Starts a binary on a palace, with `home` as its home folder so that nothing of the user's is touched. With a Redis it publishes
    /// what is written to session memory.
    pub(crate) fn start(binary: &Path, palace: &Path, home: &Path, redis: Option<&str>) -> Result<Self, Failure> {
        let begun = Instant::now();
        let mut child = Command::new(binary)
            .args(["serve", "--host", "127.0.0.1", "--port", "0", "--palace"])
            .arg(palace)
            .env("LOGGIA_TOKEN", TOKEN)
            .env("HOME", home)
            .env("RUST_LOG", "warn")
            // All streams are opened with the one token.
            .env("LOGGIA_MAX_STREAMS_PER_TOKEN", "16384")
            .envs(redis.into_iter().flat_map(|url| [("L0_PIPELINE_ENABLED", "true"), ("L0_PIPELINE_REDIS_URL", url)]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start `{}`: {e}", binary.display()))?;
        let stdout = child.stdout.take().ok_or("its output was not opened")?;
        let mut lines = BufReader::new(stdout).lines();
        let url = loop {
            let line = lines.next().ok_or("the hub ended instead of listening")??;
            if let Some(url) = line.strip_prefix("listening on ") {
                break url.to_owned();
            }
        };
        let started_in = begun.elapsed();
        let target = Target {
            pid: Some(child.id()),
            palace: Some(PathBuf::from(palace)),
            ..Target::new("loggia", &url, TOKEN)?
        };
        Ok(Self { child, target, started_in })
    }

    /// Asks it to end and waits until it has.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        // Asked politely, so that it writes the log back; the standard library can only kill.
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
