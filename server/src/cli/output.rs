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

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, where that is known.
    pub fn what_to_do(&self) -> Option<&str> {
        self.hint.as_deref()
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

    /// Whether programs read it.
    pub fn is_json(&self) -> bool {
        self.json
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
    match deliver(bytes) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes exact bytes to stdout for a reader that must have got them: one that has gone is a failure.
pub fn deliver(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

/// Tells people something beside the answer, on stderr.
pub fn notice(text: &str) {
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// A head line and one line for each event.
pub fn event_lines<'a>(head: &str, events: impl IntoIterator<Item = &'a Event>) -> String {
    events.into_iter().fold(head.to_owned(), |text, event| text + "\n" + &event_line(event))
}

/// The longest body that a line shows whole, in characters.
const LINE_BODY_CHARS: usize = 80;

/// One event as a line for people: `id  created_at  type  stream/room  from->to [status] topic= corr= artifacts= :: body`, indented by
/// two blanks. Control characters never reach the terminal.
fn event_line(event: &Event) -> String {
    let to = event.to_agent.as_deref().unwrap_or("*");
    let optional = |before: &str, value: Option<&str>, after: &str| {
        value.filter(|v| !v.is_empty()).map(|v| format!("{before}{v}{after}")).unwrap_or_default()
    };
    let artifacts = event.artifact_ids.len();
    let line = [
        format!("  {}  {}  {}  {}/{}", event.id, event.created_at, event.event_type, event.stream, event.room),
        format!("  {}->{to}", event.from_agent),
        optional(" [", event.status.as_deref(), "]"),
        optional(" topic=", event.topic.as_deref(), ""),
        optional(" corr=", event.correlation_id.as_deref(), ""),
        if artifacts == 0 { String::new() } else { format!(" artifacts={artifacts}") },
        optional(" :: ", Some(&shortened(&event.body)), ""),
    ]
    .concat();
    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A body on one line, cut to [`LINE_BODY_CHARS`].
fn shortened(body: &str) -> String {
    let fits = body.char_indices().nth(LINE_BODY_CHARS).is_none();
    let cut = body.char_indices().nth(LINE_BODY_CHARS - 3).map_or(body.len(), |(at, _)| at);
    if fits { body.replace('\n', " ") } else { body[..cut].replace('\n', " ") + "..." }
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

/// A text that may be given inline or as a file, never both.
pub fn text_or_file(
    flags: (&str, &str),
    inline: Option<String>,
    file: Option<&std::path::Path>,
) -> Result<Option<String>, Failure> {
    match (inline, file) {
        (Some(_), Some(_)) => Err(Failure::new(format!("give {} or {}, not both", flags.0, flags.1))),
        (inline, None) => Ok(inline),
        (None, Some(path)) => read_text(path).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_long_body_is_cut_to_eighty_characters() {
        assert_eq!(shortened(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(shortened(&"é".repeat(81)), "é".repeat(77) + "...");
        assert_eq!(shortened("a\nb"), "a b");
    }
}
