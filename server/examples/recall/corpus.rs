//! Titles and the texts that they belong to: the one-line descriptions of manual pages and the beginnings of the pages, without the
//! lines that repeat the description.
//!
//! The pages come from the packages of the system, and so does what is found in them; nothing is downloaded. Only enough of roff is
//! understood to get sentences out.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::Failure;

/// The sections with enough prose: calls, library, devices, files, overviews, administration.
const SECTIONS: [&str; 6] = ["man2", "man3", "man4", "man5", "man7", "man8"];
/// A text is cut after so many characters, so that it is one row in every palace.
const TEXT_CHARS: usize = 700;
/// What is shorter says nothing.
const MIN_TEXT_CHARS: usize = 120;
const MIN_TITLE_WORDS: usize = 3;

/// A text that its title should find.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Document {
    /// What is searched for.
    pub(crate) title: String,
    /// What should be found. Does not hold the title.
    pub(crate) text: String,
}

/// Documents from the manual pages below a folder, the same in every run on the same pages.
pub(crate) fn from_man(folder: &Path, limit: usize) -> Result<Vec<Document>, Failure> {
    let mut documents = Vec::new();
    let mut seen = HashSet::new();
    for section in SECTIONS {
        let folder = folder.join(section);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "gz")) {
            let mut bytes = Vec::new();
            // A page that cannot be read is one less.
            if GzDecoder::new(File::open(path)?).read_to_end(&mut bytes).is_err() {
                continue;
            }
            let page = document(&String::from_utf8_lossy(&bytes));
            documents.extend(page.filter(|d| seen.insert(d.title.to_lowercase()) & seen.insert(d.text.clone())));
        }
    }
    Ok(thinned(documents, limit))
}

/// Documents from a file with one JSON object on each line.
pub(crate) fn from_file(path: &Path, limit: usize) -> Result<Vec<Document>, Failure> {
    let lines = BufReader::new(File::open(path)?).lines();
    let documents = lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<Vec<_>, Failure>>()?;
    Ok(thinned(documents, limit))
}

/// At most so many, from all over the list.
fn thinned(documents: Vec<Document>, limit: usize) -> Vec<Document> {
    let step = documents.len().div_ceil(limit.max(1)).max(1);
    documents.into_iter().step_by(step).collect()
}

/// The description and the beginning of a page; `None` for an alias and for what has too little to say.
fn document(page: &str) -> Option<Document> {
    let name = section(page, &["NAME"])?;
    let title = name.split_once(" - ").map(|(_, title)| title.trim())?;
    let text: String = section(page, &["DESCRIPTION", "OVERVIEW"])?.chars().take(TEXT_CHARS).collect();
    let is_telling = title.split_whitespace().count() >= MIN_TITLE_WORDS && text.chars().count() >= MIN_TEXT_CHARS;
    let repeats = text.to_lowercase().contains(&title.to_lowercase());
    (is_telling && !repeats).then(|| Document { title: title.to_owned(), text })
}

/// The sentences of a section.
fn section(page: &str, names: &[&str]) -> Option<String> {
    let is_heading = |line: &str| line.starts_with(".SH") || line.starts_with(".Sh");
    let of_heading = |line: &str| line.get(3..).unwrap_or_default().trim().trim_matches('"').to_owned();
    let mut lines = page.lines().skip_while(|line| !(is_heading(line) && names.contains(&&*of_heading(line))));
    lines.next()?;
    let mut words = Vec::new();
    for line in lines.take_while(|line| !is_heading(line)) {
        let text = match line.strip_prefix('.') {
            None => line,
            Some(request) => match request.split_once(' ') {
                Some((
                    "B" | "I" | "BR" | "IR" | "BI" | "RB" | "RI" | "IB" | "SM" | "Nm" | "Nd" | "Xr" | "Fn",
                    rest,
                )) => rest,
                _ => continue,
            },
        };
        let is_dash = line.starts_with(".Nd");
        let text = plain(text);
        if is_dash {
            words.push("-".to_owned());
        }
        words.extend(text.split_whitespace().map(str::to_owned));
    }
    Some(words.join(" "))
}

/// A line of roff without its escapes.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().filter(|c| *c != '"').peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('-') => out.push('-'),
            Some('f') => match chars.next() {
                Some('(') => drop((chars.next(), chars.next())),
                Some('[') => while chars.next().is_some_and(|c| c != ']') {},
                _ => {}
            },
            Some('(') => match (chars.next(), chars.next()) {
                (Some('a'), Some('q')) => out.push('\''),
                (Some('e'), Some('m' | 'n')) => out.push('-'),
                _ => {}
            },
            Some('[') => while chars.next().is_some_and(|c| c != ']') {},
            Some(' ' | '~') => out.push(' '),
            Some('e') => out.push('\\'),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_its_description_and_its_sentences() {
        let page = ".TH openat2 2\n.SH NAME\nopenat2 \\- open and possibly create a file\n.SH SYNOPSIS\nint x;\n.SH DESCRIPTION\n\
                    .\\\" a comment\nThe\n.BR openat2 ()\nsystem call is an \\fIextension\\fP of another one, which takes more of the caller\\(aqs \
                    wishes into account than any before it and says so.\n.PP\nMore.\n.SH ERRORS\nnone\n";
        let document = document(page).expect("a page with both");
        assert_eq!(document.title, "open and possibly create a file");
        assert!(
            document.text.starts_with("The openat2 () system call is an extension of another one"),
            "{}",
            document.text
        );
        assert!(
            document.text.ends_with("caller's wishes into account than any before it and says so. More."),
            "{}",
            document.text
        );
    }
}
