//! What pages may ask: one server function per question of the [`Backend`](crate::backend::Backend), each one line to it.
//!
//! On the hub they run in the page's own process, in the browser they are a POST to `/api/<name>`. Endpoints are named, since the
//! default names hash the path of the build folder.

use leptos::prelude::*;

use crate::backend::{ArtifactPage, LogPage, LogQuery, Overview, StreamCount, TaskPage, Viewer};
use crate::error::PageError;
use crate::wire::Json;
use loggia_domain::Event;

/// Who looks at the page, and at which hub.
#[server(name = AskViewer, prefix = "/api", endpoint = "viewer", input = Json, output = Json)]
pub async fn viewer() -> Result<Viewer, PageError> {
    let hub = hub::Asked::here();
    hub.answer(async { Ok(hub.backend.viewer()) }.await)
}

/// What the home page shows.
#[server(name = AskOverview, prefix = "/api", endpoint = "overview", input = Json, output = Json)]
pub async fn overview() -> Result<Overview, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.overview().await)
}

/// Streams and rooms with their figures, newest activity first.
#[server(name = AskStreams, prefix = "/api", endpoint = "streams", input = Json, output = Json)]
pub async fn streams() -> Result<Vec<StreamCount>, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.streams().await)
}

/// A part of the log.
#[server(name = AskLog, prefix = "/api", endpoint = "log", input = Json, output = Json)]
pub async fn log(query: LogQuery) -> Result<LogPage, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.log(query).await)
}

/// One event, whole.
#[server(name = AskEvent, prefix = "/api", endpoint = "event", input = Json, output = Json)]
pub async fn event(id: String) -> Result<Event, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.event(id).await)
}

/// One delegation.
#[server(name = AskTask, prefix = "/api", endpoint = "task", input = Json, output = Json)]
pub async fn task(correlation_id: String) -> Result<TaskPage, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.task(correlation_id).await)
}

/// One artifact.
#[server(name = AskArtifact, prefix = "/api", endpoint = "artifact", input = Json, output = Json)]
pub async fn artifact(id: String) -> Result<ArtifactPage, PageError> {
    let hub = hub::Asked::here();
    hub.answer(hub.backend.artifact(id).await)
}

/// The hub's side of a question.
#[cfg(feature = "ssr")]
mod hub {
    use std::sync::Arc;

    use leptos::prelude::{expect_context, use_context};
    use leptos_axum::ResponseOptions;
    use loggia_domain::ApiError;

    use crate::backend::{Backend, BackendHandle};
    use crate::error::{PageError, http_status};

    /// Whom to ask, and where the status of the answer goes. Taken before any await: the context is gone afterwards.
    pub(super) struct Asked {
        pub(super) backend: Arc<dyn Backend>,
        response: Option<ResponseOptions>,
    }

    impl Asked {
        pub(super) fn here() -> Self {
            Self { backend: expect_context::<BackendHandle>().0, response: use_context() }
        }

        /// Passes an answer on; an error also becomes the response's status, for a page as for a server function.
        pub(super) fn answer<T>(&self, answer: Result<T, ApiError>) -> Result<T, PageError> {
            if let (Err(error), Some(response)) = (&answer, &self.response)
                && let Ok(status) = http_status(error.code).try_into()
            {
                response.set_status(status);
            }
            answer.map_err(PageError)
        }
    }
}
