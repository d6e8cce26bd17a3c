//! JSON-RPC messages as the bridge sees them: which id a request has, and what an HTTP answer means for it. No I/O.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// What is known of a message that an agent sent.
pub(super) struct Asked<'a> {
    id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
}

impl<'a> Asked<'a> {
    /// Reads a line; `None` if it is not JSON at all. What is odd but JSON is the hub's to judge.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        let id = serde_json::from_str::<Message>(text).ok().filter(|m| m.method.is_some()).and_then(|m| m.id);
        Some(Self { id })
    }

    /// The id, byte for byte.
    pub(super) fn id(&self) -> Option<&RawValue> {
        self.id
    }

    /// Whether somebody waits for an answer: notifications have no id.
    pub(super) fn wants_answer(&self) -> bool {
        self.id.is_some()
    }
}

/// The line to print for an HTTP answer, with the request's own id; `None` if there is nothing to say. An error if the answer is no
/// JSON-RPC.
pub(super) fn answer(asked: &Asked, status: u16, body: &[u8]) -> Result<Option<String>, ()> {
    if status == 202 || (status == 200 && body.is_empty()) {
        // The protocol allows no silence to a request, whatever the hub thinks of it.
        return if asked.wants_answer() { Err(()) } else { Ok(None) };
    }
    let text = std::str::from_utf8(body).map_err(|_| ())?;
    let message: Message = serde_json::from_str(text).map_err(|_| ())?;
    let (name, content) = match (message.result, message.error) {
        (Some(result), None) => ("result", result),
        // The error of an HTTP answer is a text, not an object.
        (None, Some(error)) if error.get().starts_with('{') => ("error", error),
        _ => return Err(()),
    };
    let line = match asked.id {
        // A hub that could not read the message does not know its id; we do.
        Some(id) if message.id.is_none() => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"{name}":{content}}}"#)
        }
        _ => text.to_owned(),
    };
    Ok(Some(on_one_line(&line)))
}

/// An error of the bridge itself, as a line; `hint` says what to do about it.
pub(super) fn error(id: Option<&RawValue>, code: i32, message: &str, hint: Option<&str>) -> String {
    let mut error = json!({"code": code, "message": message});
    if let Some(hint) = hint {
        error["data"] = json!({"hint": hint});
    }
    on_one_line(&format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, id.map_or("null", RawValue::get)))
}

/// Line ends within JSON lie between its tokens only, where a blank means the same.
fn on_one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, status: u16, body: &str, expected: Result<Option<&str>, ()>) {
        let asked = Asked::read(line.as_bytes()).expect("JSON");
        assert_eq!(answer(&asked, status, body.as_bytes()), expected.map(|e| e.map(|e| format!("{e}\n"))));
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":"a\u00e9","method":"tools/call","params":{"x":"\ud83d"}}"#;

    #[test]
    fn an_answer_is_passed_on_as_it_is_on_one_line() {
        let body = r#"{"jsonrpc":"2.0","id":"aé","result":{"n":1.0}}"#;
        check(CALL, 200, body, Ok(Some(body)));
        check(CALL, 200, "{\n\"id\": \"a\",\r\n\"result\": {}}", Ok(Some("{ \"id\": \"a\",  \"result\": {}}")));
    }

    #[test]
    fn an_answer_without_an_id_gets_the_requests() {
        check(
            CALL,
            413,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request too large"}}"#,
            Ok(Some(r#"{"jsonrpc":"2.0","id":"a\u00e9","error":{"code":-32600,"message":"Request too large"}}"#)),
        );
    }

    #[test]
    fn what_is_no_json_rpc_is_an_error() {
        check(CALL, 401, r#"{"error":"a valid token is needed","code":"unauthorized"}"#, Err(()));
        check(CALL, 502, "<html>", Err(()));
        check(CALL, 200, "", Err(()));
        check(CALL, 202, "", Err(()));
    }

    #[test]
    fn a_notification_gets_no_line() {
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, 202, "", Ok(None));
    }

    #[test]
    fn ids_are_kept_byte_for_byte() {
        for id in ["1", "1.0", "18446744073709551616", r#""\u0041""#] {
            let line = format!(r#"{{"id": {id}, "method": "ping"}}"#);
            let asked = Asked::read(line.as_bytes()).expect("JSON");
            assert_eq!(asked.id().map(RawValue::get), Some(id), "{id}");
        }
        assert!(Asked::read(br#"[{"id":1}]"#).expect("JSON").id().is_none());
        assert!(Asked::read(br#"{"id":1,"result":{}}"#).expect("JSON").id().is_none(), "a response is no request");
        assert!(Asked::read(b"nonsense").is_none());
        assert!(Asked::read(br#"{"id":null,"method":"ping"}"#).expect("JSON").id().is_none());
    }

    #[test]
    fn an_error_is_one_line() {
        let line = error(None, -32700, "x\ny", Some("z"));
        let expected = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x\ny","data":{"hint":"z"}}}"#;
        assert_eq!(line, format!("{expected}\n"));
    }
}
