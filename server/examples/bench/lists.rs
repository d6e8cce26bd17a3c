//! How long a hub takes for lists, a search and pages, at whatever size its log has.
//!
//! What is measured is the whole round trip of one client on this machine, an upper bound of the hub's own time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Failure;
use crate::report::Figures;
use crate::stats::{Latencies, number};
use crate::target::Target;
use crate::tools;
use crate::wire::Client;

/// The stream that is listed.
pub(crate) const STREAM: &str = "bench/list";
/// The recipient whose inbox is listed.
pub(crate) const AGENT: &str = "bench-agent-3";
/// The longest list that the contract allows.
const LONGEST: usize = 500;
/// How many times at most one thing is asked in one round.
const TIMES: usize = 100;

/// A question to a hub.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// The newest so many events of one stream.
    List(usize),
    /// The newest events to one agent.
    Inbox,
    /// A search for words that nearly every event of a filled log has.
    SearchCommon,
    /// A search for two words of which eight of them have one.
    SearchRare,
    /// A page, by its path.
    Page(String),
}

impl Question {
    /// What the report calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::List(limit) => format!("list of {limit}"),
            Self::Inbox => "list of 50 to one agent".to_owned(),
            Self::SearchCommon => "search, two common words".to_owned(),
            Self::SearchRare => "search, a common and a rare word".to_owned(),
            Self::Page(path) => format!("page {path}"),
        }
    }
}

/// Sees to it that there is enough to list.
pub(crate) async fn prepare(target: &Target) -> Result<(), Failure> {
    let mut client = Client::new(target);
    let listed = ask(&mut client, target, "event_list", &json!({"stream": STREAM, "limit": LONGEST})).await?;
    let request = target.append(STREAM);
    for _ in tools::ids(&listed).len()..LONGEST {
        tools::append(&mut client, &request).await?;
    }
    Ok(())
}

/// The number of events in the log, as far as the newest event tells it.
pub(crate) async fn log_size(target: &Target) -> Result<f64, Failure> {
    let listed = ask(&mut Client::new(target), target, "event_list", &json!({"limit": 1})).await?;
    Ok(listed.pointer("/events/0/seq").and_then(Value::as_f64).unwrap_or(0.0))
}

/// Asks the same again and again for so long. Nothing when the hub does not know such a question.
pub(crate) async fn measure(target: &Target, question: &Question, lasting: Duration) -> Result<Figures, Failure> {
    let mut client = Client::new(target);
    let Some(request) = request(target, question, &mut client).await? else { return Ok(Vec::new()) };
    let first = client.send(&request).await?;
    let mut figures = vec![("answer_kib", number(first.body.len()) / 1024.0)];
    match question {
        Question::Page(_) if first.status != 200 => return Ok(Vec::new()),
        Question::Page(_) => {}
        // A hub without that tool says so; no other hub's figure is worth less for it.
        Question::SearchCommon | Question::SearchRare if tools::answer(&first).is_err() => return Ok(Vec::new()),
        _ => figures.push(("events", number(tools::ids(&tools::answer(&first)?).len()))),
    }
    let (until, mut latencies) = (Instant::now() + lasting, Latencies::default());
    while latencies.count() < TIMES && Instant::now() < until {
        let sent = Instant::now();
        client.send(&request).await?;
        latencies.push(sent.elapsed());
    }
    figures.extend(latencies.figures());
    Ok(figures)
}

async fn request(target: &Target, question: &Question, client: &mut Client) -> Result<Option<Vec<u8>>, Failure> {
    Ok(Some(match question {
        Question::List(limit) => target.call("event_list", &json!({"stream": STREAM, "limit": limit})),
        Question::Inbox => target.call("event_list", &json!({"to_agent": AGENT, "limit": 50})),
        Question::SearchCommon => target.call("event_search", &json!({"query": "walnut harbour", "limit": 50})),
        Question::SearchRare => target.call("event_search", &json!({"query": "task 777", "limit": 50})),
        Question::Page(path) => {
            let Some(cookie) = sign_in(target, client).await? else { return Ok(None) };
            target.bare_request("GET", path, &format!("Cookie: {cookie}\r\nAccept: text/html\r\n"), b"")
        }
    }))
}

/// Signs in as the form does; no cookie from a hub without pages.
async fn sign_in(target: &Target, client: &mut Client) -> Result<Option<String>, Failure> {
    let form = url::form_urlencoded::Serializer::new(String::new()).append_pair("token", &target.token).finish();
    let headers = format!("Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\n", target.authority);
    Ok(client.send(&target.bare_request("POST", "/sign-in", &headers, form.as_bytes())).await?.cookie)
}

async fn ask(client: &mut Client, target: &Target, tool: &str, arguments: &Value) -> Result<Value, Failure> {
    tools::answer(&client.send(&target.call(tool, arguments)).await?)
}
