//! The state file of a watch: up to which event the log was examined. Rules and the file, no log.
//!
//! # Design
//! That there is no position is four different facts (`contract: logstream`, section CLI), and only one of them may start at the log's
//! end. A file that was there and cannot be read costs a repetition, never a gap.

#[cfg(test)]
mod hostile;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use loggia_domain::{Refusal, field};
use serde_json::{Value, json};

use crate::logstream::{create_private_dir, write_private};

/// What a state file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// There is none: a first run.
    Absent,
    /// Everything up to this event was examined.
    At(String),
    /// The last watch began on an empty log and has seen no event. Not a first run.
    EmptyLog,
    /// There is one, but it says nothing that can be used.
    Unreadable,
}

/// Where a watch begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With what arrives from now on.
    Tip,
    /// Behind an event that the command line names.
    Asked(String),
    /// Behind the event that the state file names.
    Resumed(String),
    /// With the first event of the log.
    Beginning,
}

impl Start {
    /// What the command line names beats the file; `from_start` only replaces the end of the log.
    pub(super) fn choose(asked: Option<String>, from_start: bool, stored: &Stored) -> Self {
        match (asked, stored) {
            (Some(id), _) => Self::Asked(id),
            (None, Stored::At(id)) => Self::Resumed(id.clone()),
            (None, Stored::Absent) if !from_start => Self::Tip,
            (None, _) => Self::Beginning,
        }
    }
}

impl Stored {
    fn parse(text: &str) -> Self {
        let Ok(Value::Object(mut members)) = serde_json::from_str(text) else { return Self::Unreadable };
        match members.remove("cursor") {
            Some(Value::Null) => Self::EmptyLog,
            Some(Value::String(id)) => field::routing("cursor", id.into()).map_or(Self::Unreadable, Self::At),
            _ => Self::Unreadable,
        }
    }
}

/// A state file.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    agent: Option<String>,
}

impl StateFile {
    /// The file that the flags mean: the one that is named (empty: none), else the agent's own below the home folder, else none.
    pub(super) fn choose(
        named: Option<PathBuf>,
        agent: Option<&str>,
        home: Option<&Path>,
    ) -> Result<Option<Self>, Refusal> {
        let path = match (named, agent) {
            (Some(path), _) if path.as_os_str().is_empty() => return Ok(None),
            (Some(path), _) => path,
            (None, None) => return Ok(None),
            (None, Some(agent)) => {
                let home = home.ok_or_else(|| {
                    Refusal::new("state_file", "there is no home folder for the state file")
                        .hint("name one with --state-file, or give --state-file '' to keep none")
                })?;
                home.join(".mempalace").join("watch").join(file_name(agent)?)
            }
        };
        Ok(Some(Self { path, agent: agent.map(str::to_owned) }))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What it says.
    pub(super) fn read(&self) -> Stored {
        match std::fs::read(&self.path) {
            Ok(bytes) => std::str::from_utf8(&bytes).map_or(Stored::Unreadable, Stored::parse),
            Err(error) if error.kind() == ErrorKind::NotFound => Stored::Absent,
            // A folder that may not be entered, for example: the file may well be there.
            Err(_) => Stored::Unreadable,
        }
    }

    /// Notes the position, whole or not at all.
    pub(super) fn write(&self, cursor: Option<&str>, updated_at: &str) -> std::io::Result<()> {
        let mut note = json!({"cursor": cursor, "updated_at": updated_at});
        if let Some(agent) = &self.agent {
            note["agent"] = agent.as_str().into();
        }
        if let Some(folder) = self.path.parent().filter(|f| !f.as_os_str().is_empty()) {
            create_private_dir(folder)?;
        }
        write_private(&self.path, &format!("{note}\n"))
    }
}

/// The name of an agent's state file. No two agents share one that differ only in where `_` and `:` stand.
fn file_name(agent: &str) -> Result<String, Refusal> {
    let agent = field::routing("agent", agent.into())?;
    Ok(agent.replace('_', "__").replace([':', '/', '\\'], "_") + ".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_states_are_told_apart() {
        for (text, expected) in [
            (r#"{"cursor": "evt_1", "updated_at": "x", "agent": "a"}"#, Stored::At("evt_1".to_owned())),
            (r#"{"cursor": null}"#, Stored::EmptyLog),
            (r#"{"updated_at": "x"}"#, Stored::Unreadable),
            (r#"{"cursor": ""}"#, Stored::Unreadable),
            (r#"{"cursor": 5}"#, Stored::Unreadable),
            (r#"{"cursor": "evt"#, Stored::Unreadable),
            (r#"["evt_1"]"#, Stored::Unreadable),
            ("", Stored::Unreadable),
        ] {
            assert_eq!(Stored::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn only_a_first_run_begins_at_the_tip() {
        let at = || Stored::At("evt_1".to_owned());
        let asked = || Some("evt_2".to_owned());
        for (id, from_start, stored, expected) in [
            (None, false, Stored::Absent, Start::Tip),
            (None, true, Stored::Absent, Start::Beginning),
            (None, false, Stored::EmptyLog, Start::Beginning),
            (None, false, Stored::Unreadable, Start::Beginning),
            (None, false, at(), Start::Resumed("evt_1".to_owned())),
            (None, true, at(), Start::Resumed("evt_1".to_owned())),
            (asked(), true, at(), Start::Asked("evt_2".to_owned())),
            (asked(), false, Stored::Unreadable, Start::Asked("evt_2".to_owned())),
        ] {
            assert_eq!(Start::choose(id, from_start, &stored), expected, "{stored:?}");
        }
    }

    #[test]
    fn each_agent_has_a_file_of_its_own() {
        let name = |agent: &str| file_name(agent).expect("a name");
        assert_eq!(name("mac:claude"), "mac_claude.json");
        assert_eq!(name("a_b:c/d\\e"), "a__b_c_d_e.json");
        assert_ne!(name("a:b_c"), name("a_b:c"));
        assert_eq!(name("../x"), ".._x.json");
        assert!(file_name("  ").is_err());
    }

    #[test]
    fn the_flags_choose_the_file() {
        let home = Path::new("/h");
        let path = |named: Option<&str>, agent: Option<&str>| {
            let chosen = StateFile::choose(named.map(PathBuf::from), agent, Some(home)).expect("a choice");
            chosen.map(|s| s.path)
        };
        assert_eq!(path(None, None), None);
        assert_eq!(path(None, Some("a")), Some("/h/.mempalace/watch/a.json".into()));
        assert_eq!(path(Some("/x"), Some("a")), Some("/x".into()));
        assert_eq!(path(Some(""), Some("a")), None);
        assert!(StateFile::choose(None, Some("a"), None).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let chosen = Some(folder.path().join("new").join("state"));
        let state = StateFile::choose(chosen, Some("a"), None).expect("named").expect("chosen");
        assert_eq!(state.read(), Stored::Absent);
        state.write(None, "2026-11-30T14:00:00Z").expect("writable");
        assert_eq!(state.read(), Stored::EmptyLog);
        state.write(Some("evt_1"), "2026-11-30T14:00:00Z").expect("writable");
        assert_eq!(state.read(), Stored::At("evt_1".to_owned()));
        let left: Vec<_> = std::fs::read_dir(folder.path().join("new")).expect("there").flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn what_is_there_but_cannot_be_read_is_no_first_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let state = StateFile::choose(Some(folder.path().to_owned()), None, None).expect("named").expect("chosen");
        assert_eq!(state.read(), Stored::Unreadable);
        assert!(state.write(None, "").is_err());
    }
}
