//! Tokens that a test makes with the command line, and callers that use them.

use std::process::Output;
use std::time::Duration;

use serde_json::Value;

use crate::hub::{Hub, tool_answer, tool_call};
use crate::patience;
use crate::wire::{Answer, Request};

/// How long something may take that the hub notices by itself within a second, on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// Makes a token beside the running hub; its secret, which is all that stands on stdout.
#[track_caller]
pub(crate) fn make(hub: &Hub, args: &[&str]) -> String {
    let output = hub.place().cli(&[&["token", "create"], args].concat(), b"");
    let secret = said(&output);
    let hex = secret.strip_prefix("lg_").and_then(|rest| rest.strip_suffix('\n')).unwrap_or_default();
    assert!(hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()), "stdout is the secret alone: {output:?}");
    let secret = secret.trim_end().to_owned();
    assert_eq!(status_of(hub, &secret), 200, "the hub knows it at once");
    secret
}

/// What a command that worked wrote to stdout.
#[track_caller]
pub(crate) fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// What a command that was refused wrote to stderr.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    patience::until(LIMIT, what, look)
}

/// A request with a token.
pub(crate) fn with_bearer(hub: &Hub, secret: &str, method: &str, target: &str) -> Request {
    hub.request(method, target).set("Authorization", &format!("Bearer {secret}"))
}

/// The status of a ping with a token.
pub(crate) fn status_of(hub: &Hub, secret: &str) -> u16 {
    with_bearer(hub, secret, "POST", "/mcp").json(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).send().status
}

/// A tool's call with a token.
pub(crate) fn bearer_call(hub: &Hub, secret: &str, tool: &str, arguments: Value) -> Answer {
    with_bearer(hub, secret, "POST", "/mcp").json(tool_call(tool, arguments)).send()
}

/// What the tool answered.
#[track_caller]
pub(crate) fn told(hub: &Hub, secret: &str, tool: &str, arguments: Value) -> Value {
    tool_answer(&bearer_call(hub, secret, tool, arguments).json())
}

/// Signs a browser in with a token; its cookie.
#[track_caller]
pub(crate) fn session_of(hub: &Hub, secret: &str) -> String {
    let request = hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin());
    let answer = request.form(&format!("token={secret}")).send();
    answer.cookie().unwrap_or_else(|| panic!("no cookie: {answer:?}"))
}

/// A page as a browser with a cookie gets it.
pub(crate) fn page(hub: &Hub, cookie: &str, target: &str) -> Answer {
    hub.request("GET", target).without("Authorization").header("Cookie", cookie).header("Accept", "text/html").send()
}
