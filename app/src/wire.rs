//! JSON between browser and hub.
//!
//! # Design
//! The stock encoding reads JSON from bytes while the first paint's data and the stream's frames are read from text. Each of the two
//! makes the compiler write every reader anew, an eighth of what the browser has to fetch. Here everything is read from text.

use std::fmt;

use leptos::server_fn::codec::Post;
use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A JSON body of a POST and of its answer.
pub type Json = Post<JsonText>;

/// JSON, read from text.
pub struct JsonText;

/// Why a body is no answer.
#[derive(Debug)]
pub struct NoJson(String);

impl fmt::Display for NoJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = NoJson;

    fn encode(value: &T) -> Result<Bytes, NoJson> {
        serde_json::to_string(value).map(Bytes::from).map_err(|e| NoJson(e.to_string()))
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = NoJson;

    fn decode(bytes: Bytes) -> Result<T, NoJson> {
        let text = std::str::from_utf8(&bytes).map_err(|e| NoJson(e.to_string()))?;
        serde_json::from_str(text).map_err(|e| NoJson(e.to_string()))
    }
}
