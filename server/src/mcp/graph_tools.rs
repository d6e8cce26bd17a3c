//! The tools for tunnels, hallways and the graph of rooms: create_tunnel, list_tunnels, delete_tunnel, find_tunnels, follow_tunnels,
//! traverse, graph_stats, list_hallways, delete_hallway.

use loggia_domain::palace::name;
use loggia_domain::{Raw, Refusal};
use serde_json::{Value, json};

use super::args::{Args, BadArguments, Kind, optional, required};
use super::tool::{Answer, Effect, Failure, Tool, answer};
use crate::AppState;
use crate::palace::graph::Walk;
use crate::palace::tunnels::End;
use crate::tokens::Scope;

/// How far a walk goes when nothing is said, and at the most.
const DEFAULT_HOPS: u32 = 2;
const MAX_HOPS: i64 = 10;
/// How many hallways a page has when nothing is said, and at the most.
const DEFAULT_HALLWAYS: u32 = 100;
const MAX_HALLWAYS: u32 = 500;
/// The longest label, in characters.
const MAX_LABEL_CHARS: usize = 4096;

/// `mempalace_create_tunnel`
pub const CREATE_TUNNEL: Tool = Tool {
    name: "mempalace_create_tunnel",
    about: "Join two rooms that belong together, in one wing or in two, so that whoever stands in one finds the other. Both rooms must hold something. Between the same rooms there is one tunnel: a second call replaces its label.",
    params: &[
        required("source_wing", "The wing of the room that you come from"),
        required("source_room", "That room"),
        required("target_wing", "The wing of the room that it leads to"),
        required("target_room", "That room"),
        optional("label", Kind::Text, "Why the two belong together"),
        optional("source_drawer_id", Kind::Text, "The drawer that is meant in the first room"),
        optional(
            "target_drawer_id",
            Kind::Text,
            "The drawer that is meant in the second; following shows its beginning",
        ),
    ],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(create_tunnel(state, args)),
};

/// `mempalace_list_tunnels`
pub const LIST_TUNNELS: Tool = Tool {
    name: "mempalace_list_tunnels",
    about: "The tunnels that were dug, of all wings or of those that begin or end in one.",
    params: &[optional("wing", Kind::Text, "Only tunnels at this wing")],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(list_tunnels(state, args)),
};

/// `mempalace_delete_tunnel`
pub const DELETE_TUNNEL: Tool = Tool {
    name: "mempalace_delete_tunnel",
    about: "Delete a tunnel by its id; the rooms at its ends stay. That there is none of this id is no error.",
    params: &[required("tunnel_id", "The tunnel")],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(delete_tunnel(state, args)),
};

/// `mempalace_find_tunnels`
pub const FIND_TUNNELS: Tool = Tool {
    name: "mempalace_find_tunnels",
    about: "The rooms that several wings have under one name, fullest first: what two projects have in common without anybody having dug a tunnel.",
    params: &[
        optional("wing_a", Kind::Text, "Only rooms that this wing has"),
        optional("wing_b", Kind::Text, "And this one"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(find_tunnels(state, args)),
};

/// `mempalace_follow_tunnels`
pub const FOLLOW_TUNNELS: Tool = Tool {
    name: "mempalace_follow_tunnels",
    about: "Where the tunnels at a room lead, with the beginning of the drawers that are meant there. Each call strengthens the tunnels that it answers.",
    params: &[required("wing", "The wing of the room that you are in"), required("room", "That room")],
    scope: Scope::Memory,
    effect: Effect::Notes,
    run: |state, args, _| Box::pin(follow_tunnels(state, args)),
};

/// `mempalace_traverse`
pub const TRAVERSE: Tool = Tool {
    name: "mempalace_traverse",
    about: "Walk the palace from a room: the rooms that share a wing with it, those that share a wing with them, and so on, nearest and fullest first, at most 50.",
    params: &[
        required("start_room", "The room, by its exact name"),
        optional("max_hops", Kind::Count, "How far, 1 to 10; default 2"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(traverse(state, args)),
};

/// `mempalace_graph_stats`
pub const GRAPH_STATS: Tool = Tool {
    name: "mempalace_graph_stats",
    about: "How many rooms there are, how many of them several wings share, how many tunnels were dug, and the rooms that the most wings have.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(graph_stats(state)),
};

/// `mempalace_list_hallways`
pub const LIST_HALLWAYS: Tool = Tool {
    name: "mempalace_list_hallways",
    about: "Pairs of names that stand together within a wing, as an import brought them, the most frequent first.",
    params: &[
        optional("wing", Kind::Text, "Only this wing, by its exact name"),
        optional("limit", Kind::Count, "How many, 1 to 500; default 100"),
        optional("offset", Kind::Count, "How many to leave out first"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(list_hallways(state, args)),
};

/// `mempalace_delete_hallway`
pub const DELETE_HALLWAY: Tool = Tool {
    name: "mempalace_delete_hallway",
    about: "Delete a hallway by its id; answers whether there was one.",
    params: &[required("hallway_id", "The hallway")],
    scope: Scope::Memory,
    effect: Effect::Overwrites,
    run: |state, args, _| Box::pin(delete_hallway(state, args)),
};

async fn create_tunnel(state: AppState, mut args: Args) -> Answer {
    let source = (args.raw("source_wing"), args.raw("source_room"));
    let target = (args.raw("target_wing"), args.raw("target_room"));
    let mut source = End {
        wing: name::required("source_wing", source.0)?,
        room: name::required("source_room", source.1)?,
        drawer_id: None,
    };
    let mut target = End {
        wing: name::required("target_wing", target.0)?,
        room: name::required("target_room", target.1)?,
        drawer_id: None,
    };
    let label = label(args.raw("label"))?;
    source.drawer_id = args.plain_text("source_drawer_id")?.filter(|id| !id.is_empty());
    target.drawer_id = args.plain_text("target_drawer_id")?.filter(|id| !id.is_empty());
    answer(&state.palace.store().await?.create_tunnel(source, target, label).await?)
}

fn label(raw: Raw) -> Result<String, Refusal> {
    let label = match raw {
        Raw::Absent => String::new(),
        Raw::Text(text) => text,
        Raw::Other(value) => return Err(Refusal::new("label", "label must be a string").value(value)),
    };
    let chars = label.chars().count();
    if chars > MAX_LABEL_CHARS {
        return Err(Refusal::too_long("label", MAX_LABEL_CHARS, chars));
    }
    Ok(label)
}

async fn list_tunnels(state: AppState, mut args: Args) -> Answer {
    let wing = name::optional("wing", args.raw("wing"))?;
    answer(&state.palace.store().await?.tunnels(wing).await?)
}

async fn delete_tunnel(state: AppState, mut args: Args) -> Answer {
    let id = id("tunnel_id", args.raw("tunnel_id"))?;
    state.palace.store().await?.delete_tunnel(id.clone()).await?;
    answer(&json!({"deleted": id}))
}

async fn find_tunnels(state: AppState, mut args: Args) -> Answer {
    let wing_a = name::optional("wing_a", args.raw("wing_a"))?;
    let wing_b = name::optional("wing_b", args.raw("wing_b"))?;
    let wings = wing_a.into_iter().chain(wing_b).collect();
    answer(&state.palace.store().await?.shared_rooms(wings).await?)
}

async fn follow_tunnels(state: AppState, mut args: Args) -> Answer {
    let wing = name::required("wing", args.raw("wing"))?;
    let room = name::required("room", args.raw("room"))?;
    let store = state.palace.store().await?;
    let passages = if state.settings.read_only {
        store.passages(wing, room).await?
    } else {
        store.follow_tunnels(wing, room).await?
    };
    answer(&passages)
}

async fn traverse(state: AppState, mut args: Args) -> Answer {
    let start = match args.value("start_room") {
        Some(Value::String(room)) => room,
        other => return Err(BadArguments::of("start_room", &other.unwrap_or_default(), "a string").into()),
    };
    let max_hops = args.integer("max_hops").map(|hops| hops.clamp(1, MAX_HOPS));
    let max_hops = max_hops.and_then(|hops| u32::try_from(hops).ok()).unwrap_or(DEFAULT_HOPS);
    match state.palace.store().await?.traverse(start.clone(), max_hops).await? {
        Walk::Rooms(rooms) => answer(&rooms),
        Walk::Unknown(suggestions) => {
            answer(&json!({"error": format!("Room '{start}' not found"), "suggestions": suggestions}))
        }
    }
}

async fn graph_stats(state: AppState) -> Answer {
    answer(&state.palace.store().await?.graph_stats().await?)
}

async fn list_hallways(state: AppState, mut args: Args) -> Answer {
    let wing = name::optional("wing", args.raw("wing"))?;
    let (limit, offset) = args.page(DEFAULT_HALLWAYS, MAX_HALLWAYS);
    let (hallways, total) = state.palace.store().await?.hallways(wing, limit, offset).await?;
    answer(&json!({
        "hallways": hallways, "total": total, "count": hallways.len(), "offset": offset, "limit": limit,
    }))
}

async fn delete_hallway(state: AppState, mut args: Args) -> Answer {
    let id = id("hallway_id", args.raw("hallway_id"))?;
    let deleted = state.palace.store().await?.delete_hallway(id).await?;
    answer(&json!({"deleted": deleted}))
}

/// An id that is matched exactly.
fn id(field: &str, raw: Raw) -> Result<String, Failure> {
    match raw {
        Raw::Text(id) if !id.is_empty() => Ok(id),
        _ => Err(Refusal::new(field, format!("{field} is required")).into()),
    }
}
