//! What is answered about drawers and diaries, in the form of the tools, whichever surface asks. It asks and changes nothing itself.

use loggia_domain::palace::diary::Diarist;
use loggia_domain::palace::query::Query;
use serde_json::{Value, json};

use super::diary::{Entry, Written};
use super::drawers::{Changed, Filed, Listed, not_found};
use super::search::Found;

/// A drawer was filed, or lay there already.
pub fn filed(filed: Filed, wing: &str, room: &str) -> Value {
    match filed {
        Filed::Already { id } => json!({"success": true, "reason": "already_exists", "drawer_id": id}),
        Filed::New { id, rows } => {
            with_chunks(json!({"success": true, "drawer_id": id, "wing": wing, "room": room}), rows, |count| count > 1)
        }
    }
}

/// An entry was written.
pub fn written(diarist: &Diarist, topic: &str, written: Written) -> Value {
    let answer = json!({
        "success": true,
        "entry_id": written.entry_id,
        "agent": diarist.agent,
        "topic": topic,
        "timestamp": written.timestamp,
    });
    let mut answer = with_chunks(answer, written.rows, |count| count > 1);
    if diarist.spelling != diarist.agent {
        answer["agent_spelling"] = diarist.spelling.as_str().into();
    }
    answer
}

/// The newest entries of an agent, of so many.
pub fn entries(agent: &str, entries: &[Entry], total: usize) -> Value {
    if total == 0 {
        return json!({"agent": agent, "entries": entries, "message": "No diary entries yet."});
    }
    json!({"agent": agent, "entries": entries, "total": total, "showing": entries.len()})
}

/// One page of so many drawers.
pub fn listed(drawers: &[Listed], total: usize, limit: usize, offset: usize) -> Value {
    json!({"drawers": drawers, "total": total, "count": drawers.len(), "offset": offset, "limit": limit})
}

/// A drawer was changed.
pub fn changed(id: &str, changed: Changed) -> Value {
    let answer = json!({
        "success": true,
        "drawer_id": id,
        "wing": changed.wing,
        "room": changed.room,
        "closets_deleted": 0,
    });
    match changed.chunk_ids {
        Some(rows) => with_chunks(answer, rows, |_| true),
        None => answer,
    }
}

/// A drawer was deleted; the ids of the rows that it had.
pub fn deleted(id: &str, rows: &[String]) -> Value {
    let mut answer = gone(&id.into(), rows);
    answer["success"] = true.into();
    answer
}

/// Several were deleted, each as far as it was there. An id that is no text is named as it came.
pub fn all_deleted(ids: &[Value], rows: Vec<Option<Vec<String>>>) -> Value {
    let count = rows.iter().flatten().count();
    let results: Vec<Value> =
        ids.iter().zip(rows).map(|(id, rows)| rows.map_or_else(|| missing(id), |rows| gone(id, &rows))).collect();
    let errors = results.len() - count;
    json!({"results": results, "count": results.len(), "deleted": count, "errors": errors})
}

/// One of several that is not there.
pub fn missing(id: &Value) -> Value {
    json!({"drawer_id": id, "error": not_found(&id_text(id)).message})
}

/// An id as a text: what is none cannot be there.
pub fn id_text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// What a search found, with the filters as they were given. `semantic_off` says why it went by words, and is asked for after the
/// search: that a model is damaged shows when a search loads it.
pub fn found(query: &Query, filters: &Value, found: &Found, semantic_off: Option<String>) -> Value {
    let mut answer = json!({
        "query": query.text,
        "filters": filters,
        "total_before_filter": found.candidates,
        "results": found.hits,
    });
    if let Some(reason) = semantic_off {
        answer["fallback"] = "bm25_only_via_sqlite".into();
        answer["fallback_reason"] = reason.into();
        answer["vector_disabled"] = true.into();
    }
    if let Some(method) = query.method {
        answer["query_sanitized"] = true.into();
        answer["sanitizer"] = json!({
            "method": method.as_str(),
            "original_length": query.original_chars,
            "clean_length": query.text.chars().count(),
            "clean_query": query.text,
        });
    }
    answer
}

fn gone(id: &Value, rows: &[String]) -> Value {
    json!({"drawer_id": id, "chunks_deleted": rows.len(), "deleted_ids": rows, "closets_deleted": 0})
}

fn with_chunks(mut answer: Value, rows: Vec<String>, are_named: impl FnOnce(usize) -> bool) -> Value {
    answer["chunks"] = rows.len().into();
    if are_named(rows.len()) {
        answer["chunk_ids"] = rows.into();
    }
    answer
}
