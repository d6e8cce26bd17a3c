//! `GET /audit.ndjson`: who changed what, one JSON object a line, the newest first.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;

use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::tokens::Scope;
use crate::tokens::audit::{Audit, Wanted};

/// How many lines are read at once.
const STEP: usize = 2000;

/// All lines, or those that `who` and `kind` in the address ask for. They are read as they are taken.
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    caller.either(Scope::Admin)?;
    let mut wanted = Wanted::default();
    for (key, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let value = Some(value.into_owned()).filter(|value| !value.is_empty());
        match &*key {
            "who" => wanted.who = value,
            "kind" => wanted.kind = value,
            _ => {}
        }
    }
    let lines = stream::try_unfold(Some((state.audit, wanted)), |from| async move {
        let Some((audit, mut wanted)) = from else { return Ok(None) };
        let (text, last) = chunk(audit.clone(), wanted.clone()).await?;
        wanted.before = last;
        Ok::<_, io::Error>((!text.is_empty()).then_some((text, last.map(|_| (audit, wanted)))))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson; charset=utf-8"));
    headers
        .insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"loggia-audit.ndjson\""));
    Ok(response)
}

/// The next lines as text, and the number of the last of them.
async fn chunk(audit: Audit, wanted: Wanted) -> io::Result<(Bytes, Option<i64>)> {
    // What fails breaks the connection off: a file that ends early must not look whole.
    let lines = tokio::task::spawn_blocking(move || audit.read(&wanted, STEP)).await?.map_err(|error| {
        tracing::warn!(%error, "the audit's export breaks off");
        io::Error::other(error)
    })?;
    let mut text = String::new();
    for line in &lines {
        // Plain texts and a number: there is nothing in it that has no JSON.
        text += &serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
    }
    Ok((text.into(), lines.last().map(|line| line.id)))
}
