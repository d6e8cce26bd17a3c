//! How local programs find a running hub: `~/.mempalace/server/<24 hex>/serverinfo.json` (`contract: logstream`, section Files).
//!
//! Written when the hub listens, believed only while its process lives, removed at the end if it is still ours. A hub that cannot
//! write it serves all the same: the file is a convenience.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use loggia_domain::artifact::sha256_hex;
use serde_json::{Value, json};

use crate::logstream::{create_private_dir, write_private};

/// A note that is taken away when this is dropped.
#[derive(Debug)]
pub struct Discovery {
    path: PathBuf,
    text: String,
}

impl Discovery {
    /// Writes the note for a palace, below the home folder.
    pub fn announce(
        home: &Path,
        palace: &Path,
        address: SocketAddr,
        tls: bool,
        read_only: bool,
    ) -> std::io::Result<Self> {
        let palace = palace.canonicalize()?;
        let key = sha256_hex(palace.as_os_str().as_encoded_bytes());
        let folder = home.join(".mempalace").join("server").join(&key[..24]);
        create_private_dir(&folder)?;
        let path = folder.join("serverinfo.json");
        let note = json!({
            "pid": std::process::id(),
            "host": address.ip().to_string(),
            "port": address.port(),
            "scheme": if tls { "https" } else { "http" },
            "read_only": read_only,
            "capabilities": ["mcp", "logstream", "logstream-stream"],
            "palace_path": palace.to_string_lossy(),
        });
        let text = format!("{note:#}");
        write_private(&path, &text)?;
        Ok(Self { path, text })
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        let pid = |text: &str| serde_json::from_str::<Value>(text).ok().and_then(|v| v.get("pid").cloned());
        let ours = std::fs::read_to_string(&self.path).is_ok_and(|now| pid(&now) == pid(&self.text));
        if ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "the discovery file could not be removed");
        }
    }
}
