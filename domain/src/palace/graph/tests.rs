//! The graph's rules on a small palace; the expected answers were looked up in MemPalace 3.11.0 where it and we agree.

use super::*;

fn census(wing: &str, room: &str, rows: u64) -> Census {
    Census { room: room.to_owned(), wing: wing.to_owned(), hall: None, rows, recent: None }
}

fn palace() -> Graph {
    let diary = |wing: &str, recent: &str| Census {
        hall: Some("hall_diary".to_owned()),
        recent: Some(recent.to_owned()),
        ..census(wing, "diary", 1)
    };
    [
        census("my-wing", "ra", 2),
        census("other", "shared", 1),
        census("my-wing", "shared", 3),
        census("Proj", "shared", 1),
        census("third", "rc", 1),
        census("other", "rc", 4),
        census("third", "zz", 1),
        census("other", "aa", 1),
        census("lone", "Backend-API", 1),
        census("lone", "api-docs", 1),
        diary("wing_bob", "2026-11-29"),
        diary("wing_eve", "2026-11-30"),
    ]
    .into_iter()
    .collect()
}

/// `room hop via`, in order.
fn walk(start: &str, max_hops: u32) -> Vec<String> {
    let steps = palace().traverse(start, max_hops).expect("there is such a room");
    let told = |s: Step| format!("{} {} {}", s.room, s.hop, s.connected_via.unwrap_or_default().join("+"));
    steps.into_iter().map(told).collect()
}

#[test]
fn a_walk_goes_from_room_to_room_through_the_wings_they_share() {
    assert_eq!(walk("ra", 1), ["ra 0 ", "shared 1 my-wing"]);
    assert_eq!(walk("ra", 2), ["ra 0 ", "shared 1 my-wing", "rc 2 other", "aa 2 other"]);
    assert_eq!(walk("ra", 10), ["ra 0 ", "shared 1 my-wing", "rc 2 other", "aa 2 other", "zz 3 third"]);
    assert_eq!(walk("diary", 10), ["diary 0 "]);
    assert!(palace().traverse(" ra", 2).is_none() && palace().traverse("", 2).is_none());
}

#[test]
fn a_walk_names_at_most_fifty_rooms_the_fullest_first() {
    let graph: Graph = (0..60).map(|n| census("w", &format!("r{n:02}"), n + 1)).collect();
    let steps = graph.traverse("r00", 2).expect("there");
    assert_eq!(steps.len(), MAX_ROOMS);
    assert_eq!((steps[0].room.as_str(), steps[1].room.as_str(), steps[49].room.as_str()), ("r00", "r59", "r11"));
}

#[test]
fn what_is_nearer_is_named_first_however_full_the_rest_is() {
    let near = (0..30).map(|n| census("a", &format!("near{n:02}"), 1));
    let far = (0..60).map(|n| census("b", &format!("far{n:02}"), n + 100));
    let graph: Graph = [census("b", "near00", 1), census("c", "far00", 1), census("c", "farthest", 900)]
        .into_iter()
        .chain(near)
        .chain(far)
        .collect();
    let steps = graph.traverse("near29", 10).expect("there");
    assert_eq!(steps.len(), MAX_ROOMS);
    assert!(steps[1..30].iter().all(|s| s.hop == 1 && s.connected_via.as_deref() == Some(&["a".to_owned()])));
    assert_eq!((steps[30].room.as_str(), steps[30].hop, steps[49].room.as_str()), ("far59", 2, "far40"));
}

#[test]
fn a_name_that_there_is_not_is_answered_with_what_is_like_it() {
    assert_eq!(palace().suggestions("api"), ["Backend-API", "api-docs"]);
    assert_eq!(palace().suggestions("BACKEND-x"), ["Backend-API"]);
    assert_eq!(palace().suggestions("docs-rc"), ["api-docs", "rc"]);
    assert_eq!(palace().suggestions("-"), ["Backend-API", "api-docs"]);
    assert_eq!(palace().suggestions("").len(), 5);
    assert!(palace().suggestions("nothing").is_empty());
}

#[test]
fn rooms_of_several_wings_are_found_however_a_wing_is_spelled() {
    let rooms = |wings: &[&str]| -> Vec<String> {
        let wings: Vec<String> = wings.iter().map(|&w| w.to_owned()).collect();
        palace().shared(&wings).into_iter().map(|s| s.room).collect()
    };
    assert_eq!(rooms(&[]), ["rc", "shared", "diary"]);
    assert_eq!(rooms(&["other"]), ["rc", "shared"]);
    assert_eq!(rooms(&["other", "third"]), ["rc"]);
    assert_eq!(rooms(&["my-wing"]), ["shared"]);
    assert_eq!(rooms(&["MY wing", "proj"]), ["shared"]);
    assert!(rooms(&["lone"]).is_empty() && rooms(&["nope"]).is_empty());
    let diary = palace().shared(&["wing_eve".to_owned()]).remove(0);
    assert_eq!((diary.recent.as_str(), diary.halls), ("2026-11-30", vec!["hall_diary".to_owned()]));
}

#[test]
fn edges_count_pairs_of_wings_for_each_hall() {
    let stats = palace().stats(3);
    assert_eq!((stats.total_rooms, stats.total_room_instances), (8, 12));
    assert_eq!((stats.tunnel_rooms, stats.total_edges, stats.total_connections), (3, 1, 4));
    assert_eq!((stats.rooms_per_wing["other"], stats.rooms_per_wing["lone"]), (3, 2));
    let top: Vec<&str> = stats.top_tunnels.iter().map(|t| t.room.as_str()).collect();
    assert_eq!(top, ["shared", "diary", "rc"]);
}
