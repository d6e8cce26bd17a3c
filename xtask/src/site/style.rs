//! The one stylesheet: tokens first, then the base, then the components by name. Plain concatenation;
//! browsers know nesting, so there is no preprocessor.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::stamp;

/// The stylesheet made of a folder's files.
pub(super) fn sheet(folder: &Path) -> Result<String> {
    let mut sheet = String::new();
    for path in sources(folder)? {
        let css = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        sheet.push_str(css.trim_end());
        sheet.push('\n');
    }
    Ok(sheet)
}

/// Later rules win in CSS, so the order is part of the meaning. What does not exist is left out.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources: Vec<PathBuf> =
        ["tokens.css", "base.css"].iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect();
    let components = folder.join("components");
    if components.exists() {
        let files = stamp::files_below(&components)?;
        sources.extend(files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "css")));
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[track_caller]
    fn check(files: &[&str], expected: &str) {
        let folder = Scratch::new();
        fs::create_dir(folder.path().join("components")).expect("the folder is ours");
        for file in files {
            fs::write(folder.path().join(file), format!("/* {file} */\n\n")).expect("the folder is ours");
        }
        assert_eq!(sheet(folder.path()).expect("the files are ours"), expected);
    }

    #[test]
    fn tokens_come_before_base_before_components_by_name() {
        check(
            &["components/table.css", "base.css", "components/badge.css", "tokens.css"],
            "/* tokens.css */\n/* base.css */\n/* components/badge.css */\n/* components/table.css */\n",
        );
    }

    #[test]
    fn absent_files_and_other_files_are_left_out() {
        check(&["base.css", "notes.css", "components/README.md"], "/* base.css */\n");
        check(&[], "");
    }

    #[test]
    fn an_absent_folder_is_an_empty_sheet() {
        let folder = Scratch::new();
        assert_eq!(sheet(&folder.path().join("style")).expect("nothing is read"), "");
    }
}
