//! What a credential may do, and who was recognised by one.

use std::sync::Arc;

use loggia_domain::{Reach, Refusal, refusal::quoted};

/// What a credential may do (`contract: mcp-and-http`, section Routes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// See the log, its artifacts and the pages.
    Read,
    /// Append events and store artifacts.
    Write,
    /// Keep drawers, diaries, tunnels and facts, and read them.
    Memory,
    /// Exchange the log with another hub.
    Replicate,
    /// Manage the hub; includes everything.
    Admin,
}

impl Scope {
    /// All there are, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Memory, Self::Replicate, Self::Admin];

    /// What a token of these scopes may do, as it is stored: whoever writes may read.
    pub fn stored(scopes: &[Self]) -> String {
        let is_in = |scope: &Self| scopes.contains(scope) || (*scope == Self::Read && scopes.contains(&Self::Write));
        Self::ALL.into_iter().filter(is_in).map(Self::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The word for it, in messages and in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Memory => "memory",
            Self::Replicate => "replicate",
            Self::Admin => "admin",
        }
    }

    /// The scope that a word stands for.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// Who was recognised. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The token's name.
    pub name: String,
    viewer: Arc<str>,
    scopes: Arc<str>,
    agents: Arc<[String]>,
    reach: Reach,
}

impl Identity {
    /// Somebody with these rights.
    pub(super) fn new(name: String, scopes: &str, agents: &[String], streams: &[String]) -> Self {
        let viewer = name.as_str().into();
        Self { name, viewer, scopes: scopes.into(), agents: agents.into(), reach: Reach::of(streams) }
    }

    /// The same, whose own things are kept under an id.
    pub(super) fn with_viewer(self, id: &str) -> Self {
        Self { viewer: id.into(), ..self }
    }

    /// Under what is kept what is its own: what it has read, looked through and searched for. A name may be given again after its token was
    /// revoked, this never; who follows by rotation has the same.
    pub fn viewer(&self) -> &str {
        &self.viewer
    }

    /// Somebody who may do everything.
    pub fn admin(name: &str) -> Self {
        Self::new(name.to_owned(), Scope::Admin.as_str(), &[], &[])
    }

    /// Whether it may do this.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.split(' ').any(|s| s == scope.as_str() || s == Scope::Admin.as_str())
    }

    /// The agents as which it may write; none when it may write as anybody.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// The streams that it may see and write to.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Whether it may speak as an agent: the refusal names the field in which it tried to, what stood there, and what may.
    pub fn check_agent(&self, field: &str, agent: &str) -> Result<(), Refusal> {
        if self.agents.is_empty() || self.agents.iter().any(|own| own == agent.trim()) {
            return Ok(());
        }
        let allowed = self.agents.join(", ");
        let message =
            format!("{field} {} is not an agent of token `{}`: it may write as {allowed}", quoted(agent), self.name);
        Err(Refusal::new(field, message).value(agent).accepted(allowed))
    }
}
