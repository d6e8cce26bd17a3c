//! The tool that tells of the estate: mesh_peers. It answers what `GET /sync/peers` does.

use super::tool::{Answer, Effect, Tool, answer};
use crate::AppState;
use crate::tokens::Scope;

/// `mempalace_mesh_peers`
pub const MESH_PEERS: Tool = Tool {
    name: "mempalace_mesh_peers",
    about: "The hubs that this one exchanges its log with: whether each can be reached, how far it is ahead or behind, author by author (drift), what keeps an author's events from coming (blocks), and which authors are known only through others. Diaries, drawers and facts do not travel between hubs.",
    params: &[],
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(mesh_peers(state)),
};

async fn mesh_peers(state: AppState) -> Answer {
    answer(&state.estate.status().await?.mesh())
}
