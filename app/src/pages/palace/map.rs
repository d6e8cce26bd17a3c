//! Where wings, rooms and what joins them lie on the map. Names and numbers in, numbers out.
//!
//! Wings are boxes in at most three columns, each put where the column is shortest, their rooms the lines in them. A large palace is
//! cut to what is joined most, and says so.

use std::collections::{BTreeMap, HashMap};

use crate::backend::memory::{Joints, Tunnel};
use crate::language::t;

/// How many wings, rooms of one, and lines are drawn at most.
const MAX_WINGS: usize = 12;
const MAX_ROOMS: usize = 8;
const MAX_LINES: usize = 200;

const COLUMNS: usize = 3;
pub(super) const BOX_WIDTH: i32 = 196;
const BETWEEN_COLUMNS: i32 = 76;
const BETWEEN_BOXES: i32 = 20;
const HEAD_HEIGHT: i32 = 30;
const ROOM_HEIGHT: i32 = 22;
const FOOT_HEIGHT: i32 = 8;
/// Room for the arcs at the right edge.
const MARGIN: i32 = 2;
const RIGHT_MARGIN: i32 = 44;

/// A room in a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoomLine {
    /// Its name.
    pub(super) name: String,
    /// How many rows lie in it; none in rooms that only a tunnel names.
    pub(super) rows: u64,
    /// The middle of its line.
    pub(super) y: i32,
}

/// A wing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WingBox {
    /// Its name.
    pub(super) name: String,
    /// Its left edge.
    pub(super) x: i32,
    /// Its upper edge.
    pub(super) y: i32,
    /// How high it is.
    pub(super) height: i32,
    /// Its rooms, from above.
    pub(super) rooms: Vec<RoomLine>,
    /// How many rooms are left out.
    pub(super) more: usize,
}

/// A line between two rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The path's data.
    pub(super) d: String,
    /// `dug`, `found` (imported) or `shared` (rooms of one name).
    pub(super) class: &'static str,
    /// What it joins and why.
    pub(super) about: String,
    /// Whether boxes lie between its ends: then it runs over them, or it would seem to join what it passes behind.
    pub(super) is_far: bool,
}

/// The whole map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Map {
    /// The wings.
    pub(super) boxes: Vec<WingBox>,
    /// What joins their rooms.
    pub(super) lines: Vec<Line>,
    /// How wide it is.
    pub(super) width: i32,
    /// How high it is.
    pub(super) height: i32,
    /// How many wings are left out.
    pub(super) more_wings: usize,
    /// How many lines are left out, since they lead to what is left out or are too many.
    pub(super) more_lines: usize,
}

/// Two ends that are joined, how, and why.
struct Joint<'a> {
    ends: [(&'a str, &'a str); 2],
    class: &'static str,
    about: String,
}

/// The map of wings (each with its rooms and their rows) and what joins them.
pub(super) fn map(wings: &[(&str, &[(String, u64)])], joints: &Joints) -> Map {
    let joints = gathered(joints);
    let mut ends: HashMap<(&str, &str), usize> = HashMap::new();
    for end in joints.iter().flat_map(|joint| joint.ends) {
        *ends.entry(end).or_default() += 1;
    }
    // A tunnel may lead to a room in which nothing lies.
    let mut all: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (wing, rooms) in wings {
        all.entry(wing).or_default().extend(rooms.iter().map(|(room, rows)| (room.as_str(), *rows)));
    }
    for (wing, room) in ends.keys() {
        all.entry(wing).or_default().entry(room).or_default();
    }
    let mut ranked: Vec<(&str, Vec<(&str, u64)>)> = all
        .into_iter()
        .map(|(wing, rooms)| {
            let mut rooms: Vec<(&str, u64)> = rooms.into_iter().collect();
            let weight = |room: &str| ends.get(&(wing, room)).copied().unwrap_or(0);
            rooms.sort_by(|a, b| weight(b.0).cmp(&weight(a.0)).then(b.1.cmp(&a.1)));
            (wing, rooms)
        })
        .collect();
    let weight = |rooms: &[(&str, u64)], wing: &str| -> (usize, u64) {
        let joined = rooms.iter().map(|(room, _)| ends.get(&(wing, *room)).copied().unwrap_or(0)).sum();
        (joined, rooms.iter().map(|(_, rows)| rows).sum())
    };
    ranked.sort_by_key(|(wing, rooms)| std::cmp::Reverse(weight(rooms, wing)));
    let more_wings = ranked.len().saturating_sub(MAX_WINGS);
    ranked.truncate(MAX_WINGS);
    let mut map = placed(ranked);
    map.more_wings = more_wings;
    let mut places: HashMap<(&str, &str), (i32, i32)> = HashMap::new();
    for wing in &map.boxes {
        for room in &wing.rooms {
            places.insert((&wing.name, &room.name), (wing.x, room.y));
        }
    }
    let mut lines = Vec::new();
    for joint in &joints {
        match joint.ends.map(|end| places.get(&end).copied()) {
            [Some(from), Some(to)] if lines.len() < MAX_LINES => {
                let is_far = (from.0 - to.0).abs() > BOX_WIDTH + BETWEEN_COLUMNS;
                let d = curve(from, to, is_far);
                lines.push(Line { d, class: joint.class, about: joint.about.clone(), is_far });
            }
            _ => map.more_lines += 1,
        }
    }
    map.lines = lines;
    map
}

/// What is drawn as lines: each tunnel, and of rooms of one name each wing with the next.
fn gathered(joints: &Joints) -> Vec<Joint<'_>> {
    let dug = joints.tunnels.iter().filter(|t| t.source != t.target).map(|tunnel| {
        let Tunnel { source, target, label, kind, .. } = tunnel;
        let why = if label.is_empty() { String::new() } else { format!(": {label}") };
        Joint {
            ends: [(&source.0, &source.1), (&target.0, &target.1)],
            class: if kind == "explicit" { "dug" } else { "found" },
            about: t!(
                "tunnel {from} to {to}{why}",
                from = format!("{} / {}", source.0, source.1),
                to = format!("{} / {}", target.0, target.1),
                why = why
            ),
        }
    });
    let shared = joints.shared.iter().flat_map(|(room, wings)| {
        wings.windows(2).filter_map(move |pair| {
            let [one, other] = pair else { return None };
            Some(Joint {
                ends: [(one, room), (other, room)],
                class: "shared",
                about: t!("{one} and {other} both have the room {room}", one = one, other = other, room = room),
            })
        })
    });
    dug.chain(shared).collect()
}

fn placed(wings: Vec<(&str, Vec<(&str, u64)>)>) -> Map {
    let columns = COLUMNS.min(wings.len()).max(1);
    let mut bottoms = vec![MARGIN; columns];
    let mut map = Map::default();
    for (name, rooms) in wings {
        let column = (0..columns).min_by_key(|at| bottoms[*at]).unwrap_or(0);
        let x = MARGIN + i32::try_from(column).unwrap_or(0) * (BOX_WIDTH + BETWEEN_COLUMNS);
        let y = bottoms[column];
        let more = rooms.len().saturating_sub(MAX_ROOMS);
        let lines: Vec<RoomLine> = (0..)
            .zip(rooms.into_iter().take(MAX_ROOMS))
            .map(|(at, (name, rows))| RoomLine {
                name: name.to_owned(),
                rows,
                y: y + HEAD_HEIGHT + at * ROOM_HEIGHT + ROOM_HEIGHT / 2,
            })
            .collect();
        let count = i32::try_from(lines.len() + usize::from(more > 0)).unwrap_or(0);
        let height = HEAD_HEIGHT + count * ROOM_HEIGHT + FOOT_HEIGHT;
        bottoms[column] = y + height + BETWEEN_BOXES;
        map.boxes.push(WingBox { name: name.to_owned(), x, y, height, rooms: lines, more });
    }
    let columns = i32::try_from(columns).unwrap_or(1);
    map.width = MARGIN + columns * BOX_WIDTH + (columns - 1) * BETWEEN_COLUMNS + RIGHT_MARGIN;
    map.height = bottoms.into_iter().max().unwrap_or(0).saturating_sub(BETWEEN_BOXES) + MARGIN;
    map
}

/// A curve between two rooms, each given by its box's left edge and its middle: from edge to edge where the boxes lie side by side, an
/// arc to the right where they are one above the other.
fn curve(from: (i32, i32), to: (i32, i32), is_far: bool) -> String {
    let ((left, left_y), (right, right_y)) = if from.0 <= to.0 { (from, to) } else { (to, from) };
    let edge = left + BOX_WIDTH;
    if left == right {
        let out = edge + 16 + ((right_y - left_y).abs() / 8).min(RIGHT_MARGIN - 20);
        return format!("M{edge} {left_y}C{out} {left_y} {out} {right_y} {edge} {right_y}");
    }
    let bend = BETWEEN_COLUMNS / 2;
    // A far line sags, so that it runs between the lines of text rather than through them.
    let sag = if is_far { ROOM_HEIGHT / 2 + 3 } else { 0 };
    format!("M{edge} {left_y}C{} {} {} {} {right} {right_y}", edge + bend, left_y + sag, right - bend, right_y + sag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(names: &[&str]) -> Vec<(String, u64)> {
        (1..).zip(names).map(|(rows, name)| ((*name).to_owned(), rows)).collect()
    }

    fn tunnel(from: (&str, &str), to: (&str, &str)) -> Tunnel {
        let end = |end: (&str, &str)| (end.0.to_owned(), end.1.to_owned());
        Tunnel {
            source: end(from),
            target: end(to),
            label: String::new(),
            kind: "explicit".to_owned(),
            strength: 1.0,
            followed: 0,
        }
    }

    #[test]
    fn boxes_do_not_overlap_and_lie_on_the_map() {
        let names: Vec<String> = (0..20).map(|n| format!("w{n}")).collect();
        let many: Vec<Vec<(String, u64)>> =
            (0..20).map(|n| rooms(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][..=n % 10])).collect();
        let wings: Vec<(&str, &[(String, u64)])> =
            names.iter().zip(&many).map(|(n, r)| (n.as_str(), r.as_slice())).collect();
        let drawn = map(&wings, &Joints::default());
        assert_eq!((drawn.boxes.len(), drawn.more_wings), (MAX_WINGS, 8));
        for (at, one) in drawn.boxes.iter().enumerate() {
            assert!(one.x + BOX_WIDTH <= drawn.width && one.y + one.height <= drawn.height, "{one:?}");
            assert!(one.rooms.iter().all(|room| room.y < one.y + one.height), "{one:?}");
            for other in &drawn.boxes[at + 1..] {
                let apart = one.x != other.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
                assert!(apart, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn what_is_joined_is_drawn_first() {
        let many: Vec<String> = (0..15).map(|n| format!("r{n:02}")).collect();
        let many = rooms(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let one = rooms(&["r00"]);
        let joints = Joints {
            tunnels: vec![tunnel(("a", "r00"), ("b", "empty")), tunnel(("a", "r00"), ("a", "r00"))],
            shared: vec![("r00".to_owned(), vec!["a".to_owned(), "b".to_owned()])],
        };
        let drawn = map(&[("a", &many), ("b", &one)], &joints);
        let wing = drawn.boxes.iter().find(|wing| wing.name == "a").expect("drawn");
        assert_eq!((wing.rooms[0].name.as_str(), wing.more), ("r00", 7));
        let classes: Vec<&str> = drawn.lines.iter().map(|line| line.class).collect();
        assert_eq!(classes, ["dug", "shared"]);
        assert_eq!(drawn.more_lines, 0);
    }

    #[test]
    fn an_empty_palace_has_an_empty_map() {
        assert_eq!(map(&[], &Joints::default()).boxes, []);
    }
}
