//! One thing of a hub's log at a time: an event, a task, an artifact and its exact bytes, whether a cursor is known. The calling is
//! [`super`]'s; lists, searches and streams have files of their own.

use loggia_domain::task::TaskDraft;
use loggia_domain::{Artifact, ArtifactDraft, ArtifactRecord, Event};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{CALL_LIMIT, CallError, Hub, Problem, arguments};
use crate::cli::output::Failure;
use crate::cli::target::Stored;

impl Hub {
    /// Calls a tool that answers an event.
    pub(in crate::cli) async fn event(&self, tool: &'static str, arguments: Value) -> Result<Event, Failure> {
        #[derive(Deserialize)]
        struct Answer {
            event: Event,
        }
        Ok(self.call::<Answer>(tool, arguments).await?.event)
    }

    /// Asks for work; the request, and the line that wakes who shall do it.
    pub(in crate::cli) async fn create_task(&self, draft: TaskDraft) -> Result<(Event, String), Failure> {
        #[derive(Deserialize)]
        struct Answer {
            task: Event,
            handoff: String,
        }
        let answer: Answer = self.call("mempalace_task_create", arguments::task_arguments(draft)).await?;
        Ok((answer.task, answer.handoff))
    }

    /// Stores an artifact.
    pub(in crate::cli) async fn put(&self, draft: ArtifactDraft) -> Result<Stored, Failure> {
        #[derive(Deserialize)]
        struct Answer {
            artifact: Box<RawValue>,
        }
        #[derive(Deserialize)]
        struct Advice {
            #[serde(default)]
            warnings: Vec<String>,
        }
        let answer: Answer = self.call("mempalace_artifact_put", arguments::artifact_arguments(draft)).await?;
        // Read twice instead of flattened, which would change numbers.
        let text = answer.artifact.get();
        let read = |e| Failure::new(format!("the hub at {} answered an unknown artifact: {e}", self.address()));
        let record: ArtifactRecord = serde_json::from_str(text).map_err(read)?;
        let advice: Advice = serde_json::from_str(text).map_err(read)?;
        Ok(Stored { record, warnings: advice.warnings })
    }

    /// An artifact with its content.
    pub(in crate::cli) async fn artifact(&self, id: String) -> Result<Artifact, Failure> {
        #[derive(Deserialize)]
        struct Answer {
            artifact: Artifact,
        }
        Ok(self.call::<Answer>("mempalace_artifact_get", json!({"artifact_id": id})).await?.artifact)
    }

    /// The exact bytes of an artifact, and the SHA-256 that the hub names.
    pub(in crate::cli) async fn raw(&self, id: String) -> Result<(Vec<u8>, Option<String>), Failure> {
        self.aside(move |hub| hub.raw_now(&id)).await
    }

    fn raw_now(&self, id: &str) -> Result<(Vec<u8>, Option<String>), Failure> {
        let mut response = self.open(&self.url(&["artifacts", id, "raw"]), &[], CALL_LIMIT)?;
        let (status, headers) = (response.status().as_u16(), response.headers());
        let sha256 = headers.get("x-artifact-sha256").and_then(|v| v.to_str().ok()).map(str::to_owned);
        let body = response.body_mut().with_config().read_to_vec().map_err(|e| self.silent(&e))?;
        match (status, serde_json::from_slice::<Problem>(&body)) {
            (200, _) => Ok((body, sha256)),
            // In the words of the tool, which are those of the palace's own files.
            (404, Ok(problem)) => Err(problem.into()),
            (status, _) => Err(self.odd(status, &body)),
        }
    }

    /// Whether a cursor is an event of this hub's log.
    pub(in crate::cli) async fn knows(&self, cursor: &str) -> Result<bool, Failure> {
        let asked = json!({"since_event_id": cursor, "limit": 1});
        match self.call::<IgnoredAny>("mempalace_event_list", asked).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused { field: Some(field), .. }) if field == "since_event_id" => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
