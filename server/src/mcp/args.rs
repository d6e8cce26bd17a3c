//! The arguments of a tool call: which there are, and how what clients send becomes what the tool reads.

use loggia_domain::{Raw, Refusal};
use serde_json::{Map, Number, Value, json};

/// How an argument is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text; never parsed, even when it looks like JSON.
    Text,
    /// A whole number; `"50"`, `" 7 "` and `50.0` are taken too.
    Integer,
    /// Milliseconds: as [`Kind::Integer`], a fraction is cut off.
    Millis,
    /// How many, for the palace's tools: as [`Kind::Millis`].
    Count,
    /// A number with a fraction; also as a text, never null.
    Number,
    /// `true` or `false`, also as texts.
    Boolean,
    /// A list of texts, also as the JSON text of one.
    List,
    /// A list of objects, also as the JSON text of one.
    Objects,
    /// An object, also as the JSON text of one.
    Object,
}

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// How it is read.
    pub kind: Kind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What it means, for the model that calls.
    pub about: &'static str,
}

/// A required text.
pub const fn required(name: &'static str, about: &'static str) -> Param {
    Param { name, kind: Kind::Text, required: true, about }
}

/// An optional argument.
pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { name, kind, required: false, about }
}

/// Arguments that several tools have in common, and then a tool's own. `N` is how many that makes: the compiler checks it.
pub const fn joined<const N: usize>(common: &[Param], own: &[Param]) -> [Param; N] {
    assert!(common.len() + own.len() == N, "N counts both lists");
    let mut all = [optional("", Kind::Text, ""); N];
    let mut at = 0;
    while at < N {
        all[at] = if at < common.len() { common[at] } else { own[at - common.len()] };
        at += 1;
    }
    all
}

/// A call that cannot be made: -32602 with this message.
#[derive(Debug, PartialEq)]
pub struct BadArguments {
    /// The contract's sentence.
    pub message: String,
    /// Which field, and what would be accepted.
    pub data: Value,
}

impl BadArguments {
    /// An argument whose value is of no use.
    pub fn of(name: &str, value: &Value, accepted: &str) -> Self {
        Self {
            message: format!("Invalid value for parameter '{name}'"),
            data: json!({"field": name, "value": shortened(value), "accepted": accepted}),
        }
    }

    /// A call without something that it needs.
    pub fn missing(tool: &str, name: &str) -> Self {
        Self {
            message: format!("Missing required {} for tool {tool}", parameters(&[name])),
            data: json!({"field": name, "missing": [name]}),
        }
    }
}

/// The checked arguments of one call; each is taken out once.
#[derive(Debug)]
pub struct Args(Map<String, Value>);

impl Args {
    /// Checks names, presence and numbers, in this order (unknown first), and turns texts into what the schema asks for.
    pub fn check(tool: &str, params: &[Param], mut given: Map<String, Value>) -> Result<Self, BadArguments> {
        // Clients add it to any tool; it means nothing here.
        given.shift_remove("wait_for_previous");
        let names = || params.iter().map(|p| p.name).collect::<Vec<_>>();
        let is_known = |name: &&str| params.iter().any(|param| param.name == *name);
        let unknown: Vec<&str> = given.keys().map(String::as_str).filter(|name| !is_known(name)).collect();
        if !unknown.is_empty() {
            return Err(BadArguments {
                message: format!("Unknown {} for tool {tool}", parameters(&unknown)),
                data: json!({"field": unknown[0], "unknown": unknown, "accepted": names()}),
            });
        }
        let missing: Vec<&str> =
            params.iter().filter(|p| p.required && !given.contains_key(p.name)).map(|p| p.name).collect();
        if !missing.is_empty() {
            return Err(BadArguments {
                message: format!("Missing required {} for tool {tool}", parameters(&missing)),
                data: json!({"field": missing[0], "missing": missing, "accepted": names()}),
            });
        }
        for param in params {
            if let Some(value) = given.get_mut(param.name) {
                coerce(param, value)?;
            }
        }
        Ok(Self(given))
    }

    /// Takes an argument for a field rule.
    pub fn raw(&mut self, name: &str) -> Raw {
        Raw::from(self.0.shift_remove(name))
    }

    /// Whether an argument was given and says something: null, no, nothing, zero and empty values do not.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| match value {
            Value::Null => false,
            Value::Bool(yes) => *yes,
            Value::Number(n) => n.as_f64() != Some(0.0),
            Value::String(s) => !s.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
        })
    }

    /// Looks at an argument that is taken later.
    pub fn peek(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Puts an argument in the place of what was given.
    pub fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Takes an argument as it came; `None` only when it is missing.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// Takes a number with a fraction; `None` when missing.
    pub fn number(&mut self, name: &str) -> Option<f64> {
        self.0.shift_remove(name)?.as_f64()
    }

    /// Takes a number; `None` when missing or null.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        self.0.shift_remove(name)?.as_i64()
    }

    /// Takes a text without rules; null is none, and anything but a text is a mistake of the call.
    pub fn plain_text(&mut self, name: &str) -> Result<Option<String>, BadArguments> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(BadArguments::of(name, &other, "a string")),
        }
    }

    /// Takes a number within bounds; what lies outside is the nearest bound.
    pub fn count(&mut self, name: &str, default: usize, least: usize, most: usize) -> usize {
        self.integer(name).map_or(default, |n| usize::try_from(n).unwrap_or(0).clamp(least, most))
    }

    /// Takes `limit`, at least 1, and `offset` as they are applied.
    pub fn page(&mut self, default: u32, most: u32) -> (u32, u32) {
        let clamped = |n: i64, least: u32, most: u32| u32::try_from(n.max(0)).unwrap_or(u32::MAX).clamp(least, most);
        let limit = self.integer("limit").map_or(default, |n| clamped(n, 1, most));
        let offset = self.integer("offset").map_or(0, |n| clamped(n, 0, u32::MAX));
        (limit, offset)
    }

    /// Takes a yes or no; missing and null are no.
    pub fn boolean(&mut self, name: &str) -> Result<bool, Refusal> {
        match self.0.shift_remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(b)) => Ok(b),
            Some(Value::String(s)) if s == "true" => Ok(true),
            Some(Value::String(s)) if s == "false" => Ok(false),
            Some(other) => {
                Err(Refusal::new(name, format!("{name} must be true or false")).value(other).accepted("true, false"))
            }
        }
    }
}

fn parameters(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
    format!("parameter{} {}", if names.len() == 1 { "" } else { "s" }, quoted.join(", "))
}

fn coerce(param: &Param, value: &mut Value) -> Result<(), BadArguments> {
    match param.kind {
        Kind::Text | Kind::Boolean => {}
        Kind::List | Kind::Objects => from_json_text(value, Value::is_array),
        Kind::Object => from_json_text(value, Value::is_object),
        Kind::Integer | Kind::Millis | Kind::Count => {
            // A null limit is the default; a null time-out could mean "never" as well as "at once", so it is asked back.
            if value.is_null() && param.kind == Kind::Integer {
                return Ok(());
            }
            let number = whole_number(value, param.kind != Kind::Integer)
                .ok_or_else(|| BadArguments::of(param.name, value, "a whole number"))?;
            *value = Value::Number(Number::from(number));
        }
        Kind::Number => {
            let number = number(value).ok_or_else(|| BadArguments::of(param.name, value, "a number"))?;
            *value = number;
        }
    }
    Ok(())
}

fn from_json_text(value: &mut Value, is_wanted: fn(&Value) -> bool) {
    if let Value::String(text) = value
        && let Ok(parsed) = serde_json::from_str::<Value>(text)
        && is_wanted(&parsed)
    {
        *value = parsed;
    }
}

/// The whole number that a value stands for; what lies beyond 64 bits is the nearest end, since every limit clamps long before.
fn whole_number(value: &Value, lenient: bool) -> Option<i64> {
    let text = match value {
        Value::Bool(b) if lenient => return Some(i64::from(*b)),
        Value::Number(n) => n.to_string(),
        Value::String(s) => {
            let text = s.trim().to_owned();
            let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            text
        }
        _ => return None,
    };
    if let Ok(n) = text.parse::<i64>() {
        return Some(n);
    }
    let float = text.parse::<f64>().ok().filter(|f| f.is_finite())?;
    if !lenient && float.fract() != 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates at the ends, which is what is wanted")]
    Some(float.trunc() as i64)
}

/// The number that a value stands for; finite.
fn number(value: &Value) -> Option<Value> {
    let float = match value {
        Value::Number(n) => n.as_f64(),
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        Value::String(s) => s.trim().parse().ok(),
        _ => None,
    };
    Number::from_f64(float?).map(Value::Number)
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(s) if s.chars().count() > 80 => Value::String(s.chars().take(80).chain(['…']).collect()),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => value.clone(),
        Value::Array(_) => "a list".into(),
        _ => "an object".into(),
    }
}

/// The JSON schema of some arguments. An object at the top and no combinators: one odd construct makes a model's host drop the whole
/// tool list.
pub fn schema(params: &[Param]) -> Value {
    let mut properties = Map::new();
    for param in params {
        let mut property = match param.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Integer | Kind::Millis | Kind::Count => json!({"type": "integer"}),
            Kind::Number => json!({"type": "number"}),
            Kind::Boolean => json!({"type": "boolean"}),
            Kind::List => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Objects => json!({"type": "array", "items": {"type": "object"}}),
            Kind::Object => json!({"type": "object"}),
        };
        property["description"] = param.about.into();
        properties.insert(param.name.to_owned(), property);
    }
    let required: Vec<&str> = params.iter().filter(|p| p.required).map(|p| p.name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: [Param; 5] = [
        required("type", ""),
        optional("limit", Kind::Integer, ""),
        optional("timeout_ms", Kind::Millis, ""),
        optional("ids", Kind::List, ""),
        optional("metadata", Kind::Object, ""),
    ];

    fn check(given: Value) -> Result<Args, BadArguments> {
        let Value::Object(given) = given else { panic!("an object") };
        Args::check("t", &PARAMS, given)
    }

    #[test]
    fn unknown_arguments_come_before_missing_ones() {
        assert_eq!(check(json!({"b": 1, "a": 2})).expect_err("bad").message, "Unknown parameters 'b', 'a' for tool t");
        assert_eq!(check(json!({})).expect_err("bad").message, "Missing required parameter 'type' for tool t");
        assert!(check(json!({"type": "x", "wait_for_previous": 7})).is_ok());
    }

    #[test]
    fn numbers_may_come_as_texts_but_must_be_whole() {
        for (given, expected) in
            [(json!("50"), 50), (json!(" 7 "), 7), (json!(50.0), 50), (json!(-3), -3), (json!(1e300), i64::MAX)]
        {
            assert_eq!(check(json!({"type": "x", "limit": given})).expect("good").integer("limit"), Some(expected));
        }
        for given in [json!(2.9), json!("1_0"), json!(true), json!("abc"), json!(""), json!([]), json!("2.0")] {
            let bad = check(json!({"type": "x", "limit": given})).expect_err("bad");
            assert_eq!(bad.message, "Invalid value for parameter 'limit'");
        }
        for (given, expected) in [(json!(5.9), 5), (json!(-0.5), 0), (json!(true), 1)] {
            assert_eq!(
                check(json!({"type": "x", "timeout_ms": given})).expect("good").integer("timeout_ms"),
                Some(expected)
            );
        }
    }

    #[test]
    fn lists_and_objects_may_come_as_json_texts_and_texts_never_change() {
        let mut args = check(json!({"type": "{\"a\":1}", "ids": "[\"x\"]", "metadata": "{\"a\":1}"})).expect("good");
        assert_eq!(args.raw("type"), Raw::Text("{\"a\":1}".into()));
        assert_eq!(args.raw("ids"), Raw::Other(json!(["x"])));
        assert_eq!(args.raw("metadata"), Raw::Other(json!({"a": 1})));
        let mut args = check(json!({"type": "x", "ids": "{}", "metadata": "[]"})).expect("good");
        assert_eq!((args.raw("ids"), args.raw("metadata")), (Raw::Text("{}".into()), Raw::Text("[]".into())));
    }
}
