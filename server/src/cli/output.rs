//! What commands print, and how they fail: text for people, JSON for programs under `--json`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use loggia_domain::{Event, Refusal};
use serde::Serialize;
use serde_json::{Value, json};

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

    /// Prints a value as JSON, or what people read, as a terminal may have it.
    pub fn answer(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        self.styled(value, || for_terminal(&text()))
    }

    /// The same for a text that brings its own bold letters; whoever writes it keeps other control characters out.
    pub fn styled(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
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
            let text = for_terminal(&format!("error: {}\n{hint}", failure.message));
            let _ = io::stderr().write_all(text.as_bytes());
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
    let _ = writeln!(io::stderr(), "{}", for_terminal(text));
}

/// A text in an answer; empty where there is none.
pub fn said<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().unwrap_or_default()
}

/// A text for a terminal: its lines and tabs stay, other control characters do not.
pub fn for_terminal(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// A text for one line of a terminal.
pub fn on_one_line(text: &str) -> String {
    for_terminal(text).replace(['\n', '\t'], " ")
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
pub fn read_text(path: &Path) -> Result<String, Failure> {
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
    file: Option<&Path>,
) -> Result<Option<String>, Failure> {
    match (inline, file) {
        (Some(_), Some(_)) => Err(Failure::new(format!("give {} or {}, not both", flags.0, flags.1))),
        (inline, None) => Ok(inline),
        (None, Some(path)) => read_text(path).map(Some),
    }
}

/// The same for a text that must be there: stdin is read when nothing is given.
pub fn text_or_stdin(flags: (&str, &str), inline: Option<String>, file: Option<&Path>) -> Result<String, Failure> {
    match text_or_file(flags, inline, file)? {
        Some(text) => Ok(text),
        None => read_text(Path::new("-")),
    }
}

/// Writes a content to a file, and says in its record where it went instead of repeating it.
pub fn write_content(path: &Path, bytes: &[u8], record: &mut Value) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
    if let Value::Object(members) = record {
        members.shift_remove("content");
        members.insert("content_written_to".to_owned(), json!(path.to_string_lossy()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{for_terminal, on_one_line, shortened};

    #[test]
    fn a_long_body_is_cut_to_eighty_characters() {
        assert_eq!(shortened(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(shortened(&"é".repeat(81)), "é".repeat(77) + "...");
        assert_eq!(shortened("a\nb"), "a b");
    }

    #[test]
    fn no_control_character_reaches_a_terminal() {
        let text = "a\r\nb\tc\u{1b}[31m\u{9b}\r\u{7f}";
        assert_eq!(for_terminal(text), "a\nb\tc\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(on_one_line("a\r\nb\tc"), "a b c");
    }
}
