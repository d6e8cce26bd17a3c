//! The graph of rooms: rooms of one name are one node, and two nodes are joined when they share a wing.
//!
//! Built from a census of the drawers, each time anew. Tunnels that somebody dug are records of their own, see [`super::tunnel`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::tunnel::wing_key;

/// How many rooms an answer names at most.
pub const MAX_ROOMS: usize = 50;
/// How many rooms are suggested for a name that there is not.
const MAX_SUGGESTIONS: usize = 5;
/// How many of the widest rooms the figures name.
const MAX_TOP: usize = 10;

/// What lies in one hall of one room of one wing.
#[derive(Debug, Clone)]
pub struct Census {
    /// The room.
    pub room: String,
    /// The wing.
    pub wing: String,
    /// The hall; none for most drawers.
    pub hall: Option<String>,
    /// How many rows.
    pub rows: u64,
    /// The newest day that one of them is about.
    pub recent: Option<String>,
}

#[derive(Debug, Default)]
struct Node {
    wings: BTreeSet<String>,
    halls: BTreeSet<String>,
    rows: u64,
    recent: String,
}

/// All rooms by name.
#[derive(Debug, Default)]
pub struct Graph(BTreeMap<String, Node>);

/// A room and how it was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its name.
    pub room: String,
    /// The wings that have it.
    pub wings: Vec<String>,
    /// The halls in it.
    pub halls: Vec<String>,
    /// How many rows lie in it.
    pub count: u64,
    /// How far it is from the start.
    pub hop: u32,
    /// The wings that it shares with the room it was reached from; not for the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected_via: Option<Vec<String>>,
}

/// A room that several wings have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// Its name.
    pub room: String,
    /// The wings that have it.
    pub wings: Vec<String>,
    /// The halls in it.
    pub halls: Vec<String>,
    /// How many rows lie in it.
    pub count: u64,
    /// The newest day that one of them is about, or an empty text.
    pub recent: String,
}

/// A wide room in the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wide {
    /// Its name.
    pub room: String,
    /// The wings that have it.
    pub wings: Vec<String>,
    /// How many rows lie in it.
    pub count: u64,
}

/// The graph in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Names of rooms.
    pub total_rooms: usize,
    /// Pairs of wing and room.
    pub total_room_instances: usize,
    /// Names that several wings have.
    pub tunnel_rooms: usize,
    /// The same.
    pub passive_tunnel_rooms: usize,
    /// Tunnels that are records.
    pub explicit_tunnels: usize,
    /// Pairs of wings that share a room, for each of its halls.
    pub total_edges: usize,
    /// Edges and records.
    pub total_connections: usize,
    /// How many rooms each wing has.
    pub rooms_per_wing: BTreeMap<String, usize>,
    /// The rooms that the most wings have.
    pub top_tunnels: Vec<Wide>,
}

impl FromIterator<Census> for Graph {
    fn from_iter<T: IntoIterator<Item = Census>>(census: T) -> Self {
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        for entry in census {
            let node = nodes.entry(entry.room).or_default();
            node.wings.insert(entry.wing);
            node.halls.extend(entry.hall.filter(|hall| !hall.is_empty()));
            node.rows += entry.rows;
            node.recent = entry.recent.unwrap_or_default().max(std::mem::take(&mut node.recent));
        }
        Self(nodes)
    }
}

impl Graph {
    /// The rooms within so many hops of one, nearest and fullest first, at most [`MAX_ROOMS`]. `None` when there is no such room.
    pub fn traverse(&self, start: &str, max_hops: u32) -> Option<Vec<Step>> {
        let (start, first) = self.0.get_key_value(start)?;
        let mut by_wing: HashMap<&str, Vec<&str>> = HashMap::new();
        for (room, node) in &self.0 {
            for wing in &node.wings {
                by_wing.entry(wing).or_default().push(room);
            }
        }
        let mut found = vec![step(start, first, 0, None)];
        let mut seen = BTreeSet::from([start.as_str()]);
        // A wing leads to the same rooms from wherever it is entered.
        let mut walked = BTreeSet::new();
        let mut frontier = vec![start.as_str()];
        for hop in 1..=max_hops {
            // What is farther would only be cut off again.
            if frontier.is_empty() || found.len() >= MAX_ROOMS {
                break;
            }
            let mut next = Vec::new();
            for from in frontier {
                let here = &self.0[from];
                let wings = here.wings.iter().filter(|wing| walked.insert(wing.as_str()));
                let neighbours: BTreeSet<&str> =
                    wings.filter_map(|wing| by_wing.get(wing.as_str())).flatten().copied().collect();
                for room in neighbours.into_iter().filter(|room| seen.insert(room)) {
                    let node = &self.0[room];
                    let shared = here.wings.intersection(&node.wings).cloned().collect();
                    found.push(step(room, node, hop, Some(shared)));
                    next.push(room);
                }
            }
            frontier = next;
        }
        // A stable sort: what is equally far and full stays in the order in which it was found.
        found.sort_by(|a, b| a.hop.cmp(&b.hop).then(b.count.cmp(&a.count)));
        found.truncate(MAX_ROOMS);
        Some(found)
    }

    /// Rooms whose name is like one that there is not: first those that hold it whole, then those that hold a part of it.
    pub fn suggestions(&self, asked: &str) -> Vec<&str> {
        let asked = asked.to_lowercase();
        let holds = |room: &&String, part: &str| room.to_lowercase().contains(part);
        let whole = self.0.keys().filter(|room| holds(room, &asked));
        let parts: Vec<&str> = asked.split('-').filter(|part| !part.is_empty()).collect();
        let partly = self.0.keys().filter(|room| !holds(room, &asked) && parts.iter().any(|part| holds(room, part)));
        whole.chain(partly).take(MAX_SUGGESTIONS).map(String::as_str).collect()
    }

    /// Rooms that several wings have, among them the given ones, fullest first, at most [`MAX_ROOMS`].
    pub fn shared(&self, wings: &[String]) -> Vec<Shared> {
        let wanted: Vec<String> = wings.iter().map(|wing| wing_key(wing)).collect();
        let fits = |node: &Node| {
            let keys: BTreeSet<String> = node.wings.iter().map(|wing| wing_key(wing)).collect();
            wanted.iter().all(|wing| keys.contains(wing))
        };
        let mut found: Vec<Shared> = self
            .wide()
            .filter(|(_, node)| fits(node))
            .map(|(room, node)| Shared {
                room: room.clone(),
                wings: list(&node.wings),
                halls: list(&node.halls),
                count: node.rows,
                recent: node.recent.clone(),
            })
            .collect();
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.room.cmp(&b.room)));
        found.truncate(MAX_ROOMS);
        found
    }

    /// The graph in figures, with so many tunnels that are records.
    pub fn stats(&self, explicit_tunnels: usize) -> Stats {
        let mut rooms_per_wing = BTreeMap::new();
        for wing in self.0.values().flat_map(|node| &node.wings) {
            *rooms_per_wing.entry(wing.clone()).or_insert(0) += 1;
        }
        let tunnel_rooms = self.wide().count();
        let pairs = |n: usize| n * (n - 1) / 2;
        let total_edges = self.wide().map(|(_, node)| pairs(node.wings.len()) * node.halls.len()).sum();
        let mut top_tunnels: Vec<Wide> = self
            .wide()
            .map(|(room, node)| Wide { room: room.clone(), wings: list(&node.wings), count: node.rows })
            .collect();
        top_tunnels.sort_by(|a, b| b.wings.len().cmp(&a.wings.len()).then_with(|| a.room.cmp(&b.room)));
        top_tunnels.truncate(MAX_TOP);
        Stats {
            total_rooms: self.0.len(),
            total_room_instances: self.0.values().map(|node| node.wings.len()).sum(),
            tunnel_rooms,
            passive_tunnel_rooms: tunnel_rooms,
            explicit_tunnels,
            total_edges,
            total_connections: total_edges + explicit_tunnels,
            rooms_per_wing,
            top_tunnels,
        }
    }

    fn wide(&self) -> impl Iterator<Item = (&String, &Node)> {
        self.0.iter().filter(|(_, node)| node.wings.len() >= 2)
    }
}

fn step(room: &str, node: &Node, hop: u32, connected_via: Option<Vec<String>>) -> Step {
    Step {
        room: room.to_owned(),
        wings: list(&node.wings),
        halls: list(&node.halls),
        count: node.rows,
        hop,
        connected_via,
    }
}

fn list(names: &BTreeSet<String>) -> Vec<String> {
    names.iter().cloned().collect()
}

#[cfg(test)]
mod tests;
