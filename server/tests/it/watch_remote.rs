//! `loggia logstream watch --url`: the same as at home, across lost connections and restarts of the hub.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::cli_child::Running;
use crate::hub::{Hub, TOKEN, event_with};
use crate::impostor::Impostor;
use crate::place::Place;

/// An address that stays when the hub behind it moves, and that can cut every connection.
struct Door {
    port: u16,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Default)]
struct Inside {
    hub_port: u16,
    open: Vec<TcpStream>,
}

impl Door {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let inside = Arc::<Mutex<Inside>>::default();
        let shared = Arc::clone(&inside);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut inside = shared.lock().expect("nobody panics");
                let Ok(hub) = TcpStream::connect(("127.0.0.1", inside.hub_port)) else { continue };
                for (from, to) in [(&client, &hub), (&hub, &client)] {
                    let (mut from, mut to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    std::thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                inside.open.extend([client, hub]);
            }
        });
        Self { port, inside }
    }

    /// Nowhere: another hub may get the port that ours leaves.
    fn closes(&self) {
        self.inside.lock().expect("nobody panics").hub_port = 0;
        self.cut();
    }

    fn leads_to(&self, hub: &Hub) {
        self.inside.lock().expect("nobody panics").hub_port = hub.port();
    }

    fn cut(&self) {
        for socket in self.inside.lock().expect("nobody panics").open.drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    fn url(&self) -> &'static str {
        Box::leak(format!("http://127.0.0.1:{}", self.port).into_boxed_str())
    }
}

fn letter(hub: &Hub, body: &str) -> String {
    let event = hub.append_event(event_with("s", body, json!({"to_agent": "me"})));
    event["id"].as_str().expect("a text").to_owned()
}

#[test]
fn a_lost_connection_and_a_restart_leave_no_hole_and_no_double() {
    let door = Door::new();
    let mut hub = Hub::builder().arg("--public-url").arg(door.url()).start();
    door.leads_to(&hub);
    let args = ["logstream", "watch", "--agent", "me", "--follow", "--from-start", "--json"];
    let mut watching = Running::start(hub.place(), &[&args[..], &["--url", door.url(), "--token", TOKEN]].concat());
    let state = hub.place().home().join(".mempalace").join("watch").join("me.json");
    letter(&hub, "1");
    assert_eq!(watching.json()["events"][0]["body"], "1");
    door.cut();
    letter(&hub, "2");
    assert_eq!(watching.json()["events"][0]["body"], "2");
    door.closes();
    hub.terminate();
    hub.start_again();
    let last = letter(&hub, "3");
    door.leads_to(&hub);
    let answer = watching.json();
    assert_eq!((&answer["events"][0]["body"], &answer["count"]), (&json!("3"), &json!(1)));
    watching.interrupt();
    assert_eq!(watching.end(), (Some(130), vec![]));
    let noted = std::fs::read_to_string(state).expect("it was written");
    assert!(noted.contains(&last), "{noted}");
}

#[test]
fn the_state_file_means_the_same_at_home_and_away() {
    let hub = Hub::start();
    let url = hub.origin();
    let remote =
        ["logstream", "watch", "--agent", "me", "--json", "--idle-exit-ms", "300", "--url", &url, "--token", TOKEN];
    let at_home = ["logstream", "watch", "--agent", "me", "--json", "--idle-exit-ms", "300"];
    let run = |args: &[&str]| {
        let output = hub.place().cli(args, b"");
        let answer: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        (output.status.code(), answer)
    };
    let (code, answer) = run(&remote);
    assert_eq!((code, &answer["cursor"]), (Some(2), &json!(null)));
    let first = letter(&hub, "1");
    let passed = hub.append("s", "to nobody");
    let (code, answer) = run(&remote);
    assert_eq!((code, &answer["cursor"]), (Some(0), &json!(first)));
    let (code, answer) = run(&remote);
    assert_eq!((code, &answer["cursor"]), (Some(2), &json!(passed)), "moved over what does not match");
    letter(&hub, "2");
    let (code, answer) = run(&at_home);
    assert_eq!((code, &answer["events"][0]["body"]), (Some(0), &json!("2")));
    std::fs::write(hub.place().home().join(".mempalace/watch/me.json"), r#"{"cursor": "evt_gone"}"#).expect("our home");
    let (code, answer) = run(&remote);
    assert_eq!((code, &answer["count"]), (Some(0), &json!(2)), "a position that is gone costs a repetition");
}

#[test]
fn what_the_hub_refuses_ends_the_watch() {
    let hub = Hub::start();
    let url = hub.origin();
    let watch = ["logstream", "watch", "--json", "--url", &url];
    let wrong = hub.place().cli(&[&watch[..], &["--token", "lg_not_the_token_of_this_hub"]].concat(), b"");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let error: serde_json::Value = serde_json::from_slice(&wrong.stdout).expect("JSON");
    assert!(error["error"].as_str().is_some_and(|e| e.contains("401")), "{error}");
    let cursor = hub.place().cli(&[&watch[..], &["--token", TOKEN, "--since-event-id", "evt_x"]].concat(), b"");
    let error: serde_json::Value = serde_json::from_slice(&cursor.stdout).expect("JSON");
    assert_eq!((cursor.status.code(), &error["error"]), (Some(1), &json!("since_event_id 'evt_x' not found")));
}

/// A hub whose log is empty, as far as its tools know, and which answers a stream as a test says.
fn stream_of(content_type: &'static str, body: &'static str) -> Impostor {
    let empty = json!({"events": [], "count": 0, "has_more": false, "limit": 1, "order": "desc"}).to_string();
    let listed =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": empty}]}}).to_string();
    Impostor::new(move |method| match method {
        "POST" => ("application/json", listed.clone()),
        _ => (content_type, body.to_owned()),
    })
}

const FOLLOW: [&str; 5] = ["logstream", "watch", "--follow", "--from-start", "--json"];

#[test]
fn a_page_where_the_stream_should_be_ends_the_watch() {
    let page = stream_of("text/html; charset=utf-8", ": no\n\nevent: logstream\ndata: {}\n\n");
    let output = Place::new().cli(&[&FOLLOW[..], &["--url", &page.url()]].concat(), b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(error["error"].as_str().is_some_and(|e| e.contains("something else than its stream")), "{error}");
}

#[test]
fn a_stream_that_always_ends_at_once_is_told() {
    let short = stream_of("text/event-stream", ": connected\n\n");
    let mut watching = Running::start(&Place::new(), &[&FOLLOW[..], &["--url", &short.url()]].concat());
    watching.hears("ended the stream; trying again");
    watching.interrupt();
    assert_eq!(watching.end(), (Some(130), vec![]));
}
