//! Tests of the window over the log: what it keeps, what it drops, where late arrivals stand.

use super::*;

fn event(n: usize, hlc_ms: usize, replica: &str) -> Event {
    serde_json::from_value(serde_json::json!({
        "id": format!("evt_{n}"), "seq": n, "origin_replica": replica, "origin_seq": n,
        "hlc": format!("{hlc_ms:013}-000000-{replica}"), "type": "note", "stream": "s", "room": "r", "topic": null,
        "from_agent": "a", "to_agent": null, "correlation_id": null, "branch": null, "base_commit": null, "status": null,
        "artifact_ids": [], "body": "", "created_at": "2026-11-30T14:00:00Z", "metadata": {}
    }))
    .expect("an event")
}

fn of(events: Vec<Event>, has_more: bool) -> Window {
    Window::of(page(events, has_more))
}

fn arrivals(numbers: std::ops::Range<usize>) -> Vec<Arrival> {
    numbers.map(|n| Arrival::Event(Box::new(event(n, n, "here")))).collect()
}

/// Which row it is, in a word.
fn name(row: &Row) -> String {
    match row {
        Row::Event { event, .. } => event.id.clone(),
        Row::Unreadable { id } => format!("unreadable {id}"),
        Row::Gap { before, .. } => format!("gap {before}"),
        Row::Resynced { before } => format!("resynced {before:?}"),
    }
}

fn ids(window: &Window) -> Vec<&str> {
    window.rows().iter().filter_map(|row| row.id()).collect()
}

#[test]
fn what_arrives_goes_to_the_top_once() {
    let mut window = of(vec![event(2, 2, "here"), event(1, 1, "here")], false);
    window.arrive(arrivals(2..5), true);
    window.arrive(arrivals(4..5), true);
    assert_eq!(ids(&window), ["evt_4", "evt_3", "evt_2", "evt_1"]);
    assert_eq!(window.older(), None);
}

#[test]
fn what_no_longer_fits_leaves_at_the_bottom_and_is_counted() {
    let mut window = of(vec![event(1, 1, "here")], false);
    window.arrive(arrivals(2..MAX_ROWS + 3), true);
    assert_eq!(window.rows().len(), MAX_ROWS);
    assert_eq!(window.left(), 2);
    assert_eq!(window.older(), Some("evt_3"));
}

#[test]
fn while_the_reader_reads_nothing_moves() {
    let mut window = of(vec![event(1, 1, "here")], true);
    window.arrive(arrivals(2..4), false);
    assert_eq!((ids(&window), window.waiting()), (vec!["evt_1"], 2));
    window.arrive(arrivals(3..4), false);
    assert_eq!(window.waiting(), 2, "known already");
    window.show_waiting();
    assert_eq!((ids(&window), window.waiting()), (vec!["evt_3", "evt_2", "evt_1"], 0));
}

#[test]
fn a_long_read_ends_in_a_gap_that_says_how_much_is_missing() {
    let mut window = of(vec![event(1, 1, "here")], false);
    window.arrive(arrivals(2..MAX_ROWS + 12), false);
    assert_eq!(window.waiting(), MAX_ROWS + 10);
    window.show_waiting();
    assert_eq!(window.rows().len(), MAX_ROWS);
    assert_eq!(window.left(), 11, "what did not fit while it waited, and what was there before");
    assert_eq!(window.older(), Some("evt_12"));
}

fn page(events: Vec<Event>, has_more: bool) -> LogPage {
    LogPage {
        events,
        has_more,
        tip: None,
        excerpts: Vec::new(),
        behind: 0,
        unsearched: None,
        searches: Vec::new(),
        now_ms: 0,
    }
}

#[test]
fn what_is_older_comes_below_until_the_beginning() {
    let mut window = of(vec![event(4, 4, "here"), event(3, 3, "here")], true);
    window.append_older("evt_3", page(vec![event(2, 2, "here")], true));
    assert_eq!((ids(&window), window.older()), (vec!["evt_4", "evt_3", "evt_2"], Some("evt_2")));
    window.append_older("evt_3", page(vec![event(2, 2, "here")], true));
    assert_eq!(window.rows().len(), 3, "an answer that comes too late");
    window.append_older("evt_2", page(vec![event(1, 1, "here")], false));
    assert_eq!((ids(&window).len(), window.older(), window.cut()), (4, None, 0));
}

#[test]
fn what_is_older_than_a_row_for_several_events_starts_below_the_last_of_them() {
    let mut window = of(vec![event(4, 4, "here"), event(3, 3, "here")], true).folded();
    assert_eq!((ids(&window), window.older()), (vec!["evt_4"], Some("evt_3")));
    window.append_older("evt_3", page(vec![event(2, 2, "here"), event(1, 1, "here")], true));
    assert_eq!((ids(&window), window.rows()[0].events(), window.older()), (vec!["evt_4"], 4, Some("evt_1")));
}

#[test]
fn what_left_at_the_bottom_comes_back_and_then_newer_ones_leave_and_are_counted() {
    let mut window = of(vec![event(1, 1, "here")], false);
    window.arrive(arrivals(2..MAX_ROWS + 3), true);
    assert_eq!((window.left(), window.older()), (2, Some("evt_3")));
    window.append_older("evt_3", page(vec![event(2, 2, "here"), event(1, 1, "here")], false));
    assert_eq!((window.rows().len(), window.left(), window.cut(), window.older()), (MAX_ROWS, 0, 2, None));
    // From now on what arrives has no place above the first row.
    window.arrive(arrivals(MAX_ROWS + 3..MAX_ROWS + 5), true);
    assert_eq!((window.newest_id(), window.waiting()), (Some("evt_500"), 2));
}

#[test]
fn a_gap_stands_between_what_waited_and_what_was_there() {
    let mut window = of(vec![event(1, 1, "here")], false);
    window.waiting = vec![Arc::new(Row::Event {
        event: Box::new(event(9, 9, "here")),
        excerpt: Vec::new(),
        late_from: None,
        fresh: true,
        times: 1,
        oldest: None,
    })];
    window.waiting_left_out = 7;
    window.show_waiting();
    assert_eq!(*window.rows()[1], Row::Gap { missing: 7, before: "evt_9".to_owned() });
    assert_eq!(ids(&window), ["evt_9", "evt_1"]);
}

#[test]
fn events_of_another_hub_that_come_late_are_marked_and_ours_are_not() {
    let late = |events: Vec<Event>| {
        of(events, false)
            .rows()
            .iter()
            .map(|row| match &**row {
                Row::Event { late_from, .. } => late_from.clone(),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let there = Some("there".to_owned());
    // Newest first: two late ones in a row are both late.
    assert_eq!(
        late(vec![event(4, 13, "here"), event(3, 4, "there"), event(2, 3, "there"), event(1, 12, "here")]),
        [None, there.clone(), there, None]
    );
    // Five appends within one tick of the clock are no late arrivals.
    assert_eq!(late(vec![event(2, 5, "here"), event(1, 5, "here")]), [None, None]);
}

#[test]
fn one_bad_frame_is_a_row_and_the_rest_goes_on() {
    let mut window = of(vec![], false);
    let mut batch = vec![Arrival::Unreadable { id: "evt_7".to_owned() }];
    batch.extend(arrivals(8..9));
    batch.push(Arrival::Resynced);
    batch.extend(arrivals(9..10));
    window.arrive(batch, true);
    let names: Vec<String> = window.rows().iter().map(|row| name(row)).collect();
    assert_eq!(names, ["evt_9", "resynced Some(\"evt_9\")", "evt_8", "unreadable evt_7"]);
}

#[test]
fn rows_that_say_the_same_become_one_with_their_number() {
    let times = |window: &Window| {
        window
            .rows()
            .iter()
            .map(|row| match &**row {
                Row::Event { event, times, .. } => (event.id.clone(), *times),
                other => (name(other), 0),
            })
            .collect::<Vec<_>>()
    };
    let mut other = event(3, 3, "here");
    other.body = "something else".to_owned();
    let mut window = of(vec![event(5, 5, "here"), event(4, 4, "here"), other, event(2, 2, "here")], false).folded();
    assert_eq!(times(&window), [("evt_5".to_owned(), 2), ("evt_3".to_owned(), 1), ("evt_2".to_owned(), 1)]);
    window.arrive(arrivals(6..8), true);
    window.arrive(arrivals(8..9), false);
    assert_eq!(
        (times(&window)[0].clone(), window.waiting()),
        (("evt_7".to_owned(), 4), 1),
        "what waits is not counted yet"
    );
    window.show_waiting();
    assert_eq!(times(&window)[0], ("evt_8".to_owned(), 5));

    // The rest of two long bodies may differ.
    let long = |n: usize| {
        let mut long = event(n, n, "here");
        long.body_truncated = true;
        long
    };
    assert_eq!(of(vec![long(2), long(1)], false).folded().rows().len(), 2);
    // Whatever leaves at the bottom is counted in events, not in rows.
    let mut window = of(vec![event(2, 2, "here"), event(1, 1, "here")], false).folded();
    window.arrive(
        (3..MAX_ROWS + 3)
            .map(|n| {
                let mut one = event(n, n, "here");
                one.body = n.to_string();
                Arrival::Event(Box::new(one))
            })
            .collect(),
        true,
    );
    assert_eq!((window.rows().len(), window.left()), (MAX_ROWS, 2));
}
