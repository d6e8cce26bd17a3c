//! What people write from the pages: an answer to a task, and a task. A refused form comes back as the same page with what was typed.

use axum::body::Body;
use axum::extract::{Form, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use loggia_app::backend::asked::Typed;
use loggia_domain::human::{self, HumanReply};
use loggia_domain::task::TaskDraft;
use loggia_domain::{ApiError, ErrorCode, Event, Refusal, refusal};

use super::render;
use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::logstream::StoreError;
use crate::session;
use crate::tokens::audit::Act;
use crate::tokens::{Identity, Scope};

type Fields = Vec<(String, String)>;

/// `POST /task?id=`: a reply or an acknowledgement.
pub async fn post_answer(
    State(state): State<AppState>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, HttpError> {
    let (state, identity) = writer(state, &caller)?;
    let act = state.audit.begin(&identity.name, "task.answer", String::new());
    let written = answer(&state, &identity, &fields).await;
    note(act, &written);
    shown(&state, identity, uri, &headers, fields, written).await
}

/// `POST /task/new`: a request for work.
pub async fn post_task(
    State(state): State<AppState>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, HttpError> {
    let (state, identity) = writer(state, &caller)?;
    let act = state.audit.begin(&identity.name, "task.create", String::new());
    let written = request(&state, &identity, &fields).await;
    note(act, &written);
    shown(&state, identity, uri, &headers, fields, written).await
}

/// Notes in the audit which event was written, never what it says.
fn note(mut act: Act, written: &Result<Event, StoreError>) {
    match written {
        Ok(event) => {
            act.changed(event.id.clone());
            act.ended("ok");
        }
        Err(StoreError::Refused(_)) => act.ended("refused"),
        Err(_) => act.ended("failed"),
    }
}

/// The log as far as this person may write to it, and who it is.
fn writer(state: AppState, caller: &Caller) -> Result<(AppState, Identity), HttpError> {
    let identity = caller.poster()?;
    let forbidden = |message: String| HttpError::new(ApiError::new(ErrorCode::Forbidden, message));
    if !identity.may(Scope::Write) || !identity.may(Scope::Read) {
        return Err(forbidden(format!("token `{}` lacks the scope `write`", identity.name)));
    }
    if state.settings.read_only {
        return Err(forbidden("this hub is read-only".to_owned()));
    }
    Ok((state.seen_by(&identity), identity))
}

async fn answer(state: &AppState, identity: &Identity, fields: &Fields) -> Result<Event, StoreError> {
    let target_id = field(fields, "event_id");
    let target = state.log.event(target_id.clone()).await?.ok_or_else(|| {
        let message = format!("event {} not found", refusal::quoted(&target_id));
        StoreError::Refused(Refusal::new("event_id", message).value(target_id.as_str()))
    })?;
    let reply = HumanReply {
        name: field(fields, "name"),
        status: field(fields, "status"),
        to: field(fields, "to"),
        body: field(fields, "body"),
    };
    let event = reply.check(&target, &identity.name).map_err(StoreError::Refused)?;
    identity.check_agent("name", &event.from_agent).map_err(StoreError::Refused)?;
    state.log.append(event).await
}

async fn request(state: &AppState, identity: &Identity, fields: &Fields) -> Result<Event, StoreError> {
    let draft = TaskDraft {
        project: field(fields, "project").into(),
        from_agent: field(fields, "name").into(),
        to_agent: field(fields, "to_agent").into(),
        goal: field(fields, "goal").into(),
        branch: field(fields, "branch").into(),
        base_commit: field(fields, "base_commit").into(),
        done: field(fields, "done").into(),
    };
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|e| StoreError::Storage(format!("no random bytes: {e}")))?;
    let event = human::request(draft, &identity.name, random).map_err(StoreError::Refused)?;
    identity.check_agent("name", &event.from_agent).map_err(StoreError::Refused)?;
    state.log.append(event).await
}

/// The task that was written to, or the form again with what was typed and why it was refused. What is not the writer's own fault goes
/// the way of all errors.
async fn shown(
    state: &AppState,
    identity: Identity,
    uri: Uri,
    headers: &HeaderMap,
    fields: Fields,
    written: Result<Event, StoreError>,
) -> Result<Response, HttpError> {
    let refused = match written {
        Ok(event) => return Ok(session::see_other(&page_of(&event))),
        Err(StoreError::Refused(refused)) => refused,
        Err(error) => return Err(error.into()),
    };
    let typed = Typed { values: fields, error: Some((refused.field, refused.message)) };
    let mut page = Request::new(Body::empty());
    *page.method_mut() = Method::GET;
    *page.uri_mut() = uri;
    *page.headers_mut() = headers.clone();
    // These told about the form.
    page.headers_mut().remove(header::CONTENT_LENGTH);
    page.headers_mut().remove(header::CONTENT_TYPE);
    page.extensions_mut().insert(typed);
    let mut response = render(state, Some(identity), page).await;
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}

fn field(fields: &Fields, name: &str) -> String {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

fn page_of(event: &Event) -> String {
    let id = event.correlation_id.as_deref().unwrap_or(&event.id);
    format!("/task?{}", url::form_urlencoded::Serializer::new(String::new()).append_pair("id", id).finish())
}
