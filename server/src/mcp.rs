//! MCP over HTTP: `POST /mcp`, stateless, JSON answers (`contract: mcp-and-http`, section MCP).
//!
//! # Design
//! The envelope is our own: agents send what a strict server refuses (lone surrogates, missing ids, lists as texts), and they rely on
//! answers to it. The tools are a table; nothing here knows SQL or pages.

mod args;
mod envelope;
mod read_tools;
mod surrogate;
mod tool;
pub mod write_tools;

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::AppState;
use crate::auth::{Caller, Denied};
use crate::logstream::StoreError;
use crate::tokens::Identity;
use args::Args;
use envelope::{Call, Method, Posted};
use tool::{Failure, Tool};

/// The largest request, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// How much of a larger one is read and thrown away, so that its sender comes to read the answer.
const MAX_DRAINED_BYTES: usize = 64 * 1024 * 1024;
/// Object answers up to this size also come as `structuredContent`.
const MAX_STRUCTURED_BYTES: usize = 64 * 1024;

const TOOLS: [Tool; 9] = [
    write_tools::TASK_CREATE,
    write_tools::EVENT_APPEND,
    read_tools::EVENT_LIST,
    read_tools::EVENT_WAIT,
    read_tools::EVENT_GET,
    write_tools::EVENT_ACK,
    write_tools::ARTIFACT_PUT,
    read_tools::ARTIFACT_GET,
    write_tools::PATCH_SUBMIT,
];

static TOOLS_LIST: LazyLock<String> =
    LazyLock::new(|| json!({"tools": TOOLS.iter().map(Tool::listed).collect::<Vec<_>>()}).to_string());

/// `POST /mcp`
pub async fn post(State(state): State<AppState>, caller: Caller, body: Body) -> Result<Response, Denied> {
    let identity = caller.identity()?;
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
        Method::ToolsList => envelope::result(id, &TOOLS_LIST),
        Method::BadCall(message) => envelope::error(id, -32602, message, None),
        Method::Unknown(name) => envelope::error(id, -32601, &format!("Unknown method: {name}"), None),
        Method::ToolsCall(call) => return Ok(run(state, &identity, id, call).await),
    };
    Ok(answer_json(StatusCode::OK, text))
}

async fn run(state: AppState, identity: &Identity, id: &Value, call: Call) -> Response {
    let Some(tool) = TOOLS.iter().find(|t| t.name == call.name) else {
        return answer_json(StatusCode::OK, envelope::error(id, -32601, &format!("Unknown tool: {}", call.name), None));
    };
    if !identity.may(tool.scope) {
        let message = format!("token `{}` may not call {}", identity.name, tool.name);
        let data = json!({"scope": tool.scope.as_str()});
        return answer_json(StatusCode::FORBIDDEN, envelope::error(id, -32003, &message, Some(&data)));
    }
    let args = match Args::check(tool.name, tool.params, call.arguments) {
        Ok(args) => args,
        Err(bad) => return answer_json(StatusCode::OK, envelope::error(id, -32602, &bad.message, Some(&bad.data))),
    };
    let outcome = if state.settings.read_only && !tool.is_read_only() {
        Err(Failure::Refused(
            loggia_domain::Refusal::new("", "this hub is read-only").hint("it was started with --read-only"),
        ))
    } else {
        (tool.run)(state, args, call.broken_metadata).await
    };
    let text = match outcome {
        Ok(text) => text,
        Err(Failure::Refused(refusal)) => tool.refused(&refusal),
        Err(Failure::Store(error @ (StoreError::Busy | StoreError::Full | StoreError::Closed))) => {
            let mut refused: Value =
                serde_json::from_str(&tool.refused(&loggia_domain::Refusal::new("", error.to_string())))
                    .unwrap_or_default();
            refused["retryable"] = true.into();
            refused.to_string()
        }
        Err(Failure::Store(error)) => {
            tracing::error!(tool = tool.name, %error, "a tool failed");
            return answer_json(StatusCode::INTERNAL_SERVER_ERROR, envelope::error(id, -32603, "Internal error", None));
        }
    };
    answer_json(StatusCode::OK, envelope::result(id, &content(&text)))
}

/// The result of a tool: its JSON as text, and as structure where it is not too large.
fn content(text: &str) -> String {
    let quoted = Value::String(text.to_owned());
    if text.len() <= MAX_STRUCTURED_BYTES {
        format!(r#"{{"content":[{{"type":"text","text":{quoted}}}],"structuredContent":{text}}}"#)
    } else {
        format!(r#"{{"content":[{{"type":"text","text":{quoted}}}]}}"#)
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
