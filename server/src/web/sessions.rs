//! The hub's answer to the page of session memory, in terms of it.

use loggia_app::backend::sessions::{Group, LiveSession, PipelineState, SessionsPage};

use crate::clock::now_ms;
use crate::mems::Mems;
use crate::mems::publisher::Publisher;
use crate::mems::stream_state::StreamState;

/// What `/sessions` shows. What does not answer is a state of the page, not an error.
pub(super) async fn page(mems: &Mems) -> SessionsPage {
    // Both may wait for a Redis that does not answer.
    let (sessions, stream) = tokio::join!(mems.sessions(), mems.stream_state());
    let sessions = match sessions {
        Ok(all) => Ok(all
            .into_iter()
            .map(|one| LiveSession { owner: one.owner, snapshot: (*one.snapshot).clone(), left_ms: one.left_ms })
            .collect()),
        Err(error) => Err(error.to_string()),
    };
    SessionsPage {
        sessions,
        is_shared: mems.store_name() == "redis",
        pipeline: mems.publisher().zip(stream).map(|(publisher, stream)| pipeline(publisher, stream)),
        now_ms: now_ms(),
    }
}

fn pipeline(publisher: &Publisher, stream: Result<StreamState, String>) -> PipelineState {
    let (settings, progress) = (publisher.settings(), publisher.progress());
    let group = |group: crate::mems::stream_state::Group| Group {
        name: group.name,
        consumers: group.consumers,
        pending: group.pending,
        lag: group.lag,
    };
    PipelineState {
        redis: settings.url.shown(),
        stream: settings.stream.clone(),
        max_entries: settings.max_entries,
        published: progress.published,
        dropped: progress.dropped,
        waiting: progress.waiting,
        trouble: progress.trouble,
        last_error: progress.last_error,
        read: stream.map(|read| (read.length, read.groups.into_iter().map(group).collect())),
    }
}
