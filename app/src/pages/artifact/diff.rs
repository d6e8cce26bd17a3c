//! A unified diff taken apart for display. Pure.
//!
//! It never decides whether a patch applies; git does. Every line of the text is in exactly one place of the answer, so that nothing
//! can hide: what is no diff stands in a part of its own.

mod parser;

use loggia_domain::{Artifact, artifact};

pub(super) use parser::parse;

use crate::language::t;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Unchanged.
    Context,
    /// New.
    Added,
    /// Gone.
    Removed,
    /// The head of a hunk.
    Hunk,
    /// Anything else: mode lines, `index`, "no newline at end of file".
    Note,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    pub(super) text: String,
}

/// What git would refuse or pass over in a file of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A hunk has fewer lines than its head says.
    Cut,
    /// Lines stand behind a hunk that its head does not count.
    Surplus,
    /// A head of a hunk or of the file is not as git reads one.
    OddHead,
}

/// A file of a diff, or what stands around the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct File {
    /// Its path after the change; empty for what stands around the files.
    pub(super) path: String,
    /// Its path before, where that differs.
    pub(super) old_path: Option<String>,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// `new file`, `deleted`, `renamed`, `copied`, `mode changed`, `binary`.
    pub(super) marks: Vec<&'static str>,
    /// What git would refuse or pass over.
    pub(super) faults: Vec<Fault>,
    pub(super) lines: Vec<Line>,
}

impl File {
    /// Whether this is a file rather than text around the files.
    pub(super) fn is_diff(&self) -> bool {
        !self.path.is_empty()
    }

    fn note(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Whether it says that there is binary content, and does not have it.
    pub(super) fn lacks_binary(&self) -> bool {
        self.lines.iter().any(|line| line.kind == Kind::Note && line.text.starts_with("Binary files "))
    }

    /// Whether nothing in it changes anything.
    pub(super) fn is_idle(&self) -> bool {
        self.marks.is_empty() && self.lines.iter().all(|line| line.kind != Kind::Hunk)
    }

    /// What it says, as a hash: a patch that changes this file in another way has another. Where its hunks stand does not count, so that a
    /// patch that was moved onto another commit has the same.
    pub(super) fn part(&self) -> String {
        let moved =
            |line: &&Line| line.kind == Kind::Hunk || line.kind == Kind::Note && line.text.starts_with("index ");
        let lines = self.lines.iter().filter(|line| !moved(line));
        let said: String = lines.flat_map(|line| [line.text.as_str(), "\n"]).collect();
        artifact::sha256_hex(said.as_bytes())
    }

    /// Its text, with a newline behind each line.
    fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }

    /// Why this file is folded away at first, if it is.
    pub(super) fn folded_because(&self) -> Option<&'static str> {
        const LARGE_LINES: usize = 500;
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let generated = matches!(
            name,
            "Cargo.lock" | "package-lock.json" | "yarn.lock" | "pnpm-lock.yaml" | "poetry.lock" | "uv.lock" | "go.sum"
        ) || [".min.js", ".snap"].iter().any(|ending| name.ends_with(ending));
        if generated {
            Some(t!("generated"))
        } else if self.lines.len() > LARGE_LINES {
            Some(t!("large"))
        } else {
            None
        }
    }
}

/// The text of one file of a patch as it stands there, by its place: a patch of its own. `None` where there is none.
pub(in crate::pages) fn file_text(artifact: &Artifact, place: usize) -> Option<String> {
    let content = super::ansi::without(&artifact.content);
    let files = parse(&content);
    let file = files.get(place).filter(|file| file.is_diff())?;
    let mut text = file.text();
    if place + 1 == files.len() && !content.ends_with('\n') {
        text.pop();
    }
    Some(text)
}

#[cfg(test)]
mod tests;
