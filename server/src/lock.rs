//! One hub per palace: a lock that the system gives back by itself when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

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

/// A palace that is ours as long as this lives.
#[derive(Debug)]
pub struct PalaceLock {
    file: File,
}

impl PalaceLock {
    /// Takes the palace, or says who has it.
    pub fn take(palace: &Path) -> Result<Self, LockError> {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(palace.join(FILE_NAME))?;
        match file.try_lock() {
            Ok(()) => {
                let mut lock = Self { file };
                lock.note(None)?;
                Ok(lock)
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                file.read_to_string(&mut text)?;
                let holder: Value = serde_json::from_str(&text).unwrap_or_default();
                let word = |key: &str| {
                    holder.get(key).map_or_else(|| "unknown".to_owned(), |v| v.to_string().replace('"', ""))
                };
                Err(LockError::Taken { pid: word("pid"), address: word("address") })
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Notes where we listen, for whoever comes second.
    pub fn listening(&mut self, address: SocketAddr) -> Result<(), LockError> {
        Ok(self.note(Some(address))?)
    }

    fn note(&mut self, address: Option<SocketAddr>) -> std::io::Result<()> {
        let address = address.map_or_else(|| "starting".to_owned(), |a| format!("http://{a}"));
        let text = json!({"pid": std::process::id(), "address": address}).to_string();
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }
}
