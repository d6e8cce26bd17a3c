//! A hub's stream, followed across lost connections: each time from behind the last event that was read.
//!
//! # Design
//! A thread reads, since the client blocks; a small channel hands over, and when nobody takes, nobody reads. A connection counts as lost
//! when three of the hub's comments are missing. What the hub refuses (a filter, a cursor, a token) ends the following, and so does what is
//! no event stream; everything else is tried again, with growing pauses. They begin anew after a connection that was of use.

use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use loggia_domain::{Event, Filter};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use ureq::Body;
use ureq::http::Response;

use super::{Hub, read_some};
use crate::cli::output::{Failure, notice};

/// How long the stream may say nothing: the hub sends a comment every 15 s.
const QUIET_LIMIT: Duration = Duration::from_secs(50);
/// How many events wait to be taken.
const HANDED_OVER: usize = 64;
/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));

/// A stream that is being followed.
pub(in crate::cli) struct Live {
    events: Receiver<Result<Event, Failure>>,
    /// A failure that came behind events which had to be given first.
    failed: Option<Failure>,
}

impl Live {
    /// Follows what arrives after a cursor (`None`: everything) and passes a filter.
    pub(in crate::cli) fn open(hub: &Hub, filter: &Filter, after: Option<String>) -> Result<Self, Failure> {
        let (sender, events) = channel(HANDED_OVER);
        let follower = Follower { hub: hub.clone(), filter: filter.clone(), cursor: after, out: sender };
        // Detached: it ends when nobody takes events any more, or with the process.
        std::thread::Builder::new().name("hub-stream".to_owned()).spawn(move || follower.run())?;
        Ok(Self { events, failed: None })
    }

    /// Waits for the next events; never none.
    pub(in crate::cli) async fn next(&mut self) -> Result<Vec<Event>, Failure> {
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let mut events = Vec::new();
        // Only this wait can be dropped, and it holds nothing: no event is lost.
        let mut next = self.events.recv().await;
        loop {
            match next {
                Some(Ok(event)) => events.push(event),
                Some(Err(failure)) if events.is_empty() => return Err(failure),
                Some(Err(failure)) => self.failed = Some(failure),
                None if events.is_empty() => return Err(Failure::new("the hub's stream is not followed any more")),
                None => return Ok(events),
            }
            // Somebody who writes faster than this reads would keep it here for ever.
            if self.failed.is_some() || events.len() >= HANDED_OVER {
                return Ok(events);
            }
            match self.events.try_recv() {
                Ok(more) => next = Some(more),
                Err(_) => return Ok(events),
            }
        }
    }
}

struct Follower {
    hub: Hub,
    filter: Filter,
    cursor: Option<String>,
    out: Sender<Result<Event, Failure>>,
}

/// Why a connection ended.
enum Ended {
    /// The hub will not have it.
    Refused(Failure),
    /// It may work later; whether it was of use: an event came, or it was open for longer than any pause.
    Lost { why: Failure, was_of_use: bool },
    /// Nobody takes events any more.
    Unwanted,
}

impl Follower {
    fn run(mut self) {
        let (shortest, longest) = PAUSES;
        let mut pause = shortest;
        let mut is_told = false;
        loop {
            match self.read_once() {
                Ended::Unwanted => return,
                Ended::Refused(failure) => {
                    // A receiver that has gone does not want to know.
                    let _ = self.out.blocking_send(Err(failure));
                    return;
                }
                Ended::Lost { why, was_of_use } => {
                    if was_of_use {
                        (pause, is_told) = (shortest, false);
                    }
                    // Once for each outage; a hub that restarts is back before the second attempt.
                    if !is_told && pause > shortest {
                        notice(&format!("{}; trying again", why.message()));
                        is_told = true;
                    }
                }
            }
            if self.out.is_closed() {
                return;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    fn read_once(&mut self) -> Ended {
        let mut url = self.hub.url(&["logstream", "stream"]);
        {
            let mut query = url.query_pairs_mut();
            query.extend_pairs(self.filter.pairs());
            match &self.cursor {
                Some(id) => query.append_pair("since_event_id", id),
                None => query.append_pair("from", "start"),
            };
        }
        let response = match self.hub.open(&url, &[("Accept", "text/event-stream")], QUIET_LIMIT) {
            Ok(response) => response,
            Err(why) => return Ended::Lost { why, was_of_use: false },
        };
        let status = response.status().as_u16();
        if status != 200 {
            let failure = self.hub.odd(status, &read_some(response));
            return match status {
                400..=428 | 430..=499 => Ended::Refused(failure),
                _ => Ended::Lost { why: failure, was_of_use: false },
            };
        }
        if !is_event_stream(&response) {
            let why = format!("the hub at {} answered something else than its stream", self.hub.address());
            return Ended::Refused(Failure::new(why).hint("is this the address of a hub?"));
        }
        let opened_at = Instant::now();
        let before = self.cursor.clone();
        let why = match self.pass_on(BufReader::new(response.into_body().into_reader())) {
            Ok(why) => why,
            Err(ended) => return ended,
        };
        Ended::Lost { why, was_of_use: self.cursor != before || opened_at.elapsed() > PAUSES.1 }
    }

    /// Hands over what a connection brings; why it ended, if it may be tried again.
    fn pass_on(&mut self, mut lines: impl BufRead) -> Result<Failure, Ended> {
        let address = self.hub.address().to_owned();
        loop {
            match next_event(&mut lines) {
                Ok(Some(data)) => match serde_json::from_str::<Event>(&data) {
                    Ok(event) => {
                        let id = event.id.clone();
                        if self.out.blocking_send(Ok(event)).is_err() {
                            return Err(Ended::Unwanted);
                        }
                        self.cursor = Some(id);
                    }
                    // Going on would lose it without a word.
                    Err(error) => {
                        let why = format!("the hub at {address} sent an event in a form that is not known: {error}");
                        return Err(Ended::Refused(Failure::new(why)));
                    }
                },
                Ok(None) => return Ok(Failure::new(format!("the hub at {address} ended the stream"))),
                Err(error) => {
                    return Ok(Failure::new(format!("the stream of the hub at {address} broke off: {error}")));
                }
            }
        }
    }
}

fn is_event_stream(response: &Response<Body>) -> bool {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// Reads server-sent events, as much of them as a hub sends: the data of the next event of the log; `None` at the end. Comments and
/// other events are passed over.
fn next_event(lines: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let (mut event, mut data) = (String::new(), String::new());
    loop {
        let mut line = Vec::new();
        // A stream that ends inside a frame has not sent that frame.
        if lines.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            if event == "logstream" && !data.is_empty() {
                return Ok(Some(data));
            }
            (event, data) = (String::new(), String::new());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut event),
            "data" => {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next_event;

    fn all(text: &str) -> Vec<String> {
        let mut lines = text.as_bytes();
        std::iter::from_fn(|| next_event(&mut lines).expect("in memory")).collect()
    }

    #[test]
    fn only_whole_events_of_the_log_are_read() {
        let text = ": connected\n\nid: e1\nevent: logstream\ndata: {\"a\":1}\n\n: ping\n\nevent: heartbeat\ndata: {}\n\n\
                    id: e2\r\nevent: logstream\r\ndata:2\r\n\r\nid: e3\nevent: logstream\ndata: 3\n";
        assert_eq!(all(text), ["{\"a\":1}", "2"]);
    }

    #[test]
    fn data_on_several_lines_is_one_text() {
        assert_eq!(all("event: logstream\ndata: a\ndata: b\n\n"), ["a\nb"]);
    }
}
