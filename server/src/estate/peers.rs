//! `<palace>/peers.json`: the hubs that this one pulls from, as MemPalace writes it: `{"peers": [{"name", "url", "token"}]}`.
//!
//! The file holds tokens: it is written for its owner alone, and nothing here is ever printed with a token or with what stands before
//! the host of an address.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use loggia_domain::field;
use serde_json::{Value, json};
use url::Url;

use crate::logstream::{create_private_dir, write_private};

/// The file within a palace.
pub const FILE_NAME: &str = "peers.json";
/// How large it may be, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// How many peers a hub has at most.
const MAX_PEERS: usize = 256;

/// A hub to pull from.
#[derive(Clone, PartialEq, Eq)]
pub struct Peer {
    /// What people call it.
    pub name: String,
    /// Where it listens, without user information.
    pub url: Url,
    /// What it asks for, if anything.
    pub token: Option<String>,
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Peer({} {})", self.name, self.url)
    }
}

/// What the file says: the peers that can be used, and what is wrong with the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Peers {
    /// In the file's order.
    pub peers: Vec<Peer>,
    /// One sentence for each fault; a fault that concerns the whole file stands alone.
    pub faults: Vec<String>,
}

/// Where the file lies.
pub fn path(palace: &Path) -> PathBuf {
    palace.join(FILE_NAME)
}

/// Reads the file. One that is not there names nobody; one that is no list of peers gives an error.
pub fn read(palace: &Path) -> Result<Peers, String> {
    let path = path(palace);
    let text = match std::fs::metadata(&path) {
        Ok(file) if file.len() > MAX_BYTES => return Err(format!("{FILE_NAME} has more than {MAX_BYTES} bytes")),
        Ok(_) => std::fs::read(&path).map_err(|e| format!("{FILE_NAME}: {e}"))?,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Peers::default()),
        Err(e) => return Err(format!("{FILE_NAME}: {e}")),
    };
    let value: Value = serde_json::from_slice(&text).map_err(|e| {
        // Never serde's own words: they may repeat what is written there.
        format!("{FILE_NAME} is not JSON: line {}, column {}", e.line(), e.column())
    })?;
    let Some(Value::Array(entries)) = value.get("peers") else {
        return Err(format!("{FILE_NAME} has no list `peers`"));
    };
    let mut read = Peers::default();
    for (at, entry) in entries.iter().enumerate() {
        match peer(entry) {
            Ok(peer) if read.peers.iter().any(|p| p.name == peer.name) => {
                read.faults.push(format!("peers[{at}]: the name `{}` is there twice", peer.name));
            }
            Ok(_) if read.peers.len() == MAX_PEERS => {
                read.faults.push(format!("peers[{at}]: more than {MAX_PEERS} peers"));
                break;
            }
            Ok(peer) => read.peers.push(peer),
            Err(fault) => read.faults.push(format!("peers[{at}]: {fault}")),
        }
    }
    Ok(read)
}

fn peer(entry: &Value) -> Result<Peer, String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let url = address(text("url").ok_or("`url` must be a text")?)?;
    let name = match text("name") {
        Some(name) => field::routing("name", name.into()).map_err(|refusal| refusal.message)?,
        None => url.host_str().unwrap_or("peer").to_owned(),
    };
    let token = text("token").map(|token| check_token(token).map(|()| token.to_owned())).transpose()?;
    Ok(Peer { name, url, token })
}

/// An address of a hub: `http` or `https`, a host, perhaps a path before the hub's own.
pub fn address(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text.trim()).map_err(|e| format!("`url` is no address: {e}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("`url` must be an http or https address".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("`url` must not carry a user or a password; a token has a place of its own".to_owned());
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// Whether a token can stand in a header. It is never repeated.
pub fn check_token(token: &str) -> Result<(), String> {
    let good = token.len() <= 4096 && token.bytes().all(|b| b.is_ascii_graphic());
    good.then_some(()).ok_or_else(|| "`token` must be visible ASCII characters (its value is not shown)".to_owned())
}

/// Adds a peer, or replaces the one of its name; everything else in the file stays as it is.
pub fn add(palace: &Path, peer: &Peer) -> Result<(), String> {
    change(palace, |entries| {
        entries.retain(|entry| entry.get("name").and_then(Value::as_str) != Some(&peer.name));
        let mut entry = json!({"name": peer.name, "url": peer.url.as_str().trim_end_matches('/')});
        if let Some(token) = &peer.token {
            entry["token"] = token.as_str().into();
        }
        entries.push(entry);
        Ok(())
    })
}

/// Removes a peer by its name.
pub fn remove(palace: &Path, name: &str) -> Result<(), String> {
    change(palace, |entries| {
        let before = entries.len();
        entries.retain(|entry| entry.get("name").and_then(Value::as_str) != Some(name));
        if entries.len() == before { Err(format!("there is no peer `{name}`")) } else { Ok(()) }
    })
}

fn change(palace: &Path, edit: impl FnOnce(&mut Vec<Value>) -> Result<(), String>) -> Result<(), String> {
    // What is malformed is not overwritten: somebody's tokens may be in it.
    read(palace)?;
    let path = path(palace);
    let mut value: Value = match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|_| format!("{FILE_NAME} is not JSON"))?,
        Err(_) => json!({"peers": []}),
    };
    let Some(Value::Array(entries)) = value.get_mut("peers") else {
        return Err(format!("{FILE_NAME} has no list `peers`"));
    };
    edit(entries)?;
    let text = serde_json::to_string_pretty(&value).map_err(|e| format!("{FILE_NAME}: {e}"))?;
    create_private_dir(palace)
        .and_then(|()| write_private(&path, &format!("{text}\n")))
        .map_err(|e| format!("{FILE_NAME}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_entry_leaves_the_others() {
        let dir = tempfile::tempdir().expect("temp dir");
        let text = r#"{"peers": [{"name": "a", "url": "http://127.0.0.1:1/", "token": "secret"}, 5,
            {"name": "b", "url": "http://u:pw@h:1"}, {"name": "a", "url": "http://h:2"}, {"url": "ftp://h"}]}"#;
        std::fs::write(path(dir.path()), text).expect("written");
        let read = read(dir.path()).expect("a list");
        assert_eq!((read.peers.len(), read.faults.len()), (1, 4), "{:?}", read.faults);
        assert!(!format!("{read:?}").contains("secret") && !format!("{read:?}").contains("pw"));
    }

    #[test]
    fn a_file_that_is_no_list_is_an_error_and_stays() {
        let dir = tempfile::tempdir().expect("temp dir");
        assert_eq!(read(dir.path()), Ok(Peers::default()), "no file names nobody");
        for bad in ["", "{", "[]", r#"{"peers": {}}"#, r#"{"token": "secret"#] {
            std::fs::write(path(dir.path()), bad).expect("written");
            let error = read(dir.path()).expect_err("no list");
            assert!(!error.contains("secret"), "{error}");
            let peer = Peer { name: "x".into(), url: address("http://h:1").expect("an address"), token: None };
            assert!(add(dir.path(), &peer).is_err());
            assert_eq!(std::fs::read_to_string(path(dir.path())).expect("read"), bad);
        }
    }

    #[test]
    fn adding_twice_replaces_and_removing_keeps_the_rest() {
        let dir = tempfile::tempdir().expect("temp dir");
        let peer = |name: &str, url: &str| Peer {
            name: name.into(),
            url: address(url).expect("an address"),
            token: Some("t".into()),
        };
        for (name, url) in [("a", "http://h:1"), ("b", "https://h:2/x"), ("a", "http://h:3")] {
            add(dir.path(), &peer(name, url)).expect("added");
        }
        let names = |dir: &Path| read(dir).expect("read").peers.iter().map(|p| p.url.to_string()).collect::<Vec<_>>();
        assert_eq!(names(dir.path()), ["https://h:2/x", "http://h:3/"]);
        remove(dir.path(), "b").expect("removed");
        assert!(remove(dir.path(), "b").is_err());
        assert_eq!(names(dir.path()), ["http://h:3/"]);
    }
}
