//! The last check of the gate: no secret is in what the suites left behind, the logs of every hub that they started and the pages and
//! answers that they got. The fixtures keep these in one folder while `LOGGIA_TEST_LOGS` names it.
//!
//! # Design
//!
//! Secrets are known by their form, so no list of those that were used is kept, which would be a secret in a file itself. A hub shows
//! a token that it mints on its standard output and on the page that made it, once; neither is kept.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::workspace::Workspace;

/// The variable that tells the fixtures where to keep what hubs log and answer.
pub(crate) const VARIABLE: &str = "LOGGIA_TEST_LOGS";

/// A beginning, what may follow it, and how much of that makes it a secret.
type Form = (&'static str, fn(u8) -> bool, usize);

/// What a secret begins with, which characters it goes on with, and how many of them make it one: a token that a hub minted, the fixed
/// tokens of both suites, a sign-in code, a cookie and a header as they are sent.
const FORMS: [Form; 6] = [
    ("lg_", is_hex, 64),
    ("lg_test_", is_word, 36),
    ("e2e-", is_hex, 32),
    ("sign-in?code=", is_hex, 64),
    ("loggia_", is_cookie, 41),
    ("Bearer ", is_word, 16),
];

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// `8 hex digits = secret`, after the name that cookies begin with.
fn is_cookie(byte: u8) -> bool {
    is_hex(byte) || byte == b'='
}

/// An empty folder for the suites.
pub(crate) fn folder(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.cargo_target.join("test-logs");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty `{}`", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    Ok(folder)
}

/// Fails with every file that holds a secret; and when a suite kept nothing, since then nothing was looked at.
pub(crate) fn holds_no_secret(folder: &Path) -> Result<()> {
    let (mut found, mut suites) = (Vec::new(), [("it-", 0_usize), ("e2e-", 0)]);
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let path = entry?.path();
        let bytes = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (suite, kept) in &mut suites {
            *kept += usize::from(name.starts_with(*suite));
        }
        if let Some((form, at)) = secret_in(&text) {
            let line = text[..at].matches('\n').count() + 1;
            found.push(format!("{}:{line}: `{form}…`", path.display()));
        }
    }
    for (suite, kept) in suites {
        ensure!(kept > 0, "nothing named `{suite}…` was left behind in `{}`", folder.display());
    }
    ensure!(found.is_empty(), "secrets in what the tests left behind:\n  {}", found.join("\n  "));
    Ok(())
}

/// The first secret in a text: the form that it has, and where it begins. A beginning is looked for by its last character, which the
/// standard library does fast even in a debug build; the suites leave fifty megabytes behind.
fn secret_in(text: &str) -> Option<(&'static str, usize)> {
    FORMS.iter().find_map(|(form, goes_on, length)| {
        let mut ends = text.match_indices(form.chars().next_back()?).map(|(at, last)| at + last.len());
        let is_secret = |end: &usize| {
            let (before, rest) = text.split_at(*end);
            before.ends_with(form) && rest.bytes().take_while(|byte| goes_on(*byte)).count() >= *length
        };
        Some((*form, ends.find(is_secret)? - form.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn secrets_are_known_by_their_form() {
        let hex = "0123456789abcdef".repeat(4);
        for secret in [
            format!("token lg_{hex}."),
            format!("lg_test_{}", "0123456789abcdefghijklmnopqrstuvwxyz"),
            format!("e2e-{}", &hex[..32]),
            format!("/sign-in?code={hex}"),
            format!("loggia_01234567={hex}; Path=/"),
            "authorization: Bearer 0123456789abcdef".to_owned(),
        ] {
            assert!(secret_in(&secret).is_some(), "{secret}");
        }
        for harmless in [
            "lg_0123abcd…".to_owned(),
            format!("sha256 {hex}"),
            "Authorization: Bearer $LOGGIA_TOKEN".to_owned(),
            "Bearer <token>".to_owned(),
            "loggia_projection.sqlite3".to_owned(),
        ] {
            assert_eq!(secret_in(&harmless), None, "{harmless}");
        }
    }

    #[test]
    fn a_secret_is_named_by_its_place_and_an_empty_folder_is_no_success() {
        let scratch = Scratch::new();
        let folder = scratch.path().to_owned();
        let error = holds_no_secret(&folder).expect_err("nothing was kept").to_string();
        assert!(error.contains("`it-…`"), "{error}");
        fs::write(folder.join("it-1.log"), "fine").expect("writable");
        fs::write(folder.join("e2e-1.log"), "fine\n").expect("writable");
        holds_no_secret(&folder).expect("no secret");
        let secret = format!("lg_{}", "ab".repeat(32));
        fs::write(folder.join("e2e-1.log"), format!("fine\nnot {secret}")).expect("writable");
        let error = holds_no_secret(&folder).expect_err("a secret").to_string();
        assert!(error.contains("e2e-1.log:2: `lg_…`") && !error.contains(&secret), "{error}");
    }
}
