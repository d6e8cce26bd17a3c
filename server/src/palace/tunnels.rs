//! Tunnels: records that join two rooms, dug by agents or brought along by imports. Following one strengthens it.
//!
//! Rooms of one name are joined without any record; that graph is [`super::graph`]'s.

use loggia_domain::Refusal;
use loggia_domain::palace::tunnel::{self, Dynamics};
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::record::Record;
use super::{PalaceError, PalaceStore, Turn};

/// How much of a drawer is shown where a tunnel leads to it, in characters.
const PREVIEW_CHARS: usize = 300;

/// One end of a tunnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// The wing.
    pub wing: String,
    /// The room.
    pub room: String,
    /// A drawer in it that is meant; it need not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawer_id: Option<String>,
}

/// A tunnel as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tunnel {
    /// Its id, which follows from its ends.
    pub id: String,
    /// Where it begins.
    pub source: End,
    /// Where it leads.
    pub target: End,
    /// Why the two belong together.
    pub label: String,
    /// `explicit` when an agent dug it; `topic` or `entity` when it was imported.
    pub kind: String,
    /// When it was dug.
    pub created_at: String,
    /// When it was dug again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// From 1 to 5.
    pub strength: f64,
    /// From 1.
    pub stability: f64,
    /// When it was last followed, at first when it was dug.
    pub last_activated: Option<String>,
    /// How often it was followed.
    pub access_count: i64,
}

/// Where a tunnel leads from a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// `outgoing` from the tunnel's source, `incoming` from its target.
    pub direction: &'static str,
    /// The wing at the other end.
    pub connected_wing: String,
    /// The room there.
    pub connected_room: String,
    /// Why the two belong together.
    pub label: String,
    /// A drawer there that is meant.
    pub drawer_id: Option<String>,
    /// The tunnel.
    pub tunnel_id: String,
    /// The beginning of that drawer, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawer_preview: Option<String>,
}

impl PalaceStore {
    /// Digs a tunnel between two rooms that exist. Between the same ends, whichever is named first, there is one tunnel: its ends
    /// and label are replaced.
    pub async fn create_tunnel(&self, source: End, target: End, label: String) -> Result<Tunnel, PalaceError> {
        let params = json!({"source": source, "target": target, "label": label});
        self.write(Some(Record::new("create_tunnel", params)), move |turn| create(turn, &source, &target, &label)).await
    }

    /// Tunnels in the order in which they came, of all wings or of one.
    pub async fn tunnels(&self, wing: Option<String>) -> Result<Vec<Tunnel>, PalaceError> {
        self.read(move |conn| {
            let mut tunnels = all(conn)?;
            if let Some(wing) = wing {
                tunnels.retain(|t| [&t.source, &t.target].iter().any(|end| same_wing(&end.wing, &wing)));
            }
            Ok(tunnels)
        })
        .await
    }

    /// Deletes a tunnel, if there is one of this id.
    pub async fn delete_tunnel(&self, id: String) -> Result<(), PalaceError> {
        let record = Record::new("delete_tunnel", json!({"tunnel_id": id}));
        self.write(Some(record), move |turn| {
            turn.conn.prepare_cached("DELETE FROM tunnels WHERE id = ?1")?.execute([id])?;
            Ok(())
        })
        .await
    }

    /// Where tunnels lead from a room.
    pub async fn passages(&self, wing: String, room: String) -> Result<Vec<Passage>, PalaceError> {
        self.read(move |conn| {
            with_previews(conn, passages(conn, &wing, &room)?.into_iter().map(|(_, passage)| passage))
        })
        .await
    }

    /// The same, and every tunnel that is answered grows stronger.
    pub async fn follow_tunnels(&self, wing: String, room: String) -> Result<Vec<Passage>, PalaceError> {
        // A room that no tunnel leaves is no reason to write.
        let (asked_wing, asked_room) = (wing.clone(), room.clone());
        if self.read(move |conn| passages(conn, &asked_wing, &asked_room)).await?.is_empty() {
            return Ok(Vec::new());
        }
        let record = Record::new("follow_tunnels", json!({"wing": wing, "room": room}));
        self.write(Some(record), move |turn| follow(turn, &wing, &room)).await
    }
}

fn create(turn: &Turn<'_>, source: &End, target: &End, label: &str) -> Result<Tunnel, PalaceError> {
    for (which, end) in [("source", source), ("target", target)] {
        exists(turn.conn, which, end)?;
    }
    let id = tunnel::id((&source.wing, &source.room), (&target.wing, &target.room));
    let sql = "INSERT INTO tunnels (id, source_wing, source_room, source_drawer_id,
            target_wing, target_room, target_drawer_id, label, created_at, last_activated)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
        ON CONFLICT (id) DO UPDATE SET source_wing = ?2, source_room = ?3, source_drawer_id = ?4,
            target_wing = ?5, target_room = ?6, target_drawer_id = ?7, label = ?8, updated_at = ?9";
    turn.conn.prepare_cached(sql)?.execute(params![
        id,
        source.wing,
        source.room,
        source.drawer_id,
        target.wing,
        target.room,
        target.drawer_id,
        label,
        turn.now.utc_iso(),
    ])?;
    let sql = format!("SELECT {COLUMNS} FROM tunnels WHERE id = ?1");
    Ok(turn.conn.prepare_cached(&sql)?.query_row([id], from_row)?)
}

fn exists(conn: &Connection, which: &str, end: &End) -> Result<(), PalaceError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM drawers WHERE wing = ?1 AND room = ?2)";
    if conn.prepare_cached(sql)?.query_row([&end.wing, &end.room], |r| r.get(0))? {
        return Ok(());
    }
    let capital = if which == "source" { "Source" } else { "Target" };
    let message = format!("{capital} room '{}' does not exist in wing '{}'", end.room, end.wing);
    Err(Refusal::new(format!("{which}_room"), message)
        .value(end.room.as_str())
        .hint("names are matched exactly; mempalace_get_taxonomy lists them")
        .into())
}

const COLUMNS: &str = "id, source_wing, source_room, source_drawer_id, target_wing, target_room, target_drawer_id,
    label, kind, created_at, updated_at, strength, stability, last_activated, access_count";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Tunnel> {
    Ok(Tunnel {
        id: row.get(0)?,
        source: End { wing: row.get(1)?, room: row.get(2)?, drawer_id: row.get(3)? },
        target: End { wing: row.get(4)?, room: row.get(5)?, drawer_id: row.get(6)? },
        label: row.get(7)?,
        kind: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        strength: row.get(11)?,
        stability: row.get(12)?,
        last_activated: row.get(13)?,
        access_count: row.get(14)?,
    })
}

fn all(conn: &Connection) -> Result<Vec<Tunnel>, PalaceError> {
    let mut statement = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM tunnels ORDER BY row"))?;
    Ok(statement.query_map([], from_row)?.collect::<Result<_, _>>()?)
}

fn same_wing(a: &str, b: &str) -> bool {
    a == b || tunnel::wing_key(a) == tunnel::wing_key(b)
}

/// The tunnels at a room and where they lead, without a preview yet; one from a room to itself is outgoing.
fn passages(conn: &Connection, wing: &str, room: &str) -> Result<Vec<(Tunnel, Passage)>, PalaceError> {
    let sql = format!("SELECT {COLUMNS} FROM tunnels WHERE source_room = ?1 OR target_room = ?1 ORDER BY row");
    let mut statement = conn.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for tunnel in statement.query_map([room], from_row)? {
        let tunnel = tunnel?;
        let is_here = |end: &End| end.room == room && same_wing(&end.wing, wing);
        let (direction, other) = if is_here(&tunnel.source) {
            ("outgoing", &tunnel.target)
        } else if is_here(&tunnel.target) {
            ("incoming", &tunnel.source)
        } else {
            continue;
        };
        let passage = Passage {
            direction,
            connected_wing: other.wing.clone(),
            connected_room: other.room.clone(),
            label: tunnel.label.clone(),
            drawer_id: other.drawer_id.clone(),
            tunnel_id: tunnel.id.clone(),
            drawer_preview: None,
        };
        found.push((tunnel, passage));
    }
    Ok(found)
}

fn with_previews(conn: &Connection, passages: impl IntoIterator<Item = Passage>) -> Result<Vec<Passage>, PalaceError> {
    let with_preview = |mut passage: Passage| {
        if let Some(id) = &passage.drawer_id {
            passage.drawer_preview = preview(conn, id)?;
        }
        Ok(passage)
    };
    passages.into_iter().map(with_preview).collect()
}

/// The beginning of a drawer; of a long one, its first row's.
fn preview(conn: &Connection, drawer_id: &str) -> Result<Option<String>, PalaceError> {
    let sql = "SELECT content FROM drawers WHERE drawer_id = ?1
        UNION ALL SELECT content FROM drawers WHERE logical_id = ?1 AND is_head = 1 LIMIT 1";
    let mut statement = conn.prepare_cached(sql)?;
    let content: Option<String> = statement.query_map([drawer_id], |r| r.get(0))?.next().transpose()?;
    Ok(content.map(|text| text.chars().take(PREVIEW_CHARS).collect()))
}

fn follow(turn: &Turn<'_>, wing: &str, room: &str) -> Result<Vec<Passage>, PalaceError> {
    let mut followed = Vec::new();
    for (tunnel, passage) in passages(turn.conn, wing, room)? {
        let idle_ms = tunnel.last_activated.as_deref().and_then(|last| milliseconds_since(last, turn.now.utc));
        let before = Dynamics { strength: tunnel.strength, stability: tunnel.stability };
        let Dynamics { strength, stability } = before.followed(idle_ms);
        let sql =
            "UPDATE tunnels SET strength = ?2, stability = ?3, last_activated = ?4, access_count = access_count + 1
            WHERE id = ?1";
        turn.conn.prepare_cached(sql)?.execute(params![tunnel.id, strength, stability, turn.now.utc_iso()])?;
        followed.push(passage);
    }
    with_previews(turn.conn, followed)
}

fn milliseconds_since(earlier: &str, now: OffsetDateTime) -> Option<i64> {
    let earlier = OffsetDateTime::parse(earlier, &Rfc3339).ok()?;
    i64::try_from((now - earlier).whole_milliseconds()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_measured_from_the_times_that_tunnels_carry() {
        let now = OffsetDateTime::from_unix_timestamp(1_782_962_683).expect("in range");
        assert_eq!(milliseconds_since("2026-07-02T03:24:42.500000+00:00", now), Some(500));
        assert_eq!(milliseconds_since("2026-07-02T02:24:43+00:00", now), Some(3_600_000));
        assert_eq!(milliseconds_since("yesterday", now), None);
    }
}
