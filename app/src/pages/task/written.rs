//! What the hub writes into the page of a task: the bar of the time machine, the form for a person's answer, every step in full. The
//! browser puts it in its place and knows none of its markup, see [`super::super::sheet`].

use leptos::prelude::*;
use loggia_domain::ApiError;
use loggia_domain::delegation::fold;

use super::{form, full};
use crate::backend::asked::PageQuery;
use crate::backend::{Backend, Html, TaskPage};
use crate::parts::time_bar;

/// The answer to the question for a task.
pub async fn write(backend: &dyn Backend, query: &PageQuery) -> Result<TaskPage, ApiError> {
    let page = backend.task(query).await?;
    let html = |view: AnyView| Html { text: view.to_html(), in_page: query.in_page };
    let time = page.moment.as_ref().map(|moment| html(time_bar("/task", Some(&query.id), moment, query.is_playing)));
    let told = fold(&page.events);
    let answer =
        told.as_ref().filter(|_| !page.is_past).map(|d| html(form::answer(d, &backend.viewer(), &backend.typed())));
    let full = told.filter(|_| query.view == "full").map(|d| html(full::steps(&d, &page.whole)));
    Ok(TaskPage {
        time: time.unwrap_or_default(),
        answer: answer.unwrap_or_default(),
        full: full.unwrap_or_default(),
        ..page
    })
}
