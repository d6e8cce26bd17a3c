//! Which hub this is: `replica.json` in the palace, minted once.

use std::io::{ErrorKind, Write};
use std::path::Path;

use loggia_domain::id;
use serde_json::{Value, json};

use super::OpenError;

/// The identity file within a palace.
pub const FILE_NAME: &str = "replica.json";

/// The palace's replica id; `None` if there is none.
pub fn load(palace: &Path) -> Result<Option<String>, OpenError> {
    let path = palace.join(FILE_NAME);
    match std::fs::read(&path) {
        Ok(bytes) => parse(&bytes).map(Some).map_err(|reason| OpenError::Replica { path, reason }),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(OpenError::Io { path, source }),
    }
}

/// The palace's replica id, minted if there is none. A file that is there but is not an identity is an error: a second identity
/// would make every peer take this hub for a stranger.
pub fn load_or_mint(palace: &Path) -> Result<String, OpenError> {
    match load(palace)? {
        Some(replica_id) => Ok(replica_id),
        None => mint(palace, &palace.join(FILE_NAME)),
    }
}

/// Mints another identity and keeps the old one beside it, as `replica.json.<old id>`. For a person alone, while no hub runs; answers the old
/// identity and the new one.
pub fn mint_another(palace: &Path) -> Result<(Option<String>, String), OpenError> {
    let path = palace.join(FILE_NAME);
    let old = load(palace)?;
    if let Some(old) = &old {
        let kept = palace.join(format!("{FILE_NAME}.{old}"));
        std::fs::rename(&path, &kept).map_err(|source| OpenError::Io { path: kept, source })?;
    }
    Ok((old, mint(palace, &path)?))
}

fn parse(bytes: &[u8]) -> Result<String, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}"))?;
    let id = value.get("replica_id").and_then(Value::as_str).ok_or("has no text `replica_id`")?;
    if id::is_replica_id(id) {
        Ok(id.to_owned())
    } else {
        Err("`replica_id` is not `rep_` and 32 hex digits".to_owned())
    }
}

fn mint(palace: &Path, path: &Path) -> Result<String, OpenError> {
    let io = |source: std::io::Error| OpenError::Io { path: path.to_owned(), source };
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|e| io(std::io::Error::other(e)))?;
    let replica_id = id::replica_id(random);
    let created_at = loggia_domain::timestamp::created_at(time::OffsetDateTime::now_utc());
    let text = json!({"replica_id": replica_id, "created_at": created_at}).to_string();
    // Written aside and linked into place: another process that starts at this moment either wins whole or sees ours whole.
    let aside = palace.join(format!(".{FILE_NAME}.{}", id::hex(&random[..6])));
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create_new(&aside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    let linked = write().and_then(|()| std::fs::hard_link(&aside, path));
    let removed = std::fs::remove_file(&aside);
    match linked {
        Ok(()) => {
            removed.map_err(io)?;
            Ok(replica_id)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let bytes = std::fs::read(path).map_err(io)?;
            parse(&bytes).map_err(|reason| OpenError::Replica { path: path.to_owned(), reason })
        }
        Err(source) => Err(io(source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_minted_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let first = load_or_mint(dir.path()).expect("minted");
        assert!(id::is_replica_id(&first));
        assert_eq!(load_or_mint(dir.path()).expect("read"), first);
        assert_eq!(std::fs::read_dir(dir.path()).expect("dir").count(), 1, "nothing is left aside");
    }

    #[test]
    fn a_foreign_file_is_never_replaced() {
        let dir = tempfile::tempdir().expect("temp dir");
        for bad in ["", "{}", "[]", r#"{"replica_id": "x"}"#, r#"{"replica_id": 5}"#, "\u{0}"] {
            std::fs::write(dir.path().join(FILE_NAME), bad).expect("written");
            assert!(matches!(load_or_mint(dir.path()), Err(OpenError::Replica { .. })), "{bad:?}");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE_NAME)).expect("read"), bad);
        }
    }
}
