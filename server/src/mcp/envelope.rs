//! JSON-RPC 2.0 as agents really send it: what a posted body is, and how answers are written (`contract: mcp-and-http`, section MCP).

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::surrogate;

/// The protocol versions that are spoken, oldest first.
pub const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What was posted.
#[derive(Debug)]
pub enum Posted {
    /// No JSON: -32700, HTTP 400.
    Unreadable,
    /// JSON, but not one object: -32600.
    NotARequest,
    /// A notification, a response, or something unknown without an id: 202, nothing to say.
    Nothing,
    /// Something to answer.
    Request(Request),
}

/// A request to answer. `id` is null when none was sent: agents of the first hour rely on an answer all the same.
#[derive(Debug)]
pub struct Request {
    /// Echoed as it came.
    pub id: Value,
    /// What is asked.
    pub method: Method,
}

/// What is asked.
#[derive(Debug)]
pub enum Method {
    /// `initialize`, with the version to speak.
    Initialize(&'static str),
    /// `ping`.
    Ping,
    /// `tools/list`.
    ToolsList,
    /// `tools/call`.
    ToolsCall(Call),
    /// A `tools/call` whose params are not a call: -32602 with this message.
    BadCall(&'static str),
    /// Anything else: -32601.
    Unknown(String),
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Whether half an emoji was found in `metadata`: refused there, mended everywhere else.
    pub broken_metadata: bool,
}

/// Reads a posted body.
pub fn read(body: &[u8]) -> Posted {
    let Ok(text) = std::str::from_utf8(body) else { return Posted::Unreadable };
    let Ok((text, mark)) = surrogate::mend_text(text) else { return Posted::Unreadable };
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return Posted::Unreadable };
    let mut broken_metadata = false;
    if let Some(mark) = mark {
        broken_metadata = value.pointer("/params/arguments/metadata").is_some_and(|m| surrogate::holds_mark(m, mark));
        surrogate::replace_mark(&mut value, mark);
    }
    let Value::Object(mut message) = value else { return Posted::NotARequest };
    let id = message.remove("id");
    let method = message.remove("method");
    let name = match &method {
        Some(Value::String(m)) => m.as_str(),
        None if id.is_some() && (message.contains_key("result") || message.contains_key("error")) => {
            return Posted::Nothing;
        }
        _ => "",
    };
    if name.starts_with("notifications/") {
        return Posted::Nothing;
    }
    let params = message.remove("params");
    let method = match name {
        "initialize" => Method::Initialize(negotiate(params.as_ref())),
        "ping" => Method::Ping,
        "tools/list" => Method::ToolsList,
        "tools/call" => call(params, broken_metadata),
        _ if id.is_none() => return Posted::Nothing,
        other => Method::Unknown(other.to_owned()),
    };
    Posted::Request(Request { id: id.unwrap_or(Value::Null), method })
}

/// A known version is echoed, an unknown one answered with the newest, a missing one with the oldest. Never refused.
fn negotiate(params: Option<&Value>) -> &'static str {
    let newest = VERSIONS[VERSIONS.len() - 1];
    match params.and_then(|p| p.get("protocolVersion")) {
        None => VERSIONS[0],
        Some(Value::String(v)) => VERSIONS.into_iter().find(|known| known == v).unwrap_or(newest),
        Some(_) => newest,
    }
}

fn call(params: Option<Value>, broken_metadata: bool) -> Method {
    const NO_NAME: &str = "Invalid params: 'name' is required for tools/call";
    const BAD_TYPES: &str = "Invalid params: 'name' must be a string and 'arguments' an object";
    let Some(Value::Object(mut params)) = params else { return Method::BadCall(NO_NAME) };
    let name = match params.remove("name") {
        None => return Method::BadCall(NO_NAME),
        Some(Value::String(name)) => name,
        Some(_) => return Method::BadCall(BAD_TYPES),
    };
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Method::BadCall(BAD_TYPES),
    };
    Method::ToolsCall(Call { name, arguments, broken_metadata })
}

/// An answer around a result that is JSON text already.
pub fn result(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// An answer around what a tool said: its JSON as text, and up to `max_structured` bytes as structure too. Structure must be an object, so a
/// list stands in one there. `is_error` tells a caller that looks no further that the tool could not work at all.
pub fn tool_result(id: &Value, text: &str, is_error: bool, max_structured: usize) -> String {
    let structured = text.len() <= max_structured;
    // Quoting makes a text about a fifth longer. Lists are long: what is copied here once more is felt.
    let room = text.len() + text.len() / 4 + if structured { text.len() } else { 0 } + 256;
    let mut answer = String::with_capacity(room);
    let mark = if is_error { r#""isError":true,"# } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(answer, r#"{{"jsonrpc":"2.0","id":{id},"result":{{{mark}"content":[{{"type":"text","text":"#);
    quote(text, &mut answer);
    answer.push_str("}]");
    if structured {
        let (before, after) = if text.starts_with('[') { (r#"{"result":"#, "}") } else { ("", "") };
        for part in [r#","structuredContent":"#, before, text, after] {
            answer.push_str(part);
        }
    }
    answer.push_str("}}");
    answer
}

/// Writes a compact JSON text as a JSON string. In such a text every control character is escaped already, so that only quotes and
/// backslashes are left to mind: looking for these two alone takes a third of the time, and a long list is mostly quoting.
fn quote(json: &str, to: &mut String) {
    debug_assert!(!json.bytes().any(|b| b < 0x20), "a control character in compact JSON");
    to.push('"');
    let mut written = 0;
    for at in memchr::memchr2_iter(b'"', b'\\', json.as_bytes()) {
        to.push_str(&json[written..at]);
        to.push('\\');
        written = at;
    }
    to.push_str(&json[written..]);
    to.push('"');
}

/// An answer around an error; `data` says more for those who look.
pub fn error(id: &Value, code: i32, message: &str, data: Option<&Value>) -> String {
    let message = Value::String(message.to_owned());
    let data = data.map(|d| format!(r#","data":{d}"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_quoted_as_serde_quotes_it() {
        let said = serde_json::json!({"a\"b": "c\\d\n\u{1}é\u{2028}\u{7f}", "list": ["", "\"", "\\\\"]}).to_string();
        let mut quoted = String::new();
        quote(&said, &mut quoted);
        assert_eq!(quoted, serde_json::to_string(&said).expect("text"));
    }

    #[track_caller]
    fn version(body: &str) -> &'static str {
        match read(body.as_bytes()) {
            Posted::Request(Request { method: Method::Initialize(v), .. }) => v,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn initialize_is_never_refused_for_its_version() {
        let with =
            |v: &str| version(&format!(r#"{{"id":1,"method":"initialize","params":{{"protocolVersion":{v}}}}}"#));
        for known in VERSIONS {
            assert_eq!(with(&format!("\"{known}\"")), known);
        }
        assert_eq!(with("\"2030-01-01\""), "2025-11-25");
        assert_eq!(with("5"), "2025-11-25");
        assert_eq!(version(r#"{"id":1,"method":"initialize"}"#), "2024-11-05");
    }

    #[test]
    fn what_needs_no_answer_gets_none() {
        for silent in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"nope"}"#,
            "{}",
        ] {
            assert!(matches!(read(silent.as_bytes()), Posted::Nothing), "{silent}");
        }
    }

    #[test]
    fn only_one_object_is_a_request() {
        for batch in ["[]", "[1]", r#"[{"id":1,"method":"ping"}]"#, "5", "null", "\"x\""] {
            assert!(matches!(read(batch.as_bytes()), Posted::NotARequest), "{batch}");
        }
        for broken in ["", "{", r#"{"id": NaN}"#, "\u{feff}{}"] {
            assert!(matches!(read(broken.as_bytes()), Posted::Unreadable), "{broken}");
        }
        assert!(matches!(read(&[b'"', 0xff, b'"']), Posted::Unreadable));
    }

    #[test]
    fn answers_echo_the_id_exactly() {
        let id: Value = serde_json::from_str("12345678901234567890123").expect("a number");
        assert_eq!(result(&id, "{}"), r#"{"jsonrpc":"2.0","id":12345678901234567890123,"result":{}}"#);
    }
}
