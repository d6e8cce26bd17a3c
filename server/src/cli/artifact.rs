//! `loggia artifact put|get`: exact bytes in, exact bytes out.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use loggia_domain::{ArtifactDraft, field, refusal};
use serde_json::json;

use super::logstream::metadata;
use super::output::{Failure, Out, print, read_text};
use crate::logstream::Logstream;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Store a text exactly
    Put(Put),
    /// Write a stored text to stdout, exactly
    Get(Get),
}

impl Command {
    pub(super) fn json(&self) -> bool {
        match self {
            Self::Put(p) => p.json,
            Self::Get(g) => g.json,
        }
    }
}

#[derive(Args)]
pub(super) struct Put {
    /// The file, or - for stdin (which is read when nothing is given)
    #[arg(conflicts_with_all = ["file", "content"])]
    path: Option<PathBuf>,
    /// The same as an option
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    file: Option<PathBuf>,
    /// The text itself
    #[arg(long)]
    content: Option<String>,
    /// patch, file, log, json or note
    #[arg(long)]
    kind: String,
    /// Who stores it
    #[arg(long)]
    created_by: String,
    /// Fields of your own, a JSON object
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Get {
    /// The artifact
    id: String,
    /// Write the bytes to a file instead of stdout
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Answer the whole record in JSON instead of the bytes
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(command: Command, log: &Logstream, out: &Out) -> Result<(), Failure> {
    match command {
        Command::Put(put) => {
            let draft = ArtifactDraft {
                kind: put.kind.into(),
                content: put
                    .content
                    .map_or_else(|| read_text(put.file.or(put.path).as_deref().unwrap_or(Path::new("-"))), Ok)?
                    .into(),
                created_by: put.created_by.into(),
                metadata: metadata(put.metadata)?,
            };
            let artifact = draft.check()?;
            let warnings = artifact.warnings();
            let record = log.put_artifact(artifact).await?;
            let mut answer = json!(record);
            if !warnings.is_empty() {
                answer["warnings"] = json!(warnings);
            }
            out.answer(&answer, || {
                let stored = format!("stored {} ({} bytes, sha256 {})", record.id, record.size_bytes, record.sha256);
                let warnings = warnings.iter().map(|w| format!("warning: {w}"));
                std::iter::once(stored).chain(warnings).collect::<Vec<_>>().join("\n")
            })
        }
        Command::Get(get) => {
            let id = field::routing("artifact_id", get.id.into())?;
            let found = log.artifact(id.clone()).await?;
            let artifact = found.ok_or_else(|| Failure::new(format!("artifact {} not found", refusal::quoted(&id))))?;
            match get.out {
                _ if get.json => out.answer(&artifact, String::new),
                Some(path) => std::fs::write(&path, artifact.content)
                    .map_err(|e| Failure::new(format!("{}: {e}", path.display()))),
                None => print(artifact.content.as_bytes()),
            }
        }
    }
}
