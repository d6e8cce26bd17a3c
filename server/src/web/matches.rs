//! What has to do with a few letters that somebody typed into the palette: ids, delegations, streams, agents.

use loggia_app::backend::Matches;
use loggia_domain::delegation::Delegation;

use crate::logstream::projection::Projection;
use crate::logstream::{Logstream, StoreError};

/// How many of each kind are shown.
const SHOWN: usize = 6;
/// How many open delegations are looked at for a title.
const LOOKED_AT: usize = 500;
/// From how many letters on a delegation that is over is found by the beginning of its id.
const BEGINNING_CHARS: usize = 3;

/// What is found.
pub(super) async fn find(log: &Logstream, projection: &Projection, letters: &str) -> Result<Matches, StoreError> {
    let lower = letters.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&lower);
    let mut found = Matches::default();
    if letters.starts_with("evt_") && log.event(letters.to_owned()).await?.is_some() {
        found.event = Some(letters.to_owned());
    }
    if letters.starts_with("art_") && !log.artifact_records(vec![letters.to_owned()]).await?.is_empty() {
        found.artifact = Some(letters.to_owned());
    }
    let (open, _) = projection.open_delegations(LOOKED_AT).await?;
    let failed = projection.failed_delegations(0, LOOKED_AT).await?;
    let matching = |task: &&Delegation| has(&task.correlation_id) || has(&task.title);
    let named = |task: &Delegation| (task.correlation_id.clone(), task.title.clone());
    found.tasks = open.iter().chain(&failed).filter(matching).take(SHOWN).map(named).collect();
    if letters.chars().count() >= BEGINNING_CHARS {
        for id in log.correlations(letters.to_owned(), SHOWN).await? {
            if !found.tasks.iter().any(|(known, _)| *known == id) {
                found.tasks.push((id, String::new()));
            }
        }
    }
    if !letters.is_empty() {
        found.agents = log.writers(letters.to_owned(), SHOWN).await?;
    }
    for room in projection.rooms().await? {
        if found.streams.len() < SHOWN && has(&room.stream) && !found.streams.contains(&room.stream) {
            found.streams.push(room.stream);
        }
    }
    Ok(found)
}
