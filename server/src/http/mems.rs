//! `/v1/mems/*`: hot session memory over HTTP (`contract: mems`). What is wrong with a request is said in the form of FastAPI, which
//! programs of other services of this kind read.

pub mod stream;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use loggia_domain::mems::event::{given_at_ms, iso};
use loggia_domain::mems::request::{self, Problem};
use loggia_domain::mems::{Kept, Owner};
use loggia_domain::{ApiError, ErrorCode};
use serde_json::{Map, Value, json};

use crate::AppState;
use crate::auth::Caller;
use crate::error::{HttpError, JSON};
use crate::mems::publisher::Publisher;
use crate::mems::{MemsError, Session};
use crate::tokens::Scope;

/// The largest body of a write, in bytes.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// `POST /v1/mems/write`.
pub async fn post_write(State(state): State<AppState>, caller: Caller, body: Body) -> Result<Response, HttpError> {
    let identity = caller.identity()?;
    if !identity.may(Scope::Memory) {
        let error = format!("token `{}` lacks the scope `memory`", identity.name);
        return Err(HttpError::new(ApiError::new(ErrorCode::Forbidden, error)));
    }
    let bytes = match whole(body).await {
        Ok(bytes) => bytes,
        Err(refused) => return Ok(refused),
    };
    let parsed = serde_json::from_slice::<Value>(&bytes)
        .map_err(|error| vec![Problem::whole("body", format!("the body is not JSON: {error}"), "json_invalid")]);
    let new = match parsed.and_then(|body| request::write(&body)) {
        Ok(new) => new,
        Err(wrong) => return Ok(unprocessable(&wrong)),
    };
    // The session's name, never what was said in it.
    let act = state.audit.begin(&identity.name, "mems.write", new.owner.session_id.clone());
    if let Err(refused) = identity.check_agent("agent_id", &new.owner.agent_id) {
        act.ended("denied");
        return Err(HttpError::new(ApiError::new(ErrorCode::Forbidden, refused.message)));
    }
    let appended = new.messages.len();
    let written = match state.mems.write(new).await {
        Err(MemsError::TooLarge(wrong)) => {
            act.ended("refused");
            let loc = vec!["body".into(), wrong.field.into()];
            return Ok(unprocessable(&[Problem { loc, msg: wrong.to_string(), kind: "too_long" }]));
        }
        Err(error) => {
            act.ended("failed");
            return Err(error.into());
        }
        Ok(written) => written,
    };
    act.ended("ok");
    let snapshot = &written.event.snapshot;
    let mut answer = Map::new();
    answer.insert("success".to_owned(), true.into());
    identify(&mut answer, &written.event.owner);
    let window: Vec<Value> = snapshot.messages.iter().map(|kept| json!(kept.message)).collect();
    let message = match &written.filed {
        _ if appended == 0 => "no messages; plan and variables are kept".to_owned(),
        Ok(_) => "kept, and filed in the palace".to_owned(),
        Err(why) => format!("kept, not filed in the palace: {why}"),
    };
    answer.extend([
        ("short_term_buffer".to_owned(), window.into()),
        ("appended_count".to_owned(), appended.into()),
        ("persisted_to_l1".to_owned(), written.filed.is_ok().into()),
        ("l1_id".to_owned(), written.filed.ok().into()),
        ("message".to_owned(), message.into()),
    ]);
    Ok(answered(StatusCode::OK, &answer.into()))
}

/// `GET /v1/mems/context`.
pub async fn get_context(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    caller.either(Scope::Memory)?;
    let asked = match request::context(&pairs(query.as_deref())) {
        Ok(asked) => asked,
        Err(wrong) => return Ok(unprocessable(&wrong)),
    };
    let found = state.mems.context(&asked).await?;
    let source = match (found.from_drawers, found.messages.len()) {
        (0, _) => "l0",
        (drawers, all) if drawers == all => "l1",
        _ => "mixed",
    };
    let mut answer = Map::new();
    identify(&mut answer, &asked.owner);
    let next = found.has_more.then(|| found.messages.first().map(|kept| kept.id.clone())).flatten();
    let live = found.live.as_ref();
    answer.extend([
        ("source".to_owned(), source.into()),
        ("page_type".to_owned(), if asked.before_id.is_some() { "history" } else { "live" }.into()),
        ("messages".to_owned(), found.messages.iter().map(message).collect::<Vec<_>>().into()),
        ("total".to_owned(), found.total.into()),
        ("has_more".to_owned(), found.has_more.into()),
        ("next_before_id".to_owned(), next.into()),
        ("active_plan".to_owned(), live.and_then(|s| s.active_plan.clone()).into()),
        ("temp_variables".to_owned(), live.map(|s| s.temp_variables.clone()).unwrap_or_default().into()),
        ("expires_at".to_owned(), live.map(|s| iso(s.expires_at_ms)).into()),
    ]);
    Ok(answered(StatusCode::OK, &answer.into()))
}

/// `GET /v1/mems/sessions`: the live ones; parts of an identity in the query keep those alone that have them.
pub async fn get_sessions(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    caller.either(Scope::Memory)?;
    let wanted = pairs(query.as_deref());
    let found = state.mems.sessions().await?;
    let sessions: Vec<Value> = found.iter().filter(|one| passes(&one.owner, &wanted)).map(session).collect();
    Ok(answered(StatusCode::OK, &json!({"total": sessions.len(), "sessions": sessions})))
}

/// `GET /v1/mems/status`.
pub async fn get_status(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    caller.either(Scope::Memory)?;
    let store = state.mems.check().await;
    let live = if store.is_ok() { state.mems.count().await.ok() } else { None };
    let stream = match state.mems.stream_state().await {
        Some(Ok(stream)) => json!(stream),
        Some(Err(error)) => json!({"error": error}),
        None => Value::Null,
    };
    let status = json!({
        "status": if store.is_ok() { "ok" } else { "unavailable" },
        "store": state.mems.store_name(),
        "store_error": store.err().map(|error| error.to_string()),
        "sessions": live,
        "pipeline": state.mems.publisher().map_or_else(|| json!({"enabled": false}), |p| pipeline(p, &stream)),
    });
    Ok(answered(StatusCode::OK, &status))
}

/// `GET /v1/mems/health`: 200 while writes can be taken, else 503.
pub async fn get_health(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    caller.either(Scope::Memory)?;
    state.mems.check().await?;
    Ok(answered(StatusCode::OK, &json!({"status": "ok", "store": state.mems.store_name()})))
}

fn pipeline(publisher: &Publisher, stream: &Value) -> Value {
    let (settings, progress) = (publisher.settings(), publisher.progress());
    json!({
        "enabled": true,
        "redis": settings.url.shown(),
        "stream": settings.stream,
        "maxlen": settings.max_entries,
        "published": progress.published,
        "dropped": progress.dropped,
        "waiting": progress.waiting,
        "trouble": progress.trouble,
        "last_error": progress.last_error.as_ref().map(|(error, _)| error),
        "last_error_at": progress.last_error.as_ref().map(|(_, at_ms)| iso(*at_ms)),
        "redis_stream": stream,
    })
}

/// The five parts of an identity; what is not set is null.
fn identify(answer: &mut Map<String, Value>, owner: &Owner) {
    if let Value::Object(parts) = json!(owner) {
        answer.extend(parts);
    }
}

fn message(kept: &Kept) -> Value {
    json!({
        "id": kept.id,
        "role": kept.message.role,
        "content": kept.message.content,
        "created_at": given_at_ms(&kept.id).map(iso),
    })
}

fn session(one: &Session) -> Value {
    let mut answer = Map::new();
    identify(&mut answer, &one.owner);
    answer.extend([
        ("messages".to_owned(), one.snapshot.messages.len().into()),
        ("active_plan".to_owned(), one.snapshot.active_plan.clone().into()),
        ("created_at".to_owned(), iso(one.snapshot.created_at_ms).into()),
        ("updated_at".to_owned(), iso(one.snapshot.updated_at_ms).into()),
        ("expires_at".to_owned(), iso(one.snapshot.expires_at_ms).into()),
        ("remaining_seconds".to_owned(), one.left_ms.div_ceil(1000).into()),
    ]);
    answer.into()
}

/// Whether an owner has all the parts that a query names.
fn passes(owner: &Owner, wanted: &Map<String, Value>) -> bool {
    let parts = [
        ("tenant_id", owner.tenant_id.as_deref()),
        ("user_id", owner.user_id.as_deref()),
        ("scope", owner.scope.as_deref()),
        ("agent_id", Some(owner.agent_id.as_str())),
        ("session_id", Some(owner.session_id.as_str())),
    ];
    parts.iter().all(|(name, part)| match wanted.get(*name) {
        Some(Value::String(text)) if !text.is_empty() => *part == Some(text.as_str()),
        _ => true,
    })
}

/// A query string as fields; of a name that comes twice, the last.
fn pairs(query: Option<&str>) -> Map<String, Value> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned().into())).collect()
}

/// The bytes of a body, or the answer that refuses it.
async fn whole(body: Body) -> Result<Bytes, Response> {
    match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            let error = format!("the body is too large in bytes: at most {MAX_BODY_BYTES} here");
            let error = HttpError::new(ApiError::new(ErrorCode::BadRequest, error));
            Err(error.with_status(StatusCode::PAYLOAD_TOO_LARGE).into_response())
        }
        Err(_) => Err(unprocessable(&[Problem::whole("body", "the body ended too early", "json_invalid")])),
    }
}

fn unprocessable(wrong: &[Problem]) -> Response {
    answered(StatusCode::UNPROCESSABLE_ENTITY, &json!({"detail": wrong}))
}

fn answered(status: StatusCode, answer: &Value) -> Response {
    let mut response = Response::new(Body::from(answer.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

impl From<MemsError> for HttpError {
    fn from(error: MemsError) -> Self {
        let hint = "coordination goes on; try again in a moment";
        match error {
            MemsError::Storage(cause) => {
                tracing::error!(%cause, "session memory cannot be used");
                let error = ApiError::new(ErrorCode::Unavailable, "session memory cannot be used");
                Self::new(error.hint("the hub's log says why"))
            }
            other => Self::new(ApiError::new(ErrorCode::Unavailable, other.to_string()).hint(hint)),
        }
    }
}
