//! A Redis of this program's own, to which the hub publishes what is written to session memory, and which is stopped or hangs when that
//! is to be measured.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Failure;

/// How long it may take to start.
const START_LIMIT: Duration = Duration::from_secs(10);

/// How a Redis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// It answers.
    Well,
    /// Its process is there and does nothing.
    Hangs,
    /// It has no process.
    Stopped,
}

/// A Redis. Ended when it is dropped.
pub(crate) struct Redis {
    binary: PathBuf,
    folder: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
    health: Health,
}

impl Redis {
    /// Starts a binary on a free port; it keeps nothing on disk.
    pub(crate) fn start(binary: &Path, folder: &Path) -> Result<Self, Failure> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut redis = Self {
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            address,
            child: None,
            health: Health::Stopped,
        };
        redis.be(Health::Well)?;
        Ok(redis)
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("redis://{}/0", self.address)
    }

    /// Makes it be so.
    pub(crate) fn be(&mut self, health: Health) -> Result<(), Failure> {
        if self.health == health {
            return Ok(());
        }
        if self.health == Health::Hangs {
            self.signal("-CONT")?;
        }
        match health {
            Health::Stopped => self.end(),
            _ if self.child.is_none() => self.spawn()?,
            _ => {}
        }
        if health == Health::Hangs {
            self.signal("-STOP")?;
        }
        self.health = health;
        Ok(())
    }

    fn spawn(&mut self) -> Result<(), Failure> {
        let port = self.address.port().to_string();
        let child = Command::new(&self.binary)
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning", "--port", &port])
            .arg("--dir")
            .arg(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start `{}`: {e}", self.binary.display()))?;
        self.child = Some(child);
        let until = Instant::now() + START_LIMIT;
        while TcpStream::connect(self.address).is_err() {
            if Instant::now() > until {
                return Err(format!("`{}` does not listen", self.binary.display()).into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn signal(&self, signal: &str) -> Result<(), Failure> {
        let pid = self.child.as_ref().ok_or("the redis does not run")?.id().to_string();
        Command::new("kill").args([signal, &pid]).status()?;
        Ok(())
    }

    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.end();
    }
}
