//! The hub's answers to the pages of the diaries and of the palace, in terms of the palace.

use loggia_app::backend::memory::{
    DIARY_PAGE_ENTRIES, DRAWERS_PAGE, Diarist, Diary, DiaryPage, DiaryQuery, Drawer, DrawerRow, Entry, FACTS_PAGE,
    Fact, HITS_SHOWN, Joints, Memory, PalaceBody, PalacePage, PalaceQuery, Tunnel, Wing,
};
use loggia_domain::ApiError;
use loggia_domain::palace::diary::ROOM;
use loggia_domain::palace::fact::Direction;
use loggia_domain::palace::{alias, query};
use serde_json::Value;

use super::hits::pieces;
use super::memory_changes::change;
use crate::palace::browse;
use crate::palace::drawers::Filter;
use crate::palace::facts::ask::Dated;
use crate::palace::search::{Ask, Hit};
use crate::palace::{PalaceError, PalaceStore, drawers};

/// How many aliases are named at most.
const MAX_ALIASES: usize = 8;
/// Hits whose meaning is farther than this are left out.
const MAX_DISTANCE: f64 = 1.5;
/// How many changes and facts the overview shows.
const CHANGES: usize = 15;
const OVERVIEW_FACTS: usize = 12;
/// How many characters of a hit are shown where no word of it answers.
const BEGINNING_CHARS: usize = 200;

/// An answer for a page: a palace that cannot answer is a state of it, not an error, unless the question itself was refused.
pub(super) fn on_page<T>(answer: Result<T, PalaceError>) -> Result<Memory<T>, ApiError> {
    match answer {
        Ok(answer) => Ok(Memory::On(answer)),
        Err(PalaceError::Refused(refusal)) => Err(refusal.into()),
        Err(error) => {
            tracing::warn!(%error, "a page of the palace has no answer");
            Ok(Memory::Off(match error {
                PalaceError::Off(reason) => reason,
                error => error.to_string(),
            }))
        }
    }
}

/// What `/diary` shows.
pub(super) async fn diary(store: &PalaceStore, asked: DiaryQuery) -> Result<DiaryPage, PalaceError> {
    let everybody: Vec<Diarist> = store.diarists().await?.into_iter().map(diarist).collect();
    let Some(name) = asked.agent else { return Ok(DiaryPage::Diarists(everybody)) };
    let agent = name.trim().to_lowercase();
    let own = everybody.iter().find(|d| d.agent == agent);
    let (spelling, own) = own.map_or((name.trim().to_owned(), 0), |d| (d.spelling.clone(), d.entries));
    let mut aliases: Vec<Diarist> = everybody.into_iter().filter(|d| alias::are_probable(&d.agent, &agent)).collect();
    aliases.truncate(MAX_ALIASES);
    let mut agents = vec![agent.clone()];
    if asked.together {
        agents.extend(aliases.iter().map(|d| d.agent.clone()));
    }
    let found = store.leaves(agents, asked.topic, DIARY_PAGE_ENTRIES, asked.from).await?;
    Ok(DiaryPage::Diary(Diary {
        agent,
        spelling,
        own,
        aliases,
        entries: found.entries.into_iter().map(entry).collect(),
        total: found.total,
        topics: found.topics,
        today: store.local_date().await?,
    }))
}

fn diarist(found: browse::Diarist) -> Diarist {
    Diarist { agent: found.agent, spelling: found.spelling, entries: found.entries, newest: found.newest }
}

fn entry(leaf: browse::Leaf) -> Entry {
    Entry {
        id: leaf.entry_id,
        agent: leaf.agent,
        date: leaf.date,
        timestamp: leaf.timestamp,
        topic: leaf.topic,
        wing: leaf.wing,
        text: leaf.content,
    }
}

/// What `/palace` shows.
pub(super) async fn palace(store: &PalaceStore, asked: PalaceQuery, now_ms: u64) -> Result<PalacePage, PalaceError> {
    let drawer = match asked.id.clone() {
        Some(id) => Some(store.drawers(vec![id]).await?.pop().flatten().map(whole)),
        None => None,
    };
    let body = if !asked.q.trim().is_empty() {
        hits(store, &asked).await?
    } else if asked.facts || asked.entity.is_some() {
        facts(store, asked.entity, asked.from).await?
    } else if asked.wing.is_some() || asked.room.is_some() {
        let filter = Filter { wing: asked.wing, room: asked.room, ..Filter::default() };
        let (listed, total) = store.list_drawers(filter, DRAWERS_PAGE, asked.from).await?;
        PalaceBody::Drawers { rows: listed.into_iter().map(row).collect(), total: count(total) }
    } else {
        overview(store).await?
    };
    let wings = store.taxonomy().await?.into_iter().map(|(name, rooms)| {
        let rooms: Vec<(String, u64)> =
            rooms.into_iter().map(|(room, rows)| (room, u64::try_from(rows).unwrap_or(0))).collect();
        Wing { name, rows: rooms.iter().map(|(_, rows)| rows).sum(), rooms }
    });
    Ok(PalacePage { wings: wings.collect(), body, drawer, searches: Vec::new(), now_ms })
}

async fn overview(store: &PalaceStore) -> Result<PalaceBody, PalaceError> {
    let changes = store.last_written(CHANGES).await?.iter().filter_map(change).collect();
    let tunnels = store.tunnels(None).await?.into_iter().map(|tunnel| Tunnel {
        source: (tunnel.source.wing, tunnel.source.room),
        target: (tunnel.target.wing, tunnel.target.room),
        label: tunnel.label,
        kind: tunnel.kind,
        strength: tunnel.strength,
        followed: tunnel.access_count,
    });
    // That everybody keeps a diary joins nobody.
    let shared = store.shared_rooms(Vec::new()).await?.into_iter().filter(|shared| shared.room != ROOM);
    let shared = shared.map(|shared| (shared.room, shared.wings));
    let joints = Joints { tunnels: tunnels.collect(), shared: shared.collect() };
    let (latest, facts_total) = store.latest_facts(OVERVIEW_FACTS, 0).await?;
    Ok(PalaceBody::Overview { changes, joints, facts: latest.into_iter().map(dated).collect(), facts_total })
}

async fn hits(store: &PalaceStore, asked: &PalaceQuery) -> Result<PalaceBody, PalaceError> {
    let cleaned = query::clean(&asked.q);
    let filter = Filter { wing: asked.wing.clone(), room: asked.room.clone(), ..Filter::default() };
    let ask = Ask { query: cleaned.text.clone(), limit: HITS_SHOWN, filter, max_distance: MAX_DISTANCE };
    let words = loggia_domain::search::Query::check("q", cleaned.text.clone().into()).ok();
    let found = store.search(ask).await?;
    // Asked afterwards: that a model is damaged shows when a search loads it.
    let words_only = store.semantic_off();
    let rows = found.hits.into_iter().map(|hit| hit_row(hit, words.as_ref())).collect();
    Ok(PalaceBody::Hits { rows, shortened: cleaned.method.map(|_| cleaned.text), words_only })
}

fn hit_row(hit: Hit, words: Option<&loggia_domain::search::Query>) -> DrawerRow {
    let pieces = match words.and_then(|words| words.excerpt("body", &hit.text)) {
        Some(excerpt) => pieces(&excerpt),
        None => vec![beginning(&hit.text)],
    };
    DrawerRow { id: hit.drawer_id, wing: hit.wing, room: hit.room, filed_at: hit.filed_at, pieces }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(BEGINNING_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn row(listed: drawers::Listed) -> DrawerRow {
    let filed_at = listed.metadata.get("filed_at").and_then(Value::as_str).unwrap_or_default().to_owned();
    DrawerRow {
        id: listed.drawer_id,
        wing: listed.wing,
        room: listed.room,
        filed_at,
        pieces: vec![listed.content_preview],
    }
}

fn whole(drawer: drawers::Drawer) -> Drawer {
    // What stands above the text already, and the ids of rows that mean nothing to a reader.
    const SHOWN: [&str; 4] = ["wing", "room", "chunk_ids", "parent_drawer_id"];
    let metadata = drawer.metadata.into_iter().filter(|(key, _)| !SHOWN.contains(&key.as_str()));
    let metadata = metadata.filter_map(|(key, value)| match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some((key, text)),
        Value::Null => None,
        other => Some((key, other.to_string())),
    });
    Drawer {
        id: drawer.drawer_id,
        wing: drawer.wing,
        room: drawer.room,
        text: drawer.content,
        metadata: metadata.collect(),
    }
}

async fn facts(store: &PalaceStore, entity: Option<String>, from: usize) -> Result<PalaceBody, PalaceError> {
    let Some(entity) = entity else {
        let (facts, total) = store.latest_facts(FACTS_PAGE, from).await?;
        return Ok(PalaceBody::Facts { facts: facts.into_iter().map(dated).collect(), total, candidates: Vec::new() });
    };
    let known = store.facts_about(entity, None, Direction::Both).await?;
    let total = count(known.facts.len());
    let mut facts: Vec<Fact> = known
        .facts
        .into_iter()
        .map(|f| Fact {
            subject: f.subject,
            predicate: f.predicate,
            object: f.object,
            from: f.valid_from,
            to: f.valid_to,
        })
        .collect();
    // As in the list of all: the latest start first, those without one last. A stable sort keeps the order of equals.
    facts.sort_by(|a, b| b.from.cmp(&a.from));
    let facts = facts.into_iter().skip(from).take(FACTS_PAGE).collect();
    Ok(PalaceBody::Facts { facts, total, candidates: known.candidates.into_iter().map(|c| c.name).collect() })
}

fn dated(fact: Dated) -> Fact {
    Fact {
        subject: fact.subject,
        predicate: fact.predicate,
        object: fact.object,
        from: fact.valid_from,
        to: fact.valid_to,
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
