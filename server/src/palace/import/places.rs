//! Where the other program keeps things: in a palace, beside it, and in its own folders.

use std::fs;
use std::path::{Path, PathBuf};

use loggia_domain::artifact::sha256_hex;
use serde_json::Value;

use super::{ImportError, source};

/// Facts, in a palace or beside it.
const FACTS: &str = "knowledge_graph.sqlite3";
/// Tunnels, beside a palace.
pub const TUNNELS: &str = "tunnels.json";
/// Hallways, beside a palace.
pub const HALLWAYS: &str = "hallways.json";

/// Where the other program keeps things.
#[derive(Debug, Clone)]
pub struct Places {
    /// The palace to import.
    pub palace: PathBuf,
    /// The folders in which its configuration may lie, the likeliest first.
    pub config_folders: Vec<PathBuf>,
    /// The collection that holds the drawers, when it was named in the call.
    pub collection: Option<String>,
}

impl Places {
    /// Whether the palace holds anything that this module takes; what lies beside it alone is no palace.
    pub fn hold_anything(&self) -> bool {
        source::find(self).is_some() || self.palace.join(FACTS).is_file()
    }

    /// A text from the other program's configuration: beside the palace, else from its own folders.
    pub(super) fn setting(&self, key: &str) -> Option<String> {
        self.palace.parent().into_iter().chain(self.config_folders.iter().map(PathBuf::as_path)).find_map(|folder| {
            let config: Value = serde_json::from_slice(&fs::read(folder.join("config.json")).ok()?).ok()?;
            config.get(key)?.as_str().map(str::to_owned)
        })
    }

    /// A file beside the palace.
    pub(super) fn beside(&self, name: &str) -> Option<PathBuf> {
        self.palace.canonicalize().ok()?.parent().map(|folder| folder.join(name)).filter(|path| path.is_file())
    }

    /// The files with facts: the palace's own and the one beside it; where there is neither, the one that programs without a
    /// palace of their own share.
    pub(super) fn facts(&self) -> Vec<PathBuf> {
        let own = Some(self.palace.join(FACTS)).filter(|path| path.is_file());
        let near: Vec<PathBuf> = own.into_iter().chain(self.beside(FACTS)).collect();
        if near.is_empty() {
            return self.config_folders.iter().map(|f| f.join(FACTS)).find(|path| path.is_file()).into_iter().collect();
        }
        near
    }

    /// What progress is remembered by.
    pub(super) fn key(&self) -> String {
        let path = self.palace.canonicalize().unwrap_or_else(|_| self.palace.clone());
        sha256_hex(path.as_os_str().as_encoded_bytes())[..12].to_owned()
    }
}

/// Which of a file's collections holds the drawers.
pub struct Collection<'a> {
    /// The one named in the call.
    pub asked: Option<&'a str>,
    /// The one named in the configuration.
    pub configured: Option<String>,
}

impl Collection<'_> {
    const DEFAULT: &'static str = "mempalace_drawers";
    /// Collections that never are the drawers'.
    const OTHERS: [&'static str; 2] = ["mempalace_closets", "mempalace_assets"];

    /// Chooses among the collections of a file.
    pub fn choose<'n>(&self, path: &Path, names: impl Iterator<Item = &'n str>) -> Result<String, ImportError> {
        let names: Vec<&str> = names.collect();
        let there = |name: &str| names.contains(&name).then(|| name.to_owned());
        let mut rest = names.iter().filter(|name| !Self::OTHERS.contains(name));
        let lone = rest.next().filter(|_| rest.next().is_none()).map(|name| (*name).to_owned());
        let chosen = match self.asked {
            Some(asked) => there(asked),
            None => self.configured.as_deref().and_then(there).or_else(|| there(Self::DEFAULT)).or(lone),
        };
        chosen.ok_or_else(|| {
            let wanted = self.asked.map_or_else(|| "that is the drawers'".to_owned(), |asked| format!("`{asked}`"));
            ImportError::Refused(format!(
                "{} holds no collection {wanted}; it holds {}",
                path.display(),
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawers_collection_is_the_named_one_else_the_configured_the_usual_or_the_only_one() {
        #[track_caller]
        fn check(asked: Option<&str>, configured: Option<&str>, names: &[&str], expected: Result<&str, &str>) {
            let collection = Collection { asked, configured: configured.map(str::to_owned) };
            let chosen = collection.choose(Path::new("f"), names.iter().copied()).map_err(|e| e.to_string());
            assert_eq!(chosen.as_deref().map_err(String::as_str), expected);
        }
        const USUAL: &str = "mempalace_drawers";
        const CLOSETS: &str = "mempalace_closets";
        check(Some("x"), Some("y"), &["x", "y", USUAL], Ok("x"));
        check(None, Some("y"), &["x", "y", USUAL], Ok("y"));
        check(None, Some("gone"), &["x", USUAL], Ok(USUAL));
        check(None, None, &[CLOSETS, "x"], Ok("x"));
        check(Some("z"), None, &["x", USUAL], Err("f holds no collection `z`; it holds x, mempalace_drawers"));
        check(None, None, &["x", "y"], Err("f holds no collection that is the drawers'; it holds x, y"));
        check(None, None, &[CLOSETS], Err("f holds no collection that is the drawers'; it holds mempalace_closets"));
        check(None, None, &[], Err("f holds no collection that is the drawers'; it holds none"));
    }
}
