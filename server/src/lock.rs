//! One hub per palace: a lock that the system gives back by itself when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{Seek, Write};
use std::net::SocketAddr;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::Deserialize;
use serde_json::json;

/// The file within a palace.
pub const FILE_NAME: &str = "loggia.lock";

/// Why a palace cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another hub serves it.
    #[error("another hub serves this palace: pid {pid}, {address}")]
    Taken {
        /// The other hub's process.
        pid: String,
        /// Where it listens.
        address: String,
    },
    /// The file.
    #[error("{FILE_NAME}: {0}")]
    Io(#[from] std::io::Error),
}

/// Who took a palace, as they noted it in the file.
#[derive(Debug, Deserialize)]
pub struct Holder {
    /// The hub's process.
    pub pid: i32,
    /// Where it listens: `http://` or, with TLS, `https://` and a socket's address, or `starting`.
    pub address: String,
}

impl Holder {
    /// Whether a process with this number lives. The note outlives the hub that wrote it.
    pub fn is_alive(&self) -> bool {
        // A number below 1 would mean a group of processes.
        let pid = if self.pid > 0 { Pid::from_raw(self.pid) } else { None };
        // One that we may not signal is alive too.
        pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
    }
}

/// What is noted in a palace; `None` without a note.
pub fn holder(palace: &Path) -> Option<Holder> {
    serde_json::from_slice(&std::fs::read(palace.join(FILE_NAME)).ok()?).ok()
}

/// A palace that is ours as long as this lives.
#[derive(Debug)]
pub struct PalaceLock {
    file: File,
}

impl PalaceLock {
    /// Takes the palace, or says who has it.
    pub fn take(palace: &Path) -> Result<Self, LockError> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(palace.join(FILE_NAME))?;
        match file.try_lock() {
            Ok(()) => {
                let mut lock = Self { file };
                lock.note(None)?;
                Ok(lock)
            }
            Err(TryLockError::WouldBlock) => {
                let unknown = || "unknown".to_owned();
                let holder = holder(palace);
                Err(LockError::Taken {
                    pid: holder.as_ref().map_or_else(unknown, |holder| holder.pid.to_string()),
                    address: holder.map_or_else(unknown, |holder| holder.address),
                })
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Notes where we listen, for whoever comes second.
    pub fn listening(&mut self, address: SocketAddr, tls: bool) -> Result<(), LockError> {
        Ok(self.note(Some(&format!("{}://{address}", if tls { "https" } else { "http" })))?)
    }

    fn note(&mut self, address: Option<&str>) -> std::io::Result<()> {
        let text = json!({"pid": std::process::id(), "address": address.unwrap_or("starting")}).to_string();
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_believed_while_its_process_lives() {
        let palace = tempfile::tempdir().expect("a temporary folder");
        assert!(holder(palace.path()).is_none());
        let lock = PalaceLock::take(palace.path()).expect("nobody has it");
        let ours = holder(palace.path()).expect("it was noted");
        assert_eq!((u32::try_from(ours.pid), ours.address.as_str()), (Ok(std::process::id()), "starting"));
        assert!(ours.is_alive());
        drop(lock);
        let mut ended = std::process::Command::new("true").spawn().expect("every system has `true`");
        ended.wait().expect("it ends");
        for pid in [ended.id().try_into().expect("a pid"), 0, -1] {
            assert!(!Holder { pid, address: String::new() }.is_alive(), "{pid}");
        }
    }
}
