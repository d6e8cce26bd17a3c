//! How a page gets its answer: on the hub before the first byte leaves, in the browser by a server function, and what is shown while
//! it is on the way or when it does not come.
//!
//! # Design
//! All pages share one kind of question and one kind of answer. A resource of its own for each would be the more obvious form, but
//! costs the browser some ten kilobytes per page.

use leptos::prelude::*;
use leptos_meta::Title;
use loggia_domain::Event;
use serde::{Deserialize, Serialize};

use crate::ask;
use crate::backend::{ArtifactPage, LogPage, LogQuery, Overview, StreamCount, TaskPage, Viewer};
use crate::clock::use_page_clock;
use crate::error::PageError;
use crate::parts::{Busy, Failure};

/// How many events are shown on each side of one.
const AROUND: usize = 5;

/// What a page wants to know.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Who looks.
    Viewer,
    /// What the home page shows.
    Overview,
    /// A part of the log, and the streams beside it.
    Log(LogQuery),
    /// One event, and what arrived around it.
    Event(String),
    /// One delegation.
    Task(String),
    /// One artifact.
    Artifact(String),
}

/// What the hub says to a [`Question`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Who looks.
    Viewer(Viewer),
    /// What the home page shows.
    Overview(Overview),
    /// A part of the log, and the streams beside it.
    Log(LogPage, Vec<StreamCount>),
    /// One event, its neighbours by arrival, newest first, itself among them, and the hub's clock, ms since 1970.
    Event(Box<Event>, Vec<Event>, u64),
    /// One delegation.
    Task(TaskPage),
    /// One artifact.
    Artifact(ArtifactPage),
}

impl Question {
    /// What the page is called, for the title and the sentences of a failure, and the id of what it is about.
    fn names(&self) -> (&'static str, &'static str, Option<String>) {
        match self {
            Self::Viewer => ("", "the viewer", None),
            Self::Overview => ("Now", "the overview", None),
            Self::Log(_) => ("Log", "the log", None),
            Self::Event(id) => ("Event", "the event", Some(id.clone())),
            Self::Task(id) => ("Task", "the task", Some(id.clone())),
            Self::Artifact(id) => ("Artifact", "the artifact", Some(id.clone())),
        }
    }

    async fn ask(self) -> Result<Answer, PageError> {
        match self {
            Self::Viewer => ask::viewer().await.map(Answer::Viewer),
            Self::Overview => ask::overview().await.map(Answer::Overview),
            Self::Log(query) => {
                let page = ask::log(query).await?;
                // Without the counts the log is still the log.
                Ok(Answer::Log(page, ask::streams().await.unwrap_or_default()))
            }
            Self::Event(id) => around(id).await,
            Self::Task(id) => ask::task(id).await.map(Answer::Task),
            Self::Artifact(id) => ask::artifact(id).await.map(Answer::Artifact),
        }
    }
}

async fn around(id: String) -> Result<Answer, PageError> {
    let event = ask::event(id.clone()).await?;
    let limit = Some(AROUND);
    let newer = ask::log(LogQuery { after: Some(id.clone()), limit, ..LogQuery::default() }).await?;
    let older = ask::log(LogQuery { before: Some(id), limit, ..LogQuery::default() }).await?;
    let mut near = newer.events;
    near.reverse();
    near.push(event.clone());
    near.extend(older.events);
    Ok(Answer::Event(Box::new(event), near, older.now_ms))
}

impl Answer {
    /// The hub's clock at the answer, ms since 1970; an artifact, which has no age, does not tell it.
    fn now_ms(&self) -> u64 {
        match self {
            Self::Overview(overview) => overview.now_ms,
            Self::Log(page, _) => page.now_ms,
            Self::Event(_, _, now_ms) => *now_ms,
            Self::Task(page) => page.now_ms,
            Self::Viewer(_) | Self::Artifact(_) => 0,
        }
    }
}

/// The answer to a question that may change.
pub fn load(question: Signal<Question>) -> Resource<Result<Answer, PageError>> {
    Resource::new(move || question.get(), Question::ask)
}

/// A page that needs an answer.
#[component]
pub fn Loaded(
    /// What the page wants to know.
    question: Signal<Question>,
    /// The page for an answer. Another question makes another one.
    show: fn(Answer) -> AnyView,
) -> impl IntoView {
    let answer = load(question);
    let clock = use_page_clock();
    view! {
        <Transition fallback=Busy>
            {move || Suspend::new(async move {
                match answer.await {
                    Ok(answer) => {
                        clock.shows(answer.now_ms());
                        show(answer)
                    }
                    Err(error) => {
                        let (title, what, id) = question.with_untracked(Question::names);
                        view! { <Title text=title/><Failure error=error what=what id=id/> }.into_any()
                    }
                }
            })}
        </Transition>
    }
}
