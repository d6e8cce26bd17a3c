//! The story keeps what it promises: its states, its times, its places, and patches that a diff view can show.

use std::collections::{BTreeMap, BTreeSet};

use loggia_domain::delegation::{self, Delegation, State};
use loggia_domain::{Artifact, ArtifactDraft, ArtifactKind, Event, Filter};
use time::OffsetDateTime;

use super::story::{LAB, WIN};
use super::{in_order, threads, write};
use crate::logstream::Logstream;
use crate::logstream::read::{ListQuery, MAX_LIMIT, Order};

const NOW_SECONDS: i64 = 1_796_047_200;
const STALLED_AFTER_MS: u64 = 30 * 60 * 1000;

/// The story as the log holds it.
struct Told {
    events: Vec<Event>,
    artifacts: Vec<Artifact>,
    now_ms: u64,
}

impl Told {
    /// Writes the story into a palace of its own and reads it back.
    fn story() -> Self {
        let palace = tempfile::tempdir().expect("a temporary folder");
        let log = Logstream::open(palace.path()).expect("a new log opens");
        let now = OffsetDateTime::from_unix_timestamp(NOW_SECONDS).expect("in range");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let count = write(&log, now).await.expect("every draft passes its check");
            let all = ListQuery {
                filter: Filter::default(),
                since_event_id: None,
                before_event_id: None,
                order: Order::Asc,
                limit: MAX_LIMIT,
            };
            let events = log.list(all).await.expect("a list").events;
            assert_eq!(events.len(), count);
            let mut artifacts = Vec::new();
            for id in events.iter().flat_map(|e| &e.artifact_ids).collect::<BTreeSet<_>>() {
                artifacts.push(log.artifact(id.clone()).await.expect("a read").expect("a referenced artifact exists"));
            }
            Self { events, artifacts, now_ms: u64::try_from(NOW_SECONDS * 1000).expect("after 1970") }
        })
    }

    /// The delegations by title.
    fn delegations(&self) -> BTreeMap<String, Delegation> {
        let mut threads: BTreeMap<&str, Vec<Event>> = BTreeMap::new();
        for event in &self.events {
            if let Some(id) = event.correlation_id.as_deref().filter(|id| id.starts_with("task_")) {
                threads.entry(id).or_default().push(event.clone());
            }
        }
        threads.values().filter_map(|events| delegation::fold(events)).map(|d| (d.title.clone(), d)).collect()
    }

    fn titles(&self, which: impl Fn(&Delegation) -> bool) -> Vec<String> {
        self.delegations().into_values().filter(which).map(|d| d.title).collect()
    }

    fn has_event(&self, which: impl Fn(&Event) -> bool) -> bool {
        self.events.iter().any(which)
    }
}

#[test]
fn everything_is_marked_as_a_demonstration() {
    let story = Told::story();
    assert!((120..=160).contains(&story.events.len()), "{} events", story.events.len());
    let streams: BTreeSet<&str> = story.events.iter().map(|e| e.stream.as_str()).collect();
    assert_eq!(streams.into_iter().collect::<Vec<_>>(), ["demo/atlas", "demo/loggia", "demo/shared"]);
    let rooms: BTreeSet<&str> = story.events.iter().map(|e| e.room.as_str()).collect();
    assert_eq!(rooms.into_iter().collect::<Vec<_>>(), ["delegation", "patches", "questions", "reviews", "status"]);
    let agents: BTreeSet<&str> = story.events.iter().map(|e| e.from_agent.as_str()).collect();
    assert_eq!(
        agents.into_iter().collect::<Vec<_>>(),
        ["ci:runner", "lab:cursor", "mac:claude", "maintainer", "win:codex"]
    );
}

#[test]
fn the_day_ends_now_and_time_only_goes_forward() {
    let story = Told::story();
    let times: Vec<u64> = story.events.iter().map(|e| e.at_ms().expect("a stamp")).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "events arrive in the order of their stamps, no two at once");
    let age_ms = |at_ms: &u64| story.now_ms.checked_sub(*at_ms).expect("never after now");
    let hours = times.first().map(age_ms).expect("a first event") / 3_600_000;
    assert_eq!(hours, 9);
    assert!(times.last().map(age_ms).expect("a last event") < 60_000);
}

#[test]
fn no_step_runs_past_the_end_of_the_story() {
    let story = in_order(threads());
    assert!(story.iter().all(|(_, beat)| !beat.ago.is_zero()));
}

#[test]
fn every_kind_of_delegation_is_there() {
    let story = Told::story();
    let states: Vec<(String, State)> = story.delegations().into_values().map(|d| (d.title, d.state)).collect();
    let expected = [
        ("Answer the first query after a restart within a second", State::Claimed),
        ("Check the staging import before the copy is replaced", State::Open),
        ("Describe backup and restore in English and 中文", State::Open),
        ("Draw the tiles of a sheet in a pool of workers", State::Superseded),
        ("Draw tiles when they are asked for", State::Applied),
        ("Explain the exit codes of `watch` in the manual", State::Ready),
        ("Export the gazetteer as GeoJSON", State::Ready),
        ("Find place names typed without accents", State::Applied),
        ("Go on importing after a malformed row", State::Applied),
        ("Keep the dependency folder between test runs", State::Applied),
        ("Keep the place in the log when new rows arrive", State::Claimed),
        ("Measure the first paint of the board with 10 000 events", State::Open),
        ("Page through search results without gaps or repeats", State::Applied),
        ("Refuse an artifact whose hash differs after a copy between hubs", State::Failed),
        ("Replace the signing key of the nightly build", State::Blocked),
        ("Show the age of the last heartbeat in the badge", State::Applied),
        ("Split the settings page into sections", State::Claimed),
        ("Use one version of each formatter on all machines", State::Applied),
    ];
    assert_eq!(states, expected.map(|(title, state)| (title.to_owned(), state)));
}

#[test]
fn what_needs_somebody_is_there_once_each() {
    let story = Told::story();
    assert_eq!(
        story.titles(|d| d.is_stalled(story.now_ms, STALLED_AFTER_MS)),
        ["Answer the first query after a restart within a second"]
    );
    assert_eq!(story.titles(|d| d.is_expired(story.now_ms)), ["Check the staging import before the copy is replaced"]);
    assert_eq!(story.titles(|d| d.open_question), ["Replace the signing key of the nightly build"]);
    assert_eq!(story.titles(|d| d.steps.iter().any(|s| s.skew_ms.is_some())), [""; 0]);
}

#[test]
fn the_double_claim_is_settled() {
    let story = Told::story();
    let raced: Vec<Delegation> = story.delegations().into_values().filter(|d| !d.lost_claims.is_empty()).collect();
    let [race] = &*raced else { panic!("{} races", raced.len()) };
    assert_eq!((race.claimant.as_deref(), &*race.lost_claims), (Some(WIN), &[LAB.to_owned()][..]));
    assert!(race.unsettled_claims.is_empty());
    let claims: Vec<u64> =
        race.steps.iter().filter(|s| s.status.as_deref() == Some("claimed")).map(|s| s.at_ms).collect();
    assert_eq!(claims[1] - claims[0], 400);
}

#[test]
fn answers_name_what_they_answer() {
    let story = Told::story();
    for ack in story.events.iter().filter(|e| e.event_type == "event.ack") {
        let id = ack.metadata.get("ack_of").expect("an acknowledgement names its event");
        let target = story.events.iter().find(|e| id == e.id).expect("the event is in the log");
        assert!(target.seq < ack.seq);
        assert_eq!(ack.to_agent.as_ref(), Some(&target.from_agent));
        assert_eq!((&ack.stream, &ack.room), (&target.stream, &target.room));
        assert_eq!(ack.correlation_id.as_ref(), target.correlation_id.as_ref().or(Some(&target.id)));
    }
}

#[test]
fn every_kind_of_event_and_artifact_is_there() {
    let story = Told::story();
    let kinds: BTreeSet<&str> = story.artifacts.iter().map(|a| a.kind.as_str()).collect();
    assert_eq!(kinds.len(), ArtifactKind::ALL.len());
    assert!(story.has_event(|e| e.metadata.get("watch") == Some("idle".into())));
    assert!(story.has_event(|e| e.metadata.get("watch").is_some_and(|w| w["cursor"].is_string())));
    assert!(story.has_event(|e| e.event_type == "room.message" && e.to_agent.as_deref() == Some("*")));
    assert!(story.has_event(|e| e.event_type == "disk.usage"));
    assert!(story.has_event(|e| e.body.contains('中')) && story.has_event(|e| e.body.contains('👍')));
    assert!(story.artifacts.iter().any(|a| a.kind == "log" && a.content.contains("\u{1b}[31mFAILED")));
    for json in story.artifacts.iter().filter(|a| a.kind == "json") {
        serde_json::from_str::<serde_json::Value>(&json.content).expect("a JSON document");
    }
}

#[test]
fn patches_can_be_shown_and_one_of_them_warns() {
    let story = Told::story();
    let mut warnings = 0;
    let mut longest = 0;
    for patch in story.artifacts.iter().filter(|a| a.kind == "patch") {
        assert!(patch.content.ends_with('\n'));
        longest = longest.max(patch.content.lines().count());
        assert!(patch.content.matches("diff --git ").count() >= 2, "two files: {}", patch.content);
        check_hunks(&patch.content.replace("\r\n", "\n"));
        let draft = ArtifactDraft {
            kind: "patch".into(),
            content: patch.content.clone().into(),
            created_by: WIN.into(),
            ..ArtifactDraft::default()
        };
        warnings += draft.check().expect("a patch").warnings().len();
    }
    assert_eq!(warnings, 1);
    assert!((140..=180).contains(&longest), "{longest} lines");
}

/// Every hunk has as many lines as its header says. An editor that cuts the space of a blank context line is noticed here.
#[track_caller]
fn check_hunks(diff: &str) {
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(header) = line.strip_prefix("@@ -") else { continue };
        let (old, rest) = header.split_once(" +").expect("a hunk header");
        let (new, _) = rest.split_once(" @@").expect("a hunk header");
        let (mut old, mut new) = (count(old), count(new));
        while let Some(line) = lines.next_if(|l| !l.starts_with("@@") && !l.starts_with("diff ")) {
            match line.chars().next() {
                Some(' ') => (old, new) = (old - 1, new - 1),
                Some('-') => old -= 1,
                Some('+') => new -= 1,
                other => panic!("{other:?} begins no line of a hunk: {line:?}"),
            }
        }
        assert_eq!((old, new), (0, 0), "{line}");
    }
}

fn count(range: &str) -> i64 {
    range.split_once(',').map_or(1, |(_, count)| count.parse().expect("a number of lines"))
}
