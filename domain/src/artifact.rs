//! Artifacts: exact text with its SHA-256 (`contract: logstream`, section Artifact).

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::field::{self, Raw};
use crate::metadata::Metadata;
use crate::refusal::{Refusal, shown};

/// What an artifact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A unified diff.
    Patch,
    /// A whole file.
    File,
    /// Output of a program.
    Log,
    /// A JSON document.
    Json,
    /// Prose.
    Note,
}

impl ArtifactKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Patch, Self::File, Self::Log, Self::Json, Self::Note];
    /// The words in the order in which error messages list them.
    pub const ACCEPTED: &'static str = "file, json, log, note, patch";

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::File => "file",
            Self::Log => "log",
            Self::Json => "json",
            Self::Note => "note",
        }
    }

    /// The kind that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == word)
    }
}

/// What is told about an artifact without its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactRecord {
    /// `art_YYYYMMDDTHHMMSS_<12 hex>`.
    pub id: String,
    /// One of the five kinds; text, since a peer may send another.
    pub kind: String,
    /// Over the content's UTF-8 bytes, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the content in UTF-8 bytes.
    pub size_bytes: i64,
    /// Who stored it.
    pub created_by: String,
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    pub created_at: String,
    /// The hub on which it was stored.
    pub origin_replica: Option<String>,
}

/// An artifact with its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// See [`ArtifactRecord::id`].
    pub id: String,
    /// See [`ArtifactRecord::kind`].
    pub kind: String,
    /// See [`ArtifactRecord::sha256`].
    pub sha256: String,
    /// See [`ArtifactRecord::size_bytes`].
    pub size_bytes: i64,
    /// The exact text.
    pub content: String,
    /// See [`ArtifactRecord::created_by`].
    pub created_by: String,
    /// See [`ArtifactRecord::created_at`].
    pub created_at: String,
    /// A JSON object, as its exact text.
    pub metadata: Metadata,
    /// See [`ArtifactRecord::origin_replica`].
    pub origin_replica: Option<String>,
}

impl Artifact {
    /// What is told about it, without its content.
    pub fn record(self) -> ArtifactRecord {
        ArtifactRecord {
            id: self.id,
            kind: self.kind,
            sha256: self.sha256,
            size_bytes: self.size_bytes,
            created_by: self.created_by,
            created_at: self.created_at,
            origin_replica: self.origin_replica,
        }
    }
}

/// What a caller sent to be stored, unchecked.
#[derive(Debug, Clone, Default)]
pub struct ArtifactDraft {
    /// Required.
    pub kind: Raw,
    /// Required.
    pub content: Raw,
    /// Required.
    pub created_by: Raw,
    /// Optional.
    pub metadata: Raw,
}

impl ArtifactDraft {
    /// Checks every field; the first that breaks its rule is named.
    pub fn check(self) -> Result<NewArtifact, Refusal> {
        let kind = kind(self.kind)?;
        let created_by = field::routing("created_by", self.created_by)?;
        let content = field::content(self.content)?;
        let metadata = Metadata::check(self.metadata)?;
        Ok(NewArtifact { kind, sha256: sha256_hex(content.as_bytes()), content, created_by, metadata })
    }
}

/// A checked artifact that the store may keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewArtifact {
    /// What it holds.
    pub kind: ArtifactKind,
    /// Over the content's UTF-8 bytes.
    pub sha256: String,
    /// The exact text.
    pub content: String,
    /// Who stores it.
    pub created_by: String,
    /// A JSON object.
    pub metadata: Metadata,
}

impl NewArtifact {
    /// What `git apply` will stumble over; only for patches. Advice: the content is kept as it is.
    pub fn warnings(&self) -> Vec<&'static str> {
        if self.kind != ArtifactKind::Patch {
            return Vec::new();
        }
        let mut warnings = Vec::new();
        if !self.content.ends_with('\n') {
            warnings.push(
                "patch content does not end with a trailing newline; git apply will reject the final hunk as corrupt — store the diff byte-exactly including its trailing newline",
            );
        }
        if self.content.contains('\r') {
            warnings.push(
                "patch content contains carriage returns (CRLF line endings); git apply often rejects CRLF diffs — generate the diff with LF endings",
            );
        }
        warnings
    }
}

/// The SHA-256 of some bytes as 64 lower-case hex digits. The page in the browser computes it by this same function.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn kind(raw: Raw) -> Result<ArtifactKind, Refusal> {
    let value = match raw {
        Raw::Absent => Value::Null,
        Raw::Text(t) => {
            if let Some(kind) = ArtifactKind::parse(&t) {
                return Ok(kind);
            }
            Value::String(t)
        }
        Raw::Other(v) => v,
    };
    Err(Refusal::new("kind", format!("kind={} is not one of: {}", shown(&value), ArtifactKind::ACCEPTED))
        .value(value)
        .accepted(ArtifactKind::ACCEPTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_over_the_exact_bytes() {
        assert_eq!(sha256_hex(b"hello\n"), "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
    }

    #[test]
    fn patches_are_warned_about_what_git_refuses() {
        let of = |kind: &str, content: &str| {
            ArtifactDraft { kind: kind.into(), content: content.into(), created_by: "a".into(), metadata: Raw::Absent }
                .check()
                .expect("valid")
                .warnings()
                .len()
        };
        assert_eq!(of("patch", "a\n"), 0);
        assert_eq!(of("patch", "a"), 1);
        assert_eq!(of("patch", "a\r\n"), 1);
        assert_eq!(of("patch", "a\r"), 2);
        assert_eq!(of("log", "a\r"), 0);
    }

    #[test]
    fn an_unknown_kind_is_shown() {
        let refused = |kind: Raw| {
            ArtifactDraft { kind, content: "x".into(), created_by: "a".into(), metadata: Raw::Absent }
                .check()
                .expect_err("refused")
                .message
        };
        assert_eq!(refused("Patch".into()), "kind='Patch' is not one of: file, json, log, note, patch");
        assert_eq!(refused(Raw::Absent), "kind=null is not one of: file, json, log, note, patch");
    }
}
