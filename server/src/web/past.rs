//! The board as it stood when an event had arrived: candidates from the history of states, each folded up to that event. The log as a whole
//! is never folded.

use std::time::Duration;

use loggia_app::backend::asked::{Moment, PastPage};
use loggia_app::backend::{FAILED_SHOWN, FAILED_SHOWN_MS};
use loggia_domain::ApiError;
use loggia_domain::delegation::{Delegation, State};

use crate::AppState;
use crate::error::of_store;
use crate::logstream::past::At;
use crate::logstream::projection::history::Kind;

/// How many delegations a board of the past holds.
const CARDS: usize = 500;
/// How long it waits for the history to catch up with what was just written.
const PATIENCE: Duration = Duration::from_millis(250);

/// The moment that an address names: an event's id, or digits for a place; `None` for an empty one, the present.
pub(super) fn at(text: &str) -> Option<At> {
    match text.parse() {
        Ok(seq) => Some(At::Seq(seq)),
        Err(_) if text.is_empty() => None,
        Err(_) => Some(At::Event(text.to_owned())),
    }
}

/// The board at a moment.
pub(super) async fn board(state: &AppState, text: String, stalled_after_ms: u64) -> Result<PastPage, ApiError> {
    let point = state.log.point(at(&text).unwrap_or(At::Seq(i64::MAX))).await.map_err(of_store)?;
    let (seq, at_ms) = (point.event.seq, point.event.at_ms().unwrap_or(0));
    let projection = state.live.projection();
    projection.caught_up(seq, PATIENCE).await;
    let stood = |kind, limit| async move {
        let ids = projection.stood(kind, seq, limit).await.map_err(of_store)?;
        let has_more = ids.len() == limit;
        let told = state.log.delegations_at(ids, seq).await.map_err(of_store)?;
        Ok::<_, ApiError>((told, has_more))
    };
    let (mut waiting, has_more) = stood(Kind::Waiting, CARDS + 1).await?;
    waiting.truncate(CARDS);
    waiting.retain(|d| matches!(d.state, State::Open | State::Claimed | State::Ready | State::Blocked));
    waiting.sort_by_key(|d: &Delegation| d.pending_since_ms.unwrap_or(d.last_at_ms));
    let (mut failed, _) = stood(Kind::Failed, FAILED_SHOWN).await?;
    failed.retain(|d| d.state == State::Failed && d.last_at_ms.saturating_add(FAILED_SHOWN_MS) >= at_ms);
    Ok(PastPage {
        moment: Moment {
            place: seq,
            places: point.newest_seq,
            older: point.older,
            newer: point.newer,
            event: point.event,
        },
        waiting,
        has_more,
        failed,
        stalled_after_ms,
    })
}
