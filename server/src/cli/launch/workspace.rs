//! What git says about a checkout: its branch, its commit, and whether it is clean. Asks `git`, changes nothing.

use std::path::Path;
use std::process::Command;

use loggia_domain::refusal::quoted;

use crate::cli::output::Failure;

/// Variables with which a caller's environment would point git at another repository than the one in the folder, or at other settings
/// than its own.
const REDIRECTIONS: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
];

/// Keeps these variables from a program.
pub(super) fn without_redirections(command: &mut Command) {
    for name in REDIRECTIONS {
        command.env_remove(name);
    }
}

/// A folder that git is asked about.
pub(super) struct Checkout<'a> {
    folder: &'a Path,
}

impl<'a> Checkout<'a> {
    /// A folder.
    pub(super) fn new(folder: &'a Path) -> Result<Self, Failure> {
        if folder.is_dir() {
            Ok(Self { folder })
        } else {
            Err(Failure::new(format!("workspace {} is not a folder", folder.display())))
        }
    }

    /// Refuses unless the checkout is on this branch, at this commit, and clean.
    pub(super) fn must_be_at(&self, branch: &str, base_commit: &str) -> Result<(), Failure> {
        let current = self.git(&["branch", "--show-current"])?;
        if current != branch {
            let current = if current.is_empty() { "no branch".to_owned() } else { quoted(&current) };
            return Err(Failure::new(format!("the workspace is on {current}; the task wants {}", quoted(branch)))
                .hint("git switch it"));
        }
        let wanted =
            self.git(&["rev-parse", "--verify", "--quiet", &format!("{base_commit}^{{commit}}")]).map_err(|_| {
                Failure::new(format!("the workspace does not know the task's base commit {base_commit}"))
                    .hint("git fetch it")
            })?;
        let head = self.git(&["rev-parse", "--verify", "HEAD"])?;
        if head != wanted {
            return Err(Failure::new(format!("the workspace is at commit {head}; the task starts from {wanted}")));
        }
        // A branch may be named like a commit.
        if !head.starts_with(&base_commit.to_ascii_lowercase()) {
            return Err(Failure::new(format!("the workspace is at commit {head}; the task starts from {base_commit}")));
        }
        // What a repository's own settings would hide is asked for.
        let changes = self.git(&["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none"])?;
        match changes.lines().next() {
            None => Ok(()),
            Some(first) => Err(Failure::new(format!("the workspace is not clean: {}", first.trim()))
                .hint("commit, stash or remove what is not part of the task")),
        }
    }

    /// What git prints, without the line's end.
    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new("git");
        // A file-system monitor is a program that the repository names; nothing of it needs to run.
        command.args(["-c", "core.fsmonitor=false", "-C"]).arg(self.folder).args(arguments);
        without_redirections(&mut command);
        let output = command.output().map_err(|e| Failure::new(format!("could not start git: {e}")))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it says nothing");
        Err(Failure::new(format!("git in {}: {said}", self.folder.display())))
    }
}
