//! The site's files, embedded in the release binary (read from `target/site` in debug builds), precompressed.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../target/site"]
#[allow_missing = true]
struct Site;

/// Whether the site was there when this binary was built.
pub fn is_built() -> bool {
    Site::get("pkg/loggia.js").is_some()
}

/// A file by its path, in the best encoding that the client takes; `None` if there is no such file.
pub fn get(path: &str, headers: &HeaderMap) -> Option<Response> {
    let name = path.strip_prefix('/')?;
    let hidden = name.is_empty() || name.split('/').any(|part| part.starts_with('.')) || has_encoding_suffix(name);
    if hidden {
        return None;
    }
    let media_type = media_type(name)?;
    let (file, encoding) = best_encoding(name, headers)?;
    let etag = format!("\"{}\"", loggia_domain::id::hex(&file.metadata.sha256_hash()[..12]));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|v| v.as_bytes() == etag.as_bytes());
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(match file.data {
            std::borrow::Cow::Borrowed(bytes) => Body::from(bytes),
            std::borrow::Cow::Owned(bytes) => Body::from(bytes),
        })
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    // Names do not change with content, so browsers ask each time and mostly hear "not modified".
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        out.insert(header::ETAG, etag);
    }
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

fn best_encoding(name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let takes = |coding: &str| {
        accepted.split(',').any(|part| {
            let mut words = part.split(';').map(str::trim);
            words.next() == Some(coding) && !words.any(|w| matches!(w, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
    };
    for (coding, suffix) in [("br", "br"), ("gzip", "gz")] {
        if takes(coding)
            && let Some(file) = Site::get(&format!("{name}.{suffix}"))
        {
            return Some((file, Some(coding)));
        }
    }
    Site::get(name).map(|file| (file, None))
}

fn has_encoding_suffix(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|e| e == "br" || e == "gz")
}

fn media_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" => "text/plain; charset=utf-8",
        "json" | "webmanifest" => "application/json; charset=utf-8",
        _ => return None,
    })
}
