//! `GET /statusz`: how the hub is doing, in JSON, for whoever runs it. Figures and names of ours alone: never a header's value, a token,
//! a body, or a path beyond the palace's own name.

use std::collections::BTreeMap;
use std::path::Path;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use loggia_domain::timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::AppState;
use crate::auth::Caller;
use crate::error::{HttpError, JSON};
use crate::estate::status::{EstateStatus, PeerStatus};
use crate::figures::Figures;
use crate::figures::disk;
use crate::figures::requests::STATUSES;
use crate::figures::tools::Outcome;
use crate::figures::writer::WriterFigures;
use crate::logstream::StoreError;
use crate::mems::figures::MemsFigures;
use crate::tokens::Scope;

/// What `/statusz` answers.
#[derive(Serialize)]
struct Status {
    version: &'static str,
    pid: u32,
    started_at: String,
    uptime_s: u64,
    replica_id: String,
    /// The palace's folder, its last part only.
    palace: String,
    read_only: bool,
    no_auth: bool,
    /// Why diaries and drawers are off; `None` while they are on.
    palace_store_off: Option<String>,
    /// The model of meaning and how far its vectors are; `None` while diaries and drawers are off.
    meaning: Option<Value>,
    /// Hot session memory; `None` while it is off.
    session_memory: Option<MemsFigures>,
    log: Log,
    writer: Value,
    projection: Projection,
    estate: Value,
    streams: Value,
    waits: Value,
    connections: Value,
    requests: Value,
    tools: Value,
    /// Every SQLite file in the palace and beside it its WAL, in bytes.
    files_bytes: BTreeMap<String, u64>,
    /// `None` where the system does not say.
    disk_free_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Log {
    /// As the projection counts them: behind by its lag.
    events: u64,
    newest_seq: i64,
    newest_id: Option<String>,
    file_bytes: u64,
    wal_bytes: u64,
}

#[derive(Serialize)]
struct Projection {
    seq: i64,
    lag_events: i64,
}

/// The status, for a token that may manage the hub.
pub async fn get(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    caller.either(Scope::Admin)?;
    let newest = state.log.newest().await?;
    let rooms = state.live.projection().rooms().await?;
    let seq = state.live.projection().position();
    let (file_bytes, wal_bytes) = crate::db::file_bytes(state.log.path());
    let palace = state.log.path().parent().unwrap_or(Path::new(".")).to_owned();
    // SQLite names the file that it could not open by its whole path.
    let whole = palace.to_string_lossy().into_owned();
    let palace_store_off = state.palace.off_reason().map(|reason| reason.replace(&whole, "…"));
    let (palace, sizes, disk_free_bytes) =
        tokio::task::spawn_blocking(move || (last_part(&palace), disk::files(&palace), disk::free(&palace)))
            .await
            .map_err(|_| StoreError::Closed)?;
    let figures = &state.figures;
    let status = Status {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        started_at: timestamp::created_at(figures.started_at()),
        uptime_s: figures.uptime().as_secs(),
        replica_id: state.log.replica_id().to_owned(),
        palace,
        read_only: state.settings.read_only,
        no_auth: state.settings.no_auth,
        palace_store_off,
        meaning: meaning(&state).await,
        session_memory: state.mems.figures(),
        log: Log {
            events: rooms.iter().map(|room| room.events).sum(),
            newest_seq: newest.seq,
            newest_id: newest.id,
            file_bytes,
            wal_bytes,
        },
        writer: writer(state.log.writer_figures()),
        projection: Projection { seq, lag_events: (newest.seq - seq).max(0) },
        estate: estate(&state.estate.status().await?),
        streams: json!({
            "open": state.streams.open(),
            "max": state.streams.max(),
            "events_sent": figures.stream_events.get(),
        }),
        waits: json!({"open": figures.waits.get()}),
        connections: json!({
            "open": figures.connections.get(),
            "max": state.settings.limits.max_connections,
            "cut": figures.cut_connections.get(),
            "slow": figures.slow_connections.get(),
            "refused": figures.refused_connections.get(),
        }),
        requests: requests(figures),
        tools: tools(figures),
        files_bytes: sizes,
        disk_free_bytes,
    };
    let text = serde_json::to_string_pretty(&status)
        .map_err(|e| StoreError::Storage(format!("the status cannot be written: {e}")))?;
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    Ok(response)
}

async fn meaning(state: &AppState) -> Option<Value> {
    // A palace that is off is not opened for this.
    if state.palace.off_reason().is_some() {
        return None;
    }
    let store = state.palace.store().await.ok()?;
    let progress = store.vector_progress().await.ok()?;
    Some(json!({
        "model": crate::palace::embed::MODEL,
        "off": store.semantic_off(),
        "vectors": progress.embedded,
        "waiting": progress.waiting,
    }))
}

fn writer(writer: &WriterFigures) -> Value {
    let batches = writer.batch_writes.counted();
    json!({
        "waiting": writer.waiting.get(),
        "transactions": batches.count,
        "writes": batches.sum,
        "events": writer.events.get(),
        "artifacts": writer.artifacts.get(),
        "refused": writer.refused.get(),
        "failed_transactions": writer.failed_commits.get(),
        "last_commit_ms": writer.last_commit_ms(),
    })
}

/// The estate in figures and in names that its owner gave: no text of a peer.
fn estate(estate: &EstateStatus) -> Value {
    let peer = |peer: &PeerStatus| {
        json!({
            "name": peer.name,
            "replica_id": peer.replica_id,
            "reachable": peer.is_reachable(),
            "failures": peer.failures,
            "last_contact_at": peer.last_contact_at,
            "last_success_at": peer.last_success_at,
            "last_error_at": peer.last_error_at,
            "clock_difference_ms": peer.clock_difference_ms,
            "drift": peer.drift,
            "blocked_origins": peer.blocks.keys().collect::<Vec<_>>(),
            "pulled_events": peer.pulled_events,
            "pulled_artifacts": peer.pulled_artifacts,
        })
    };
    let restore = estate.restore.as_ref().map(|restore| {
        json!({
            "alarm": "a peer had more of this hub's own events than its log",
            "peer": restore.peer,
            "detected_at": restore.detected_at,
            "ours": restore.ours,
            "theirs": restore.theirs,
            "taken_back": restore.taken_back,
            "renumbered": restore.renumbered,
            "state": restore.state,
        })
    });
    json!({
        "interval_s": estate.interval_s,
        "version_vector": estate.version_vector,
        "unnamed_origins": estate.unnamed_origins,
        "file_faults": estate.file_faults.len(),
        "peers": estate.peers.iter().map(peer).collect::<Vec<_>>(),
        "restore": restore,
    })
}

/// By route and status; what never happened is left out.
fn requests(figures: &Figures) -> Value {
    let routes = figures.requests.counted().map(|(route, counts)| (route.as_str(), named(STATUSES, counts)));
    Value::Object(routes.filter(|(_, counts)| !counts.is_empty()).map(|(k, v)| (k.to_owned(), v.into())).collect())
}

/// By tool and outcome; what never happened is left out.
fn tools(figures: &Figures) -> Value {
    let tools = figures.tools.counted().map(|(tool, counts)| (tool, named(Outcome::ALL.map(Outcome::as_str), counts)));
    Value::Object(tools.filter(|(_, counts)| !counts.is_empty()).map(|(k, v)| (k.to_owned(), v.into())).collect())
}

fn named<const N: usize>(names: [&str; N], counts: [u64; N]) -> Map<String, Value> {
    names.into_iter().zip(counts).filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_owned(), n.into())).collect()
}

fn last_part(palace: &Path) -> String {
    let whole = palace.canonicalize().unwrap_or_else(|_| palace.to_owned());
    whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
