//! The hub's answer to its own page: what is known of the estate, how this hub is doing, what is wrong.
//!
//! It reads and puts together; what the figures mean to people is said by the page. Addresses and errors of peers are for who manages the
//! hub, as in `/statusz`.

mod alarms;
mod estate;
mod limits;

use std::path::{Path, PathBuf};

use loggia_app::backend::hub::{Alarm, Health, HubPage, Model, Pipeline};
use loggia_domain::{ApiError, timestamp};

use crate::AppState;
use crate::clock::now_ms;
use crate::error::of_store;
use crate::figures::disk;
use crate::figures::tools::Outcome;
use crate::logstream::StoreError;
use crate::logstream::append::QUEUE;
use crate::logstream::projection::RoomFigures;
use crate::palace::embed::MODEL;
use crate::palace::schema;
use crate::tokens::{Identity, Scope};

/// What `/hub` shows.
pub(super) async fn page(state: &AppState, viewer: &Identity) -> Result<HubPage, ApiError> {
    let is_admin = viewer.may(Scope::Admin);
    let status = state.estate.status().await.map_err(of_store)?;
    let rooms = state.live.projection().rooms().await.map_err(of_store)?;
    let health = health(state, &rooms).await.map_err(of_store)?;
    let mut alarms = alarms::of_hub(state, &status, &health, is_admin);
    alarms.extend(alarms::has_demo(&rooms).then_some(Alarm::Demo));
    Ok(HubPage {
        is_admin,
        alarms,
        estate: estate::seen(&state.log, status, is_admin).await.map_err(of_store)?,
        health,
        limits: limits::all(&state.settings),
        now_ms: now_ms(),
    })
}

/// What every page says about the hub. What cannot be found out is said by the pages that need it.
pub(super) async fn notices(state: &AppState) -> Vec<Alarm> {
    let restored = state.estate.restore().as_ref().map(alarms::restored);
    let folder = folder(state);
    let free = tokio::task::spawn_blocking(move || disk::free(&folder)).await.ok().flatten();
    let full = free.and_then(alarms::disk).filter(|alarm| matches!(alarm, Alarm::DiskFull(_)));
    // That the counts cannot be read is said elsewhere.
    let rooms = state.live.projection().rooms().await.unwrap_or_default();
    let demo = alarms::has_demo(&rooms).then_some(Alarm::Demo);
    restored.into_iter().chain(full).chain(demo).collect()
}

async fn health(state: &AppState, rooms: &[RoomFigures]) -> Result<Health, StoreError> {
    let figures = &state.figures;
    let newest = state.log.newest().await?;
    let folder = folder(state);
    let (files, disk_free_bytes) = tokio::task::spawn_blocking(move || (disk::files(&folder), disk::free(&folder)))
        .await
        .map_err(|_| StoreError::Closed)?;
    let writer = state.log.writer_figures();
    let batches = writer.batch_writes.counted();
    let mut health = Health {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: timestamp::created_at(figures.started_at()),
        uptime_s: figures.uptime().as_secs(),
        palace_schema: schema::VERSION,
        // One name stands for all that do not exist.
        tools: figures.tools.counted().count().saturating_sub(1),
        events: rooms.iter().map(|room| room.events).sum(),
        newest_seq: newest.seq,
        counts_lag: (newest.seq - state.live.projection().position()).max(0),
        files: files.into_iter().collect(),
        disk_free_bytes,
        writer_waiting: writer.waiting.get(),
        writer_queue: QUEUE,
        transactions: batches.count,
        writes: batches.sum,
        writes_refused: writer.refused.get(),
        transactions_failed: writer.failed_commits.get(),
        last_commit_ms: writer.last_commit_ms(),
        streams: state.streams.open(),
        streams_max: state.streams.max(),
        // Whoever sees some streams only learns nothing of other readers.
        pages: if state.log.reach().is_everything() { state.presence.pages() as u64 } else { 0 },
        waits: figures.waits.get(),
        stream_events: figures.stream_events.get(),
        connections: figures.connections.get(),
        connections_max: state.settings.limits.max_connections,
        connections_refused: figures.refused_connections.get(),
        connections_cut: figures.cut_connections.get(),
        connections_slow: figures.slow_connections.get(),
        model: model(state).await,
        sessions_shared: state.mems.store_name() == "redis",
        pipeline: state.mems.publisher().map(|publisher| {
            let progress = publisher.progress();
            Pipeline {
                published: progress.published,
                waiting: progress.waiting,
                dropped: progress.dropped,
                is_failing: progress.trouble.is_some(),
            }
        }),
        ..Health::default()
    };
    for (_, [_, good, moved, refused, failed]) in figures.requests.counted() {
        health.requests += good + moved + refused + failed;
        health.requests_refused += refused;
        health.requests_failed += failed;
    }
    for (_, counts) in figures.tools.counted() {
        let calls: u64 = counts.iter().sum();
        health.tool_calls.0 += calls;
        health.tool_calls.1 += calls - counts[Outcome::Ok as usize];
    }
    Ok(health)
}

async fn model(state: &AppState) -> Option<Model> {
    // A palace that is off is not opened for this.
    if state.palace.off_reason().is_some() {
        return None;
    }
    let store = state.palace.store().await.ok()?;
    let progress = store.vector_progress().await.ok()?;
    let count = |n: i64| u64::try_from(n).unwrap_or(0);
    Some(Model {
        name: MODEL.to_owned(),
        is_on: store.semantic_off().is_none(),
        vectors: count(progress.embedded),
        waiting: count(progress.waiting),
    })
}

fn folder(state: &AppState) -> PathBuf {
    state.log.path().parent().unwrap_or(Path::new(".")).to_owned()
}
