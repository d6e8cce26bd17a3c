//! A unified diff taken apart for display. Pure.
//!
//! It never decides whether a patch applies; git does. Every line of the text is in exactly one place of the answer, so that nothing
//! can hide: what is no diff stands in a part of its own.

use loggia_domain::{Artifact, artifact};

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

/// A file of a diff, or what stands around the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct File {
    /// Its path after the change; empty for what stands around the files.
    pub(super) path: String,
    /// Its path before, where that differs.
    pub(super) old_path: Option<String>,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// `new file`, `deleted`, `renamed`, `binary`.
    pub(super) marks: Vec<&'static str>,
    /// Whether a hunk has fewer lines than its head says.
    pub(super) is_cut: bool,
    /// Whether lines stand behind a hunk that its head does not count.
    pub(super) has_more: bool,
    pub(super) lines: Vec<Line>,
}

impl File {
    /// Whether this is a file rather than text around the files.
    pub(super) fn is_diff(&self) -> bool {
        !self.path.is_empty()
    }

    /// Whether it says that there is binary content, and does not have it.
    pub(super) fn lacks_binary(&self) -> bool {
        self.lines.iter().any(|line| line.kind == Kind::Note && line.text.starts_with("Binary files "))
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

/// The parts of a text, in order.
pub(super) fn parse(text: &str) -> Vec<File> {
    let mut parser = Parser::default();
    for line in super::budget::lines(text) {
        parser.take(line);
    }
    parser.finish()
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

#[derive(Default)]
struct Parser {
    files: Vec<File>,
    current: File,
    /// How many old and new lines the hunk still has.
    left: (u32, u32),
    /// The numbers of the next old and new line.
    next: (u32, u32),
    /// A `--- ` line whose `+++ ` has not come yet.
    old_seen: bool,
}

impl Parser {
    fn take(&mut self, line: &str) {
        // Inside a hunk its counts decide: a removed line that starts with `-- ` is no header.
        if self.left != (0, 0) && self.take_hunk_line(line) {
            return;
        }
        self.end_hunk();
        // Behind the last line of a hunk; the signature of a mail is none, and neither is the head of the next file.
        let goes_on =
            line.starts_with(['+', '-', ' ']) && !["-- ", "--- ", "+++ "].iter().any(|head| line.starts_with(head));
        let behind_hunk = self.current.lines.last().is_some_and(|last| !matches!(last.kind, Kind::Note));
        self.current.has_more |= goes_on && behind_hunk && line != "--";
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.start_file(git_path(paths));
        } else if let Some(path) = line.strip_prefix("--- ") {
            // Without a `diff --git` line before it, this is where a file starts.
            if self.current.lines.iter().any(|l| l.kind == Kind::Hunk) || !self.current.is_diff() {
                self.start_file(String::new());
            }
            let path = clean_path(path);
            self.current.old_path = Some(path.clone());
            // Until the new name is known, so that a lone old name is a file too.
            if self.current.path.is_empty() {
                self.current.path = path;
            }
            self.old_seen = true;
        } else if let Some(path) = line.strip_prefix("+++ ").filter(|_| self.old_seen) {
            let path = clean_path(path);
            if path != "/dev/null" {
                self.current.path = path;
            }
            self.old_seen = false;
        } else if let Some((old, new)) = hunk_head(line).filter(|_| self.current.is_diff()) {
            self.next = (old.0, new.0);
            self.left = (old.1, new.1);
            self.push(Kind::Hunk, line);
            return;
        } else {
            self.mark(line);
        }
        self.push(Kind::Note, line);
    }

    /// Takes a line of the current hunk; answers whether it was one.
    fn take_hunk_line(&mut self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'+') if self.left.1 > 0 => {
                self.left.1 -= 1;
                self.current.added += 1;
                self.push(Kind::Added, line);
                self.next.1 += 1;
            }
            Some(b'-') if self.left.0 > 0 => {
                self.left.0 -= 1;
                self.current.removed += 1;
                self.push(Kind::Removed, line);
                self.next.0 += 1;
            }
            // Some programs cut the blank off an empty context line.
            Some(b' ' | b'\r') | None if self.left.0 > 0 && self.left.1 > 0 => {
                self.left = (self.left.0 - 1, self.left.1 - 1);
                self.push(Kind::Context, line);
                self.next = (self.next.0 + 1, self.next.1 + 1);
            }
            Some(b'\\') => self.push(Kind::Note, line),
            _ => return false,
        }
        true
    }

    fn mark(&mut self, line: &str) {
        if !self.current.is_diff() {
            return;
        }
        let mark = if line.starts_with("new file mode ") {
            t!("new file")
        } else if line.starts_with("deleted file mode ") {
            t!("deleted")
        } else if line.starts_with("rename to ") {
            t!("renamed")
        } else if line.starts_with("copy to ") {
            t!("copied")
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            t!("binary")
        } else {
            return;
        };
        if !self.current.marks.contains(&mark) {
            self.current.marks.push(mark);
        }
        if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            path.clone_into(&mut self.current.path);
        }
    }

    fn push(&mut self, kind: Kind, line: &str) {
        let old = matches!(kind, Kind::Context | Kind::Removed).then_some(self.next.0);
        let new = matches!(kind, Kind::Context | Kind::Added).then_some(self.next.1);
        self.current.lines.push(Line { kind, old, new, text: line.to_owned() });
    }

    fn start_file(&mut self, path: String) {
        let done = std::mem::take(&mut self.current);
        self.keep(done);
        self.current.path = path;
    }

    /// A hunk ends, whether or not all its lines came.
    fn end_hunk(&mut self) {
        self.current.is_cut |= std::mem::take(&mut self.left) != (0, 0);
    }

    fn finish(mut self) -> Vec<File> {
        self.end_hunk();
        let done = std::mem::take(&mut self.current);
        self.keep(done);
        self.files
    }

    fn keep(&mut self, mut file: File) {
        if file.lines.is_empty() {
            return;
        }
        if file.old_path.as_ref() == Some(&file.path) || file.old_path.as_deref() == Some("/dev/null") {
            file.old_path = None;
        }
        self.files.push(file);
    }
}

/// The new path out of `a/x b/x`.
fn git_path(paths: &str) -> String {
    paths.rsplit_once(" b/").map_or_else(|| paths.to_owned(), |(_, path)| path.trim_end_matches(['\r', '"']).to_owned())
}

/// A path without its `a/` or `b/`, and without a time stamp behind a tab.
fn clean_path(path: &str) -> String {
    let path = path.split('\t').next().unwrap_or(path).trim_end_matches('\r');
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path).to_owned()
}

/// `(start, count)` of the old and the new side of `@@ -1,2 +3,4 @@`.
fn hunk_head(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((range(old)?, range(new)?))
}

#[cfg(test)]
mod tests;
