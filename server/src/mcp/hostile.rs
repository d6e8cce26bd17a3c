//! Bodies that no client means to send, by the thousand: whatever is posted, the envelope reads it, keeps an id as it came, and never
//! mistakes one thing for another. `PROPTEST_CASES` says how many cases are tried.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::envelope::{self, Method, Posted};

/// Pieces of what clients send, and of what breaks parsers.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\ud83d",
            "\\udc00",
            "\\ud83d\\ude00",
            "\\u",
            "null",
            "NaN",
            "-",
            "1e999",
            "\"id\":",
            "\"method\":",
            "\"tools/call\"",
            "\"ping\"",
            "\"notifications/x\"",
            "\"params\":",
            "\"name\":",
            "\"arguments\":",
            "\"metadata\":",
            "\"result\":",
            "\"jsonrpc\":\"2.0\",",
            "\u{feff}",
            "\u{e000}",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?",
        any::<String>().prop_map(|text| Value::String(text).to_string()),
        Just("[1,{\"a\":2}]".to_owned()),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = envelope::read(&body);
    }

    #[test]
    fn any_pieces_are_read(pieces in prop::collection::vec(piece(), 0..40)) {
        let body = pieces.concat();
        match envelope::read(body.as_bytes()) {
            // Half an emoji is mended and what is no JSON stays none: a request was JSON but for that.
            Posted::Request(_) | Posted::Nothing | Posted::NotARequest if !body.contains("\\u") => {
                prop_assert!(serde_json::from_str::<Value>(&body).is_ok());
            }
            Posted::Unreadable => prop_assert!(serde_json::from_str::<Value>(&body).is_err()),
            _ => {}
        }
    }

    #[test]
    fn an_id_comes_back_as_it_came(id in id(), name in any::<String>(), text in any::<String>()) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{},"arguments":{{"body":{},"half":"\ud83d"}}}}}}"#,
            Value::String(name.clone()), Value::String(text.clone()),
        );
        let Posted::Request(request) = envelope::read(body.as_bytes()) else { panic!("a request: {body}") };
        let Method::ToolsCall(call) = request.method else { panic!("a call: {body}") };
        prop_assert_eq!(&call.name, &name);
        prop_assert_eq!(&call.arguments["body"], &Value::String(text));
        prop_assert_eq!(&call.arguments["half"], &json!("\u{fffd}"));
        prop_assert!(!call.broken_metadata);
        let sent: Value = serde_json::from_str(&id).expect("an id is JSON");
        let answers = [
            envelope::result(&request.id, "{}"),
            envelope::error(&request.id, -32600, &name, Some(&json!({"a": 1}))),
            envelope::tool_result(&request.id, r#"{"a":1}"#, true, 100),
        ];
        for answer in answers {
            let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
            prop_assert_eq!(&answer["id"], &sent);
        }
    }
}
