//! The projection against a fresh fold of the log it follows.

use loggia_domain::delegation::State;
use loggia_domain::{EventDraft, Filter};
use tempfile::TempDir;

use super::*;
use crate::logstream::read::{ListQuery, Order};
use crate::logstream::{Live, Logstream};

struct Place {
    dir: TempDir,
    log: Logstream,
    stop: CancellationToken,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temp dir");
        let log = Logstream::open(dir.path()).expect("opened");
        Self { dir, log, stop: CancellationToken::new() }
    }

    fn follow(&self) -> Projection {
        Live::start(&self.log, self.dir.path(), &self.stop).expect("started").projection().clone()
    }

    async fn append(&self, correlation_id: &str, room: &str, event_type: &str, status: &str, agent: &str) {
        let draft = EventDraft {
            event_type: event_type.into(),
            stream: "project/atlas".into(),
            room: room.into(),
            from_agent: agent.into(),
            correlation_id: correlation_id.into(),
            status: status.into(),
            ..EventDraft::default()
        };
        self.log.append(draft.check().expect("valid")).await.expect("appended");
    }

    /// What the projection must say, counted and folded afresh from the log itself.
    async fn expected(&self) -> (u64, Vec<(String, State)>) {
        let query = ListQuery {
            filter: Filter::default(),
            since_event_id: None,
            before_event_id: None,
            order: Order::Asc,
            limit: 500,
        };
        let events = self.log.list(query).await.expect("listed").events;
        let ids: BTreeSet<String> = events.iter().filter_map(|e| e.correlation_id.clone()).collect();
        let fold_one = |id: &String| {
            let of_it: Vec<_> = events.iter().filter(|e| e.correlation_id.as_ref() == Some(id)).cloned().collect();
            delegation::fold(&of_it).map(|d| (id.clone(), d.state))
        };
        let open = |(_, state): &(String, State)| !state.is_final() && *state != State::Other;
        (u64::try_from(events.len()).expect("small"), ids.iter().filter_map(fold_one).filter(open).collect())
    }
}

async fn says(projection: &Projection, log: &Logstream) -> (u64, Vec<(String, State)>) {
    projection.caught_up(log.newest().await.expect("asked").seq, Duration::from_secs(10)).await;
    let events = projection.rooms().await.expect("asked").iter().map(|r| r.events).sum();
    let (open, total) = projection.open_delegations(100).await.expect("asked");
    assert_eq!(u64::try_from(open.len()).expect("small"), total);
    let mut open: Vec<_> = open.into_iter().map(|d| (d.correlation_id, d.state)).collect();
    open.sort_by(|a, b| a.0.cmp(&b.0));
    (events, open)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_what_a_fresh_fold_says_also_after_a_restart_and_after_damage() {
    let place = Place::new();
    place.append("task_a", "delegation", "task.request", "open", "a").await;
    let projection = place.follow();
    for (id, status, agent) in [
        ("task_a", "claimed", "b"),
        ("task_b", "open", "a"),
        ("task_b", "claimed", "b"),
        ("task_b", "claimed", "c"),
        ("task_b", "applied", "c"),
        ("task_c", "open", "a"),
        ("task_c", "blocked", "b"),
        ("task_d", "open", "a"),
        ("task_d", "applied", "a"),
    ] {
        place.append(id, "delegation", "event.ack", status, agent).await;
    }
    place.append("talk", "chat", "room.message", "", "a").await;
    let expected = place.expected().await;
    assert_eq!(expected.1.len(), 3, "two open and the one whose loser cannot close it");
    assert_eq!(says(&projection, &place.log).await, expected);

    // Another start goes on where the last one stopped.
    place.stop.cancel();
    place.append("task_a", "patches", "patch.ready", "ready", "b").await;
    let place = Place { stop: CancellationToken::new(), ..place };
    let expected = place.expected().await;
    assert_eq!(says(&place.follow(), &place.log).await, expected);

    // A file that is none is made anew.
    place.stop.cancel();
    tokio::time::sleep(Duration::from_millis(700)).await;
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(place.dir.path().join(format!("{FILE_NAME}{suffix}")));
    }
    std::fs::write(place.dir.path().join(FILE_NAME), "not a database, however one looks at it").expect("written");
    let place = Place { stop: CancellationToken::new(), ..place };
    assert_eq!(says(&place.follow(), &place.log).await, expected);
}
