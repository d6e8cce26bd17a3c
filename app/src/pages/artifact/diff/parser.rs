//! Takes a unified diff apart as `git apply` would read it: what it takes for a header is one here, and what it passes over is none. Pure.
//!
//! Every line goes into exactly one file or around them all, so that nothing can hide. What git would refuse is noted, see [`Fault`].

use super::super::budget;
use super::{Fault, File, Kind, Line};
use crate::language::t;

/// The parts of a text, in order.
pub(in crate::pages::artifact) fn parse(text: &str) -> Vec<File> {
    let lines: Vec<&str> = budget::lines(text).collect();
    let mut parser = Parser::default();
    for (at, line) in lines.iter().enumerate() {
        parser.take(line, [at + 1, at + 2].map(|next| lines.get(next).copied().unwrap_or_default()));
    }
    parser.finish()
}

/// Where the parser stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// Before the first file, or behind one that is over.
    #[default]
    Outside,
    /// Behind `diff --git`, where git's own headers stand.
    GitHeader,
    /// Between `--- ` and the first hunk.
    Header,
    /// In a hunk that has more old or new lines.
    Hunk,
    /// Directly behind a hunk: another one may follow.
    BehindHunk,
    /// Behind something that ended the file's hunks, though no other file has begun.
    Garbage,
}

#[derive(Default)]
struct Parser<'a> {
    files: Vec<File>,
    current: File,
    at: At,
    /// What `diff --git` said of the current file; empty without one.
    git_paths: &'a str,
    /// How many old and new lines the hunk still has.
    left: (u32, u32),
    /// The numbers of the next old and new line.
    next: (u32, u32),
}

impl<'a> Parser<'a> {
    fn take(&mut self, line: &'a str, [second, third]: [&str; 2]) {
        // Inside a hunk its counts decide: a removed line that starts with `-- ` is no header.
        if self.at == At::Hunk {
            if self.take_hunk_line(line) {
                return;
            }
            self.current.note(Fault::Cut);
            self.at = At::BehindHunk;
        }
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.start_file(git_path(paths), At::GitHeader);
            self.git_paths = paths;
        } else if let Some(path) = ["diff --cc ", "diff --combined "].iter().find_map(|head| line.strip_prefix(head)) {
            // Of a merge; git makes them and applies none.
            self.start_file(path.to_owned(), At::GitHeader);
            self.current.note(Fault::OddHead);
        } else if let Some(old) = line.strip_prefix("--- ").filter(|_| self.is_file_head(second, third)) {
            self.take_old_path(old);
        } else if let Some(new) = line.strip_prefix("+++ ").filter(|_| self.at == At::Header && !self.has_new_path()) {
            self.take_new_path(new);
        } else if let Some(counts) = hunk_head(line).filter(|_| self.current.is_diff()) {
            self.start_hunk(counts);
            self.push(Kind::Hunk, line);
            return;
        } else {
            self.take_other(line);
        }
        self.push(Kind::Note, line);
    }

    /// Whether `--- ` begins the names of a file: both stand there, and behind them a hunk unless git's own header said what it is.
    fn is_file_head(&self, second: &str, third: &str) -> bool {
        second.starts_with("+++ ") && (self.at == At::GitHeader || third.starts_with("@@ -"))
    }

    fn has_new_path(&self) -> bool {
        self.current.lines.last().is_none_or(|line| !line.text.starts_with("--- "))
    }

    fn take_old_path(&mut self, old: &str) {
        if self.at != At::GitHeader {
            self.start_file(String::new(), At::Outside);
        }
        let old = clean_path(old);
        // Until the new name is known.
        if self.current.path.is_empty() {
            self.current.path.clone_from(&old);
        }
        self.current.old_path = Some(old);
        self.at = At::Header;
    }

    fn take_new_path(&mut self, new: &str) {
        let (said, path) = (new.split('\t').next().unwrap_or(new).trim_end_matches('\r'), clean_path(new));
        if path == "/dev/null" {
            return;
        }
        // Two heads that name different files: git refuses that, and a reader must not believe either.
        let is_renamed = self.current.marks.contains(&t!("renamed")) || self.current.marks.contains(&t!("copied"));
        let agrees =
            if is_renamed { self.current.path == path } else { self.git_paths.trim_end_matches('\r').ends_with(said) };
        if !self.git_paths.is_empty() && !agrees {
            self.current.note(Fault::OddHead);
        }
        self.current.path = path;
    }

    fn start_hunk(&mut self, ((old, olds), (new, news)): ((u32, u32), (u32, u32))) {
        // A hunk that is none, or one that does not follow its file's head or another hunk.
        if (olds, news) == (0, 0) || !matches!(self.at, At::Header | At::BehindHunk) {
            self.current.note(Fault::OddHead);
        }
        (self.next, self.left) = ((old, new), (olds, news));
        self.at = if self.left == (0, 0) { At::BehindHunk } else { At::Hunk };
    }

    /// Takes a line of the current hunk; answers whether it was one.
    fn take_hunk_line(&mut self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'+') if self.left.1 > 0 => {
                self.left.1 -= 1;
                self.current.added += 1;
                self.push(Kind::Added, line);
                self.next.1 = self.next.1.saturating_add(1);
            }
            Some(b'-') if self.left.0 > 0 => {
                self.left.0 -= 1;
                self.current.removed += 1;
                self.push(Kind::Removed, line);
                self.next.0 = self.next.0.saturating_add(1);
            }
            // Some programs cut the blank off an empty context line.
            Some(b' ' | b'\r') | None if self.left.0 > 0 && self.left.1 > 0 => {
                self.left = (self.left.0 - 1, self.left.1 - 1);
                self.push(Kind::Context, line);
                self.next = (self.next.0.saturating_add(1), self.next.1.saturating_add(1));
            }
            Some(b'\\') => self.push(Kind::Note, line),
            _ => return false,
        }
        if self.left == (0, 0) {
            self.at = At::BehindHunk;
        }
        true
    }

    /// A line that is neither a name, nor a hunk's.
    fn take_other(&mut self, line: &str) {
        match self.at {
            At::GitHeader => self.mark(line),
            // "No newline at end of file" still belongs to the hunk.
            At::BehindHunk if line.starts_with('\\') => {}
            // The signature of a mail: what follows is another mail's.
            At::BehindHunk | At::Garbage if line == "-- " || line == "--" || line == "-- \r" => self.at = At::Outside,
            At::BehindHunk | At::Garbage => {
                if line.starts_with(['+', '-']) || self.at == At::BehindHunk && line.starts_with(' ') {
                    self.current.note(Fault::Surplus);
                }
                self.at = At::Garbage;
            }
            At::Outside | At::Header | At::Hunk => {}
        }
    }

    /// What git's own header says.
    fn mark(&mut self, line: &str) {
        let mark = if line.starts_with("new file mode ") {
            t!("new file")
        } else if line.starts_with("deleted file mode ") {
            t!("deleted")
        } else if line.starts_with("rename to ") {
            t!("renamed")
        } else if line.starts_with("copy to ") {
            t!("copied")
        } else if line.starts_with("new mode ") {
            t!("mode changed")
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            t!("binary")
        } else {
            return;
        };
        if !self.current.marks.contains(&mark) {
            self.current.marks.push(mark);
        }
        if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            path.trim_end_matches('\r').clone_into(&mut self.current.path);
        }
    }

    fn push(&mut self, kind: Kind, line: &str) {
        let old = matches!(kind, Kind::Context | Kind::Removed).then_some(self.next.0);
        let new = matches!(kind, Kind::Context | Kind::Added).then_some(self.next.1);
        self.current.lines.push(Line { kind, old, new, text: line.to_owned() });
    }

    fn start_file(&mut self, path: String, at: At) {
        let done = std::mem::take(&mut self.current);
        self.keep(done);
        (self.current.path, self.at, self.git_paths) = (path, at, "");
    }

    fn finish(mut self) -> Vec<File> {
        if self.at == At::Hunk {
            self.current.note(Fault::Cut);
        }
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
    // A number is digits: Rust would also read a sign.
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    };
    Some((range(old)?, range(new)?))
}
