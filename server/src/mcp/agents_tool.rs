//! The tool that says who is there: agents, the same answer as the page of the agents gives to a person.

use loggia_domain::presence::key;
use loggia_domain::{field, timestamp};
use serde_json::json;

use super::args::{Args, Kind, optional};
use super::tool::{Answer, Effect, Failure, Tool, answer};
use crate::AppState;
use crate::logstream::StoreError;
use crate::tokens::Scope;

/// How many agents are told at most.
const MAX_AGENTS: usize = 500;

/// `mempalace_agents`
pub const AGENTS: Tool = Tool {
    name: "mempalace_agents",
    about: "Who is there: every agent with its open streams and waits and how far they are behind, when it was last seen, what it announced about itself (idle, watching), and how many open delegations wait for it or were asked by it. Ask this before you delegate to somebody, or when nobody answers.",
    params: &[
        optional("agent", Kind::Text, "Only this agent, in any upper or lower case"),
        optional("from_agent", Kind::Text, "You; does not filter"),
    ],
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(agents(state, args)),
};

async fn agents(state: AppState, mut args: Args) -> Answer {
    let only = field::optional_routing("agent", args.raw("agent"))?.map(|name| key(&name));
    let everybody = state.presence.everybody(&state.log, &state.live).await?;
    let now_ms = everybody.now_ms;
    let mut found = everybody.agents;
    found.retain(|agent| only.as_ref().is_none_or(|only| key(&agent.agent) == *only));
    let total = found.len();
    found.truncate(MAX_AGENTS);
    let agents = found
        .iter()
        .map(|agent| {
            let mut told = serde_json::to_value(agent)?;
            told["standing"] = json!(agent.standing(now_ms));
            Ok(told)
        })
        .collect::<Result<Vec<_>, serde_json::Error>>()
        .map_err(|e| Failure::Store(StoreError::Storage(format!("an agent cannot be written: {e}"))))?;
    answer(&json!({
        "agents": agents,
        "count": agents.len(),
        "total": total,
        "unnamed": if only.is_none() { everybody.unnamed } else { Vec::new() },
        "now": timestamp::created_at_ms(now_ms),
    }))
}
