//! The tools that file, fetch, change and delete drawers.

use loggia_domain::palace::{name, text, window};
use loggia_domain::{Raw, Refusal};
use serde_json::{Value, json};

use super::args::{Args, Kind, Param, optional, required};
use super::tool::{Answer, Effect, Tool, answer};
use crate::AppState;
use crate::palace::answers;
use crate::palace::drawers::{Change, Filter, NewDrawer, not_found};
use crate::tokens::Scope;

/// How many ids one call may name.
const MAX_IDS: usize = 500;
/// How many drawers are listed when nothing is said, and at the most.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

const DRAWER_ID: &str = "The drawer's id; a diary entry's id and the id of one chunk will do, too";
const DRAWER_IDS: Param =
    Param { name: "drawer_ids", kind: Kind::List, required: true, about: "The drawers' ids, at most 500" };
const CONTENT: &str = "The text, kept as it is, up to 100000 characters";
pub(super) const SINCE: &str = "Only what was filed at or after this date or time, the hub's local time";
pub(super) const BEFORE: &str = "Only what was filed before this date or time, the hub's local time";

/// `mempalace_add_drawer`
pub const ADD_DRAWER: Tool = Tool {
    name: "mempalace_add_drawer",
    about: "File a text verbatim in a room of a wing. The same text in the same place is not filed twice. To look for texts that say the same elsewhere, ask mempalace_check_duplicate first.",
    params: &[
        required("wing", "The wing, mostly a project or a person"),
        required("room", "The room within it, mostly a topic"),
        required("content", CONTENT),
        optional("source_file", Kind::Text, "Where it comes from"),
        optional("added_by", Kind::Text, "Who files it; default mcp"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(add_drawer(state, args)),
};

/// `mempalace_get_drawer`
pub const GET_DRAWER: Tool = Tool {
    name: "mempalace_get_drawer",
    about: "Get one drawer, whole, with what is known about it.",
    params: &[required("drawer_id", DRAWER_ID)],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(get_drawer(state, args)),
};

/// `mempalace_get_drawers`
pub const GET_DRAWERS: Tool = Tool {
    name: "mempalace_get_drawers",
    about: "Get several drawers in one call, in the order of the ids.",
    params: &[DRAWER_IDS],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(get_drawers(state, args)),
};

/// `mempalace_list_drawers`
pub const LIST_DRAWERS: Tool = Tool {
    name: "mempalace_list_drawers",
    about: "List drawers by id, with the beginning of each text. Page with offset.",
    params: &[
        optional("wing", Kind::Text, "Only this wing"),
        optional("room", Kind::Text, "Only this room"),
        optional("since", Kind::Text, SINCE),
        optional("before", Kind::Text, BEFORE),
        optional("limit", Kind::Count, "At most so many, 1 to 100; default 20"),
        optional("offset", Kind::Count, "How many to skip"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(list_drawers(state, args)),
};

/// `mempalace_update_drawer`
pub const UPDATE_DRAWER: Tool = Tool {
    name: "mempalace_update_drawer",
    about: "Change the text of a drawer or move it to another wing or room. It keeps its id.",
    params: &[
        required("drawer_id", "The drawer's id"),
        optional("content", Kind::Text, "The new text"),
        optional("wing", Kind::Text, "The new wing"),
        optional("room", Kind::Text, "The new room"),
    ],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(update_drawer(state, args)),
};

/// `mempalace_delete_drawer`
pub const DELETE_DRAWER: Tool = Tool {
    name: "mempalace_delete_drawer",
    about: "Delete a drawer for good. The id of one chunk deletes that chunk alone.",
    params: &[required("drawer_id", DRAWER_ID)],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(delete_drawer(state, args)),
};

/// `mempalace_delete_drawers`
pub const DELETE_DRAWERS: Tool = Tool {
    name: "mempalace_delete_drawers",
    about: "Delete several drawers for good, each as far as it is there.",
    params: &[DRAWER_IDS],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(delete_drawers(state, args)),
};

/// `mempalace_delete_by_source`
pub const DELETE_BY_SOURCE: Tool = Tool {
    name: "mempalace_delete_by_source",
    about: "Delete everything that was filed from one source. Only counts unless dry_run is false.",
    params: &[
        required("source_file", "The source, exactly as it was given"),
        optional("dry_run", Kind::Boolean, "Default true: only say what would be deleted"),
    ],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(delete_by_source(state, args)),
};

async fn add_drawer(state: AppState, mut args: Args) -> Answer {
    let new = NewDrawer {
        wing: name::required("wing", args.raw("wing"))?,
        room: name::required("room", args.raw("room"))?,
        content: text::content(args.raw("content"))?,
        source_file: args.plain_text("source_file")?.unwrap_or_default(),
        added_by: args.plain_text("added_by")?.unwrap_or_else(|| "mcp".to_owned()),
    };
    let (wing, room) = (new.wing.clone(), new.room.clone());
    let filed = state.palace.store().await?.add_drawer(new).await?;
    answer(&answers::filed(filed, &wing, &room))
}

async fn get_drawer(state: AppState, mut args: Args) -> Answer {
    let id = drawer_id(&mut args)?;
    let found = state.palace.store().await?.drawers(vec![id.clone()]).await?;
    match found.into_iter().flatten().next() {
        Some(drawer) => answer(&drawer),
        None => Err(not_found(&id).into()),
    }
}

async fn get_drawers(state: AppState, mut args: Args) -> Answer {
    let ids = drawer_ids(&mut args, "fetch")?;
    let texts = ids.iter().map(answers::id_text).collect();
    let found = state.palace.store().await?.drawers(texts).await?;
    let errors = found.iter().filter(|d| d.is_none()).count();
    let results: Vec<Value> =
        ids.iter().zip(found).map(|(id, drawer)| drawer.map_or_else(|| answers::missing(id), |d| json!(d))).collect();
    answer(&json!({"results": results, "count": results.len(), "errors": errors}))
}

async fn list_drawers(state: AppState, mut args: Args) -> Answer {
    let filter = Filter {
        wing: name::optional("wing", args.raw("wing"))?,
        room: name::optional("room", args.raw("room"))?,
        source_file: None,
        window: window::window(args.raw("since"), args.raw("before"))?,
    };
    let limit = args.count("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    let offset = args.count("offset", 0, 0, usize::MAX);
    let (drawers, total) = state.palace.store().await?.list_drawers(filter, limit, offset).await?;
    answer(&answers::listed(&drawers, total, limit, offset))
}

async fn update_drawer(state: AppState, mut args: Args) -> Answer {
    let id = drawer_id(&mut args)?;
    let (content, wing, room) = (args.raw("content"), args.raw("wing"), args.raw("room"));
    if [&content, &wing, &room].iter().all(|given| **given == Raw::Absent) {
        return answer(&json!({"success": true, "drawer_id": id, "noop": true}));
    }
    let store = state.palace.store().await?;
    if store.drawers(vec![id.clone()]).await?.iter().all(Option::is_none) {
        return Err(not_found(&id).into());
    }
    let given = |raw: &Raw| *raw != Raw::Absent;
    let change = Change {
        content: given(&content).then(|| text::content(content)).transpose()?,
        wing: given(&wing).then(|| name::required("wing", wing)).transpose()?,
        room: given(&room).then(|| name::required("room", room)).transpose()?,
    };
    answer(&answers::changed(&id, store.update_drawer(id.clone(), change).await?))
}

async fn delete_drawer(state: AppState, mut args: Args) -> Answer {
    let id = drawer_id(&mut args)?;
    answer(&answers::deleted(&id, &state.palace.store().await?.delete_drawer(id.clone()).await?))
}

async fn delete_drawers(state: AppState, mut args: Args) -> Answer {
    let ids = drawer_ids(&mut args, "delete")?;
    let texts = ids.iter().map(answers::id_text).collect();
    let gone = state.palace.store().await?.delete_drawers(texts).await?;
    answer(&answers::all_deleted(&ids, gone))
}

async fn delete_by_source(state: AppState, mut args: Args) -> Answer {
    let source_file = match args.raw("source_file") {
        Raw::Text(text) if !text.trim_matches(loggia_domain::field::is_blank).is_empty() => text,
        _ => return Err(Refusal::new("source_file", "source_file must be a non-empty string").into()),
    };
    // Only a plain no deletes: a text such as "false" may be a client's mistake.
    let really = args.value("dry_run").is_some_and(|v| v == false || v.as_f64() == Some(0.0));
    let store = state.palace.store().await?;
    if really {
        let gone = store.delete_from_source(source_file.clone()).await?;
        let mut result = json!({"success": true, "dry_run": false, "source_file": source_file, "deleted": gone});
        if gone > 0 {
            result["closets_deleted"] = 0.into();
        }
        return answer(&result);
    }
    let found = store.from_source(source_file.clone()).await?;
    let sample: Vec<Value> = found.sample.into_iter().map(|(wing, room)| json!({"wing": wing, "room": room})).collect();
    let hint = format!(
        "No drawers were deleted. Re-run with dry_run=false to remove these {} drawer(s) and 0 index entr(y/ies).",
        found.rows
    );
    answer(&json!({
        "success": true,
        "dry_run": true,
        "source_file": source_file,
        "match_count": found.rows,
        "closet_match_count": 0,
        "sample": sample,
        "hint": hint,
    }))
}

/// An id as it came, not trimmed: what is not there is named as it was asked for.
fn drawer_id(args: &mut Args) -> Result<String, Refusal> {
    match args.raw("drawer_id") {
        Raw::Text(id) => Ok(id),
        _ => Err(Refusal::new("drawer_id", "drawer_id must be a string").accepted("an id such as drawer_…")),
    }
}

fn drawer_ids(args: &mut Args, what: &str) -> Result<Vec<Value>, Refusal> {
    const FIELD: &str = "drawer_ids";
    let Some(Value::Array(ids)) = args.value(FIELD) else {
        return Err(Refusal::new(FIELD, "drawer_ids must be a list of drawer IDs"));
    };
    if ids.is_empty() {
        return Err(Refusal::new(FIELD, "drawer_ids must not be empty"));
    }
    if ids.len() > MAX_IDS {
        let message =
            format!("drawer_ids holds {} ids, but the bulk {what} accepts at most {MAX_IDS} per call", ids.len());
        return Err(Refusal::new(FIELD, message).limit(MAX_IDS).value(ids.len()));
    }
    Ok(ids)
}
