//! What a command may find where it was told of a hub: somebody who answers each request with what a test says, and hangs up.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Answers until the test ends.
pub(crate) struct Impostor {
    port: u16,
}

impl Impostor {
    /// Answers 200 with a content type and a body, by the request's method.
    pub(crate) fn new(answers: impl Fn(&str) -> (&'static str, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // Whoever hangs up first has its answer, or wants none.
                let _ = read_request(&client).and_then(|line| {
                    let (content_type, body) = answers(line.split(' ').next().unwrap_or_default());
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
                    (&client).write_all((head + &body).as_bytes())
                });
            }
        });
        Self { port }
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Reads all of a request, for what is left unread would tear the answer down; its first line.
fn read_request(client: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(client);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    Ok(first)
}
