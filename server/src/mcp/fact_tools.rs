//! The tools for facts: kg_add, kg_query, kg_invalidate, kg_supersede, kg_timeline, kg_stats.

use loggia_domain::Raw;
use loggia_domain::palace::fact::{self, Direction};
use loggia_domain::palace::name;
use loggia_domain::palace::temporal::{self, Phase};
use serde_json::{Value, json};

use super::args::{Args, Kind, optional, required};
use super::tool::{Answer, Effect, Tool, answer};
use crate::AppState;
use crate::palace::facts::ask::Fact;
use crate::palace::facts::{NewFact, Replacement, Source};
use crate::tokens::Scope;

/// How many facts a page of the timeline has when nothing is said, and at the most.
const TIMELINE: u32 = 100;

const PREDICATE: &str = "What is said, for example works_at or uses_model";

/// `mempalace_kg_add`
pub const KG_ADD: Tool = Tool {
    name: "mempalace_kg_add",
    about: "Record a fact: subject, predicate, object, and from when to when it holds. A fact that is recorded already and has no end is not recorded again. For a value that replaces another one use mempalace_kg_supersede.",
    params: &[
        required("subject", "Whom or what it is about, at most 128 characters"),
        required("predicate", PREDICATE),
        required("object", "What or whom it says it of, at most 128 characters"),
        optional("valid_from", Kind::Text, "Since when: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"),
        optional("valid_to", Kind::Text, "Until when, in the same forms; left out while it holds"),
        optional("source_closet", Kind::Text, "The closet that says so"),
        optional("source_file", Kind::Text, "The file that says so"),
        optional("source_drawer_id", Kind::Text, "The drawer that says so"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(kg_add(state, args)),
};

/// `mempalace_kg_query`
pub const KG_QUERY: Tool = Tool {
    name: "mempalace_kg_query",
    about: "What is known about a person, project or thing: its facts, sorted into those that hold now, that have ended and that are still to begin; or those that held at a time. A name that is not known whole is completed when only one fits.",
    params: &[
        required("entity", "The name"),
        optional("as_of", Kind::Text, "Only what held then: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"),
        optional("direction", Kind::Text, "outgoing: it is the subject; incoming: the object; default both"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(kg_query(state, args)),
};

/// `mempalace_kg_invalidate`
pub const KG_INVALIDATE: Tool = Tool {
    name: "mempalace_kg_invalidate",
    about: "Say that a fact holds no longer: it gets an end and stays in the history. For a value that another one replaces use mempalace_kg_supersede.",
    params: &[
        required("subject", "As it was recorded"),
        required("predicate", "As it was recorded"),
        required("object", "As it was recorded"),
        optional("ended", Kind::Text, "When: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ; default today"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(kg_invalidate(state, args)),
};

/// `mempalace_kg_supersede`
pub const KG_SUPERSEDE: Tool = Tool {
    name: "mempalace_kg_supersede",
    about: "Replace a value: the old fact ends and the new one begins at the same second, both or neither. Use it for what can only be one thing at a time, for example where somebody works.",
    params: &[
        required("subject", "Whom or what both are about"),
        required("predicate", PREDICATE),
        required("old_object", "The old value, as it was recorded"),
        required("new_object", "The new value"),
        optional("at", Kind::Text, "When: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ; default now"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(kg_supersede(state, args)),
};

/// `mempalace_kg_timeline`
pub const KG_TIMELINE: Tool = Tool {
    name: "mempalace_kg_timeline",
    about: "Facts in the order in which they began, of one name or of all; those without a beginning last.",
    params: &[
        optional("entity", Kind::Text, "Only facts about this"),
        optional("limit", Kind::Count, "How many, 1 to 100; default 100"),
        optional("offset", Kind::Count, "How many to leave out first"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(kg_timeline(state, args)),
};

/// `mempalace_kg_stats`
pub const KG_STATS: Tool = Tool {
    name: "mempalace_kg_stats",
    about: "How many names and facts are recorded, how many facts have no end, and which predicates are in use.",
    params: &[],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, _, _| Box::pin(kg_stats(state)),
};

async fn kg_add(state: AppState, mut args: Args) -> Answer {
    let new = NewFact {
        subject: fact::value("subject", args.raw("subject"))?,
        predicate: name::required("predicate", args.raw("predicate"))?,
        object: fact::value("object", args.raw("object"))?,
        valid_from: temporal::time("valid_from", args.raw("valid_from"))?,
        valid_to: temporal::time("valid_to", args.raw("valid_to"))?,
        source: Source {
            closet: args.plain_text("source_closet")?,
            file: args.plain_text("source_file")?,
            drawer_id: args.plain_text("source_drawer_id")?,
        },
    };
    let sentence = fact::sentence(&new.subject, &new.predicate, &new.object);
    let id = state.palace.store().await?.add_fact(new).await?;
    answer(&json!({"success": true, "triple_id": id, "fact": sentence}))
}

async fn kg_query(state: AppState, mut args: Args) -> Answer {
    let entity = fact::value("entity", args.raw("entity"))?;
    let as_of = args.raw("as_of");
    // Said back as it was given, and an empty text asks for nothing special.
    let empty = (as_of == Raw::Text(String::new())).then(String::new);
    let as_of = temporal::time("as_of", as_of)?;
    let direction = Direction::read(args.value("direction").as_ref())?;
    let known = state.palace.store().await?.facts_about(entity, as_of.clone(), direction).await?;
    let in_phase = |phase: Phase| -> Vec<&Fact> {
        known.facts.iter().zip(&known.phases).filter(|(_, p)| **p == phase).map(|(fact, _)| fact).collect()
    };
    let mut told = json!({
        "entity": known.entity,
        "as_of": as_of.or(empty),
        "active_facts": in_phase(Phase::Present),
        "historical_facts": in_phase(Phase::Past),
        "future_facts": in_phase(Phase::Future),
        "facts": known.facts,
        "count": known.facts.len(),
    });
    if let Some(asked) = known.resolved_from {
        told["resolved_from"] = asked.into();
    }
    if !known.candidates.is_empty() {
        told["candidates"] = json!(known.candidates);
    }
    answer(&told)
}

async fn kg_invalidate(state: AppState, mut args: Args) -> Answer {
    let subject = fact::value("subject", args.raw("subject"))?;
    let predicate = name::required("predicate", args.raw("predicate"))?;
    let object = fact::value("object", args.raw("object"))?;
    let ended = temporal::time("ended", args.raw("ended"))?;
    let sentence = fact::sentence(&subject, &predicate, &object);
    let ended = state.palace.store().await?.end_fact((subject, predicate, object), ended).await?;
    answer(&json!({"success": true, "fact": sentence, "ended": ended}))
}

async fn kg_supersede(state: AppState, mut args: Args) -> Answer {
    let replacement = Replacement {
        subject: fact::value("subject", args.raw("subject"))?,
        predicate: name::required("predicate", args.raw("predicate"))?,
        old_object: fact::value("old_object", args.raw("old_object"))?,
        new_object: fact::value("new_object", args.raw("new_object"))?,
        at: temporal::time("at", args.raw("at"))?,
    };
    let superseded = replacement.old_object.clone();
    let sentence = fact::sentence(&replacement.subject, &replacement.predicate, &replacement.new_object);
    let id = state.palace.store().await?.replace_fact(replacement).await?;
    answer(&json!({"success": true, "triple_id": id, "fact": sentence, "superseded": superseded}))
}

async fn kg_timeline(state: AppState, mut args: Args) -> Answer {
    let entity = match args.value("entity") {
        None | Some(Value::Null) => None,
        given => Some(fact::value("entity", Raw::from(given))?),
    };
    let (limit, offset) = args.page(TIMELINE, TIMELINE);
    let timeline = state.palace.store().await?.fact_timeline(entity.clone(), limit, offset).await?;
    answer(&json!({
        "entity": entity.as_deref().unwrap_or("all"),
        "timeline": timeline.facts,
        "count": timeline.facts.len(),
        "total": timeline.total,
        "offset": offset,
        "limit": limit,
    }))
}

async fn kg_stats(state: AppState) -> Answer {
    answer(&state.palace.store().await?.fact_stats().await?)
}
