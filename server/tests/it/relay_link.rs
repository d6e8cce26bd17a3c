//! A link between two hubs that a test cuts and heals: a TCP relay on a port of its own, whose far end may move.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

/// A link. While it is cut, connections end at once, also those that were open.
pub(crate) struct Link {
    port: u16,
    state: Arc<State>,
}

struct State {
    far: AtomicU16,
    is_open: AtomicBool,
    ends: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Link {
    /// An open link that leads nowhere yet.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(State {
            far: AtomicU16::new(0),
            is_open: AtomicBool::new(true),
            ends: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if shared.ends.load(Ordering::SeqCst) {
                    return;
                }
                shared.connect(near);
            }
        });
        Self { port, state }
    }

    /// Its address, for `peers.json`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// [`Link::url`], for an argument of the hub at its end: a hub answers to names that it knows.
    pub(crate) fn public_url(&self) -> &'static str {
        Box::leak(self.url().into_boxed_str())
    }

    /// Leads to another port from now on.
    pub(crate) fn lead_to(&self, far: u16) {
        self.state.far.store(far, Ordering::SeqCst);
        self.state.hang_up();
    }

    /// Cuts it or heals it.
    pub(crate) fn set_open(&self, is_open: bool) {
        self.state.is_open.store(is_open, Ordering::SeqCst);
        if !is_open {
            self.state.hang_up();
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        self.state.hang_up();
        // Wakes the thread that accepts, so that it ends.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl State {
    fn connect(self: &Arc<Self>, near: TcpStream) {
        let far = self.far.load(Ordering::SeqCst);
        let Ok(far) = TcpStream::connect(("127.0.0.1", far)) else { return };
        let ends = [near.try_clone(), far.try_clone()].map(|end| end.expect("a socket can be cloned"));
        {
            let mut open = self.open.lock().expect("no thread panics with it");
            // Within the lock: a cut that comes now finds them.
            if !self.is_open.load(Ordering::SeqCst) {
                return;
            }
            open.extend(ends);
        }
        let (near_again, far_again) = (near.try_clone(), far.try_clone());
        std::thread::spawn(move || pass(near, far));
        if let (Ok(near), Ok(far)) = (near_again, far_again) {
            std::thread::spawn(move || pass(far, near));
        }
    }

    fn hang_up(&self) {
        for end in self.open.lock().expect("no thread panics with it").drain(..) {
            // One that has ended already is as good.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
