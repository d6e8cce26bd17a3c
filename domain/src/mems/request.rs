//! What came as a write or a question, and what is wrong with it. All that is wrong is said at once, in the form that FastAPI gives to
//! it: `{"loc", "msg", "type"}`, so that programs written for other services of this kind find their way.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{DEFAULT_TTL_S, MAX_TTL_S, Message, NewWrite, Owner};

/// How long a part of an identity may be, in characters.
pub const MAX_ID_CHARS: usize = 256;
/// How long a role may be, in characters.
pub const MAX_ROLE_CHARS: usize = 32;
/// How many messages one write may bring.
pub const MAX_MESSAGES: usize = 1000;
/// How many messages a question gives when nothing is said, and at most.
pub const DEFAULT_LIMIT: usize = 20;
/// How many messages a question may give.
pub const MAX_LIMIT: usize = 200;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where: `body` or `query`, then the way to the field.
    pub loc: Vec<Value>,
    /// What, in words.
    pub msg: String,
    /// What, in a word for programs.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl Problem {
    /// At the body or the query as a whole.
    pub fn whole(place: &str, msg: impl Into<String>, kind: &'static str) -> Self {
        Self { loc: vec![place.into()], msg: msg.into(), kind }
    }
}

/// Gathers what is wrong while fields are read.
struct Reader<'a> {
    place: &'static str,
    fields: &'a Map<String, Value>,
    wrong: Vec<Problem>,
}

/// A question for a session's messages, its fields checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextQuery {
    /// Whose memory.
    pub owner: Owner,
    /// How many messages at most.
    pub limit: usize,
    /// Only what was said before this message.
    pub before_id: Option<String>,
}

/// The write that a body asks for.
pub fn write(body: &Value) -> Result<NewWrite, Vec<Problem>> {
    let Value::Object(fields) = body else {
        return Err(vec![Problem::whole("body", "the body must be an object", "model_attributes_type")]);
    };
    let mut reader = Reader { place: "body", fields, wrong: Vec::new() };
    let owner = reader.owner();
    let messages = reader.messages();
    let active_plan = reader.text_or_none("active_plan");
    let temp_variables = reader.object("temp_variables");
    let metadata = reader.object("metadata");
    let ttl_s = reader.number("ttl_seconds", DEFAULT_TTL_S, 1, MAX_TTL_S);
    reader.end(NewWrite { owner, messages, active_plan, temp_variables, metadata, ttl_s })
}

/// The question that a query string asks. Its values are texts.
pub fn context(pairs: &Map<String, Value>) -> Result<ContextQuery, Vec<Problem>> {
    let mut reader = Reader { place: "query", fields: pairs, wrong: Vec::new() };
    let owner = reader.owner();
    let limit = reader.number("limit", DEFAULT_LIMIT as u64, 1, MAX_LIMIT as u64);
    let before_id = reader.text_or_none("before_id").filter(|id| !id.is_empty());
    reader.end(ContextQuery { owner, limit: usize::try_from(limit).unwrap_or(MAX_LIMIT), before_id })
}

impl Reader<'_> {
    fn end<T>(self, whole: T) -> Result<T, Vec<Problem>> {
        if self.wrong.is_empty() { Ok(whole) } else { Err(self.wrong) }
    }

    fn refuse(&mut self, way: &[Value], kind: &'static str, msg: String) {
        let loc = std::iter::once(Value::from(self.place)).chain(way.iter().cloned()).collect();
        self.wrong.push(Problem { loc, msg, kind });
    }

    fn owner(&mut self) -> Owner {
        Owner {
            tenant_id: self.part("tenant_id", false),
            user_id: self.part("user_id", false),
            scope: self.part("scope", false),
            agent_id: self.part("agent_id", true).unwrap_or_default(),
            session_id: self.part("session_id", true).unwrap_or_default(),
        }
    }

    /// A part of an identity. An empty one that need not be there counts as not set, as it does in an event.
    fn part(&mut self, name: &str, is_needed: bool) -> Option<String> {
        let text = match self.fields.get(name) {
            None | Some(Value::Null) if !is_needed => return None,
            None => {
                self.refuse(&[name.into()], "missing", format!("{name} is missing"));
                return None;
            }
            Some(Value::String(text)) => text,
            Some(other) => {
                self.refuse(&[name.into()], "string_type", format!("{name} must be a text, not {}", shown(other)));
                return None;
            }
        };
        let chars = text.chars().count();
        if chars == 0 {
            if is_needed {
                self.refuse(&[name.into()], "string_too_short", format!("{name} must have at least 1 character"));
            }
            return None;
        }
        if chars > MAX_ID_CHARS {
            let msg = format!("{name} must have at most {MAX_ID_CHARS} characters, not {chars}");
            self.refuse(&[name.into()], "string_too_long", msg);
            return None;
        }
        Some(text.clone())
    }

    fn text_or_none(&mut self, name: &str) -> Option<String> {
        match self.fields.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.refuse(&[name.into()], "string_type", format!("{name} must be a text, not {}", shown(other)));
                None
            }
        }
    }

    fn object(&mut self, name: &str) -> Map<String, Value> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(other) => {
                self.refuse(&[name.into()], "dict_type", format!("{name} must be an object, not {}", shown(other)));
                Map::new()
            }
        }
    }

    /// A whole number within bounds; a text of digits is one too.
    fn number(&mut self, name: &str, default: u64, min: u64, max: u64) -> u64 {
        let value = match self.fields.get(name) {
            None | Some(Value::Null) => return default,
            Some(value) => value,
        };
        let number = match value {
            Value::Number(number) => number.as_i128(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let kind = match number {
            None => "int_parsing",
            Some(n) if n < i128::from(min) => "greater_than_equal",
            Some(n) if n > i128::from(max) => "less_than_equal",
            Some(n) => return u64::try_from(n).unwrap_or(default),
        };
        self.refuse(
            &[name.into()],
            kind,
            format!("{name} must be a whole number from {min} to {max}, not {}", shown(value)),
        );
        default
    }

    /// The messages: they may be left away, but a list of none is a mistake.
    fn messages(&mut self) -> Vec<Message> {
        const NAME: &str = "messages";
        let list = match self.fields.get(NAME) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(other) => {
                self.refuse(&[NAME.into()], "list_type", format!("{NAME} must be a list, not {}", shown(other)));
                return Vec::new();
            }
        };
        if list.is_empty() {
            let msg = format!("{NAME} must hold at least 1 message; leave it away to write none");
            self.refuse(&[NAME.into()], "too_short", msg);
        }
        if list.len() > MAX_MESSAGES {
            let msg = format!("{NAME} must hold at most {MAX_MESSAGES} messages, not {}", list.len());
            self.refuse(&[NAME.into()], "too_long", msg);
            return Vec::new();
        }
        list.iter().enumerate().filter_map(|(at, message)| self.message(at, message)).collect()
    }

    fn message(&mut self, at: usize, message: &Value) -> Option<Message> {
        let way = |field: &str| vec![Value::from("messages"), at.into(), field.into()];
        let Value::Object(fields) = message else {
            let msg = format!("a message must be an object, not {}", shown(message));
            self.refuse(&["messages".into(), at.into()], "model_attributes_type", msg);
            return None;
        };
        let mut text = |field: &str, max_chars: usize| {
            let text = match fields.get(field) {
                Some(Value::String(text)) => text,
                None => {
                    self.refuse(&way(field), "missing", format!("{field} is missing"));
                    return None;
                }
                Some(other) => {
                    self.refuse(&way(field), "string_type", format!("{field} must be a text, not {}", shown(other)));
                    return None;
                }
            };
            let chars = text.chars().count();
            if chars == 0 {
                self.refuse(&way(field), "string_too_short", format!("{field} must have at least 1 character"));
                return None;
            }
            if chars > max_chars {
                let msg = format!("{field} must have at most {max_chars} characters, not {chars}");
                self.refuse(&way(field), "string_too_long", msg);
                return None;
            }
            Some(text.clone())
        };
        let (role, content) = (text("role", MAX_ROLE_CHARS), text("content", usize::MAX));
        Some(Message { role: role?, content: content? })
    }
}

/// A value as a message names it, cut.
fn shown(value: &Value) -> String {
    const MAX_CHARS: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(body: &Value, loc: &Value, kind: &str) {
        let wrong = write(body).expect_err("refused");
        let found: Vec<_> = wrong.iter().map(|p| (json!(p.loc), p.kind)).collect();
        assert_eq!(found, [(loc.clone(), kind)], "{body}");
    }

    #[test]
    fn what_is_wrong_is_named_by_its_place() {
        let with = |name: &str, value: Value| {
            let mut body = json!({"agent_id": "a", "session_id": "s"});
            body[name] = value;
            body
        };
        check(&json!({"session_id": "s"}), &json!(["body", "agent_id"]), "missing");
        check(&with("session_id", json!("")), &json!(["body", "session_id"]), "string_too_short");
        check(&with("tenant_id", json!(1)), &json!(["body", "tenant_id"]), "string_type");
        check(&with("user_id", json!("x".repeat(257))), &json!(["body", "user_id"]), "string_too_long");
        check(&with("messages", json!([])), &json!(["body", "messages"]), "too_short");
        check(&with("messages", json!("x")), &json!(["body", "messages"]), "list_type");
        let bad = json!([{"role": "user", "content": "x"}, {"role": "r".repeat(33), "content": "x"}]);
        check(&with("messages", bad), &json!(["body", "messages", 1, "role"]), "string_too_long");
        let bad = json!([{"role": "user", "content": ""}]);
        check(&with("messages", bad), &json!(["body", "messages", 0, "content"]), "string_too_short");
        check(&with("messages", json!([{"role": "u"}])), &json!(["body", "messages", 0, "content"]), "missing");
        check(&with("temp_variables", json!([])), &json!(["body", "temp_variables"]), "dict_type");
        check(&with("ttl_seconds", json!(0)), &json!(["body", "ttl_seconds"]), "greater_than_equal");
        check(&with("ttl_seconds", json!(604_801)), &json!(["body", "ttl_seconds"]), "less_than_equal");
        check(&with("ttl_seconds", json!(1.5)), &json!(["body", "ttl_seconds"]), "int_parsing");
        check(&json!([]), &json!(["body"]), "model_attributes_type");
        assert_eq!(write(&json!({"messages": [1]})).expect_err("three").len(), 3);
    }

    #[test]
    fn what_is_left_away_has_its_default() {
        let new =
            write(&json!({"agent_id": "a", "session_id": "s", "tenant_id": "", "scope": null})).expect("accepted");
        assert_eq!((new.ttl_s, new.messages.len(), new.owner.tenant_id), (1800, 0, None));
        let asked = context(&Map::from_iter([
            ("agent_id".to_owned(), json!("a")),
            ("session_id".to_owned(), json!("s")),
            ("limit".to_owned(), json!("7")),
        ]));
        assert_eq!(asked.expect("accepted").limit, 7);
    }
}
