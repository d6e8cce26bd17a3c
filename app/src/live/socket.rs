//! One `EventSource` and its listeners, closed when dropped.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, EventSource, MessageEvent};

/// What an `EventSource` tells.
#[derive(Debug)]
pub(super) enum Frame {
    /// The answer is a stream.
    Opened,
    /// An event of the log.
    Event { id: String, data: String },
    /// A sign of life.
    Heartbeat { data: String },
    /// The hub does not know the cursor.
    Resync { data: String },
    /// The connection broke or never came about.
    Failed,
}

/// An open stream.
pub(super) struct Socket {
    source: EventSource,
    // Kept as long as the browser may call them.
    _listeners: Vec<Closure<dyn FnMut(Event)>>,
}

impl Socket {
    /// Opens a stream; `None` where the browser refuses the address.
    pub(super) fn open(url: &str, told: impl Fn(Frame) + 'static) -> Option<Self> {
        let source = EventSource::new(url).ok()?;
        let told = Rc::new(told);
        let mut listeners = Vec::new();
        for name in ["open", "error", "logstream", "heartbeat", "resync"] {
            let told = Rc::clone(&told);
            let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| told(frame(name, &event)));
            source.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref()).ok()?;
            listeners.push(listener);
        }
        Some(Self { source, _listeners: listeners })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.source.close();
    }
}

fn frame(name: &str, event: &Event) -> Frame {
    let message = event.dyn_ref::<MessageEvent>();
    let data = || message.and_then(|m| m.data().as_string()).unwrap_or_default();
    match name {
        "open" => Frame::Opened,
        "logstream" => Frame::Event { id: message.map(MessageEvent::last_event_id).unwrap_or_default(), data: data() },
        "heartbeat" => Frame::Heartbeat { data: data() },
        "resync" => Frame::Resync { data: data() },
        _ => Frame::Failed,
    }
}
