//! The graph of rooms, counted from the drawers whenever it is asked for: no cache that a write would have to clear.

use loggia_domain::palace::graph::{Census, Graph, Shared, Stats, Step};
use rusqlite::Connection;

use super::{PalaceError, PalaceStore};

/// What a walk from a room came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Walk {
    /// The rooms within reach.
    Rooms(Vec<Step>),
    /// There is no such room; the names of some that are like it.
    Unknown(Vec<String>),
}

impl PalaceStore {
    /// The rooms within so many hops of one.
    pub async fn traverse(&self, start: String, max_hops: u32) -> Result<Walk, PalaceError> {
        self.read(move |conn| {
            let graph = graph(conn)?;
            Ok(graph.traverse(&start, max_hops).map_or_else(
                || Walk::Unknown(graph.suggestions(&start).into_iter().map(str::to_owned).collect()),
                Walk::Rooms,
            ))
        })
        .await
    }

    /// The rooms that several wings have, among them the given ones.
    pub async fn shared_rooms(&self, wings: Vec<String>) -> Result<Vec<Shared>, PalaceError> {
        self.read(move |conn| Ok(graph(conn)?.shared(&wings))).await
    }

    /// The graph in figures.
    pub async fn graph_stats(&self) -> Result<Stats, PalaceError> {
        self.read(|conn| {
            let tunnels: u32 = conn.prepare_cached("SELECT count(*) FROM tunnels")?.query_row([], |r| r.get(0))?;
            Ok(graph(conn)?.stats(usize::try_from(tunnels).unwrap_or(usize::MAX)))
        })
        .await
    }
}

/// Answered by the index `drawers_graph` alone. Rows without wing or room lie nowhere.
fn graph(conn: &Connection) -> Result<Graph, PalaceError> {
    let sql = "SELECT room, wing, hall, count(*), max(date) FROM drawers
        WHERE room <> '' AND wing <> '' GROUP BY room, wing, hall";
    let mut statement = conn.prepare_cached(sql)?;
    let census = statement.query_map([], |r| {
        Ok(Census {
            room: r.get(0)?,
            wing: r.get(1)?,
            hall: r.get(2)?,
            rows: r.get::<_, u32>(3)?.into(),
            recent: r.get(4)?,
        })
    })?;
    Ok(census.collect::<Result<_, _>>()?)
}
