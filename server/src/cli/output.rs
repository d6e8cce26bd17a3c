//! What commands print, and how they fail: text for people, JSON for programs under `--json`.

use std::io::{self, Write};
use std::process::ExitCode;

use loggia_domain::{Event, Refusal};
use serde::Serialize;
use serde_json::json;

use crate::config::ConfigError;
use crate::logstream::{OpenError, StoreError};

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure in one sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self { message: refusal.message, hint: refusal.hint }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(r) | StoreError::NotFound(r) => r.into(),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Where a command prints.
pub struct Out {
    json: bool,
}

impl Out {
    /// For people, or for programs.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a value as JSON, or what people read.
    pub fn answer(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let line = if self.json {
            serde_json::to_string_pretty(value).map_err(|e| Failure::new(e.to_string()))?
        } else {
            text()
        };
        print(format!("{line}\n").as_bytes())
    }

    /// Prints why a command failed; its exit code.
    pub fn failure(&self, failure: &Failure) -> ExitCode {
        if self.json {
            let mut answer = json!({"error": failure.message});
            if let Some(hint) = &failure.hint {
                answer["hint"] = json!(hint);
            }
            // Where stdout is gone there is nobody to tell.
            let _ = print(format!("{answer:#}\n").as_bytes());
        } else {
            let hint = failure.hint.as_ref().map(|h| format!("hint: {h}\n")).unwrap_or_default();
            let _ = write!(io::stderr(), "error: {}\n{hint}", failure.message);
        }
        ExitCode::from(1)
    }
}

/// Writes exact bytes to stdout. A reader that has had enough (`| head`) is no failure.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// One event as a line for people. Control characters never reach the terminal.
pub fn event_line(event: &Event) -> String {
    let to = event.to_agent.as_ref().map(|to| format!(" -> {to}")).unwrap_or_default();
    let status = event.status.as_ref().map(|s| format!(" [{s}]")).unwrap_or_default();
    let body = event.body.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let line = format!(
        "{}  {}  {}{status}  {}{to}  {}/{}  {body}",
        event.created_at, event.id, event.event_type, event.from_agent, event.stream, event.room
    );
    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A text from the command line, a file, or (`-`) stdin, byte for byte; it must be UTF-8.
pub fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
        bytes
    } else {
        std::fs::read(path).map_err(|e| Failure::new(format!("{}: {e}", path.display())))?
    };
    String::from_utf8(bytes).map_err(|e| {
        Failure::new(format!("{}: not UTF-8 text (byte {})", path.display(), e.utf8_error().valid_up_to()))
            .hint("encode binary data, for example with `base64`")
    })
}
