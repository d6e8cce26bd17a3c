//! The tools that look over the palace and search it: status, list_wings, list_rooms, get_taxonomy, get_aaak_spec, search,
//! check_duplicate, hook_settings, memories_filed_away.

use loggia_domain::palace::{name, query, window};
use loggia_domain::{Raw, Refusal};
use serde_json::{Value, json};

use super::args::{Args, Kind, optional, required};
use super::drawer_tools::{BEFORE, SINCE};
use super::tool::{Answer, Effect, Failure, Tool, answer};
use crate::AppState;
use crate::palace::answers;
use crate::palace::drawers::Filter;
use crate::palace::overview;
use crate::palace::search::Ask;
use crate::tokens::Scope;

mod teaching;

/// How many hits are shown when nothing is said, and at the most.
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 100;
/// Hits whose meaning is farther than this are left out when nothing is said.
const MAX_DISTANCE: f64 = 1.5;
/// From which likeness on a text counts as there already when nothing is said.
const DUPLICATE_THRESHOLD: f64 = 0.9;

/// `mempalace_status`
pub const STATUS: Tool = Tool {
    name: "mempalace_status",
    about: "What the palace holds and how to work with it. Call it when a session begins.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(status(state)),
};

/// `mempalace_list_wings`
pub const LIST_WINGS: Tool = Tool {
    name: "mempalace_list_wings",
    about: "All wings, and how many rows each has.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(list_wings(state)),
};

/// `mempalace_list_rooms`
pub const LIST_ROOMS: Tool = Tool {
    name: "mempalace_list_rooms",
    about: "The rooms of a wing or of all wings, and how many rows each has.",
    params: &[optional("wing", Kind::Text, "Only this wing")],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(list_rooms(state, args)),
};

/// `mempalace_get_taxonomy`
pub const GET_TAXONOMY: Tool = Tool {
    name: "mempalace_get_taxonomy",
    about: "All wings with their rooms, and how many rows lie in each.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(get_taxonomy(state)),
};

/// `mempalace_get_aaak_spec`
pub const GET_AAAK_SPEC: Tool = Tool {
    name: "mempalace_get_aaak_spec",
    about: "The notation AAAK, in which diary entries are usually written.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |_, _, _| Box::pin(async { answer(&json!({"aaak_spec": teaching::AAAK})) }),
};

/// `mempalace_search`
pub const SEARCH: Tool = Tool {
    name: "mempalace_search",
    about: "Search drawers and diaries by words and, when the hub has a model, by meaning. Ask one short question; a long query is cut to its question, and the answer says so. Hits are verbatim texts.",
    params: &[
        required("query", "What you look for: a question or some words"),
        optional("limit", Kind::Count, "At most so many hits, 1 to 100; default 5"),
        optional("wing", Kind::Text, "Only this wing"),
        optional("room", Kind::Text, "Only this room"),
        optional("source_file", Kind::Text, "Only from this source, by its whole path"),
        optional("since", Kind::Text, SINCE),
        optional("before", Kind::Text, BEFORE),
        optional(
            "max_distance",
            Kind::Number,
            "Leave out hits whose meaning is farther; 0 leaves none out; default 1.5",
        ),
        optional("candidate_strategy", Kind::Text, "vector or union; words and meaning are always joined here"),
        optional("context", Kind::Text, "Why you ask; not searched for"),
        optional("cli_compatible", Kind::Boolean, "Accepted for older clients"),
        optional("include_media", Kind::Boolean, "Accepted for older clients; there are only texts"),
        optional("query_task", Kind::Text, "search or code; accepted for older clients"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(search(state, args)),
};

/// `mempalace_check_duplicate`
pub const CHECK_DUPLICATE: Tool = Tool {
    name: "mempalace_check_duplicate",
    about: "Is a text there already, anywhere in the palace? An identical one is always found, one that says the same when the hub has a model.",
    params: &[
        required("content", "The text"),
        optional("threshold", Kind::Number, "From which likeness on, 0 to 1; default 0.9"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(check_duplicate(state, args)),
};

/// `mempalace_hook_settings`
pub const HOOK_SETTINGS: Tool = Tool {
    name: "mempalace_hook_settings",
    about: "Show or set how the hooks of coding agents behave.",
    params: &[
        optional("silent_save", Kind::Boolean, "Save without asking the agent to do it"),
        optional("desktop_toast", Kind::Boolean, "Show a note on the desktop"),
    ],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(hook_settings(state, args)),
};

/// `mempalace_memories_filed_away`
pub const MEMORIES_FILED_AWAY: Tool = Tool {
    name: "mempalace_memories_filed_away",
    about: "What a hook saved last; told once.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, _, _| Box::pin(memories_filed_away(state)),
};

async fn status(state: AppState) -> Answer {
    let store = state.palace.store().await?;
    let taxonomy = store.taxonomy().await?;
    let progress = store.vector_progress().await?;
    let wings = overview::wings(&taxonomy);
    let device = store.semantic().map_or_else(|| "none".to_owned(), |model| format!("cpu ({})", model.model()));
    let mut updates = json!({"vectors": progress.embedded, "vectors_waiting": progress.waiting});
    if let Some(reason) = store.semantic_off() {
        updates["vectors_off"] = reason.into();
    }
    answer(&json!({
        "total_drawers": wings.values().sum::<i64>(),
        "wings": wings,
        "rooms": overview::rooms(&taxonomy, None),
        "protocol": teaching::PROTOCOL,
        "aaak_dialect": teaching::AAAK,
        "backend": "sqlite",
        "embedding_device": device,
        "sqlite_integrity": {"schema_version": store.schema_version().await?},
        "library_versions": {"loggia": env!("CARGO_PKG_VERSION"), "sqlite": overview::sqlite_version()},
        "updates": updates,
    }))
}

async fn list_wings(state: AppState) -> Answer {
    let taxonomy = state.palace.store().await?.taxonomy().await?;
    answer(&json!({"wings": overview::wings(&taxonomy)}))
}

async fn list_rooms(state: AppState, mut args: Args) -> Answer {
    let wing = name::optional("wing", args.raw("wing"))?;
    let taxonomy = state.palace.store().await?.taxonomy().await?;
    let rooms = overview::rooms(&taxonomy, wing.as_deref());
    answer(&json!({"wing": wing.as_deref().unwrap_or("all"), "rooms": rooms}))
}

async fn get_taxonomy(state: AppState) -> Answer {
    answer(&json!({"taxonomy": state.palace.store().await?.taxonomy().await?}))
}

async fn search(state: AppState, mut args: Args) -> Answer {
    let query = query::clean(&args.plain_text("query")?.unwrap_or_default());
    let limit = args.count("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    let max_distance = args.number("max_distance").unwrap_or(MAX_DISTANCE);
    let context_received = args.has("context");
    let wing = name::optional("wing", args.raw("wing"))?;
    let room = name::optional("room", args.raw("room"))?;
    let source_file = name::source_file(args.raw("source_file"))?;
    strategy(&mut args)?;
    let bounds = ["since", "before"].map(|name| args.peek(name).cloned().unwrap_or_default());
    let window = window::window(args.raw("since"), args.raw("before"))?;
    let [since, before] = bounds;
    let filters = json!({"wing": wing, "room": room, "source_file": source_file, "since": since, "before": before});
    let filter = Filter { wing, room, source_file, window };

    let store = state.palace.store().await?;
    let found = store.search(Ask { query: query.text.clone(), limit, filter, max_distance }).await?;
    let mut result = answers::found(&query, &filters, &found, store.semantic_off());
    if context_received {
        result["context_received"] = true.into();
    }
    answer(&result)
}

/// Arguments that change nothing here, but must be sensible: a caller who writes nonsense means something else.
fn strategy(args: &mut Args) -> Result<(), Refusal> {
    let one_of = |raw: &Raw, words: [&str; 2]| match raw {
        Raw::Absent => true,
        Raw::Text(text) => words.contains(&text.as_str()),
        Raw::Other(_) => false,
    };
    if !one_of(&args.raw("candidate_strategy"), ["vector", "union"]) {
        let message = "candidate_strategy must be one of ('vector', 'union')";
        return Err(Refusal::new("candidate_strategy", message).accepted("vector, union"));
    }
    let is_flag = |value: Option<Value>| value.is_none_or(|v| v.is_boolean() || v.is_null());
    let (media, task) = (args.value("include_media"), args.raw("query_task"));
    if !is_flag(media) || !one_of(&task, ["search", "code"]) {
        let message = "include_media must be boolean and query_task must be 'search' or 'code'";
        return Err(Refusal::new("query_task", message).accepted("search, code"));
    }
    Ok(())
}

async fn check_duplicate(state: AppState, mut args: Args) -> Answer {
    let Raw::Text(content) = args.raw("content") else {
        return Err(Refusal::new("content", "Duplicate check failed").accepted("a text").into());
    };
    let threshold = args.number("threshold").unwrap_or(DUPLICATE_THRESHOLD);
    let matches = state.palace.store().await?.duplicates(content, threshold).await?;
    answer(&json!({"is_duplicate": !matches.is_empty(), "matches": matches}))
}

async fn hook_settings(state: AppState, mut args: Args) -> Answer {
    let store = state.palace.store().await?;
    let (silent_save, desktop_toast) = (flag(&mut args, "silent_save")?, flag(&mut args, "desktop_toast")?);
    let updated: Vec<String> = [("silent_save", silent_save), ("desktop_toast", desktop_toast)]
        .into_iter()
        .filter_map(|(name, yes)| Some(format!("{name} → {}", yes?)))
        .collect();
    if updated.is_empty() {
        return answer(&json!({"success": true, "settings": store.hook_settings().await?}));
    }
    let settings = store.change_hook_settings(silent_save, desktop_toast).await?;
    answer(&json!({"success": true, "settings": settings, "updated": updated}))
}

fn flag(args: &mut Args, name: &str) -> Result<Option<bool>, Failure> {
    match args.value(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(yes)) => Ok(Some(yes)),
        Some(other) => {
            Err(Refusal::new(name, format!("{name} must be true or false")).value(other).accepted("true, false").into())
        }
    }
}

async fn memories_filed_away(state: AppState) -> Answer {
    answer(&match state.palace.store().await?.take_checkpoint().await? {
        None => json!({"status": "quiet", "message": "No recent journal entry", "count": 0, "timestamp": null}),
        Some(note) => {
            let message = format!("{} messages were filed", note.msgs);
            json!({"status": "ok", "message": message, "count": note.msgs, "timestamp": note.ts})
        }
    })
}
