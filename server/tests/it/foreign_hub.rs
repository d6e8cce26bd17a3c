//! A hub that is none of ours: it answers `/sync/*` as a test wrote it down, with whatever nonsense.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// What it answers to a target: a status and a body.
pub(crate) type Script = dyn Fn(&str) -> (u16, Vec<u8>) + Send + Sync;

/// A foreign hub that listens.
pub(crate) struct ForeignHub {
    port: u16,
    ends: Arc<AtomicBool>,
}

impl ForeignHub {
    /// Starts it.
    pub(crate) fn start(script: impl Fn(&str) -> (u16, Vec<u8>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let (ends, script): (_, Arc<Script>) = (Arc::new(AtomicBool::new(false)), Arc::new(script));
        let stop = Arc::clone(&ends);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let script = Arc::clone(&script);
                std::thread::spawn(move || answer(socket, &*script));
            }
        });
        Self { port, ends }
    }

    /// Its address, for `peers.json`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for ForeignHub {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

/// A good answer.
pub(crate) fn ok(value: &Value) -> (u16, Vec<u8>) {
    (200, value.to_string().into_bytes())
}

/// One parameter of a target.
pub(crate) fn parameter(target: &str, name: &str) -> String {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let found = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_default().to_owned()
}

fn answer(mut socket: TcpStream, script: &Script) {
    let mut lines = BufReader::new(socket.try_clone().expect("a socket can be cloned")).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    // The rest of the head; nobody sends a body here.
    for _ in lines.by_ref().take_while(|line| !line.is_empty()) {}
    let (status, body) = script(first.split(' ').nth(1).unwrap_or_default());
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // Who hangs up early has heard enough.
    let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(&body));
}
