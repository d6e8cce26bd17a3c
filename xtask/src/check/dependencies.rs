//! Who may depend on whom. The rules are about absence: what must never be found in a package's tree.
//! Only what ends up in the product counts, not tests, build scripts and macros.

use anyhow::{Result, bail};

use crate::command::{answer, cargo};
use crate::workspace::Workspace;

/// One rule, as arguments for `cargo tree` and the packages that it must not list.
struct Rule {
    says: &'static str,
    tree: &'static [&'static str],
    never: &'static [&'static str],
}

const RULES: [Rule; 4] = [
    Rule {
        says: "the domain does no input or output and knows no clock and no randomness",
        tree: &["--package", "loggia-domain"],
        never: &["tokio", "rusqlite", "regex", "chrono", "axum", "getrandom"],
    },
    Rule {
        says: "the pages in the browser bring nothing of the server",
        tree: &["--package", "loggia-app", "--no-default-features", "--features", "hydrate"],
        never: &["axum", "rusqlite", "tokio", "leptos_axum"],
    },
    Rule {
        says: "the pages know no database",
        tree: &["--package", "loggia-app", "--no-default-features", "--features", "ssr"],
        never: &["rusqlite"],
    },
    Rule {
        says: "the pages know no HTTP framework",
        tree: &["--package", "loggia-app", "--no-default-features", "--features", "ssr", "--depth", "1"],
        never: &["axum"],
    },
];

/// Every rule holds, or an error names all that do not.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut broken = Vec::new();
    for rule in &RULES {
        let mut tree = cargo(workspace);
        tree.arg("tree").args(rule.tree).args(["--edges", "normal,no-proc-macro", "--prefix", "none"]);
        let listed = answer(&mut tree)?;
        for found in forbidden(&listed, rule.never) {
            broken.push(format!(
                "{}, but `{found}` is there: see `cargo tree {} --edges normal --invert {found}`",
                rule.says,
                rule.tree.join(" ")
            ));
        }
    }
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    Ok(())
}

/// Those of the packages that a listing has.
fn forbidden<'rule>(listed: &str, never: &[&'rule str]) -> Vec<&'rule str> {
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    never.iter().copied().filter(|package| names.contains(package)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "loggia-domain v0.1.0 (/src/domain)\n\
                          serde v1.0.229\n\
                          tokio-util v0.7.18\n\
                          regex v1.13.2\n\
                          regex v1.13.2 (*)\n";

    #[test]
    fn a_forbidden_package_is_found_once() {
        assert_eq!(forbidden(LISTED, &["tokio", "regex", "chrono"]), ["regex"]);
    }

    #[test]
    fn a_longer_name_is_another_package() {
        assert_eq!(forbidden(LISTED, &["tokio", "loggia"]), Vec::<&str>::new());
    }
}
