//! What the pages of whoever manages the hub show: tokens, sessions, and the audit. Never a secret but the one that was just made.

/// How many lines a page of the audit holds.
pub const AUDIT_PAGE_LINES: usize = 100;

/// Where a token is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It opens.
    Active,
    /// Another one took its place; until its end it opens all the same.
    Replaced,
    /// Its time is over.
    Expired,
    /// Somebody ended it.
    Revoked,
}

/// A token as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Its id, no secret.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The beginning of its secret, where that is known.
    pub prefix: Option<String>,
    /// The words of its scopes.
    pub scopes: Vec<String>,
    /// The agents as which it may write; none for anybody.
    pub agents: Vec<String>,
    /// The streams that it may see and write to; none for all.
    pub streams: Vec<String>,
    /// Where it is in its life.
    pub life: Life,
    /// When it was made.
    pub created_at: String,
    /// By whom; empty where that is not known.
    pub created_by: String,
    /// When it ends, if it does.
    pub expires_at: Option<String>,
    /// When it was last used.
    pub last_used_at: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
}

/// A browser session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its id, no secret.
    pub id: String,
    /// The name of the token that it was made from.
    pub token: String,
    /// When it began.
    pub created_at: String,
    /// When it ends at the latest.
    pub expires_at: String,
    /// Whether the page is looked at in it.
    pub is_own: bool,
}

/// A token that was just made, with its secret: for this one page.
#[derive(Clone, PartialEq)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// The secret.
    pub secret: String,
    /// When it ends, if it does.
    pub expires_at: Option<String>,
    /// Whether it took the place of another one.
    pub is_rotated: bool,
}

/// A form that was refused: what was typed, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Refused {
    /// Names and values, as they came.
    pub values: Vec<(String, String)>,
    /// The field, empty for none.
    pub field: String,
    /// Why, in one sentence.
    pub message: String,
}

impl Refused {
    /// What was typed into a field.
    pub fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Whether a box with this value was ticked.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|(key, given)| key == name && given == value)
    }
}

/// What came of a form.
#[derive(Clone, Default)]
pub enum Outcome {
    /// There was none.
    #[default]
    None,
    /// A token was made.
    Made(Made),
    /// It was refused.
    Refused(Refused),
}

/// What `/tokens` shows.
#[derive(Clone)]
pub struct TokensPage {
    /// Those that open something, the newest first.
    pub living: Vec<Token>,
    /// Those that are over, the newest first.
    pub over: Vec<Token>,
    /// The sessions that are open, the newest first.
    pub sessions: Vec<Session>,
    /// What came of the form that led here.
    pub outcome: Outcome,
    /// The hub's address as the reader wrote it, for the snippets: `http://127.0.0.1:8787`.
    pub origin: String,
}

/// Which lines of the audit are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only of this one.
    pub who: Option<String>,
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only lines before this number.
    pub before: Option<i64>,
}

/// A line of the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditLine {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: String,
    /// The name of the token.
    pub who: String,
    /// The tool, the route or the command.
    pub kind: String,
    /// The id or name of what was changed.
    pub object: String,
    /// `ok`, or a word for why not.
    pub outcome: String,
}

/// What `/audit` shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditPage {
    /// Newest first, at most [`AUDIT_PAGE_LINES`].
    pub lines: Vec<AuditLine>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// How many lines are kept.
    pub kept: u64,
    /// How many could not be noted since the hub started.
    pub dropped: u64,
}
