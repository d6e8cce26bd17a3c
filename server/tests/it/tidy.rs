//! The plan of the house, kept by reading the sources: who may know whom, where SQL and the environment may appear, and how long
//! a file may grow. ARCHITECTURE.md says why.
//!
//! The rules look at words, not at meaning. They read code without its comments, since a comment may well say what a module
//! does not know; and without a file's own unit tests, since those may do what the code may not.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root of the workspace, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines of code with their numbers: without comments, and without the unit tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code_only = self.text.find("#[cfg(test)]\nmod tests").map_or(&*self.text, |at| &self.text[..at]);
        (1..).zip(code_only.lines()).map(|(n, line)| (n, without_comment(line)))
    }

    /// Whether the file belongs to a module of a package: `foo.rs`, or anything in `foo/`.
    fn is_of(&self, package: &str, module: &str) -> bool {
        let Some(inside) = self.path.strip_prefix(package).and_then(|p| p.strip_prefix("/src/")) else { return false };
        inside.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }
}

fn without_comment(line: &str) -> &str {
    match line.find("//") {
        // `http://` in a text is no comment.
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace").to_owned()
}

/// Every file of the workspace with one of these endings, without what is built or installed.
fn files(endings: &[&str]) -> Vec<Source> {
    fn walk(folder: &Path, root: &Path, endings: &[&str], found: &mut Vec<Source>) {
        for entry in fs::read_dir(folder).expect("a folder of the workspace").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                let is_built = ["target", "node_modules", "test-results", "playwright-report"].contains(&&*name);
                if !is_built && !name.starts_with(".git") {
                    walk(&path, root, endings, found);
                }
            } else if endings.iter().any(|e| name.ends_with(e))
                && let Ok(text) = fs::read_to_string(&path)
            {
                let path = path.strip_prefix(root).expect("found below it").to_string_lossy().into_owned();
                found.push(Source { path, text });
            }
        }
    }
    let mut found = Vec::new();
    walk(&root(), &root(), endings, &mut found);
    found
}

fn rust() -> Vec<Source> {
    let found = files(&[".rs"]);
    assert!(found.len() > 50, "the sources were not found");
    found
}

/// Whether a line holds a word, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(in_word)
            && !line[at + word.len()..].chars().next().is_some_and(in_word)
    })
}

/// Fails with every place in which a rule is broken.
#[track_caller]
fn nothing(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

/// Every line of code, of the files that `who` picks, on which `what` is true.
fn lines(who: impl Fn(&Source) -> bool, what: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in rust().iter().filter(|s| who(s)) {
        let broken = source.code().filter(|(_, line)| what(line));
        found.extend(broken.map(|(n, line)| format!("{}:{n}: {}", source.path, line.trim())));
    }
    found
}

const STORES: [&str; 5] = ["logstream", "palace", "mems", "tokens", "viewers"];
const SURFACES: [&str; 5] = ["http", "mcp", "sync", "web", "cli"];

fn is_store(source: &Source) -> bool {
    STORES.iter().any(|m| source.is_of("server", m))
}

#[test]
fn the_stores_know_no_surface() {
    let broken = lines(
        |s| is_store(s) || s.is_of("server", "db"),
        |line| {
            ["axum", "leptos", "leptos_axum", "loggia_app", "mcp", "hyper"].iter().any(|w| has_word(line, w))
                || SURFACES.iter().any(|m| has_word(line, &format!("crate::{m}")))
        },
    );
    nothing("stores know no HTTP, MCP or pages", &broken);
}

#[test]
fn the_surfaces_never_call_one_another() {
    let mut broken = Vec::new();
    for own in SURFACES {
        let others = || SURFACES.into_iter().filter(move |other| *other != own);
        let direct = |line: &str| others().any(|o| has_word(line, &format!("crate::{o}")));
        broken.extend(lines(|s| s.is_of("server", own), direct));
        for source in rust().iter().filter(|s| s.is_of("server", own)) {
            // `use crate::{a, b::c}` may stretch over several lines.
            let code: String = source.code().map(|(_, line)| line).collect();
            for (at, _) in code.match_indices("crate::{") {
                let group = code[at..].split(';').next().unwrap_or_default();
                let names = group.split(['{', '}', ',']).map(|n| n.trim().split("::").next().unwrap_or_default());
                broken.extend(names.filter(|n| others().any(|o| o == *n)).map(|n| format!("{}: {n}", source.path)));
            }
        }
    }
    nothing("http, mcp, sync, web and cli are thin and never call one another", &broken);
}

#[test]
fn sql_is_written_in_the_stores_alone() {
    let broken = lines(
        |s| s.path.starts_with("server/src/") && !is_store(s),
        |line| ["SELECT", "INSERT", "UPDATE", "CREATE", "DELETE"].iter().any(|w| has_word(line, w)),
    );
    nothing("SQL text belongs to the stores", &broken);
}

#[test]
fn the_domain_is_pure() {
    let broken = lines(
        |s| s.path.starts_with("domain/"),
        |line| {
            let words = ["SystemTime", "Instant", "tokio", "rusqlite", "rand", "getrandom", "regex", "chrono"];
            words.iter().any(|w| has_word(line, w))
                || ["std::fs", "std::env", "std::net", "std::io", "now_utc"].iter().any(|w| line.contains(w))
        },
    );
    nothing("the domain does no I/O, reads no clock and throws no dice", &broken);
}

#[test]
fn pages_know_no_store() {
    let broken = lines(
        |s| s.path.starts_with("app/"),
        |line| ["rusqlite", "axum"].iter().any(|w| has_word(line, w)) || line.contains("loggia::"),
    );
    nothing("pages ask through the `Backend` trait alone", &broken);
}

#[test]
fn the_environment_is_read_in_one_file() {
    let broken = lines(
        |s| s.path.contains("/src/") && !s.path.starts_with("xtask/") && s.path != "server/src/config.rs",
        |line| ["env::var", "env::vars", "env::var_os", "env::home_dir"].iter().any(|w| has_word(line, w)),
    );
    nothing("config.rs is the only reader of the environment", &broken);
}

#[test]
fn one_file_writes_fields_for_several_lines() {
    let broken = lines(
        |s| s.path.starts_with("app/src/") && s.path != "app/src/parts/text_area.rs",
        |line| line.contains("<textarea"),
    );
    nothing("text_area.rs escapes what Leptos does not", &broken);
}

#[test]
fn main_only_starts_things() {
    let main = fs::read_to_string(root().join("server/src/main.rs")).expect("the binary has one");
    assert!(main.lines().count() <= 60, "main.rs has {} lines", main.lines().count());
}

#[test]
fn files_stay_short_and_say_what_they_are() {
    let mut broken = Vec::new();
    let (rust, css) = (rust(), files(&[".css"]));
    for source in rust.iter().chain(&css) {
        let count = source.text.lines().count();
        if count > 500 {
            broken.push(format!("{} has {count} lines", source.path));
        }
        if source.path.ends_with("/mod.rs") {
            broken.push(format!("{} is a mod.rs", source.path));
        }
    }
    for source in rust.iter().filter(|s| !s.text.starts_with("//! ")) {
        broken.push(format!("{} does not open with what it is", source.path));
    }
    nothing("at most 500 lines, `foo.rs` beside `foo/`, and a first paragraph", &broken);
}

#[test]
fn every_file_of_tests_is_compiled() {
    let rust = rust();
    let is_left_out = |tests: &&Source| {
        let Some(above) = tests.path.strip_suffix("/tests.rs") else { return false };
        let above = rust.iter().find(|source| source.path == format!("{above}.rs"));
        above.is_none_or(|source| !source.text.lines().any(|line| line == "mod tests;"))
    };
    let broken: Vec<String> = rust.iter().filter(is_left_out).map(|tests| tests.path.clone()).collect();
    nothing("beside `foo/tests.rs` there is a `foo.rs` that says `mod tests;`", &broken);
}

#[test]
fn no_test_is_switched_off_and_no_lint_silenced_without_a_reason() {
    let broken = lines(
        |s| s.path != "server/tests/it/tidy.rs",
        |line| ["#[allow(", "#![allow(", "#[ignore", "#[should_panic"].iter().any(|w| line.trim_start().starts_with(w)),
    );
    nothing("`#[expect(…, reason)]` instead of `#[allow]`; tests run", &broken);
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    // Put together here, so that this file does not name them either.
    let places =
        ["/ho~me/", "/Us~ers/", "/ro~ot/", "/wo~rk/main", "/wo~rk/shared", "../sha~red/"].map(|p| p.replace('~', ""));
    let endings = [".rs", ".toml", ".md", ".css", ".ts", ".js", ".mjs", ".json", ".sh", ".py", ".yml", ".html"];
    let mut broken = Vec::new();
    for source in files(&endings) {
        for (n, line) in (1..).zip(source.text.lines()) {
            broken.extend(places.iter().filter(|p| line.contains(*p)).map(|p| format!("{}:{n}: {p}", source.path)));
        }
    }
    nothing("no path of one machine", &broken);
}
