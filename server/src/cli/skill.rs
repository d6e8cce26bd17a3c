//! `loggia skill`: what a coding agent should know about delegating through Loggia, as a skill file to install.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::{Failure, Out, print};

/// The file, as it lies in the documentation.
const SKILL: &str = include_str!("../../../docs/skill/SKILL.md");

#[derive(Args)]
pub(super) struct Skill {
    /// Write DIR/loggia/SKILL.md, for example below ~/.claude/skills; without it the text is printed
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(skill: Skill, out: &Out) -> Result<(), Failure> {
    let Some(dir) = skill.dir else { return print(SKILL.as_bytes()) };
    let path = dir.join("loggia").join("SKILL.md");
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    // The file is ours: an older one is replaced, so that an upgrade brings its own.
    std::fs::create_dir_all(dir.join("loggia")).and_then(|()| std::fs::write(&path, SKILL)).map_err(failed)?;
    out.answer(&json!({"path": path}), || format!("wrote {}", path.display()))
}
