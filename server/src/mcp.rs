//! MCP over HTTP: `POST /mcp`, stateless, JSON answers (`contract: mcp-and-http`, section MCP).
//!
//! # Design
//! The envelope is our own: agents send what a strict server refuses (lone surrogates, missing ids, lists as texts), and they rely on
//! answers to it. The tools are a table; nothing here knows SQL or pages.

mod agents_tool;
mod args;
mod correlation;
mod diary_tools;
mod drawer_tools;
mod envelope;
mod estate_tool;
mod fact_tools;
mod graph_tools;
#[cfg(test)]
mod hostile;
mod noted;
mod palace_tools;
mod read_tools;
mod search_tool;
mod speaker;
mod surrogate;
mod tool;
pub mod write_tools;

use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::AppState;
use crate::auth::{Caller, Credential, Denied};
use crate::figures::tools::Outcome;
use crate::logstream::StoreError;
use crate::palace::PalaceError;
use crate::tokens::Identity;
use crate::tokens::audit::Act;
use args::Args;
use envelope::{Call, Method, Posted};
use tool::{Failure, Tool};

/// The largest request, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// How much of a larger one is read and thrown away, so that its sender comes to read the answer.
const MAX_DRAINED_BYTES: usize = 64 * 1024 * 1024;
/// Object answers up to this size also come as `structuredContent`.
const MAX_STRUCTURED_BYTES: usize = 64 * 1024;

const TOOLS: [Tool; 48] = [
    write_tools::TASK_CREATE,
    write_tools::EVENT_APPEND,
    read_tools::EVENT_LIST,
    read_tools::EVENT_WAIT,
    read_tools::EVENT_GET,
    search_tool::EVENT_SEARCH,
    correlation::CORRELATION_GET,
    agents_tool::AGENTS,
    write_tools::EVENT_ACK,
    write_tools::ARTIFACT_PUT,
    read_tools::ARTIFACT_GET,
    write_tools::PATCH_SUBMIT,
    estate_tool::MESH_PEERS,
    palace_tools::STATUS,
    palace_tools::LIST_WINGS,
    palace_tools::LIST_ROOMS,
    palace_tools::GET_TAXONOMY,
    palace_tools::GET_AAAK_SPEC,
    palace_tools::SEARCH,
    palace_tools::CHECK_DUPLICATE,
    drawer_tools::ADD_DRAWER,
    drawer_tools::GET_DRAWER,
    drawer_tools::GET_DRAWERS,
    drawer_tools::LIST_DRAWERS,
    drawer_tools::UPDATE_DRAWER,
    drawer_tools::DELETE_DRAWER,
    drawer_tools::DELETE_DRAWERS,
    drawer_tools::DELETE_BY_SOURCE,
    diary_tools::DIARY_WRITE,
    diary_tools::DIARY_READ,
    diary_tools::CHECKPOINT,
    graph_tools::CREATE_TUNNEL,
    graph_tools::LIST_TUNNELS,
    graph_tools::DELETE_TUNNEL,
    graph_tools::FIND_TUNNELS,
    graph_tools::FOLLOW_TUNNELS,
    graph_tools::TRAVERSE,
    graph_tools::GRAPH_STATS,
    graph_tools::LIST_HALLWAYS,
    graph_tools::DELETE_HALLWAY,
    fact_tools::KG_ADD,
    fact_tools::KG_QUERY,
    fact_tools::KG_INVALIDATE,
    fact_tools::KG_SUPERSEDE,
    fact_tools::KG_TIMELINE,
    fact_tools::KG_STATS,
    palace_tools::HOOK_SETTINGS,
    palace_tools::MEMORIES_FILED_AWAY,
];

static TOOLS_LIST: LazyLock<String> = LazyLock::new(|| listed(|_| true));
/// What a read-only hub offers.
static READING_TOOLS_LIST: LazyLock<String> = LazyLock::new(|| listed(Tool::is_read_only));

fn listed(which: fn(&Tool) -> bool) -> String {
    json!({"tools": TOOLS.iter().filter(|tool| which(tool)).map(Tool::listed).collect::<Vec<_>>()}).to_string()
}

/// The names of the tools there are.
pub fn tool_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

/// `POST /mcp`
pub async fn post(State(state): State<AppState>, caller: Caller, body: Body) -> Result<Response, Denied> {
    let (identity, credential) = caller.bearer()?;
    let body = match read_body(body).await {
        Body16::Whole(bytes) => bytes,
        Body16::TooLarge => {
            let too_large =
                envelope::error(&Value::Null, -32600, "Request too large", Some(&json!({"limit": MAX_REQUEST_BYTES})));
            let mut response = answer_json(StatusCode::PAYLOAD_TOO_LARGE, too_large);
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            return Ok(response);
        }
        Body16::Broken => {
            return Ok(answer_json(
                StatusCode::BAD_REQUEST,
                envelope::error(&Value::Null, -32700, "Parse error", None),
            ));
        }
    };
    let request = match envelope::read(&body) {
        Posted::Unreadable => {
            return Ok(answer_json(
                StatusCode::BAD_REQUEST,
                envelope::error(&Value::Null, -32700, "Parse error", None),
            ));
        }
        Posted::NotARequest => {
            return Ok(answer_json(StatusCode::OK, envelope::error(&Value::Null, -32600, "Invalid Request", None)));
        }
        Posted::Nothing => return Ok(nothing()),
        Posted::Request(request) => request,
    };
    drop(body);
    let id = &request.id;
    let text = match request.method {
        Method::Initialize(version) => envelope::result(
            id,
            &json!({
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "loggia", "version": env!("CARGO_PKG_VERSION")},
            })
            .to_string(),
        ),
        Method::Ping => envelope::result(id, "{}"),
        Method::ToolsList => {
            let list = if state.settings.read_only { &READING_TOOLS_LIST } else { &TOOLS_LIST };
            envelope::result(id, list)
        }
        Method::BadCall(message) => envelope::error(id, -32602, message, None),
        Method::Unknown(name) => envelope::error(id, -32601, &format!("Unknown method: {name}"), None),
        Method::ToolsCall(call) => return Ok(called(state, &identity, credential, id, call).await),
    };
    Ok(answer_json(StatusCode::OK, text))
}

/// Calls a tool, counts the call, and notes it in the audit where it may have changed something.
async fn called(state: AppState, identity: &Identity, credential: Credential, id: &Value, call: Call) -> Response {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == call.name) else {
        state.figures.tools.called(&call.name, Outcome::BadArguments);
        let text = envelope::error(id, -32601, &format!("Unknown tool: {}", call.name), None);
        return answer_json(StatusCode::OK, text);
    };
    let figures = Arc::clone(&state.figures);
    let begin = || state.audit.begin(&identity.name, tool.name, noted::changed(&call.arguments));
    let mut act = (!tool.is_read_only()).then(begin);
    let (outcome, response) = run(state, identity, credential, id, tool, call, act.as_mut()).await;
    figures.tools.called(tool.name, outcome);
    if let Some(act) = act {
        act.ended(noted::word(outcome));
    }
    response
}

/// Calls a tool. An answer that names what was made says it in the audit's line, too.
async fn run(
    state: AppState,
    identity: &Identity,
    credential: Credential,
    id: &Value,
    tool: &Tool,
    call: Call,
    act: Option<&mut Act>,
) -> (Outcome, Response) {
    let state = state.seen_by(identity);
    if !identity.may(tool.scope) {
        let message = format!("token `{}` may not call {}", identity.name, tool.name);
        let data = json!({"scope": tool.scope.as_str()});
        let text = envelope::error(id, -32003, &message, Some(&data));
        return (Outcome::Denied, answer_json(StatusCode::FORBIDDEN, text));
    }
    let named = ["from_agent", "created_by"].map(|name| call.arguments.get(name).and_then(Value::as_str));
    state.presence.called(&named);
    let mut args = match Args::check(tool.name, tool.params, call.arguments) {
        Ok(args) => args,
        Err(bad) => {
            let text = envelope::error(id, -32602, &bad.message, Some(&bad.data));
            return (Outcome::BadArguments, answer_json(StatusCode::OK, text));
        }
    };
    let answer = if state.settings.read_only && !tool.is_read_only() {
        Err(Failure::Refused(
            loggia_domain::Refusal::new("", "this hub is read-only").hint("it was started with --read-only"),
        ))
    } else if let Err(refusal) = speaker::check(identity, tool, &mut args) {
        Err(Failure::Refused(refusal))
    } else if tool.name == read_tools::EVENT_WAIT.name {
        let tokens = Arc::clone(&state.tokens);
        tokio::select! {
            answer = (tool.run)(state, args, call.broken_metadata) => answer,
            // A token that was revoked takes its waits with it.
            () = credential.ended(tokens, tool.scope) => {
                let message = format!("token `{}` has ended", identity.name);
                let text = envelope::error(id, -32001, &message, None);
                return (Outcome::Denied, answer_json(StatusCode::UNAUTHORIZED, text));
            }
        }
    } else {
        (tool.run)(state, args, call.broken_metadata).await
    };
    let (outcome, text) = match answer {
        Ok(text) => {
            if let Some(act) = act
                && let Some(made) = noted::made(&text)
            {
                act.changed(made);
            }
            (Outcome::Ok, text)
        }
        Err(Failure::Refused(refusal)) => (Outcome::Refused, tool.refused(&refusal).to_string()),
        Err(Failure::Store(error @ (StoreError::Busy | StoreError::Full | StoreError::Closed))) => {
            let mut refused = tool.refused(&loggia_domain::Refusal::new("", error.to_string()));
            refused["retryable"] = true.into();
            (Outcome::Unavailable, refused.to_string())
        }
        Err(Failure::Invalid(bad)) => {
            let text = envelope::error(id, -32602, &bad.message, Some(&bad.data));
            return (Outcome::BadArguments, answer_json(StatusCode::OK, text));
        }
        Err(Failure::Palace(error)) => return palace_failed(tool, id, &error),
        Err(Failure::Store(error)) => {
            tracing::error!(tool = tool.name, %error, "a tool failed");
            let text = envelope::error(id, -32603, "Internal error", None);
            return (Outcome::Failed, answer_json(StatusCode::INTERNAL_SERVER_ERROR, text));
        }
    };
    (outcome, answer_json(StatusCode::OK, envelope::tool_result(id, &text, false, MAX_STRUCTURED_BYTES)))
}

/// The answer when the palace did not do what was asked, by whether the caller should try again, restart the hub, or look at it.
fn palace_failed(tool: &Tool, id: &Value, error: &PalaceError) -> (Outcome, Response) {
    let mut refused = tool.refused(&loggia_domain::Refusal::new("", error.to_string()));
    if tool.name == palace_tools::SEARCH.name {
        // Who searches reads the hits first.
        refused["results"] = json!([]);
    }
    let said = |refused: &Value, is_error: bool| {
        let text = envelope::tool_result(id, &refused.to_string(), is_error, MAX_STRUCTURED_BYTES);
        answer_json(StatusCode::OK, text)
    };
    match error {
        PalaceError::Refused(_) => (Outcome::Refused, said(&refused, false)),
        _ if error.is_retryable() => {
            // Agents know this name: nothing was stored, and a later try may work.
            refused["error_class"] = "LockHeldByOtherProcess".into();
            refused["retryable"] = true.into();
            (Outcome::Unavailable, said(&refused, false))
        }
        PalaceError::Off(reason) => {
            refused["error"] = "Backend open failed".into();
            refused["details"] = reason.as_str().into();
            (Outcome::Unavailable, said(&refused, true))
        }
        PalaceError::Outdated { .. } => {
            let text = envelope::error(id, -32005, &error.to_string(), None);
            (Outcome::Unavailable, answer_json(StatusCode::OK, text))
        }
        _ => {
            tracing::error!(tool = tool.name, %error, "a tool failed");
            let text =
                envelope::error(id, -32000, "Internal tool error", Some(&json!({"error_class": "StorageError"})));
            (Outcome::Failed, answer_json(StatusCode::INTERNAL_SERVER_ERROR, text))
        }
    }
}

enum Body16 {
    Whole(bytes::Bytes),
    TooLarge,
    Broken,
}

/// Reads at most [`MAX_REQUEST_BYTES`]. What is larger is read on for a while and thrown away: a sender in full flow sees a reset
/// connection instead of the answer otherwise.
async fn read_body(mut body: Body) -> Body16 {
    let mut whole = bytes::BytesMut::new();
    let mut total = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Body16::Broken };
        let Some(data) = frame.data_ref() else { continue };
        total += data.len();
        if total <= MAX_REQUEST_BYTES {
            whole.extend_from_slice(data);
        } else if total > MAX_DRAINED_BYTES {
            break;
        }
    }
    if total > MAX_REQUEST_BYTES { Body16::TooLarge } else { Body16::Whole(whole.freeze()) }
}

fn answer_json(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(crate::error::JSON));
    response
}

fn nothing() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}
