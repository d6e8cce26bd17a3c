//! JSON between browser and hub.
//!
//! # Design
//! The stock encoding reads JSON from bytes while the first paint's data and the stream's frames are read from text. Each of the two
//! makes the compiler write every reader anew, for each type. Here everything is read from text.

use std::fmt;

use codee::{Decoder, Encoder};
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
        write(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = NoJson;

    fn decode(bytes: Bytes) -> Result<T, NoJson> {
        let text = std::str::from_utf8(&bytes).map_err(|e| NoJson(e.to_string()))?;
        read(text)
    }
}

impl<T: Serialize> Encoder<T> for JsonText {
    type Error = NoJson;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, NoJson> {
        write(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for JsonText {
    type Error = NoJson;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, NoJson> {
        read(text)
    }
}

fn write<T: Serialize>(value: &T) -> Result<String, NoJson> {
    // The cause is left out: its words would be the largest part of the browser's JSON.
    serde_json::to_string(value).map_err(|_| NoJson("a value that JSON cannot say".to_owned()))
}

/// Reads what the other half has written.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, NoJson> {
    serde_json::from_str(text).map_err(|e| NoJson(e.to_string()))
}
