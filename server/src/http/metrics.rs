//! `GET /metrics`: the hub's figures as Prometheus reads them, and the middleware that counts requests.
//!
//! Labels are words of ours (routes, statuses, tools, outcomes), never anything that somebody sent: their number has a bound.

use std::sync::Arc;
use std::time::SystemTime;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::AppState;
use crate::auth::Caller;
use crate::error::HttpError;
use crate::estate::status::{EstateStatus, RestoreState};
use crate::figures::Figures;
use crate::figures::histogram::Counted;
use crate::figures::requests::{Route, STATUSES};
use crate::figures::tools::Outcome;
use crate::figures::writer::WriterFigures;
use crate::logstream::StoreError;
use crate::mems::figures::MemsFigures;
use crate::tokens::Scope;

/// Counts every request by its route and its answer's status; the outermost layer, so that what the door refuses counts too.
pub async fn count(State(figures): State<Arc<Figures>>, request: Request, next: Next) -> Response {
    let route = Route::of(request.uri().path());
    let response = next.run(request).await;
    figures.requests.answered(route, response.status().as_u16());
    response
}

/// The figures, for a token that may read.
pub async fn get(State(state): State<AppState>, caller: Caller) -> Result<Response, HttpError> {
    caller.either(Scope::Read)?;
    let newest_seq = state.log.newest().await?.seq;
    let (log_bytes, wal_bytes) = crate::db::file_bytes(state.log.path());
    let shown = Shown {
        figures: Arc::clone(&state.figures),
        writer: Arc::clone(state.log.writer_figures()),
        streams_open: signed(state.streams.open()),
        streams_max: signed(state.streams.max()),
        newest_seq,
        lag_events: (newest_seq - state.live.projection().position()).max(0),
        log_bytes: i64::try_from(log_bytes).unwrap_or(i64::MAX),
        wal_bytes: i64::try_from(wal_bytes).unwrap_or(i64::MAX),
        estate: state.estate.status().await?,
        mems: state.mems.figures(),
    };
    let mut registry = Registry::default();
    registry.register_collector(Box::new(shown));
    let mut text = String::new();
    prometheus_text::encode(&mut text, &registry)
        .map_err(|e| StoreError::Storage(format!("the figures cannot be written: {e}")))?;
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(prometheus_text::CONTENT_TYPE));
    Ok(response)
}

/// Everything that is shown, at one moment.
#[derive(Debug)]
struct Shown {
    figures: Arc<Figures>,
    writer: Arc<WriterFigures>,
    streams_open: i64,
    streams_max: i64,
    newest_seq: i64,
    lag_events: i64,
    log_bytes: i64,
    wal_bytes: i64,
    estate: EstateStatus,
    mems: Option<MemsFigures>,
}

impl Collector for Shown {
    fn encode(&self, mut encoder: DescriptorEncoder) -> std::fmt::Result {
        let to = &mut encoder;
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        build.encode(to.encode_descriptor("loggia_build", "The hub's version", None, build.metric_type())?)?;
        let started = self.figures.started_at();
        let started_s =
            SystemTime::from(started).duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let start = ConstGauge::new(started_s);
        let about = "When the hub was started, in seconds since 1970";
        start.encode(to.encode_descriptor("process_start_time_seconds", about, None, MetricType::Gauge)?)?;
        self.encode_requests(to)?;
        self.encode_tools(to)?;
        self.encode_writer(to)?;
        gauge(to, "loggia_log_newest_seq", "Arrival number of the newest event", self.newest_seq)?;
        gauge(to, "loggia_log_bytes", "Size of the log's file", self.log_bytes)?;
        gauge(to, "loggia_wal_bytes", "Size of the log's write-ahead file", self.wal_bytes)?;
        gauge(to, "loggia_projection_lag_events", "Events that the projection has not counted yet", self.lag_events)?;
        gauge(to, "loggia_streams_open", "Live streams that are open", self.streams_open)?;
        gauge(to, "loggia_streams_max", "Live streams that there may be", self.streams_max)?;
        gauge(to, "loggia_waits_open", "event_wait calls that wait", self.figures.waits.get())?;
        self.encode_estate(to)?;
        self.encode_mems(to)?;
        let sent = self.figures.stream_events.get();
        counter(to, "loggia_stream_events", "Events handed to live streams, once for each stream", sent)?;
        let cut = self.figures.cut_connections.get();
        counter(to, "loggia_connections_cut", "Connections cut since their client took nothing for too long", cut)?;
        gauge(to, "loggia_connections_open", "Connections that are open", self.figures.connections.get())?;
        let slow = self.figures.slow_connections.get();
        counter(to, "loggia_connections_slow", "Connections cut since a request took too long to arrive", slow)?;
        let refused = self.figures.refused_connections.get();
        counter(to, "loggia_connections_refused", "Connections refused since there were too many", refused)
    }
}

impl Shown {
    fn encode_estate(&self, to: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let estate = &self.estate;
        let reached = estate.peers.iter().filter(|p| p.is_reachable()).count();
        let unrepaired = estate.restore.as_ref().is_some_and(|r| r.state != RestoreState::Repaired);
        gauge(to, "loggia_peers", "Hubs to pull from", signed(estate.peers.len()))?;
        gauge(to, "loggia_peers_reached", "Hubs whose last round ended well", signed(reached))?;
        let about = "Authors whose events stop at one that cannot be taken";
        gauge(to, "loggia_origins_blocked", about, signed(estate.blocked_origins()))?;
        let about = "How far this hub is behind its peers, in numbers of all authors together";
        gauge(to, "loggia_peers_ahead", about, estate.behind())?;
        let about = "1 if a peer had more of this hub's own events than its log, until that is acknowledged";
        gauge(to, "loggia_restore_detected", about, i64::from(estate.restore.is_some()))?;
        let about = "1 while the repair of that is under way or incomplete";
        gauge(to, "loggia_restore_unrepaired", about, i64::from(unrepaired))?;
        counter(to, "loggia_events_pulled", "Events taken from other hubs", estate.pulled_events)?;
        counter(to, "loggia_artifacts_pulled", "Artifacts taken from other hubs", estate.pulled_artifacts)
    }

    fn encode_mems(&self, to: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let Some(mems) = &self.mems else { return Ok(()) };
        counter(to, "loggia_memory_writes", "Writes to session memory that were taken", mems.writes)?;
        let about = "Writes to session memory refused since the session would hold too much";
        counter(to, "loggia_memory_writes_refused", about, mems.writes_refused)?;
        let about = "Writes to session memory that its store did not take";
        counter(to, "loggia_memory_writes_failed", about, mems.writes_failed)?;
        let about = "Writes whose messages were in the palace when they were answered";
        counter(to, "loggia_memory_writes_filed", about, mems.writes_filed)?;
        let about = "Writes whose messages were not in the palace when they were answered";
        counter(to, "loggia_memory_writes_not_filed", about, mems.writes_not_filed)?;
        if let Some(sessions) = mems.sessions {
            gauge(to, "loggia_memory_sessions", "Sessions that are live", signed(sessions))?;
        }
        let Some(pipeline) = &mems.pipeline else { return Ok(()) };
        let about = "Events of session memory in the Redis stream";
        counter(to, "loggia_memory_events_published", about, pipeline.published)?;
        let about = "Events of session memory that will never be in the Redis stream";
        counter(to, "loggia_memory_events_dropped", about, pipeline.dropped)?;
        let waiting = i64::try_from(pipeline.waiting).unwrap_or(i64::MAX);
        gauge(to, "loggia_memory_events_waiting", "Events of session memory that wait for the Redis", waiting)?;
        let about = "1 while nothing can be published to the Redis stream";
        gauge(to, "loggia_memory_pipeline_failing", about, i64::from(pipeline.is_failing))
    }

    fn encode_requests(&self, to: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let about = "Requests answered, by class of route and of status";
        let mut family = to.encode_descriptor("loggia_requests", about, None, MetricType::Counter)?;
        for (route, counts) in self.figures.requests.counted() {
            for (status, count) in STATUSES.into_iter().zip(counts) {
                // A series that begins at its first event cannot be rated: good answers are there from the start.
                if count > 0 || status == "2xx" {
                    let labels = [("route", route.as_str()), ("status", status)];
                    ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
                }
            }
        }
        Ok(())
    }

    fn encode_tools(&self, to: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let about = "Calls of tools, by tool and by how they ended";
        let mut family = to.encode_descriptor("loggia_tool_calls", about, None, MetricType::Counter)?;
        for (tool, counts) in self.figures.tools.counted() {
            for (outcome, count) in Outcome::ALL.into_iter().zip(counts) {
                if count > 0 || outcome == Outcome::Ok {
                    let labels = [("tool", tool), ("outcome", outcome.as_str())];
                    ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
                }
            }
        }
        Ok(())
    }

    fn encode_writer(&self, to: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let writer = &self.writer;
        counter(to, "loggia_events_appended", "Events that this hub committed", writer.events.get())?;
        counter(to, "loggia_artifacts_stored", "Artifacts that this hub committed", writer.artifacts.get())?;
        counter(to, "loggia_writes_refused", "Writes refused on their own account", writer.refused.get())?;
        let failed = writer.failed_commits.get();
        counter(to, "loggia_commits_failed", "Transactions that were not committed", failed)?;
        gauge(to, "loggia_writes_waiting", "Writes in the queue or being committed", writer.waiting.get())?;
        let about = "From the queue to the answer after the commit";
        histogram(to, "loggia_append_duration_seconds", about, &writer.latency_us.counted(), 1e-6)?;
        let about = "Writes in one transaction";
        histogram(to, "loggia_commit_batch_writes", about, &writer.batch_writes.counted(), 1.0)
    }
}

fn counter(to: &mut DescriptorEncoder<'_>, name: &str, about: &str, value: u64) -> std::fmt::Result {
    ConstCounter::new(value).encode(to.encode_descriptor(name, about, None, MetricType::Counter)?)
}

fn gauge(to: &mut DescriptorEncoder<'_>, name: &str, about: &str, value: i64) -> std::fmt::Result {
    ConstGauge::new(value).encode(to.encode_descriptor(name, about, None, MetricType::Gauge)?)
}

/// `unit` is what one counted unit is in the unit that the name says.
fn histogram(
    to: &mut DescriptorEncoder<'_>,
    name: &str,
    about: &str,
    counted: &Counted,
    unit: f64,
) -> std::fmt::Result {
    let bound = |bound: u64| if bound == u64::MAX { f64::MAX } else { float(bound) * unit };
    let buckets: Vec<(f64, u64)> = counted.buckets.iter().map(|(b, n)| (bound(*b), *n)).collect();
    let mut metric = to.encode_descriptor(name, about, None, MetricType::Histogram)?;
    metric.encode_histogram::<NoLabelSet>(float(counted.sum) * unit, counted.count, &buckets, None)
}

/// Above 2^53 the last digits are lost, which no figure here reaches within a hub's life.
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 microseconds, which are 285 years")]
fn float(n: u64) -> f64 {
    n as f64
}

fn signed(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
