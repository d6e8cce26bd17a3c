//! `loggia completions` and `loggia man`: what a shell and a reader want to know of the command line, made from its own definition.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::{Shell, generate};

use super::output::{Failure, print};

#[derive(Args)]
pub(super) struct Completions {
    /// The shell that will read them
    #[arg(value_enum)]
    shell: For,
}

#[derive(Clone, Copy, ValueEnum)]
enum For {
    /// Source it, or put it into ~/.local/share/bash-completion/completions/loggia
    Bash,
    /// Put it into a folder of $fpath, as _loggia
    Zsh,
    /// Put it into ~/.config/fish/completions/loggia.fish
    Fish,
}

impl Completions {
    pub(super) fn run(&self, mut command: clap::Command) -> Result<(), Failure> {
        let shell = match self.shell {
            For::Bash => Shell::Bash,
            For::Zsh => Shell::Zsh,
            For::Fish => Shell::Fish,
        };
        let mut script = Vec::new();
        generate(shell, &mut command, "loggia", &mut script);
        print(&script)
    }
}

#[derive(Args)]
pub(super) struct Man {
    /// The folder to write them into; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(&self, command: clap::Command) -> Result<(), Failure> {
        let failed = |e: std::io::Error| Failure::new(format!("{}: {e}", self.folder.display()));
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        clap_mangen::generate_to(command, &self.folder).map_err(failed)
    }
}
