//! The index finds what the domain finds: random texts and questions, answered by both.

use std::time::Duration;

use loggia_domain::search::Query;
use loggia_domain::{Column, EventDraft, Filter};
use tokio_util::sync::CancellationToken;

use super::{Found, Pace, Search, SearchQuery};
use crate::logstream::Logstream;

/// A small deterministic dice: the test must find the same thing every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n
    }

    fn text(&mut self, words: usize) -> String {
        const WORDS: [&str; 22] = [
            "foo",
            "Foo",
            "foobar",
            "bar",
            "bär",
            "修",
            "修复",
            "复修bug",
            "::",
            "-",
            "a",
            "AND",
            "NOT",
            "NEAR",
            "\"",
            "*",
            "foo*",
            "‖",
            "✅",
            "e\u{301}",
            "\0",
            "fo",
        ];
        const GAPS: [&str; 4] = [" ", "", "_", "\n"];
        (0..words).fold(String::new(), |text, _| text + WORDS[self.below(22)] + GAPS[self.below(4)])
    }
}

const AGENTS: [&str; 4] = ["foo", "*", "win:codex", "‖"];

fn everything(query: Query, filter: Filter) -> SearchQuery {
    SearchQuery { query, filter, before_event_id: None, artifacts: false, before_artifact_id: None, limit: 1000 }
}

fn numbers(found: &Found) -> Vec<i64> {
    found.events.hits.iter().map(|hit| hit.event.seq).collect()
}

#[tokio::test]
async fn the_index_finds_what_the_domain_finds() {
    let dir = tempfile::tempdir().expect("temp dir");
    let log = Logstream::open(dir.path()).expect("opened");
    let mut dice = Dice(11);
    let mut events = Vec::new();
    for _ in 0..300 {
        let length = dice.below(12);
        let draft = EventDraft {
            event_type: "t.x".into(),
            stream: "s".into(),
            room: "foo/bar".into(),
            from_agent: AGENTS[dice.below(4)].into(),
            to_agent: AGENTS[dice.below(4)].into(),
            body: dice.text(length).replace('\0', "\u{1}").into(),
            ..EventDraft::default()
        };
        events.push(log.append(draft.check().expect("valid")).await.expect("appended"));
    }
    events.reverse();
    let search = Search::start(&log, dir.path(), Pace::Fast, CancellationToken::new()).expect("started");
    search.caught_up(&log.read(super::ask::tip).await.expect("a tip"), Duration::from_mins(1)).await;
    let (mut asked, mut matched) = (0, 0);
    for _ in 0..600 {
        let length = 1 + dice.below(3);
        let Ok(query) = Query::check("query", dice.text(length).into()) else { continue };
        let agent = AGENTS[dice.below(4)];
        let filter = match dice.below(5) {
            0 => Filter::default().with(Column::ToAgent, agent),
            1 => Filter::default().with(Column::FromAgent, agent).with(Column::FromAgent, "foo"),
            2 => Filter::default().without(Column::FromAgent, agent).without(Column::ToAgent, "foo"),
            _ => Filter::default(),
        };
        let passes = |e: &&loggia_domain::Event| filter.matches(e) && query.matches_event(e);
        let expected: Vec<i64> = events.iter().filter(passes).map(|e| e.seq).collect();
        let found = search.find(&log, everything(query.clone(), filter.clone())).await.expect("an answer");
        assert_eq!(numbers(&found), expected, "{:?} {filter:?}", query.text());
        assert_eq!(found.events.older, None);
        asked += 1;
        matched += expected.len();
    }
    assert!(asked > 400 && matched > 4000, "the dice asked {asked} and matched {matched}");
}

#[tokio::test]
async fn pages_meet_without_a_gap_or_a_repeat() {
    let dir = tempfile::tempdir().expect("temp dir");
    let log = Logstream::open(dir.path()).expect("opened");
    let draft = |n: usize| EventDraft {
        event_type: "t.x".into(),
        stream: "s".into(),
        room: "r".into(),
        from_agent: "a".into(),
        body: format!("needle {n}").into(),
        ..EventDraft::default()
    };
    for n in 0..25 {
        log.append(draft(n).check().expect("valid")).await.expect("appended");
    }
    let search = Search::start(&log, dir.path(), Pace::Gentle, CancellationToken::new()).expect("started");
    let query = Query::check("query", "needle".into()).expect("a query");
    let mut seen = Vec::new();
    let mut before_event_id = None;
    loop {
        let page = SearchQuery { limit: 10, before_event_id, ..everything(query.clone(), Filter::default()) };
        let found = search.find(&log, page).await.expect("an answer");
        seen.extend(numbers(&found));
        before_event_id = found.events.older;
        if before_event_id.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..=25).rev().collect::<Vec<_>>());
}
