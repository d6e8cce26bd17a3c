//! `loggia artifact put|get`: exact bytes in, exact bytes out.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loggia_domain::{ArtifactDraft, field};
use serde_json::json;

use super::logstream::metadata;
use super::output::{Failure, Out, notice, print, text_or_stdin, write_content};
use super::target::{Place, Remote};

#[derive(Args)]
pub(super) struct Group {
    #[command(flatten)]
    remote: Remote,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Store a text exactly
    Put(Box<Put>),
    /// Write a stored text to stdout, exactly
    Get(Box<Get>),
}

impl Group {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            Command::Put(c) => c.json,
            Command::Get(c) => c.json,
        }
    }

    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let at = Place::new(palace, self.remote);
        match self.command {
            Command::Put(put) => put.run(at, out).await,
            Command::Get(get) => get.run(at, out).await,
        }
    }
}

#[derive(Args)]
struct Put {
    /// The file, or - for stdin (which is read when nothing is given)
    path: Option<PathBuf>,
    /// The same as an option
    #[arg(long, value_name = "FILE", conflicts_with = "path")]
    file: Option<PathBuf>,
    /// The text itself
    #[arg(long, allow_hyphen_values = true)]
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
struct Get {
    /// The artifact
    id: String,
    /// Write the bytes to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Answer the record in JSON instead of the bytes
    #[arg(long)]
    json: bool,
}

impl Put {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let file = self.file.or(self.path);
        let content = text_or_stdin(("--content", "--file"), self.content, file.as_deref())?;
        let draft = ArtifactDraft {
            kind: self.kind.into(),
            content: content.into(),
            created_by: self.created_by.into(),
            metadata: metadata(self.metadata)?,
        };
        let stored = at.with(async |target| target.put(draft).await).await?;
        let record = stored.record;
        let mut answer = json!(record);
        if !stored.warnings.is_empty() {
            answer["warnings"] = json!(stored.warnings);
        }
        out.answer(&answer, || {
            let (kind, sha256, size_bytes) = (&record.kind, &record.sha256, record.size_bytes);
            format!("stored {}  kind={kind}\n  sha256={sha256}\n  size={size_bytes} bytes", record.id)
        })?;
        // Beside the answer, where a pipe does not swallow them.
        for warning in stored.warnings {
            notice(&format!("warning: {warning}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Get {
    async fn run(self, at: Place, out: &Out) -> Result<ExitCode, Failure> {
        let id = field::routing("artifact_id", self.id.into())?;
        let Some(path) = self.out else {
            if self.json {
                let artifact = at.with(async |target| target.artifact(id).await).await?;
                out.answer(&artifact, String::new)?;
            } else {
                let bytes = at.with(async |target| target.content(id).await).await?;
                print(&bytes)?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let artifact = at.with(async |target| target.artifact(id).await).await?;
        let mut answer = json!(artifact);
        write_content(&path, artifact.content.as_bytes(), &mut answer)?;
        out.answer(&answer, || {
            format!("wrote {} bytes to {}\n  sha256={}", artifact.size_bytes, path.display(), artifact.sha256)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
