//! Addresses of pages, and the query strings in them.
//!
//! Ids are free text (`win:codex`, `project/a b&c`, `50%41`), so every one of them goes through [`encode`] exactly once on its way
//! into a link and through [`pairs`] exactly once on its way out. The router's own parameter map is not used: it decodes twice.

use loggia_domain::Filter;

/// Percent-encodes everything but the unreserved characters of a URL.
pub fn encode(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

/// The pairs of a query string, with or without its `?`. A stray `%` stays one; bytes that are no UTF-8 become U+FFFD.
pub fn pairs(search: &str) -> Vec<(String, String)> {
    let search = search.strip_prefix('?').unwrap_or(search);
    let pair = |part: &str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        (decode(key), decode(value))
    };
    search.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// The first value of a key.
pub fn value(search: &str, key: &str) -> Option<String> {
    pairs(search).into_iter().find(|(k, _)| k == key).map(|(_, v)| v)
}

/// A query string of pairs, without `?`.
pub fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::new();
    for (key, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        out.push_str(&encode(key));
        out.push('=');
        out.push_str(&encode(value));
    }
    out
}

/// The page of one event.
pub fn event(id: &str) -> String {
    format!("/event?id={}", encode(id))
}

/// The page of one delegation.
pub fn task(correlation_id: &str) -> String {
    format!("/task?id={}", encode(correlation_id))
}

/// The page of one delegation as it stood when an event had arrived.
pub fn task_at(correlation_id: &str, event_id: &str) -> String {
    format!("/task?id={}&at={}", encode(correlation_id), encode(event_id))
}

/// A delegation as a Markdown document; not a page.
pub fn report(correlation_id: &str) -> String {
    format!("/task/report?id={}", encode(correlation_id))
}

/// Two patches side by side.
#[cfg(feature = "ssr")]
pub fn compare(first: &str, second: &str) -> String {
    format!("/compare?a={}&b={}", encode(first), encode(second))
}

/// The page of one artifact.
pub fn artifact(id: &str) -> String {
    format!("/artifact?id={}", encode(id))
}

/// A patch with one of its files opened, by its place.
#[cfg(feature = "ssr")]
pub fn file(artifact_id: &str, place: usize) -> String {
    format!("{}&open={place}#file-{place}", artifact(artifact_id))
}

/// The exact bytes of an artifact; not a page.
pub fn raw(id: &str) -> String {
    format!("/artifacts/{}/raw", encode(id))
}

/// The page of an agent.
#[cfg(feature = "ssr")]
pub fn agent(name: &str) -> String {
    format!("/agent?id={}", encode(name))
}

/// The diary of an agent.
#[cfg(feature = "ssr")]
pub fn diary(agent: &str) -> String {
    format!("/diary?agent={}", encode(agent))
}

/// The log under a filter, and where given only what is older than an event.
pub fn log(filter: &Filter, before: Option<&str>) -> String {
    search(filter, "", before)
}

/// The same, searched for words; empty ones are none.
pub fn search(filter: &Filter, q: &str, before: Option<&str>) -> String {
    let mut pairs = filter.pairs();
    if !q.is_empty() {
        pairs.insert(0, ("q".to_owned(), q.to_owned()));
    }
    if let Some(id) = before {
        pairs.push(("before".to_owned(), id.to_owned()));
    }
    let query = query(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    if query.is_empty() { "/log".to_owned() } else { format!("/log?{query}") }
}

/// The log around an event, whatever the log was filtered by.
pub fn around(id: &str) -> String {
    format!("/log?around={}#selected", encode(id))
}

/// An address with one key set to a value, or without the key; everything else stays.
pub fn changed(path: &str, search: &str, key: &str, value: Option<&str>) -> String {
    let mut pairs = pairs(search);
    pairs.retain(|(k, _)| k != key);
    pairs.extend(value.map(|value| (key.to_owned(), value.to_owned())));
    let query = query(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// The sign-in page that leads back to where the reader was.
pub fn sign_in(next: &str) -> String {
    if next == "/" { "/sign-in".to_owned() } else { format!("/sign-in?next={}", encode(next)) }
}

/// A place of ours to go to after signing in; anything that could lead elsewhere becomes the home page.
pub fn safe_next(next: &str) -> &str {
    let ours =
        next.starts_with('/') && !next.starts_with("//") && !next.contains('\\') && !next.chars().any(char::is_control);
    if ours { next } else { "/" }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |i: usize| bytes.get(i).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                // Two hex digits are at most 255.
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            (b'+', ..) => {
                out.push(b' ');
                at += 1;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use loggia_domain::Column;

    use super::*;

    #[test]
    fn any_legal_id_survives_its_link() {
        for id in ["a/b c", "50%41", "%2541", "x+y&z=1#?", "é漢😀", "win:codex", "<img src=x onerror=1>", "\u{202e}rtl"]
        {
            let link = task(id);
            let (_, search) = link.split_once('?').expect("a query");
            assert_eq!(value(search, "id").as_deref(), Some(id), "{link}");
            assert!(link.is_ascii(), "{link}");
        }
    }

    #[test]
    fn a_filter_survives_its_link() {
        let filter = Filter::default()
            .with(Column::Stream, "project/a b&c")
            .with(Column::Type, "task.request")
            .with(Column::Type, "patch.ready")
            .without(Column::FromAgent, "ci:50%");
        let link = log(&filter, Some("evt_1"));
        let mut back = Filter::default();
        let mut before = None;
        for (key, value) in pairs(link.split_once('?').expect("a query").1) {
            if !back.take_pair(&key, &value).expect("valid") {
                before = Some((key, value));
            }
        }
        assert_eq!(back, filter);
        assert_eq!(before, Some(("before".to_owned(), "evt_1".to_owned())));
        assert_eq!(log(&Filter::default(), None), "/log");
    }

    #[test]
    fn one_key_changes_and_the_rest_stays() {
        let search = "?stream=a%2Fb&peek=evt_1&stream=c";
        assert_eq!(changed("/log", search, "peek", None), "/log?stream=a%2Fb&stream=c");
        assert_eq!(changed("/log", search, "peek", Some("x y")), "/log?stream=a%2Fb&stream=c&peek=x%20y");
        assert_eq!(changed("/log", "peek=1", "peek", None), "/log");
    }

    #[test]
    fn what_people_type_is_read_kindly() {
        assert_eq!(
            pairs("?a=1+2&b&&c=%zz%4"),
            [("a".to_owned(), "1 2".to_owned()), ("b".to_owned(), String::new()), ("c".to_owned(), "%zz%4".to_owned())]
        );
        assert_eq!(value("a=%ff", "a").as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn after_the_sign_in_readers_stay_on_this_hub() {
        assert_eq!(safe_next("/log?type=a"), "/log?type=a");
        for bad in ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "", "/\nx"] {
            assert_eq!(safe_next(bad), "/", "{bad:?}");
        }
    }
}
