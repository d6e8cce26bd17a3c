//! `GET /log/export`: what a page of the log shows, whole and as far back as it goes, as a file: NDJSON, one event per line, or plain
//! text. Newest first, as the page. Not a backup: it holds no artifacts.
//!
//! # Design
//! Written in pages while the client takes it, so that a log of any length costs the hub one page of memory, and holds no reader between two
//! pages. Going back from where it began, it never meets what arrives meanwhile. What fails on the way breaks the connection off: a file
//! that ends early must not look whole.

use std::fmt::Write as _;
use std::io;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use loggia_domain::search::Query;
use loggia_domain::{ApiError, ErrorCode, Event, Filter, refusal};

use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::logstream::StoreError;
use crate::logstream::read::{ListQuery, Order};
use crate::logstream::search::SearchQuery;
use crate::tokens::Scope;

/// How many events are in memory at once; each may have 256 KiB of text.
const PAGE_EVENTS: usize = 50;

/// The file.
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let (identity, _) = caller.either(Scope::Read)?;
    let asked = Asked::read(&query.unwrap_or_default())?;
    let format = asked.format;
    let mut export = Export { state: state.seen_by(&identity), asked, is_over: false };
    // The first page before the status: what is wrong with the question is an answer and no broken file.
    let first = export.page().await?;
    let later = stream::try_unfold(export, |mut export| async move {
        if export.is_over {
            return Ok(None);
        }
        let page = export.page().await.map_err(|error| {
            tracing::warn!(%error, "an export breaks off");
            io::Error::other(error)
        })?;
        Ok::<_, io::Error>(Some((page, export)))
    });
    let first = stream::iter([Ok(first)]);
    let mut response = Response::new(Body::from_stream(futures_util::StreamExt::chain(first, later)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(format.disposition()));
    Ok(response)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Ndjson,
    Text,
}

impl Format {
    fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
        }
    }

    fn disposition(self) -> &'static str {
        match self {
            Self::Ndjson => "attachment; filename=\"loggia-log.ndjson\"",
            Self::Text => "attachment; filename=\"loggia-log.txt\"",
        }
    }

    fn write(self, event: &Event, out: &mut String) {
        match self {
            Self::Ndjson => {
                // An event that came out of the log can be said in JSON.
                out.push_str(&serde_json::to_string(event).unwrap_or_default());
                out.push('\n');
            }
            Self::Text => write_text(event, out),
        }
    }
}

/// One line with the fields, then the body, moved in. Characters that would steer a terminal are written as their pictures.
fn write_text(event: &Event, out: &mut String) {
    let mut head = format!("{}  {}", event.created_at, event.event_type);
    for (before, value) in [("  [", &event.status), ("  ", &Some(event.from_agent.clone())), (" -> ", &event.to_agent)]
    {
        if let Some(value) = value {
            head.push_str(before);
            head.push_str(value);
            if before == "  [" {
                head.push(']');
            }
        }
    }
    // Writing to a text cannot fail.
    let _ = write!(head, "  {}/{}", event.stream, event.room);
    if let Some(id) = &event.correlation_id {
        let _ = write!(head, "  {id}");
    }
    let _ = write!(head, "  {}", event.id);
    push_shown(&head.replace('\n', " "), out);
    out.push('\n');
    for line in event.body.lines() {
        out.push_str("    ");
        push_shown(line, out);
        out.push('\n');
    }
    out.push('\n');
}

fn push_shown(text: &str, out: &mut String) {
    for c in text.chars() {
        out.push(match c {
            '\t' => c,
            '\u{7f}' => '\u{2421}',
            '\u{0}'..'\u{20}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'),
            '\u{80}'..='\u{9f}' => '\u{fffd}',
            c => c,
        });
    }
}

/// What an address asks for, in the words of the page's own.
#[derive(Debug)]
struct Asked {
    format: Format,
    filter: Filter,
    words: Option<Query>,
    before: Option<String>,
}

impl Asked {
    fn read(query: &str) -> Result<Self, HttpError> {
        let bad = |message: String| HttpError::new(ApiError::new(ErrorCode::BadRequest, message));
        let mut asked = Self { format: Format::Ndjson, filter: Filter::default(), words: None, before: None };
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "format" => {
                    asked.format = match &*value {
                        "ndjson" => Format::Ndjson,
                        "txt" => Format::Text,
                        other => {
                            let said = refusal::quoted(other);
                            return Err(bad(format!("format={said} is not one of ndjson, txt")));
                        }
                    }
                }
                "before" => asked.before = Some(value.into_owned()).filter(|id| !id.is_empty()),
                "q" if value.trim().is_empty() => {}
                "q" => asked.words = Some(Query::check("q", (&*value).into()).map_err(|r| bad(r.message))?),
                key => {
                    if !asked.filter.take_pair(key, &value).map_err(|r| bad(r.message))? {
                        return Err(bad(format!("`{}` is no column of the log", refusal::quoted(key))));
                    }
                }
            }
        }
        Ok(asked)
    }
}

/// A file on its way.
struct Export {
    state: AppState,
    asked: Asked,
    is_over: bool,
}

impl Export {
    /// The next page, and where the one after it begins.
    async fn page(&mut self) -> Result<Bytes, StoreError> {
        let (filter, before) = (self.asked.filter.clone(), self.asked.before.clone());
        let (events, older) = if let Some(query) = self.asked.words.clone() {
            let asked = SearchQuery {
                query,
                filter,
                before_event_id: before,
                artifacts: false,
                before_artifact_id: None,
                limit: PAGE_EVENTS,
            };
            let found = self.state.live.search().find(&self.state.log, asked).await?;
            (found.events.hits.into_iter().map(|hit| hit.event).collect::<Vec<_>>(), found.events.older)
        } else {
            let asked = ListQuery {
                filter,
                since_event_id: None,
                before_event_id: before,
                order: Order::Desc,
                limit: PAGE_EVENTS,
            };
            let listed = self.state.log.list(asked).await?;
            let older = listed.events.last().filter(|_| listed.has_more).map(|event| event.id.clone());
            (listed.events, older)
        };
        let mut out = String::new();
        for event in &events {
            self.asked.format.write(event, &mut out);
        }
        self.is_over = older.is_none();
        self.asked.before = older;
        Ok(Bytes::from(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_refused_where_it_means_nothing() {
        for query in ["format=csv", "colour=red", "status=done", "q=%22*-"] {
            assert!(Asked::read(query).is_err(), "{query}");
        }
        let asked = Asked::read("format=txt&type=a&exclude_room=b&q=+&before=").expect("valid");
        assert_eq!((asked.format, asked.words.is_none(), asked.before), (Format::Text, true, None));
        assert_eq!(asked.filter.pairs().len(), 2);
    }

    #[test]
    fn nothing_in_the_text_steers_a_terminal() {
        let mut out = String::new();
        push_shown("a\u{1b}[31m\tb\r\u{9b}", &mut out);
        assert_eq!(out, "a␛[31m\tb␍\u{fffd}");
    }
}
