//! The browser of the tests, and a font for the Chinese half of the interface.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::progress::say;
use crate::setup::apt;
use crate::workspace::Workspace;

const USUAL: &str = "/usr/bin/chromium";
const FONT: &str = "fonts-noto-cjk";

/// The browser that `$LOGGIA_CHROMIUM` names, else the distribution's, installed if need be.
pub(super) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(named) = env::var_os("LOGGIA_CHROMIUM").map(PathBuf::from) {
        if !named.exists() {
            bail!("`$LOGGIA_CHROMIUM` names `{}`, which is not there", named.display());
        }
        return Ok(named);
    }
    let usual = PathBuf::from(USUAL);
    if !usual.exists() {
        apt::install(workspace, &["chromium", FONT], "the browser tests")?;
    } else if apt::available()
        && let Err(error) = apt::install(workspace, &[FONT], "Chinese text in screenshots")
    {
        // Without it the tests hold all the same; only pictures show empty boxes.
        say(&format!("{error:#}"));
    }
    if !usual.exists() {
        bail!("there is no `{USUAL}`; name a Chromium in `$LOGGIA_CHROMIUM`");
    }
    Ok(usual)
}
