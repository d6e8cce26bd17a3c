//! How pages ask: one server function, and a few lines for those who expect one kind of answer.
//!
//! On the hub it runs in the page's own process, in the browser it is a POST to `/api/ask`. The endpoint is named, since the default name
//! hashes the path of the build folder.

use leptos::prelude::*;
use loggia_domain::{ApiError, ErrorCode};

use crate::backend::asked::PageQuery;
use crate::backend::{Counts, LogPage, LogQuery, Overview, TaskPage};
use crate::error::PageError;
use crate::question::{Answer, Question};
use crate::wire::Json;

/// The hub's answer.
#[server(name = Ask, prefix = "/api", endpoint = "ask", input = Json, output = Json)]
pub async fn ask(question: Question) -> Result<Answer, PageError> {
    let hub = hub::Asked::here();
    let answer = hub.language.around(hub.find(question)).await;
    hub.answer(answer)
}

/// What the home page shows.
pub async fn overview() -> Result<Overview, PageError> {
    if let Answer::Overview(overview) = ask(Question::Overview).await? { Ok(overview) } else { Err(beside_the_point()) }
}

/// Streams, rooms and statuses of the whole log with their figures.
pub async fn streams() -> Result<Counts, PageError> {
    if let Answer::Streams(streams) = ask(Question::Streams).await? { Ok(streams) } else { Err(beside_the_point()) }
}

/// A part of the log.
pub async fn log(query: LogQuery) -> Result<LogPage, PageError> {
    if let Answer::LogPart(page) = ask(Question::LogPart(query)).await? { Ok(page) } else { Err(beside_the_point()) }
}

/// One delegation.
pub async fn task(query: PageQuery) -> Result<TaskPage, PageError> {
    if let Answer::Task(page) = ask(Question::Task(query)).await? { Ok(*page) } else { Err(beside_the_point()) }
}

/// Another version of the hub may know other questions under the same words.
fn beside_the_point() -> PageError {
    ApiError::new(ErrorCode::Internal, "the hub answered another question").into()
}

/// The hub's side of a question.
#[cfg(feature = "ssr")]
mod hub {
    use std::sync::Arc;

    use leptos::prelude::{expect_context, use_context};
    use leptos_axum::ResponseOptions;
    use loggia_domain::ApiError;

    use crate::backend::{Backend, BackendHandle, LogQuery, Overview, Viewer};
    use crate::error::{PageError, http_status};
    use crate::language::Language;
    use crate::pages::{write_artifact, write_body, write_notices, write_people, write_sheet, write_task};
    use crate::question::{Answer, Question};

    /// How many events are shown on each side of one.
    const AROUND: usize = 5;

    /// Whom to ask, and where the status of the answer goes. Taken before any await: the context is gone afterwards.
    pub(super) struct Asked {
        backend: Arc<dyn Backend>,
        response: Option<ResponseOptions>,
        pub(super) language: Language,
    }

    impl Asked {
        pub(super) fn here() -> Self {
            Self { backend: expect_context::<BackendHandle>().0, response: use_context(), language: Language::spoken() }
        }

        pub(super) async fn find(&self, question: Question) -> Result<Answer, ApiError> {
            let hub = &self.backend;
            Ok(match question {
                Question::Viewer => {
                    let notices = write_notices(&hub.notices().await);
                    Answer::Viewer(Viewer { notices, ..hub.viewer() })
                }
                Question::Overview => Answer::Overview(overview(&**hub).await?),
                // Without the counts the log is still the log.
                Question::Log(query) => {
                    let words = query.q.clone();
                    let mut page = hub.log(query).await?;
                    // Here alone, where a reader comes to the log: a page that asks again searches for nothing new.
                    let words = if page.unsearched.is_none() { words } else { String::new() };
                    page.searches = hub.searches("log", &words).await;
                    Answer::Log(page, hub.streams().await.unwrap_or_default())
                }
                Question::LogPart(query) => Answer::LogPart(hub.log(query).await?),
                Question::Streams => Answer::Streams(hub.streams().await?),
                Question::Event(id, form) => self.around(id, &form).await?,
                Question::Task(query) => Answer::Task(Box::new(write_task(&**hub, &query).await?)),
                Question::Artifact(query) => Answer::Artifact(write_artifact(&**hub, &query).await?),
                Question::Sheet(query) => Answer::Sheet(write_sheet(&**hub, &query).await?),
            })
        }

        async fn around(&self, id: String, form: &str) -> Result<Answer, ApiError> {
            let event = self.backend.event(id.clone()).await?;
            let near = LogQuery { around: Some(id), limit: Some(2 * AROUND), ..LogQuery::default() };
            let near = self.backend.log(near).await?;
            let written = write_body(&event.body, form);
            Ok(Answer::Event(Box::new(event), near.events, near.now_ms, written))
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

    /// The overview with its strip, which is written here.
    async fn overview(hub: &dyn Backend) -> Result<Overview, ApiError> {
        let mut overview = hub.overview().await?;
        write_people(hub, &mut overview).await?;
        Ok(overview)
    }
}
